"""Which lines of a rollout are the thread's own (formats/transcripts.md 2.7, 2.8).

A fork, and a sub-agent that was given its parent's conversation, begins with a copy of the parent's lines, stamped with
the time of the fork; a session imported from another agent is a copy too. What was copied is read where it was first
said. A newcomer's mistake: telling the copy by its times. They are the fork's, as if all of it had just happened.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from ...core.times import parse_time, render_time
from .progress import Progress
from .wire import as_object, as_text

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
IMPORTED_TURN = "external-import-turn-"
SPAWNED = "You are the newly spawned agent"
"""The last line copied into a sub-agent of 0.118, the output of spawn_agent."""
COPYING = timedelta(seconds=10)
"""A copy is written at once (7,700 lines within a second); a line of a forked thread without any turn ids that is
younger than this is the thread's own."""
TURN_ENDS = frozenset({"task_complete", "turn_complete", "turn_aborted"})


def find_thread_id(path: str) -> str | None:
    """The id in a rollout's file name; a reverted thread's name goes on with another one (`_<rollout id>`)."""
    found = UUID.search(path.rpartition("/")[2])
    return found[0] if found else None


def begin(progress: Progress, meta: Mapping[str, Any], at: datetime | None) -> None:
    """Take up the thread that its first session_meta opens."""
    ordinal = meta.get("subagent_history_start_ordinal")
    progress.own_from_ordinal = ordinal if isinstance(ordinal, int) else None
    is_referred_to = bool(as_object(meta.get("history_base")))
    progress.is_copied = progress.own_from_ordinal is not None or (
        as_text(meta.get("forked_from_id")) is not None and not is_referred_to
    )
    progress.forked_at = render_time(at)


def is_own(
    progress: Progress, kind: str, payload: Mapping[str, Any], record: Mapping[str, Any], at: datetime | None
) -> bool:
    """Whether a line is the thread's own; `progress` is moved on past the end of what was copied."""
    if progress.is_copied:
        if not begins_own_part(progress, payload, record, at):
            return False
        progress.is_copied = False
    if kind == "event_msg" or kind == "turn_context":
        turn_id = payload.get("turn_id")
        if isinstance(turn_id, str):
            if turn_id.startswith(IMPORTED_TURN):
                progress.is_imported = as_text(payload.get("type")) not in TURN_ENDS
                return False
            progress.is_imported = False
    return not progress.is_imported


def begins_own_part(
    progress: Progress, payload: Mapping[str, Any], record: Mapping[str, Any], at: datetime | None
) -> bool:
    """Whether the first own line after the copied ones has come.

    Ids are UUIDs of version 7, which sort by time: turns of the copy sort before the thread's own id, its own ones
    after it. Paginated threads say the place; 0.118 marks it; where nothing of that is there, the time must do.
    """
    ordinal = record.get("ordinal")
    if progress.own_from_ordinal is not None and isinstance(ordinal, int):
        return ordinal >= progress.own_from_ordinal
    turn_id = _find_turn_id(payload)
    if turn_id and progress.own_id and UUID7.fullmatch(turn_id) and UUID7.fullmatch(progress.own_id):
        progress.has_turn_ids = True
        return turn_id >= progress.own_id
    if progress.has_turn_ids:
        return False
    output = payload.get("output")
    if isinstance(output, str) and output.startswith(SPAWNED):
        progress.forked_at = None
        return False
    forked_at = parse_time(progress.forked_at)
    return forked_at is None or (at is not None and at - forked_at > COPYING)


def _find_turn_id(payload: Mapping[str, Any]) -> str | None:
    passed = as_object(payload.get("internal_chat_message_metadata_passthrough"))
    return as_text(payload.get("turn_id")) or as_text(passed.get("turn_id"))
