"""No line, whatever it holds, makes the reader of a rollout raise."""

import json
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from brainproj.agents.adapter import Reader
from brainproj.agents.codex.adapter import ADAPTER
from brainproj.agents.codex.kinds import EVENTS, ITEMS, LINES, TURN_ITEMS
from brainproj.agents.codex.transcript import ITEM_READERS, LINE_READERS, VERDICT_EVENTS
from brainproj.core.events import Gap, Kind

from ..conftest import TRANSCRIPTS
from .codex_lines import NOON, OWN, open_reader
from .hostile import change_one_place
from .reading import expected_of, read_lines

HOME = TRANSCRIPTS / "codex"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([OWN, NOON, "rg x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
MEMBER_NAMES = """
    id session_id role content text call_id name namespace arguments input output action status summary turn_id cwd
    model source thread_source git item message thread_name result success error author recipient tools command query
    forked_from_id parent_thread_id subagent_history_start_ordinal history_base reason encrypted_content
    internal_chat_message_metadata_passthrough content_item_kinds subagent thread_spawn branch
"""
MEMBERS = MEMBER_NAMES.split()
KINDS = [*ITEM_READERS, *ITEMS, *EVENTS, *VERDICT_EVENTS, *TURN_ITEMS, "item_completed", "thread_name_updated", "error"]
KINDS += ["turn_aborted", "input_text", "output_text", "input_image"]
OBJECTS = st.recursive(
    st.dictionaries(st.sampled_from(MEMBERS), JSON, max_size=6),
    lambda inner: st.dictionaries(
        st.sampled_from(MEMBERS), JSON | inner | st.lists(inner, max_size=2), max_size=5
    ).flatmap(lambda members: st.sampled_from(KINDS).map(lambda kind: {**members, "type": kind})),
    max_leaves=4,
)
RECORDS = st.builds(
    lambda kind, payload, more: {**more, "type": kind, "payload": payload},
    st.sampled_from([*LINE_READERS, *LINES, "session_meta", "brand_new"]) | JSON,
    OBJECTS | JSON,
    st.dictionaries(st.sampled_from(["timestamp", "ordinal", "id", "record_type"]), JSON, max_size=2),
)


def check(reader: Reader, record: dict[str, Any]) -> None:
    """A line gives events of the right types or a gap, and leaves a state that can be written and taken up."""
    found = reader.read(record)
    if isinstance(found, Gap):
        assert found.reason
    else:
        for event in found:
            assert isinstance(event.text, str)
            assert event.native_id is None or isinstance(event.native_id, str)
            assert event.call_id is None or isinstance(event.call_id, str)
            assert (event.outcome is not None) == (event.kind is Kind.TOOL_RESULT)
    state = json.loads(json.dumps(reader.state()))
    assert ADAPTER.open_reader("x", HOME, state).facts == reader.facts


@given(st.lists(RECORDS | OBJECTS, max_size=5))
@settings(max_examples=250, deadline=None)
def test_no_line_makes_the_reader_raise(records: list[dict[str, Any]]) -> None:
    reader = open_reader()
    for record in records:
        check(reader, record)


@cache
def real_lines() -> list[dict[str, Any]]:
    """Real lines of every kind: the catalogue's, those of the oldest format and of a paginated thread."""
    names = [
        name for name in expected_of("codex") if any(part in name for part in ("019fc8be", "0198c6a2", "01a0b3da"))
    ]
    return [record for name in names for record in read_lines(TRANSCRIPTS / name)[0]]


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_no_change_to_a_real_line_makes_the_reader_raise(data: st.DataObject) -> None:
    record = change_one_place(data, real_lines(), JSON)
    reader = open_reader()
    for _ in range(2):
        check(reader, record)
