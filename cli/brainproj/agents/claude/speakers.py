"""Who spoke in a `user` line of Claude Code, by its signs and its words (formats/transcripts.md 1.5)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...core.events import NO_FLAG, Flag, Kind, Speaker

WRAPPERS = (
    "system-reminder", "local-command-stdout", "local-command-stderr", "local-command-caveat", "task-notification",
    "ide_opened_file", "ide_selection", "ide_diagnostics", "session-start-hook", "user-prompt-submit-hook", "tick",
    "goal",
)  # fmt: skip
"""Elements that the harness or an editor writes around or beside a person's words."""
WRAPPED = re.compile(rf"\s*<({'|'.join(WRAPPERS)})\b[^>]*>.*?</\1>\s*", re.DOTALL)
OPEN_WRAPPER = re.compile(rf"\s*<({'|'.join(WRAPPERS)})\b")
COMMAND = re.compile(r"<command-(name|message|args)>(.*?)</command-\1>", re.DOTALL)
SHELL = re.compile(r"\s*<bash-input>(.*?)</bash-input>", re.DOTALL)
SHELL_OUTPUT = re.compile(r"\s*<bash-std(?:out|err)>")
INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]]*\]")
HARNESS_HEADS = ("Caveat: The messages below were generated", "A session-scoped Stop hook is now active")
COMPACTED = "This session is being continued from a previous conversation"
NOT_PLAIN = ("<", "[", "Cav", "This", "A ses")
"""Beginnings after which a closer look is needed; most prompts begin otherwise."""
PLAN = "Implement the following plan:"


@dataclass(frozen=True, slots=True)
class Spoken:
    """A text of a user line with who it came from."""

    text: str
    speaker: Speaker
    kind: Kind = Kind.PROMPT
    flags: Flag = NO_FLAG


def speaker_of_record(record: Mapping[str, Any], text: str) -> Spoken | None:
    """Who spoke where a sign of the line says so, or None where only the words can tell."""
    origin = record.get("origin")
    source = record.get("promptSource")
    if record.get("isSidechain") is True:
        return Spoken(text, Speaker.ASSISTANT)
    if record.get("isCompactSummary") is True:
        return Spoken(text, Speaker.ASSISTANT, Kind.COMPACTION)
    if record.get("isMeta") is True:
        return Spoken(text, Speaker.HARNESS)
    if (isinstance(origin, dict) and origin.get("kind") not in (None, "human")) or source == "system":
        return Spoken(text, Speaker.HARNESS)
    if source == "sdk":
        return Spoken(text, Speaker.HARNESS, flags=Flag.PROGRAM)
    if record.get("teamName"):
        return Spoken(text, Speaker.ASSISTANT)
    if record.get("planContent") or text.lstrip().startswith(PLAN):
        return Spoken(text, Speaker.HARNESS, flags=Flag.PLAN)
    return None


def speakers_of_text(text: str) -> list[Spoken]:
    """The parts of a text, each with its speaker: wrappers are cut off, what is left a person typed."""
    head = text.lstrip()[:80]
    if not head.startswith(NOT_PLAIN) and "<system-reminder>" not in text:
        return [Spoken(text.strip(), Speaker.PERSON)] if head else []
    if found := _command(text):
        return [found]
    if shell := SHELL.match(text):
        return [Spoken(shell[1].strip(), Speaker.PERSON, flags=Flag.SHELL)]
    if SHELL_OUTPUT.match(text):
        output = re.sub(r"</?bash-std(?:out|err)>", "\n", text).strip()
        return [Spoken(output, Speaker.TOOL, Kind.TOOL_RESULT)] if output else []
    if head.startswith(COMPACTED):
        return [Spoken(text, Speaker.ASSISTANT, Kind.COMPACTION)]
    if head.startswith(HARNESS_HEADS) or INTERRUPTED.fullmatch(text.strip()):
        return [Spoken(text.strip(), Speaker.HARNESS)]
    return _without_wrappers(text)


def _command(text: str) -> Spoken | None:
    """A slash command, in whatever order its elements stand."""
    parts = {name: value.strip() for name, value in COMMAND.findall(text)}
    if "name" not in parts or not text.lstrip().startswith("<command-"):
        return None
    words = " ".join(part for part in (parts["name"], parts.get("args", "")) if part)
    return Spoken(words, Speaker.PERSON, flags=Flag.COMMAND)


def _without_wrappers(text: str) -> list[Spoken]:
    said = [Spoken(found[0].strip(), Speaker.HARNESS) for found in WRAPPED.finditer(text)]
    rest = WRAPPED.sub("\n", text).strip()
    if OPEN_WRAPPER.match(rest):  # its end was cut off
        return [*said, Spoken(rest, Speaker.HARNESS)]
    if INTERRUPTED.fullmatch(rest):
        return [*said, Spoken(rest, Speaker.HARNESS)]
    return [*said, Spoken(rest, Speaker.PERSON)] if rest else said
