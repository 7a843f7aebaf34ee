"""The README is true: every command it shows runs, every command there is stands in it, the demo is what came out."""

import re
import shlex
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from brainproj.commands.registry import COMMANDS
from brainproj.demo import build_demo

from .cli import Cli, spawn
from .test_identity import NOW

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
EXAMPLES = [
    line
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("brainproj ") and line.split()[1] not in ("decide", "review")
]

AT_A_TERMINAL = ("share", "decide", "review", "mcp")
"""Acts of a person (tests/test_decisions.py and tests/hooks/test_delivery.py run them at a terminal), and a server."""


def test_every_command_is_shown() -> None:
    shown = {line.split()[1] for line in EXAMPLES}
    assert {entry.name for entry in COMMANDS} - {"demo", *AT_A_TERMINAL} <= shown
    assert all(f"`brainproj {name} " in README for name in AT_A_TERMINAL)
    for entry in COMMANDS:
        assert f"| `brainproj {entry.name}` |" in README


def test_every_test_that_is_named_is_there() -> None:
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", README)
    assert len(named) > 30
    for file, name in named:
        text = (Path(__file__).parent / file).read_text("utf-8")
        assert re.search(rf"^def {name}\(", text, re.MULTILINE), f"{file}::{name}"


def test_every_example_runs(home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    build_demo(home, NOW)
    monkeypatch.chdir(home / "dev" / "worktrees" / "tides")
    cli.ok("backfill")
    Path("harbor.jsonl").write_text(cli.ok("export", "harbor").out)
    for line in EXAMPLES:
        done = cli(*shlex.split(line, comments=True)[1:])
        assert done.code == 0, f"{line}: {done.err}"


def scrub(text: str) -> str:
    """Days and ages are those of the day it was run; everything else must be the same."""
    text = re.sub(r"\d{4}-\d{2}-\d{2}", "DATE", text)
    text = re.sub(r"(?m)( +)\d+[smhd]( {4,5})", r"\1AGE\2", text)
    text = re.sub(r"· (active|complete|stalled) ·", "· STATUS ·", text)
    return re.sub(r"Done in \d+\.\d s", "Done", text)


def test_the_demo_is_what_came_out() -> None:
    shown = re.search(r"<!-- demo -->\n```text\n(.*?)```\n<!-- /demo -->", README, re.DOTALL)
    assert shown
    demo = spawn("demo")
    out, err = demo.communicate(timeout=60)
    assert demo.returncode == 0, err.decode()
    assert scrub(shown[1]).strip() == scrub(out.decode()).strip()


def test_the_installation_is_what_came_out(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = re.search(r"<!-- install -->\n```text\n(.*?)```\n<!-- /install -->", README, re.DOTALL)
    assert shown
    build_demo(home, datetime.now(UTC))
    monkeypatch.chdir(home / "dev" / "harbor")
    command, _, rest = shown[1].partition("\n")
    running = spawn(*shlex.split(command)[2:], stderr=subprocess.STDOUT)
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 0
    assert scrub(rest).strip() == scrub(out.decode().replace(str(home), "/home/dev")).strip()


def test_the_two_commands_of_a_newcomer_stand_there() -> None:
    lines = README.splitlines()
    assert "pip install uv && uv run brainproj preview --cwd ." in lines
    assert "pip install uv && uv run pytest" in lines
