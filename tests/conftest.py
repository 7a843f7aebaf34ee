"""Hermetic by default: own HOME and XDG folders, no colour, 80 columns, UTC, none of the caller's settings."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from .cli import Cli

DATA = Path(__file__).parent / "data"
CASES = DATA / "cases"
TRANSCRIPTS = DATA / "transcripts"
FOREIGN = ("GIT_", "BRAIN", "CLAUDE", "CODEX", "CURSOR", "AGENTI", "XDG_", "KB_ROUTER", "BROADCAST_FILE")


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home folder of the test's own; the environment names nothing else."""
    for name in list(os.environ):
        if name.startswith(FOREIGN):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    yield home
    if len(os.listdir("/dev/fd")) > FILES_AT_MOST:
        gc.collect()  # a connection of sqlite3 that nobody closed is freed by this alone: it refers to itself


FILES_AT_MOST = 200
"""A process may have 1,024; `select` takes none above that."""


@pytest.fixture
def home(surroundings: Path) -> Path:
    """The test's home folder."""
    return surroundings


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Cli:
    """Runs commands in this process."""
    return Cli(capfd)
