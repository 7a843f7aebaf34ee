"""Cursor: where its transcripts are, and the events in one (formats/transcripts.md 3).

A line is a message of the person or of the assistant, and holds neither ids nor results: what a tool gave back is known
from hooks only. The only time is in the `<timestamp>` before a prompt, the only folder in a Shell call. A newcomer's
mistake: taking the session id from the lines, or the project from the folder's name; the id is the file's name, and the
folder's name is lossy.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from ...core.events import Event, Flag, Gap, Kind, Outcome, PromptedBy, SessionFacts, Speaker
from ..echoes import FRAME, is_own_command
from ..factstate import facts_from_state, facts_to_state
from .finding import SUBAGENTS

OWN_TOOLS = ("brainproj-", "user-brainproj-", "mcp_brainproj_", "mcp__brainproj__")
OWN_SERVERS = ("brainproj", "user-brainproj")
NO_FLAGS = Flag(0)

REDACTED = "[REDACTED]"
"""Stands on a line of its own where the model was thinking."""
HARNESS_OPENINGS = (
    "Perform any necessary follow-up actions in response to the subagent completion above.",
    "Briefly inform the user about the task result and perform any follow-up actions",
    "You are the forked subagent; continue executing your task.",
    "Your previous response was interrupted. Continue from where you left off.",
    "<system_reminder>",
    "<system-reminder>",
)
"""Texts of role user without a `<user_query>` that nobody typed."""
QUERY, QUERY_END = "<user_query>", "</user_query>"
TIMESTAMP = re.compile(r"<timestamp>([^<]{1,80})</timestamp>\s*")
SPELLED_TIME = re.compile(
    r"(?:[A-Za-z]+, )?([A-Za-z]{3})[a-z]*\.? (\d{1,2}), (\d{4}),? (?:at )?(\d{1,2}):(\d{2})(?::\d{2})?"
    r"[ \u202f]?([AaPp][Mm])(?: \(UTC(?:([+-])(\d{1,2})(?::(\d{2}))?)?\))?"
)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]")

Events = list[Event]


class CursorReader:
    """Reads the lines of one transcript, in order."""

    def __init__(self, path: str, state: Mapping[str, Any] | None) -> None:
        self.facts = facts_from_state(state) if state is not None else _place(path)

    def state(self) -> dict[str, Any]:
        """The facts so far, as plain JSON; the lines need nothing else of each other."""
        return facts_to_state(self.facts)

    def read(self, record: Mapping[str, Any]) -> Events | Gap:
        """The events of one line."""
        role = record.get("role")
        if role == "user" or role == "assistant":
            message = record.get("message")
            content = message.get("content") if isinstance(message, dict) else None
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
            if not isinstance(blocks, list):
                return []
            return self._read_user(blocks) if role == "user" else self._read_assistant(blocks)
        kind = record.get("type")
        if kind == "turn_ended":
            return []
        if kind == "error":
            text = record.get("error")
            if not isinstance(text, str) or not text:
                return []
            return [self._event(Kind.REPLY, Speaker.HARNESS, text, flags=Flag.API_ERROR)]
        return Gap(f"line of unknown type {kind[:60]!r}" if isinstance(kind, str) else "line without role or type")

    def _read_user(self, blocks: list[Any]) -> Events | Gap:
        texts: list[str] = []
        events: Events = []
        unknown = None
        for index, block in enumerate(blocks):
            kind, text = _kind_and_text(block)
            if kind == "text":
                texts.append(text)
            elif kind == "tool_result":
                events.append(self._result(block, str(index)))
            elif kind not in ("image", "turn_ended"):
                unknown = kind
        prompt = "\n".join(text for text in texts if text.strip())
        if prompt:
            events.insert(0, self._prompt(prompt))
        elif not events and any(_kind_and_text(block)[0] == "image" for block in blocks):
            events.append(self._prompt("[image]"))
        return _gap(unknown) if unknown is not None and not events else events

    def _read_assistant(self, blocks: list[Any]) -> Events | Gap:
        events: Events = []
        unknown = None
        for index, block in enumerate(blocks):
            kind, text = _kind_and_text(block)
            part = str(index)
            if kind == "text":
                words = self._drop_hidden(text)
                if words:
                    events.append(self._event(Kind.REPLY, Speaker.ASSISTANT, words, part))
            elif kind == "tool_use":
                events.append(self._call(block, part))
            elif kind == "thinking":
                thought = block.get("thinking") or text
                if isinstance(thought, str) and thought.strip() and thought != REDACTED:
                    events.append(self._event(Kind.THINKING, Speaker.ASSISTANT, thought, part))
                else:
                    self.facts.hidden_thinking += 1
            elif kind == "redacted_thinking":
                self.facts.hidden_thinking += 1
            elif kind not in ("image", "turn_ended"):
                unknown = kind
        return _gap(unknown) if unknown is not None and not events else events

    def _prompt(self, text: str) -> Event:
        """A prompt, with the words of whoever wrote it and the time that Cursor put before them."""
        text = text.strip()
        opening, end = text.find(QUERY), text.rfind(QUERY_END)
        stamp = TIMESTAMP.search(text, 0, opening) if opening >= 0 else TIMESTAMP.match(text)
        at = parse_spelled_time(stamp[1]) if stamp else None
        self.facts.see_time(at)
        by_prompter = Speaker.ASSISTANT if self.facts.prompted_by is PromptedBy.ASSISTANT else Speaker.PERSON
        if opening >= 0:
            words = text[opening + len(QUERY) : end if end > opening else len(text)].strip()
            return self._event(Kind.PROMPT, by_prompter, words, at=at)
        words = text[stamp.end() :] if stamp else text
        speaker = Speaker.HARNESS if words.startswith(HARNESS_OPENINGS) else by_prompter
        return self._event(Kind.PROMPT, speaker, words, at=at)

    def _drop_hidden(self, text: str) -> str:
        """A reply without the marks of hidden thinking, which are counted."""
        if REDACTED not in text:
            return text.strip()
        lines = text.split("\n")
        shown = [line for line in lines if line.strip() != REDACTED]
        self.facts.hidden_thinking += len(lines) - len(shown)
        return "\n".join(shown).strip()

    def _call(self, block: Mapping[str, Any], part: str) -> Event:
        name = block.get("name")
        tool = name if isinstance(name, str) and name else "unknown"
        given = block.get("input")
        arguments = given if isinstance(given, dict) else {}
        cwd = arguments.get("working_directory")
        if not isinstance(cwd, str) or not ABSOLUTE.match(cwd):
            cwd = None
        self.facts.see_cwd(cwd)
        is_echo = tool.startswith(OWN_TOOLS) or arguments.get("server") in OWN_SERVERS
        command = arguments.get("command")
        is_echo = is_echo or (isinstance(command, str) and is_own_command(command))
        text = given if isinstance(given, str) else "" if given is None else _render_json(given)
        call_id = block.get("id")
        return self._event(
            Kind.TOOL_CALL,
            Speaker.ASSISTANT,
            text,
            part,
            tool=tool,
            call_id=call_id if isinstance(call_id, str) else None,
            cwd=cwd,
            flags=Flag.ECHO if is_echo else NO_FLAGS,
        )

    def _result(self, block: Mapping[str, Any], part: str) -> Event:
        """Seen in one reader's fixtures only; Cursor itself keeps results elsewhere."""
        content = block.get("content")
        pieces = content if isinstance(content, list) else [content]
        texts = [piece if isinstance(piece, str) else _kind_and_text(piece)[1] for piece in pieces]
        outcomes = {True: Outcome.FAILED, False: Outcome.OK}
        is_error = block.get("is_error")
        call_id = block.get("tool_use_id")
        return self._event(
            Kind.TOOL_RESULT,
            Speaker.TOOL,
            "\n".join(text for text in texts if text),
            part,
            call_id=call_id if isinstance(call_id, str) else None,
            outcome=outcomes[is_error] if isinstance(is_error, bool) else Outcome.UNKNOWN,
        )

    def _event(
        self,
        kind: Kind,
        speaker: Speaker,
        text: str,
        part: str = "",
        *,
        at: datetime | None = None,
        tool: str | None = None,
        call_id: str | None = None,
        outcome: Outcome | None = None,
        cwd: str | None = None,
        flags: Flag = NO_FLAGS,
    ) -> Event:
        if FRAME in text:
            flags |= Flag.ECHO
        if speaker is not Speaker.HARNESS:
            self.facts.is_conversation = True
        return Event(kind, speaker, text, None, part, at, tool, call_id, outcome, cwd, flags, self.facts.agent_id)


def parse_spelled_time(text: str) -> datetime | None:
    """The moment that `Tuesday, Jun 2, 2026, 11:20 AM (UTC+8)` means, in UTC; without a zone it is UTC."""
    found = SPELLED_TIME.fullmatch(text.strip())
    if found is None:
        return None
    month, day, year, hour, minute, half, sign, offset_hours, offset_minutes = found.groups()
    offset = timedelta(hours=int(offset_hours or 0), minutes=int(offset_minutes or 0))
    try:
        zone = timezone(-offset if sign == "-" else offset)
        hours = int(hour) % 12 + (12 if half in ("PM", "pm") else 0)
        spelled = datetime(int(year), MONTHS.index(month.lower()) + 1, int(day), hours, int(minute), tzinfo=zone)
        return spelled.astimezone(UTC)
    except (OverflowError, ValueError):
        return None


def _place(path: str) -> SessionFacts:
    """What the path says. A sub-agent's file lies in the folder of its session: `<id>/subagents/<sub>.jsonl`."""
    folders, _, name = path.replace("\\", "/").rpartition("/")
    stem = name.removesuffix(".jsonl")
    parents = folders.rsplit("/", 2)
    if parents[-1] == SUBAGENTS and len(parents) > 1:
        return SessionFacts(
            session_id=parents[-2], agent_id=stem, parent_id=parents[-2], prompted_by=PromptedBy.ASSISTANT
        )
    return SessionFacts(session_id=stem)


def _kind_and_text(block: object) -> tuple[str, str]:
    """The type of a content block and its text; a string in the place of a block is text."""
    if isinstance(block, str):
        return "text", block
    if not isinstance(block, dict):
        return "unknown", ""
    kind, text = block.get("type"), block.get("text")
    return kind if isinstance(kind, str) else "unknown", text if isinstance(text, str) else ""


def _gap(kind: str) -> Gap:
    return Gap(f"message with nothing but blocks of unknown type {kind[:60]!r}")


def _render_json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        return ""
