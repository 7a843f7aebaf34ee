"""`brainproj statusline`: the line that Claude Code shows below its prompt, for those who build their own."""

import json as jsonlib
import os
import sys

import typer

from ..hooks.statusline import render_line
from ..views import terminal
from .surroundings import current_folder, find_surroundings

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def statusline() -> None:
    """Print a status line for Claude Code; `install --statusline` adds it.

    It tells project, scope, block and its age. The session's JSON is read from stdin; at a terminal the line is that of
    the current folder.

    Examples:

      brainproj statusline

      brainproj statusline < session.json
    """
    around = find_surroundings()
    raw = _read_input() or jsonlib.dumps({"cwd": current_folder()}).encode()
    terminal.answer(render_line(str(around.paths.home), raw, dict(os.environ)))


def _read_input() -> bytes:
    """What stands on stdin; nothing at a terminal, or where it is closed."""
    try:
        return b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read().strip()
    except (OSError, ValueError):
        return b""
