"""Codex CLI: the events in a rollout (formats/transcripts.md 2).

A rollout says most things twice, as `response_item` (what goes to and comes from the model) and `event_msg` (what the
front end shows). Items are read, in every version and history mode; of the events only what items lack: the thread's
name, interruptions, errors, and how a call ended where its output does not say. Lines copied from another thread or
agent are passed by (`history`). Files of before September 2025 hold bare items without an envelope.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from ...core.events import Event, Flag, Gap, Kind, Outcome, PromptedBy, SessionFacts, Speaker
from ...core.times import parse_time
from ..echoes import FRAME
from . import calls, history, kinds, speakers
from .outcomes import read_outcome
from .progress import PendingCall, Progress, dump_state, load_state
from .speakers import NO_FLAGS
from .verdicts import read_verdict
from .wire import as_object, as_text, join_texts

ID_TAIL_CHARACTERS = 16
"""An id that goes on for longer than this after its prefix is unique. Other providers count their ids (`call_1`,
`functions.shell:0`), anew in each thread; those get the thread's id before them."""

Events = list[Event]


class CodexReader:
    """Reads the lines of one rollout, in order."""

    def __init__(self, path: str, state: Mapping[str, Any] | None) -> None:
        self.facts = SessionFacts(session_id=history.find_thread_id(path))
        self._progress = Progress()
        if state is not None:
            self._progress, self.facts = load_state(state)

    def state(self) -> dict[str, Any]:
        """What the reader knows so far, as plain JSON without any text of the conversation."""
        return dump_state(self._progress, self.facts)

    def read(self, record: Mapping[str, Any]) -> Events | Gap:
        """The events of one line."""
        self._progress.lines += 1
        kind = record.get("type")
        if not isinstance(kind, str):
            return self._read_untyped(record)
        at = parse_time(record.get("timestamp"))
        if kind in ITEM_READERS or kind in kinds.ITEMS:
            kind, payload = "response_item", record
        else:
            payload = as_object(record.get("payload"))
        if kind == "session_meta":
            return self._read_meta(payload, at)
        if not history.is_own(self._progress, kind, payload, record, at):
            return []
        read_line = LINE_READERS.get(kind)
        if read_line is None and kind not in kinds.LINES:
            return Gap(f"line of unknown type {kind[:60]!r}")
        self.facts.see_time(at)
        return read_line(self, payload, at) if read_line else []

    def _read_untyped(self, record: Mapping[str, Any]) -> Events | Gap:
        """Before September 2025: the first line is a bare session_meta, and state records stand between the items."""
        if "record_type" in record:
            return [] if record["record_type"] == "state" else Gap("record of unknown type")
        if self._progress.own_id is None and "timestamp" in record and as_text(record.get("id")):
            return self._read_meta(record, parse_time(record["timestamp"]))
        return Gap("line without a type")

    def _read_meta(self, meta: Mapping[str, Any], at: datetime | None) -> Events:
        """The first session_meta is the thread's own; later ones are its parent's, or its own once more."""
        progress, facts = self._progress, self.facts
        thread_id = as_text(meta.get("id")) or facts.session_id
        if progress.own_id is not None:
            if thread_id == progress.own_id and not progress.is_copied:
                facts.see_time(at)
                facts.see_cwd(meta.get("cwd"))
            elif progress.lines == 2:
                progress.is_copied = True
            return []
        progress.own_id = thread_id
        progress.agent_path = as_text(meta.get("agent_path")) or "/root"
        history.begin(progress, meta, at)
        facts.see_time(at)
        facts.see_cwd(meta.get("cwd"))
        progress.cwd = facts.cwd
        facts.branch = as_text(as_object(meta.get("git")).get("branch"))
        facts.version = as_text(meta.get("cli_version"))
        self._place(meta, thread_id)
        return []

    def _place(self, meta: Mapping[str, Any], thread_id: str | None) -> None:
        """Whose session the thread is part of. A fork that a person made is a session of its own."""
        facts = self.facts
        facts.prompted_by = speakers.read_prompter(meta)
        spawn = as_object(as_object(as_object(meta.get("source")).get("subagent")).get("thread_spawn"))
        facts.parent_id = as_text(meta.get("parent_thread_id")) or as_text(spawn.get("parent_thread_id"))
        is_part = facts.parent_id is not None and facts.prompted_by in (PromptedBy.ASSISTANT, PromptedBy.HARNESS)
        facts.session_id = as_text(meta.get("session_id")) or (facts.parent_id if is_part else thread_id)
        facts.agent_id = thread_id if facts.session_id != thread_id else None
        facts.forked_from = None if is_part else as_text(meta.get("forked_from_id"))

    def _read_turn_context(self, context: Mapping[str, Any], at: datetime | None) -> Events:
        cwd = as_text(context.get("cwd"))
        self.facts.see_cwd(cwd)
        self.facts.model = as_text(context.get("model")) or self.facts.model
        if cwd is not None and cwd != self._progress.cwd:
            self._progress.moved_to = cwd if self._progress.cwd is not None else None
            self._progress.cwd = cwd
        return []

    def _read_item(self, item: Mapping[str, Any], at: datetime | None) -> Events | Gap:
        kind = item.get("type")
        if not isinstance(kind, str):
            return Gap("response_item without a type")
        read_item = ITEM_READERS.get(kind)
        if read_item is not None:
            return read_item(self, item, at)
        return [] if kind in kinds.ITEMS else Gap(f"response_item of unknown type {kind[:60]!r}")

    def _read_message(self, item: Mapping[str, Any], at: datetime | None) -> Events:
        role = item.get("role")
        if role == "user":
            return self._read_user_message(item, at)
        text = join_texts(item.get("content"))
        if not text.strip():
            return []
        native_id = self._native_id(item.get("id"))
        if role == "assistant":
            return [self._event(Kind.REPLY, Speaker.ASSISTANT, text, at, native_id)]
        self._note_abort(text)
        return [self._event(Kind.PROMPT, Speaker.HARNESS, text, at, native_id)]

    def _read_user_message(self, item: Mapping[str, Any], at: datetime | None) -> Events:
        native_id = self._native_id(item.get("id"))
        driver, driven = speakers.PROMPTERS[self.facts.prompted_by]
        events = []
        for piece in speakers.split_user_item(item):
            speaker, flags = (driver, piece.flags | driven) if piece.speaker is None else (piece.speaker, piece.flags)
            is_result = piece.kind is Kind.TOOL_RESULT
            event = self._event(
                piece.kind,
                speaker,
                piece.text,
                at,
                native_id,
                part=f"{piece.block}-result" if is_result else str(piece.block),
                tool="user_shell" if is_result else None,
                outcome=piece.outcome,
                flags=flags,
            )
            events.append(event)
            if speaker is Speaker.HARNESS:
                self._note_abort(piece.text)
                if self.facts.cwd is None and piece.text.lstrip().startswith("<environment_context>"):
                    self.facts.see_cwd(speakers.find_environment_cwd(piece.text))
                    self._progress.cwd = self.facts.cwd
        return events

    def _read_agent_message(self, item: Mapping[str, Any], at: datetime | None) -> Events:
        """What agents of one session write to each other (0.144). The task of a sub-agent is mostly encrypted."""
        text = join_texts(item.get("content"))
        if not text.rpartition("Payload:\n")[2].strip():
            return []
        is_sent = item.get("author") == self._progress.agent_path
        kind = Kind.REPLY if is_sent else Kind.PROMPT
        return [self._event(kind, Speaker.ASSISTANT, text, at, self._native_id(item.get("id")))]

    def _read_reasoning(self, item: Mapping[str, Any], at: datetime | None) -> Events:
        shown = (join_texts(item.get("summary"), "\n\n"), join_texts(item.get("content"), "\n\n"))
        text = "\n\n".join(part for part in shown if part.strip())
        if not text:
            self.facts.hidden_thinking += 1
            return []
        return [self._event(Kind.THINKING, Speaker.ASSISTANT, text, at, self._native_id(item.get("id")))]

    def _call(self, item: Mapping[str, Any], at: datetime | None, call: calls.Call) -> Events:
        call_id = as_text(item.get("call_id"))
        native_id = self._native_id(call_id, "call:") or self._native_id(item.get("id"))
        if call_id is not None:
            self._progress.await_result(call_id, PendingCall(call.tool, call.is_search, call.is_echo))
        flags = Flag.ECHO if call.is_echo else NO_FLAGS
        event = self._event(
            Kind.TOOL_CALL, Speaker.ASSISTANT, call.text, at, native_id, tool=call.tool, call_id=call_id, flags=flags
        )
        return [event]

    def _read_output(self, item: Mapping[str, Any], at: datetime | None) -> Events:
        text, has_failed = calls.read_output(item)
        call_id = as_text(item.get("call_id"))
        if call_id is None and text.startswith(speakers.DELEGATION):
            # The Desktop app hands a thread what another thread's agent sends it as an output without a call.
            words = speakers.read_delegation(text)
            return [self._event(Kind.PROMPT, Speaker.ASSISTANT, words, at, self._native_id(item.get("id")))]
        pending = self._progress.pending.pop(call_id, None) if call_id is not None else None
        outcome = read_outcome(text, pending.is_search if pending else False)
        if outcome is None:
            outcome = Outcome(pending.verdict) if pending and pending.verdict else Outcome.OK
            outcome = Outcome.FAILED if has_failed else outcome
        return [self._result(item, at, text, outcome, pending)]

    def _read_found_tools(self, item: Mapping[str, Any], at: datetime | None) -> Events:
        call_id = as_text(item.get("call_id"))
        pending = self._progress.pending.pop(call_id, None) if call_id is not None else None
        outcome = Outcome.FAILED if item.get("status") == "failed" else Outcome.OK
        return [self._result(item, at, calls.read_found_tools(item), outcome, pending)]

    def _result(
        self, item: Mapping[str, Any], at: datetime | None, text: str, outcome: Outcome, pending: PendingCall | None
    ) -> Event:
        call_id = as_text(item.get("call_id"))
        return self._event(
            Kind.TOOL_RESULT,
            Speaker.TOOL,
            text,
            at,
            self._native_id(call_id, "result:") or self._native_id(item.get("id")),
            tool=pending.tool if pending else None,
            call_id=call_id,
            outcome=outcome,
            flags=Flag.ECHO if pending and pending.is_echo else NO_FLAGS,
        )

    def _read_compacted(self, payload: Mapping[str, Any], at: datetime | None) -> Events:
        """`replacement_history` repeats what was said; a compaction done by the server has no message."""
        return [self._event(Kind.COMPACTION, Speaker.ASSISTANT, as_text(payload.get("message")) or "", at)]

    def _read_communication(self, payload: Mapping[str, Any], at: datetime | None) -> Events:
        """The older form of an agent_message: its content is a string."""
        return self._read_agent_message(payload, at)

    def _read_event(self, event: Mapping[str, Any], at: datetime | None) -> Events | Gap:
        kind = event.get("type")
        if not isinstance(kind, str):
            return Gap("event_msg without a type")
        if kind in kinds.EVENTS:
            return []
        if kind == "item_completed":
            return self._read_completed(as_object(event.get("item")))
        if kind in VERDICT_EVENTS:
            self._progress.judge(event.get("call_id"), read_verdict(event))
            return []
        if kind == "thread_name_updated":
            if event.get("thread_id") in (None, self._progress.own_id):
                self.facts.own_title = as_text(event.get("thread_name")) or self.facts.own_title
            return []
        if kind == "turn_aborted":
            return self._read_abort(event, at)
        if kind == "error":
            text = as_text(event.get("message"))
            return [self._event(Kind.REPLY, Speaker.HARNESS, text, at, flags=Flag.API_ERROR)] if text else []
        return Gap(f"event_msg of unknown type {kind[:60]!r}")

    def _read_completed(self, item: Mapping[str, Any]) -> Events | Gap:
        kind = as_text(item.get("type")) or ""
        kind = kind[:1].upper() + kind[1:]
        if kind not in kinds.TURN_ITEMS:
            return Gap(f"item_completed of unknown type {kind[:60]!r}")
        self._progress.judge(item.get("id"), read_verdict(item))
        return []

    def _read_abort(self, event: Mapping[str, Any], at: datetime | None) -> Events:
        """That a person stopped the agent: an item before the event says so since 0.125, the event alone earlier."""
        is_told, self._progress.is_abort_told = self._progress.is_abort_told, False
        if is_told:
            return []
        reason = as_text(event.get("reason")) or "interrupted"
        return [self._event(Kind.PROMPT, Speaker.HARNESS, f"[turn aborted: {reason}]", at)]

    def _note_abort(self, text: str) -> None:
        if text.startswith(speakers.TURN_ABORTED):
            self._progress.is_abort_told = True

    def _native_id(self, item_id: object, prefix: str = "") -> str | None:
        """What Codex calls the thing, made unique among all threads; None where the line has no id."""
        if not isinstance(item_id, str) or not item_id:
            return None
        if len(item_id) - item_id.find("_") > ID_TAIL_CHARACTERS and ":" not in item_id:
            return prefix + item_id
        thread_id = self._progress.own_id or self.facts.session_id
        return f"{prefix}{thread_id}:{item_id}" if thread_id else None

    def _event(
        self,
        kind: Kind,
        speaker: Speaker,
        text: str,
        at: datetime | None,
        native_id: str | None = None,
        *,
        part: str = "",
        tool: str | None = None,
        call_id: str | None = None,
        outcome: Outcome | None = None,
        flags: Flag = NO_FLAGS,
    ) -> Event:
        if FRAME in text:
            flags |= Flag.ECHO
        if speaker is not Speaker.HARNESS or flags & Flag.PROGRAM:
            self.facts.is_conversation = True
        cwd, self._progress.moved_to = self._progress.moved_to, None
        return Event(kind, speaker, text, native_id, part, at, tool, call_id, outcome, cwd, flags, self.facts.agent_id)


def _call_reader(read_call: Callable[[Mapping[str, Any]], calls.Call]) -> "ItemReader":
    return lambda reader, item, at: reader._call(item, at, read_call(item))


ItemReader = Callable[[CodexReader, Mapping[str, Any], datetime | None], Events]
LineReader = Callable[[CodexReader, Mapping[str, Any], datetime | None], Events | Gap]
ITEM_READERS: dict[str, ItemReader] = {
    "message": CodexReader._read_message,
    "agent_message": CodexReader._read_agent_message,
    "reasoning": CodexReader._read_reasoning,
    "function_call": _call_reader(calls.read_function_call),
    "custom_tool_call": _call_reader(calls.read_function_call),
    "local_shell_call": _call_reader(calls.read_shell_call),
    "web_search_call": _call_reader(calls.read_search_call),
    "tool_search_call": _call_reader(calls.read_tool_search_call),
    "image_generation_call": _call_reader(calls.read_image_call),
    "function_call_output": CodexReader._read_output,
    "custom_tool_call_output": CodexReader._read_output,
    "tool_search_output": CodexReader._read_found_tools,
}
LINE_READERS: dict[str, LineReader] = {
    "turn_context": CodexReader._read_turn_context,
    "response_item": CodexReader._read_item,
    "event_msg": CodexReader._read_event,
    "compacted": CodexReader._read_compacted,
    "inter_agent_communication": CodexReader._read_communication,
}
VERDICT_EVENTS = frozenset({"exec_command_end", "patch_apply_end", "mcp_tool_call_end", "dynamic_tool_call_response"})
