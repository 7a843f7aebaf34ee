"""Whether a person is at the keyboard: what makes something official is a person's act, and each such act is kept.

This is no wall: an agent with a shell is the user (design 11). It keeps an agent from doing so by itself.
"""

import os
import pwd
import sys
from collections.abc import Mapping

from .core.records import Act
from .errors import Refused
from .processes import list_ancestors

AGENT_VARIABLES = (
    "CLAUDECODE", "CLAUDE_CODE_", "CLAUDE_PROJECT_DIR", "CODEX_SANDBOX", "CODEX_THREAD", "CODEX_CI", "CURSOR_AGENT",
    "CURSOR_VERSION", "CURSOR_PROJECT_DIR",
)  # fmt: skip
"""Beginnings of names that agents set for what they run (formats/agents.md 3.5, 4.4, 5.3)."""
AGENT_PROGRAMS = ("claude", "claude-code", "codex", "cursor-agent")
"""Names of programs, and of the folders they lie in: `codex-x86_64-unknown-linux-musl`, `…/claude/versions/2.1.240`."""


def require_person(environment: Mapping[str, str], what: str) -> Act:
    """The act of the person at the terminal. Raises Refused where there is none, or an agent is in between."""
    if (agent := agent_in_between(environment)) is not None:
        raise Refused(f"{what} is a person's act, and {agent}", hint=TERMINAL)
    terminal = _terminal()
    if terminal is None:
        raise Refused(f"{what} is a person's act, and there is no terminal here", hint=TERMINAL)
    parents = list_ancestors()
    return Act(
        pwd.getpwuid(os.getuid()).pw_name, terminal, tuple(one.program or " ".join(one.words[:1]) for one in parents)
    )


def is_agents(environment: Mapping[str, str]) -> bool:
    """Whether an environment is one that an agent made for its shell or its hooks."""
    return any(name.startswith(AGENT_VARIABLES) for name in environment)


def agent_in_between(environment: Mapping[str, str]) -> str | None:
    """What says that an agent runs this; None where nothing does."""
    for name in environment:
        if name.startswith(AGENT_VARIABLES):
            return f"{name} says that an agent runs this"
    for one in list_ancestors():
        if (agent := _agent_in([one.program, *one.words])) is not None:
            return f"this runs under {agent}"
        for name in sorted(one.variables):
            if name.startswith(AGENT_VARIABLES):
                return f"{name} says that an agent started {' '.join(one.words[:1])}, under which this runs"
    return None


def _agent_in(words: list[str]) -> str | None:
    """The agent that a process is: its program, or the script that an interpreter runs, or where either lies."""
    for word in words:
        if word.startswith("-") or (" " in word and "/" not in word):
            continue
        parts = word.split("/")
        for part in parts if "/" in word else parts[-1:]:
            if part in AGENT_PROGRAMS or (
                part == parts[-1] and part.startswith(tuple(f"{one}-" for one in AGENT_PROGRAMS))
            ):
                return part
    return None


TERMINAL = "run it yourself, in a terminal"


def _terminal() -> str | None:
    """The name of the controlling terminal that a person types at; None where there is none."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
        return os.ttyname(sys.stdin.fileno()) if sys.stdin is not None and sys.stdin.isatty() else None
    except (OSError, ValueError):
        return None
