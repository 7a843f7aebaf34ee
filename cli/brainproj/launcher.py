"""The launcher: `<home>/hook`, the one path that agents' settings name, whatever version of us is installed where.

It runs the hook with an interpreter and a file that it names, if both are there, and always ends with status 0: a
program that is gone must not make an agent refuse a prompt.
"""

import sys
from pathlib import Path

from .config import write_whole
from .errors import BrainError
from .paths import Paths

START = Path(__file__).parent / "hooks" / "start.py"


def launcher_text(home: Path, python: str, start: Path) -> str:
    """The few lines of sh."""
    program, file = _quoted(python), _quoted(str(start))
    return (
        "#!/bin/sh\n"
        "trap 'exit 0' EXIT\n"
        f"home=${{BRAINPROJ_HOME:-{_quoted(str(home))}}}\n"
        f'[ -x {program} ] && [ -f {file} ] && {program} -I -S {file} "$home" "$@"\n'
        "exit 0\n"
    )


def _quoted(text: str) -> str:
    """A word of sh that means exactly this text."""
    return "'" + text.replace("'", "'\"'\"'") + "'"


def write_launcher(paths: Paths) -> bool:
    """Make the launcher, or mend it if it names another interpreter or file; False where it cannot be written."""
    wanted = launcher_text(paths.home, sys.executable, START)
    try:
        if paths.launcher.read_text("utf-8") == wanted and paths.launcher.stat().st_mode & 0o100:
            return True
    except (OSError, UnicodeDecodeError):
        pass
    try:
        write_whole(paths.launcher, wanted.encode())
        paths.launcher.chmod(0o700)
    except (BrainError, OSError):
        return False
    return True


def mend_launcher(paths: Paths) -> None:
    """Mend the launcher where there is one; a command costs nothing more."""
    if paths.launcher.exists():
        write_launcher(paths)
