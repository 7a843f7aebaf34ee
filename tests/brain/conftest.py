"""A fleet and a brain for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ..hooks.sessions import Fleet
from .server import TOKEN, Brain, serve


@pytest.fixture
def fleet(home: Path, tmp_path: Path) -> Fleet:
    """Two projects whose memory is ready."""
    return Fleet(home, tmp_path / "code").make()


@pytest.fixture
def brain(monkeypatch: pytest.MonkeyPatch) -> Iterator[Brain]:
    """A kernel on loopback, which the environment names."""
    with serve(Brain()) as served:
        monkeypatch.setenv("BRAIN_URL", served.url)
        monkeypatch.setenv("BRAIN_HTTP_TOKEN", TOKEN)
        yield served
