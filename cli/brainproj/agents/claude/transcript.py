"""Claude Code's transcripts: `projects/<folder>/<session>.jsonl` and its sub-agents' files.

Format: formats/transcripts.md 1, seen in versions 1.0 to 2.1.232. Each content block is its own line and lines of one
reply share `message.id`; a resumed or forked session begins with copies of old lines, which keep `uuid`, `message.id`
and `tool_use_id` (not all three always), so those are the native ids. The folder's name says nothing about the project.
"""

import os
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from hashlib import blake2b
from typing import Any

from ...core.events import NO_FLAG, Event, Flag, Gap, Kind, Outcome, SessionFacts, Speaker
from ...core.times import parse_time
from ..echoes import is_echo, is_own_command, is_own_tool
from ..factstate import facts_from_state, facts_to_state
from ..tooltext import render_input
from .outcomes import outcome_of, words_of_refusal
from .speakers import Spoken, speaker_of_record, speakers_of_text

UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
BOOKKEEPING = frozenset((
    "summary", "last-prompt", "agent-name", "agent-color", "agent-setting", "tag", "mode", "permission-mode",
    "file-history-snapshot", "file-history-delta", "queue-operation", "pr-link", "bridge-session", "atis-latch",
    "cost-state", "frame-link", "started", "result", "worktree-state", "relocated", "content-replacement", "progress",
    "system",
))  # fmt: skip
"""Lines that are no conversation (formats/transcripts.md 1.3)."""
SYNTHETIC = "<synthetic>"
INLINE_AGENT = "sidechain"
"""The agent id of sub-agents that 1.x wrote into their parent's transcript, without an id."""
Events = list[Event]


class ClaudeReader:
    """Reads the lines of one transcript.

    `calls`: tool names of the calls that have no result yet; `own_commands`: those that ask brainproj in a shell.
    `is_named`: a person gave the title, so the agent's does not count.
    """

    def __init__(self, path: str, state: Mapping[str, Any] | None) -> None:
        stem = os.path.basename(path).removesuffix(".jsonl")  # noqa: PTH119
        self.is_sub_agent = stem.startswith("agent-")
        self.facts = facts_from_state(state["facts"]) if state else SessionFacts()
        self.calls: dict[str, str] = dict(state["calls"]) if state else {}
        self.own_commands: set[str] = set(state.get("own_commands", ())) if state else set()
        self.is_named = bool(state["is_named"]) if state else False
        if state:
            return
        if self.is_sub_agent:
            self.facts.agent_id = stem.removeprefix("agent-")
        elif UUID.fullmatch(stem):
            self.facts.session_id = stem

    def state(self) -> dict[str, Any]:
        """The facts so far and the calls that are still open."""
        return {
            "facts": facts_to_state(self.facts),
            "calls": self.calls,
            "own_commands": sorted(self.own_commands),
            "is_named": self.is_named,
        }

    def read(self, record: Mapping[str, Any]) -> Events | Gap:
        """The events of one line."""
        kind = str(record.get("type"))
        handler = HANDLERS.get(kind)
        if handler is not None:
            return handler(self, record)
        if kind in BOOKKEEPING:
            if self.facts.started_at is None:
                self.facts.see_start(parse_time(record.get("timestamp")))
            if kind == "system" or kind == "progress":
                self._see(record)
            return []
        return Gap(f"unknown type {kind[:40]!r}")

    # lines ----------------------------------------------------------------------------------------------------------

    def _see(self, record: Mapping[str, Any]) -> None:
        """Take from a line of the chain what it says of the session."""
        facts = self.facts
        session_id = record.get("sessionId")
        if facts.session_id is None and isinstance(session_id, str) and session_id:
            facts.session_id = session_id
        facts.see_cwd(record.get("cwd"))
        branch, version = record.get("gitBranch"), record.get("version")
        if isinstance(branch, str) and branch not in ("", "HEAD"):
            facts.branch = branch
        if isinstance(version, str):
            facts.version = version
        copied = record.get("forkedFrom")
        if isinstance(copied, dict) and isinstance(copied.get("sessionId"), str):
            facts.forked_from = copied["sessionId"]

    def _title(self, record: Mapping[str, Any]) -> Events:
        """`custom-title` is the person's and stays; `ai-title` is the agent's; of each the last one counts."""
        title = record.get("customTitle") or record.get("aiTitle")
        by_person = record.get("type") == "custom-title"
        if isinstance(title, str) and title.strip() and (by_person or not self.is_named):
            self.facts.own_title = title
            self.is_named = by_person
        return []

    def _user(self, record: Mapping[str, Any]) -> Events:
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        moment = self._moment(record)
        events: Events = []
        uuid = _native_uuid(record)
        texts: list[tuple[int, str]] = []
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for number, block in enumerate(blocks):
            if isinstance(block, dict) and block.get("type") == "tool_result":
                events += self._result(block, record, moment)
            elif isinstance(block, dict) and isinstance(block.get("text"), str):
                texts.append((number, block["text"]))
        if not texts and not events and any(isinstance(b, dict) and b.get("type") == "image" for b in blocks):
            texts.append((0, "[image]"))
        for number, text in texts:
            events += self._spoken(record, text, uuid, number, moment)
        return events

    def _spoken(
        self, record: Mapping[str, Any], text: str, uuid: str | None, number: int, moment: datetime | None
    ) -> Events:
        if not text.strip():
            return []
        by_sign = speaker_of_record(record, text)
        spoken = [by_sign] if by_sign else speakers_of_text(text)
        return [
            self._event(record, said, uuid, f"{number}.{part}" if number or part else "", moment)
            for part, said in enumerate(spoken)
        ]

    def _event(
        self, record: Mapping[str, Any], said: Spoken, uuid: str | None, part: str, moment: datetime | None
    ) -> Event:
        self.facts.is_conversation = self.facts.is_conversation or said.kind is Kind.PROMPT
        flags = said.flags | (Flag.ECHO if is_echo(said.text) else NO_FLAG)
        return Event(
            kind=said.kind,
            speaker=said.speaker,
            text=said.text,
            native_id=uuid,
            part=part,
            at=moment,
            outcome=Outcome.UNKNOWN if said.kind is Kind.TOOL_RESULT else None,
            cwd=_text(record.get("cwd")),
            flags=flags,
            agent_id=self._agent(record),
        )

    def _result(self, block: Mapping[str, Any], record: Mapping[str, Any], moment: datetime | None) -> Events:
        text = _result_text(block.get("content"))
        call_id = _text(block.get("tool_use_id"))
        tool = self.calls.pop(call_id, None) if call_id else None
        outcome = outcome_of(block, text, record)
        native = f"result:{call_id}" if call_id else _native_uuid(record)
        agent_id, cwd = self._agent(record), _text(record.get("cwd"))
        own = is_own_tool(tool or "") or call_id in self.own_commands or is_echo(text)
        self.own_commands.discard(call_id or "")
        events = [
            Event(
                kind=Kind.TOOL_RESULT,
                speaker=Speaker.TOOL,
                text=text,
                native_id=native,
                at=moment,
                tool=tool,
                call_id=call_id,
                outcome=outcome,
                cwd=cwd,
                flags=Flag.ECHO if own else NO_FLAG,
                agent_id=agent_id,
            )
        ]
        words = words_of_refusal(text, record) if outcome is Outcome.DENIED else ""
        flag = Flag.FEEDBACK
        if not words and outcome is Outcome.OK:
            words, flag = _answers(record.get("toolUseResult")), Flag.ANSWER
        if words:
            said = Spoken(words, Speaker.PERSON, flags=flag)
            events.append(self._event(record, said, native, "words", moment))
        return events

    def _assistant(self, record: Mapping[str, Any]) -> Events:
        message = record.get("message")
        if not isinstance(message, dict):
            return []
        moment = self._moment(record)
        model = message.get("model")
        from_harness = model == SYNTHETIC or record.get("isApiErrorMessage") is True
        if isinstance(model, str) and not from_harness:
            self.facts.model = model
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        native = _text(message.get("id")) if not from_harness else None
        native = native or _native_uuid(record)
        events: Events = []
        for block in blocks:
            if isinstance(block, dict):
                found = self._block(block, record, native, moment, from_harness)
                if found is not None:
                    events.append(found)
        self.facts.is_conversation = True
        return events

    def _block(
        self,
        block: Mapping[str, Any],
        record: Mapping[str, Any],
        native: str | None,
        moment: datetime | None,
        from_harness: bool,
    ) -> Event | None:
        kind = block.get("type")
        agent_id, cwd = self._agent(record), _text(record.get("cwd"))
        if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            call_id = _text(block.get("id"))
            tool = _text(block.get("name")) or "?"
            own = is_own_tool(tool) or is_own_command(_command(block.get("input")))
            if call_id:
                self.calls[call_id] = tool
            if call_id and own:
                self.own_commands.add(call_id)
            return Event(
                kind=Kind.TOOL_CALL,
                speaker=Speaker.ASSISTANT,
                text=render_input(block.get("input")),
                at=moment,
                native_id=f"call:{call_id}" if call_id else native,
                part="" if call_id else _digest(str(block.get("input"))),
                tool=tool,
                call_id=call_id,
                cwd=cwd,
                flags=Flag.ECHO if own else NO_FLAG,
                agent_id=agent_id,
            )
        if kind == "thinking" or kind == "redacted_thinking":
            thinking = block.get("thinking")
            if not isinstance(thinking, str) or not thinking.strip():
                self.facts.hidden_thinking += 1
                return None
            return Event(
                kind=Kind.THINKING,
                speaker=Speaker.ASSISTANT,
                text=thinking,
                native_id=native,
                part="thinking" + _digest(thinking),
                at=moment,
                cwd=cwd,
                agent_id=agent_id,
            )
        text = block.get("text")
        if kind != "text" or not isinstance(text, str) or not text.strip():
            return None
        return Event(
            kind=Kind.REPLY,
            speaker=Speaker.HARNESS if from_harness else Speaker.ASSISTANT,
            text=text,
            native_id=native,
            part=_digest(text),
            at=moment,
            cwd=cwd,
            agent_id=agent_id,
            flags=Flag.API_ERROR if record.get("isApiErrorMessage") is True else NO_FLAG,
        )

    def _attachment(self, record: Mapping[str, Any]) -> Events:
        """Of what the harness attaches only a prompt typed meanwhile and a check that failed are conversation."""
        moment = self._moment(record)
        attachment = record.get("attachment")
        if not isinstance(attachment, dict):
            return []
        uuid = _native_uuid(record)
        kind = attachment.get("type")
        if kind == "hook_blocking_error":
            error = attachment.get("blockingError")
            text = error.get("blockingError") if isinstance(error, dict) else error
            text = text if isinstance(text, str) else render_input(attachment)
            return [
                Event(
                    kind=Kind.TOOL_RESULT,
                    speaker=Speaker.HARNESS,
                    text=text,
                    native_id=uuid,
                    at=moment,
                    tool=_text(attachment.get("hookName")),
                    outcome=Outcome.FAILED,
                    cwd=_text(record.get("cwd")),
                    agent_id=self._agent(record),
                )
            ]
        if kind != "queued_command":
            return []
        text = _result_text(attachment.get("prompt"))
        if not text.strip():
            return []
        origin = attachment.get("origin")
        by_person = attachment.get("commandMode") in ("prompt", None) and (
            not isinstance(origin, dict) or origin.get("kind") in (None, "human")
        )
        said = speakers_of_text(text) if by_person else [Spoken(text, Speaker.HARNESS)]
        return [
            self._event(record, Spoken(s.text, s.speaker, s.kind, s.flags | Flag.QUEUED), uuid, str(part or ""), moment)
            for part, s in enumerate(said)
        ]

    # shared ---------------------------------------------------------------------------------------------------------

    def _moment(self, record: Mapping[str, Any]) -> datetime | None:
        self._see(record)
        moment = parse_time(record.get("timestamp"))
        self.facts.see_time(moment)
        return moment

    def _agent(self, record: Mapping[str, Any]) -> str | None:
        if self.facts.agent_id is not None:
            return self.facts.agent_id
        if record.get("isSidechain") is True:
            return _text(record.get("agentId")) or INLINE_AGENT
        return None


HANDLERS: dict[str, Callable[[ClaudeReader, Mapping[str, Any]], Events]] = {
    "user": ClaudeReader._user,
    "assistant": ClaudeReader._assistant,
    "attachment": ClaudeReader._attachment,
    "custom-title": ClaudeReader._title,
    "ai-title": ClaudeReader._title,
}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _native_uuid(record: Mapping[str, Any]) -> str | None:
    """The line's own id; of a forked copy that of the line it copies."""
    copied = record.get("forkedFrom")
    if isinstance(copied, dict) and isinstance(copied.get("messageUuid"), str):
        return str(copied["messageUuid"])
    return _text(record.get("uuid"))


def _digest(text: str) -> str:
    """Tells the blocks of one reply apart, wherever they are copied to."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _command(given: object) -> str:
    """The command line of a shell tool's input; empty for another tool's."""
    command = given.get("command") if isinstance(given, dict) else None
    return command if isinstance(command, str) else ""


def _result_text(content: object) -> str:
    """The text of a result or prompt: a string, or the text blocks of a list."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = []
    for block in content:
        if isinstance(block, str):
            parts.append(block)
        elif isinstance(block, dict):
            text = block.get("text")
            parts.append(text if isinstance(text, str) else f"[{str(block.get('type'))[:20]}]")
    return "\n".join(parts)


def _answers(details: object) -> str:
    """A person's answers to AskUserQuestion, a line each."""
    answers = details.get("answers") if isinstance(details, dict) else None
    if not isinstance(answers, dict):
        return ""
    return "\n".join(
        f"{question}: {answer}" for question, answer in answers.items() if isinstance(answer, str) and answer
    )
