"""Results of Cursor's tools: its transcripts hold none, so its hook hands each on, and here it becomes an event.

The payload comes through memory, never by way of a file, and is redacted before it is stored. The session gets its
project when its transcript is read; until then the text belongs to none.
"""

import json
import sqlite3
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from .core.events import Event, Kind, Outcome, Speaker
from .core.text import encodable
from .store.gathering import Place
from .store.transcripts import UNFINISHED, read_position
from .store.writer import Writer

AGENT = "cursor"
TEXT_LIMIT = 4 << 20
"""Characters of a result that are kept."""


def read_result(payload: Mapping[str, Any], now: datetime) -> tuple[str, Event] | None:
    """(session id, event) of a payload of `postToolUse` or `postToolUseFailure`; None for what is none.

    Format: formats/transcripts.md 3.5; `tool_output` is JSON in a text, as {"output": "…", "exitCode": 0}.
    """
    session, call_id = payload.get("conversation_id"), payload.get("tool_use_id")
    if not isinstance(session, str) or not session or not isinstance(call_id, str) or not call_id:
        return None
    tool = payload.get("tool_name")
    is_failure = payload.get("hook_event_name") == "postToolUseFailure"
    text, code = _output(payload.get("error_message") if is_failure else payload.get("tool_output"))
    outcome = Outcome.FAILED if is_failure or code not in (None, 0) else Outcome.OK
    if is_failure and payload.get("is_interrupt") is True:
        outcome = Outcome.CANCELLED
    elif is_failure and payload.get("failure_type") == "permission_denied":
        outcome = Outcome.DENIED
    event = Event(
        kind=Kind.TOOL_RESULT,
        speaker=Speaker.TOOL,
        text=encodable(text)[:TEXT_LIMIT],
        at=now,
        native_id=f"hook:{call_id}",
        tool=tool if isinstance(tool, str) else None,
        call_id=call_id,
        outcome=outcome,
    )
    return session, event


def _output(value: object) -> tuple[str, int | None]:
    """(text, exit code) of a tool's output."""
    if not isinstance(value, str):
        return ("" if value is None else json.dumps(value, ensure_ascii=False)), None
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return value, None
    if not isinstance(found, dict):
        return value, None
    code = found.get("exitCode")
    text = found.get("output")
    return (text if isinstance(text, str) else value), (code if isinstance(code, int) else None)


def store_result(
    db: sqlite3.Connection, redact: Callable[[str], str], payload: Mapping[str, Any], now: datetime
) -> bool:
    """Store a result; False where the payload holds none. Hold the ingest lock: there is one writer."""
    found = read_result(payload, now)
    if found is None:
        return False
    session, event = found
    writer = Writer(db, redact, now)
    path = f"hook:{AGENT}:{session}"
    position = read_position(db, path) or writer.new_position(AGENT, path)
    position.size_bytes, position.offset, position.adapter = UNFINISHED, position.offset + 1, 1
    row = writer.session(AGENT, session)
    if writer.forgotten.holds_session(row):
        return False
    position.session = row.id
    writer.add(event, row, position, Place(position.offset, 0, ""))
    writer.done(position)
    writer.flush()
    return True
