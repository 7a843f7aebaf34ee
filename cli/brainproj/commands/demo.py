"""`brainproj demo`: the product in twenty seconds, nothing of the person's touched."""

import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import typer

from ..demo import build_demo
from ..views import terminal

app = typer.Typer(rich_markup_mode=None, add_completion=False)
STEPS = (
    ("Claude Code and Codex have written transcripts; brainproj reads them.", ("backfill",)),
    ("Each session was filed under the project of its folder, the worktree's too.", ("sessions", "--all")),
    (
        "A new session in the worktree is given its project's memory and nothing else.",
        ("preview", "--cwd", "dev/worktrees/tides"),
    ),
    ("So is one in the other repository: two sessions, two different blocks.", ("preview", "--cwd", "dev/lantern")),
    ("Everything recalled has an address that opens its source.", ("show", "rec:1")),
)


@app.command()
def demo() -> None:
    """Show it all on two small made-up repositories, in a temporary home.

    Examples:

      brainproj demo
    """
    with tempfile.TemporaryDirectory(prefix="brainproj-demo-") as folder:
        home = Path(folder).resolve()
        build_demo(home, datetime.now(UTC))
        for said, arguments in STEPS:
            terminal.answer(f"\n# {said}\n$ brainproj {' '.join(arguments)}")
            _run(home, arguments)
    terminal.answer("\nThat was a temporary home; it is gone. In your own: brainproj preview --cwd .")


def _run(home: Path, arguments: tuple[str, ...]) -> None:
    """Run one command as a person would, in the demo's home."""
    foreign = ("BRAIN", "CLAUDE", "CODEX", "CURSOR", "AGENTI", "BROADCAST_FILE")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    environment |= {"HOME": str(home), "PWD": str(home)}
    command = [sys.executable, "-m", "brainproj", *arguments]
    done = subprocess.run(command, cwd=home, env=environment, stdin=subprocess.DEVNULL, check=False)  # noqa: S603
    if done.returncode:
        raise typer.Exit(done.returncode)
