"""Completion: the scripts are fresh, and the live values are those of the store."""

import os
from pathlib import Path

import pytest

from brainproj.demo import build_demo

from ..cli import Cli, spawn
from ..test_identity import NOW

FOLDER = Path(__file__).parent.parent.parent / "completions"


@pytest.mark.parametrize(
    ("shell", "name"), [("bash", "brainproj.bash"), ("zsh", "_brainproj"), ("fish", "brainproj.fish")]
)
def test_the_scripts_are_fresh(cli: Cli, shell: str, name: str) -> None:
    assert (FOLDER / name).read_text() == cli.ok("completion", shell).out


def complete(words: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What bash would offer after these words."""
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    monkeypatch.setenv("_BRAINPROJ_COMPLETE", "complete_bash")
    process = spawn()
    out, err = process.communicate(timeout=60)
    assert err == b""
    return out.decode().split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("brainproj pre", {"preview"}),
        ("brainproj search x --project har", {"harbor"}),
        ("brainproj search x --project git.example.com/acme/l", {"git.example.com/acme/lantern"}),
        ("brainproj show ", {"a3f2e1c8-0000-4000-8000-000000000001", "01a0b3da-c522-7af2-8a6d-2e1aed53b269"}),
        ("brainproj preview --session a3", {"a3f2e1c8-0000-4000-8000-000000000001"}),
        ("brainproj scope ", {"strict", "rank", "off"}),
        ("brainproj sessions --agent c", {"claude", "codex", "cursor"}),
    ],
)
def test_live_values(home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, words: str, offered: set[str]) -> None:
    build_demo(home, NOW)
    cli.ok("backfill")
    os.chdir(home / "dev" / "harbor")
    assert set(complete(words, monkeypatch)) == offered


def test_completion_is_silent_without_a_store(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert complete("brainproj show ", monkeypatch) == []
    (home / ".brainproj").mkdir()
    (home / ".brainproj" / "brain.db").write_text("not a store")
    assert complete("brainproj show ", monkeypatch) == []
    assert complete("brainproj search x --project a", monkeypatch) == []
    for config in ('scoop = "strict"', "scope = ["):
        (home / ".brainproj" / "config.toml").write_text(config)
        assert complete("brainproj resume ", monkeypatch) == []
