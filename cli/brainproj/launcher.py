"""The launcher: `<home>/hook`, the one path that agents' settings name, whatever version of us is installed where.

It runs the hook with an interpreter and a file that it names, if both are there, and always ends with status 0: a
program that is gone must not make an agent refuse a prompt.
"""

import os
import shlex
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .errors import BrainError
from .files import write_whole
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
        if paths.launcher.read_bytes() == os.fsencode(wanted) and paths.launcher.stat().st_mode & 0o100:
            return True
    except OSError:
        pass
    try:
        make_launcher(paths)
    except (BrainError, OSError):
        return False
    return True


def make_launcher(paths: Paths) -> None:
    """Write the launcher anew. Raises BrainError."""
    write_whole(paths.launcher, os.fsencode(launcher_text(paths.home, sys.executable, START)))
    paths.launcher.chmod(0o700)


def mend_launcher(paths: Paths) -> None:
    """Mend the launcher where there is one; a command costs nothing more."""
    if paths.launcher.exists():
        write_launcher(paths)


@dataclass(frozen=True, slots=True)
class LauncherCall:
    """A command of somebody's settings that calls a launcher. is_sound: a shell would start it with these arguments."""

    launcher: Path
    arguments: tuple[str, ...]
    is_sound: bool


def launcher_command(launcher: Path, *arguments: str) -> str:
    """The command line that settings hold: quoted where it needs it, plain where it does not (cases/23)."""
    return shlex.join([str(launcher), *arguments])


def read_call(command: str, launchers: Iterable[Path], home: Path) -> LauncherCall | None:
    """The call that a command is, if its first word is one of these launchers; a word of the same sound is not.

    An earlier writer's path that it forgot to quote is told by the whole of it.
    """
    words = _words(command)
    for launcher in launchers:
        path = str(launcher)
        if words and _expanded(words[0], home) == path:
            return LauncherCall(launcher, tuple(words[1:]), is_sound=True)
        if command.startswith(path + " ") and " " in path:
            return LauncherCall(launcher, tuple(command[len(path) :].split()), is_sound=False)
    return None


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _expanded(word: str, home: Path) -> str:
    return str(home) + word[1:] if word.startswith("~/") else word
