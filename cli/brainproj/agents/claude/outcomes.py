"""How a Claude Code tool call ended, from its result (formats/transcripts.md 1.8; texts seen in 1.0 to 2.1.232)."""

from collections.abc import Mapping
from typing import Any

from ...core.events import Outcome

REFUSED_BY_PERSON = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "Permission prompt was aborted",
)
NOT_GRANTED = ("Claude requested permissions to ", "haven't granted it yet")
REFUSED_BY_RULE = ("Permission to use ", "Permission for this action")
STOPPED = ("[Request interrupted by user", "<tool_use_error>Cancelled: parallel tool call")
FEEDBACK = "To tell you how to proceed, the user said:\n"
"""Stands before the words a person gave with a refusal."""
NO_FEEDBACK = "The user wants to clarify these questions."
"""Written by the harness in the place of a person's words."""


def outcome_of(block: Mapping[str, Any], text: str, record: Mapping[str, Any]) -> Outcome:
    """The outcome that a tool_result block tells of. `text` is its content, `record` the line it stands in."""
    details = record.get("toolUseResult")
    if block.get("is_error") is not True:
        stopped = isinstance(details, dict) and details.get("interrupted") is True
        return Outcome.CANCELLED if stopped else Outcome.OK
    if record.get("toolDenialKind") or text.startswith(REFUSED_BY_PERSON):
        return Outcome.DENIED
    if text.startswith(REFUSED_BY_RULE) and "denied" in text[:2000]:
        return Outcome.DENIED
    if text.startswith(NOT_GRANTED[0]) and NOT_GRANTED[1] in text[:4000]:
        return Outcome.DENIED
    if text.startswith("PreToolUse:") and "hook error" in text[:200]:
        return Outcome.DENIED
    if text.startswith(STOPPED):
        return Outcome.CANCELLED
    return Outcome.FAILED


def words_of_refusal(text: str, record: Mapping[str, Any]) -> str:
    """What a person said when refusing a call; empty where nothing was said."""
    feedback = record.get("userFeedback")
    if isinstance(feedback, str) and feedback.strip():
        return feedback.strip()
    words = text.partition(FEEDBACK)[2].strip()
    return "" if words.startswith(NO_FEEDBACK) else words
