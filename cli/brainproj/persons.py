"""Whether a person is at the keyboard: what makes something official is a person's act, and each such act is kept.

This is no wall: an agent with a shell is the user (design 11). It keeps an agent from doing so by itself.
"""

import os
import pwd
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from .errors import Refused
from .processes import list_ancestors

AGENT_VARIABLES = ("CLAUDECODE", "CLAUDE_CODE_", "CODEX_SANDBOX", "CODEX_THREAD", "CURSOR_AGENT", "CURSOR_VERSION")
"""Beginnings of names that agents set for what they run (formats/agents.md 3.5, 4.4, 5.3)."""
AGENT_PROGRAMS = frozenset({"claude", "codex", "cursor-agent"})


@dataclass(frozen=True, slots=True)
class Act:
    """Who acted, at which terminal, below which processes (the nearest first)."""

    who: str
    terminal: str
    parents: tuple[str, ...]


def require_person(environment: Mapping[str, str], what: str) -> Act:
    """The act of the person at the terminal. Raises Refused where there is none, or an agent is in between."""
    for name in environment:
        if name.startswith(AGENT_VARIABLES):
            raise Refused(f"{what} is a person's act, and {name} says that an agent runs this", hint=TERMINAL)
    parents = list_ancestors()
    for parent in parents:
        if parent in AGENT_PROGRAMS:
            raise Refused(f"{what} is a person's act, and this runs under {parent}", hint=TERMINAL)
    terminal = _terminal()
    if terminal is None:
        raise Refused(f"{what} is a person's act, and there is no terminal here", hint=TERMINAL)
    return Act(pwd.getpwuid(os.getuid()).pw_name, terminal, tuple(parents))


TERMINAL = "run it yourself, in a terminal"


def _terminal() -> str | None:
    """The name of the controlling terminal that a person types at; None where there is none."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
        return os.ttyname(sys.stdin.fileno()) if sys.stdin is not None and sys.stdin.isatty() else None
    except (OSError, ValueError):
        return None
