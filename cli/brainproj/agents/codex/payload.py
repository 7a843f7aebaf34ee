"""Codex' hook payloads and answers (formats/agents.md 4). Hooks import this module.

They have Claude Code's names and shapes. Codex refuses an answer with any member it does not know, so nothing else may
be added to it.
"""

from ..call import Call, Payload
from ..claude.payload import answer, read_as

__all__ = ["LOSING", "answer", "read"]
LOSING: tuple[str, ...] = ()


def read(payload: "Payload", event: str) -> Call:
    """The call that a payload is."""
    return read_as("codex", payload, event)
