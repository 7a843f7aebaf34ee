"""Lines of a Codex rollout, built by hand."""

from pathlib import Path
from typing import Any

from brainproj.agents.adapter import Reader
from brainproj.agents.codex.adapter import ADAPTER
from brainproj.core.events import Event

from .reading import Reading, feed

OWN = "019f1fd6-f9a0-7e13-8a8f-cbf5a3fd10d1"
PARENT = "019f1fd3-be2c-7a61-9394-386aa9bcc6ba"
OLD_TURN, OWN_TURN = "019f1fd3-c70e-7f53-8359-7d92ce82cedd", "019f1fd7-3be7-7d72-90ef-5513feb4c8e1"
NOON = "2026-07-01T12:00:00.000Z"


def line(kind: str, payload: object, at: str = NOON, **members: object) -> dict[str, Any]:
    return {"timestamp": at, "type": kind, "payload": payload, **members}


def meta(thread_id: str = OWN, at: str = NOON, **members: object) -> dict[str, Any]:
    return line("session_meta", {"id": thread_id, "cwd": "/home/dev/app", "source": "cli", **members}, at)


def item(kind: str, at: str = NOON, **members: object) -> dict[str, Any]:
    return line("response_item", {"type": kind, **members}, at)


def event_line(kind: str, **members: object) -> dict[str, Any]:
    return line("event_msg", {"type": kind, **members})


def message(role: str, *texts: str, kinds: list[str] | None = None, at: str = NOON) -> dict[str, Any]:
    blocks = [{"type": "input_text", "text": text} for text in texts]
    passed = {"internal_chat_message_metadata_passthrough": {"content_item_kinds": kinds}} if kinds else {}
    return item("message", at, role=role, content=blocks, **passed)


def read(*records: dict[str, Any]) -> list[Event]:
    reading = Reading()
    feed(open_reader(), list(records), reading)
    assert not reading.gaps
    return reading.events


def open_reader() -> Reader:
    return ADAPTER.open_reader(f"/x/rollout-2026-07-01T22-40-10-{OWN}.jsonl", Path("/x"), None)
