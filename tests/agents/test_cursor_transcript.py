"""Cursor transcripts: each fixture against its independent counts, who spoke, times, and hostile lines."""

import json
from collections import Counter
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brainproj.agents.adapter import Reader
from brainproj.agents.cursor.adapter import ADAPTER
from brainproj.agents.cursor.transcript import parse_spelled_time
from brainproj.core.events import Event, Flag, Gap, Kind, Outcome, PromptedBy, Speaker

from ..conftest import TRANSCRIPTS
from .hostile import change_one_place
from .reading import Reading, feed, read_lines, read_transcript

HOME = TRANSCRIPTS / "cursor"
EXPECTED = {
    name: wanted
    for name, wanted in json.loads((TRANSCRIPTS / "expected.json").read_text()).items()
    if wanted["format"] == "cursor"
}
FIXTURES = sorted(EXPECTED)
CHILD = "5c9f7e21-0b7a-4d53-9e0f-2a4b6c8d0e04"
PARENT = "7b1d2e60-5a0f-4c3e-8d8e-1f2a3b4c5d02"
CATALOGUE = "c0ffee00-1d2e-4f3a-8b4c-5d6e7f8a9b05"


@cache
def reading_of(name: str) -> Reading:
    return read_transcript(ADAPTER, TRANSCRIPTS / name, HOME)


@pytest.mark.parametrize("name", FIXTURES)
def test_a_fixture_says_what_was_counted(name: str) -> None:
    wanted, reading = EXPECTED[name], reading_of(name)
    events, facts = reading.events, reading.facts
    calls = [event for event in events if event.kind is Kind.TOOL_CALL]
    spoken = [event.text for event in events if event.kind is Kind.PROMPT and event.speaker is not Speaker.HARNESS]
    assert (reading.records, reading.bad_lines, reading.gaps) == (wanted["records"], wanted["bad_lines"], [])
    assert sum(event.is_prompt for event in events) == wanted["human_messages"]
    assert spoken == wanted["human_texts"]
    assert len(calls) == wanted["tool_calls"]
    assert Counter(event.tool for event in calls) == wanted["tools"]
    assert sum(event.kind is Kind.TOOL_RESULT for event in events) == wanted["tool_results"]
    assert sum(bool(event.flags & Flag.API_ERROR) for event in events) == wanted["error_records"]
    stem = Path(name).stem
    if "subagents" in name:
        assert (facts.session_id, facts.agent_id, facts.parent_id) == (PARENT, stem, PARENT)
        assert facts.prompted_by is PromptedBy.ASSISTANT
        assert {event.agent_id for event in events} == {stem}
        assert events[0].speaker is Speaker.ASSISTANT
    else:
        assert (facts.session_id, facts.agent_id, facts.parent_id) == (stem, None, None)
        assert facts.prompted_by is PromptedBy.PERSON
    times = [parse_spelled_time(text) for text in wanted["timestamps"]]
    assert [event.at for event in events if event.at is not None] == times
    assert facts.started_at == (times[0] if times else None)
    assert facts.is_conversation
    assert all(event.native_id is None for event in events)


@pytest.mark.parametrize("name", FIXTURES)
def test_reading_on_after_every_line_equals_reading_once(name: str) -> None:
    records, _ = read_lines(TRANSCRIPTS / name)
    reading, state = Reading(), None
    for record in records:
        feed(ADAPTER.open_reader(str(TRANSCRIPTS / name), HOME, state), [record], reading)
        state = json.loads(json.dumps(reading.state))
    once = reading_of(name)
    assert (reading.events, reading.gaps, reading.facts) == (once.events, once.gaps, once.facts)


@given(st.data())
@settings(max_examples=20, deadline=None)
def test_reading_in_two_parts_equals_reading_once(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(FIXTURES))
    once = reading_of(name)
    parts = read_transcript(ADAPTER, TRANSCRIPTS / name, HOME, data.draw(st.integers(0, once.records)))
    assert (parts.events, parts.gaps, parts.facts) == (once.events, once.gaps, once.facts)


def test_hidden_thinking_is_counted_and_dropped() -> None:
    name = next(name for name in FIXTURES if "6d0a1c52" in name)
    reading = reading_of(name)
    assert reading.facts.hidden_thinking == sum(
        json.dumps(record).count("[REDACTED]") for record in read_lines(TRANSCRIPTS / name)[0]
    )
    assert not any("[REDACTED]" in event.text for event in reading.events)
    assert reading.events[1].text.endswith("gathering a comprehensive list.")


def test_the_folder_is_that_of_a_shell_call() -> None:
    name = next(name for name in FIXTURES if CATALOGUE in name)
    assert reading_of(name).facts.cwds == ["/home/dev/Projects/260602"]


# Lines by hand


def user(*texts: str) -> dict[str, Any]:
    return {"role": "user", "message": {"content": [{"type": "text", "text": text} for text in texts]}}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "message": {"content": list(blocks)}}


def call(name: str, given: object, **members: object) -> dict[str, Any]:
    return {"type": "tool_use", "name": name, "input": given, **members}


def open_reader(path: str = "/x/agent-transcripts/s1/s1.jsonl") -> Reader:
    return ADAPTER.open_reader(path, Path("/x"), None)


def read(*records: dict[str, Any]) -> list[Event]:
    reading = Reading()
    feed(open_reader(), list(records), reading)
    assert not reading.gaps
    return reading.events


STAMP = "<timestamp>Tuesday, Jun 2, 2026, 11:20 AM (UTC+8)</timestamp>\n"
WHO_SPOKE = {
    "in the query": (STAMP + "<user_query>\nFix it\n</user_query>", Speaker.PERSON, "Fix it"),
    "files around it": ("<image_files>a</image_files>\n<user_query>Fix</user_query>\nmore", Speaker.PERSON, "Fix"),
    "from the first to the last": ("<user_query>a </user_query> b</user_query>", Speaker.PERSON, "a </user_query> b"),
    "a query cut off": ("<user_query>\nFix it", Speaker.PERSON, "Fix it"),
    "bare text": ("Fix it", Speaker.PERSON, "Fix it"),
    "bare text with a time": (STAMP + "Fix it", Speaker.PERSON, "Fix it"),
    "after a sub-agent": (
        "Perform any necessary follow-up actions in response to the subagent completion above.",
        Speaker.HARNESS,
        "Perform any",
    ),
    "after a task": (
        "Briefly inform the user about the task result and perform any follow-up actions (if needed).",
        Speaker.HARNESS,
        "Briefly inform",
    ),
    "forked": (
        "You are the forked subagent; continue executing your task.",
        Speaker.HARNESS,
        "You are the forked",
    ),
    "interrupted": (
        STAMP + "Your previous response was interrupted. Continue from where you left off.",
        Speaker.HARNESS,
        "Your previous",
    ),
}


@pytest.mark.parametrize("what", WHO_SPOKE)
def test_who_spoke(what: str) -> None:
    text, speaker, beginning = WHO_SPOKE[what]
    [event] = read(user(text))
    assert (event.kind, event.speaker) == (Kind.PROMPT, speaker)
    assert event.text.startswith(beginning) if speaker is Speaker.HARNESS else event.text == beginning
    assert (event.at is not None) == text.startswith(STAMP)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("Tuesday, Jun 2, 2026, 11:20 AM (UTC+8)", datetime(2026, 6, 2, 3, 20, tzinfo=UTC)),
        ("Tuesday, Jun 2, 2026, 11:20 PM (UTC-3:30)", datetime(2026, 6, 3, 2, 50, tzinfo=UTC)),
        ("Wednesday, September 30, 2026, 12:05 AM (UTC)", datetime(2026, 9, 30, 0, 5, tzinfo=UTC)),
        ("Jan 1, 2026, 12:00 PM", datetime(2026, 1, 1, 12, tzinfo=UTC)),
        ("Tuesday, Jun 31, 2026, 11:20 AM (UTC+8)", None),
        ("Tuesday, Foo 2, 2026, 11:20 AM (UTC+8)", None),
        ("Tuesday, Jun 2, 2026, 11:20 AM (UTC+99)", None),
        ("Friday, Jan 1, 0001, 1:00 AM (UTC+14)", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_a_spelled_time(text: str, moment: datetime | None) -> None:
    assert parse_spelled_time(text) == moment


def test_calls_and_what_the_assistant_says() -> None:
    shell = call("Shell", {"command": "ls", "working_directory": "/home/dev/app"}, id="t1")
    blocks = ({"type": "text", "text": "Look:\n\n[REDACTED]"}, shell, call("ApplyPatch", "*** Begin Patch"))
    relative = assistant(call("Shell", {"working_directory": "sub"}))
    windows = assistant(call("Shell", {"working_directory": "D:\\dev"}))
    ended = [{"type": "turn_ended", "status": "aborted", "error": "x"}, assistant({"type": "turn_ended"})]
    reading = Reading()
    feed(open_reader(), [assistant(*blocks), relative, windows, *ended], reading)
    events = reading.events
    assert [(event.kind, event.text, event.part) for event in events[:3]] == [
        (Kind.REPLY, "Look:", "0"),
        (Kind.TOOL_CALL, '{"command": "ls", "working_directory": "/home/dev/app"}', "1"),
        (Kind.TOOL_CALL, "*** Begin Patch", "2"),
    ]
    assert [event.cwd for event in events] == [None, "/home/dev/app", None, None, "D:\\dev"]
    assert [event.call_id for event in events[1:3]] == ["t1", None]
    assert reading.facts.cwds == ["/home/dev/app", "D:\\dev"]
    assert (reading.facts.hidden_thinking, len(events)) == (1, 5)


def test_results_of_other_writers() -> None:
    def result(**members: object) -> dict[str, Any]:
        return {"role": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", **members}]}}

    events = read(result(content="a"), result(content=[{"text": "b"}], is_error=True), result(is_error=False))
    assert [(event.text, event.outcome) for event in events] == [
        ("a", Outcome.UNKNOWN),
        ("b", Outcome.FAILED),
        ("", Outcome.OK),
    ]
    assert {event.call_id for event in events} == {"t1"}


def test_what_only_repeats_brainproj_is_an_echo() -> None:
    events = read(
        assistant({"type": "text", "text": '<project-memory project="x">'}),
        assistant(call("user-brainproj-search", {}), call("CallMcpTool", {"server": "user-brainproj"})),
        assistant(call("Read", {"path": "/home/dev/brainproj-notes"})),
    )
    assert [bool(event.flags & Flag.ECHO) for event in events] == [True, True, True, False]


@pytest.mark.parametrize(
    "record",
    [{"type": "brand_new"}, {"role": "system"}, {}, assistant({"type": "brand_new"}), {"role": [], "type": {}}],
)
def test_what_is_not_known_is_a_gap(record: dict[str, Any]) -> None:
    assert isinstance(open_reader().read(record), Gap)


def test_transcripts_are_found_in_each_layout(tmp_path: Path) -> None:
    folder = tmp_path / "projects/home-dev-app/agent-transcripts"
    (folder / "s1/subagents").mkdir(parents=True)
    (folder / "s2").mkdir()
    (tmp_path / "projects/empty-window").mkdir()
    (tmp_path / "projects/file").write_text("")
    wanted = [folder / "s1/s1.jsonl", folder / "s3.jsonl", folder / "s1/subagents/sub.jsonl"]
    others = [folder / "s1/other.jsonl", folder / "s4.txt", folder / "s1/subagents/sub.json", folder / "s2/s1.jsonl"]
    for path in wanted + others:
        path.write_text("{}\n")
    (folder / "s5").symlink_to(folder / "s1")
    found = {Path(transcript.path): transcript for transcript in ADAPTER.find_transcripts(tmp_path)}
    assert sorted(found) == sorted(wanted)
    assert [found[path].is_child for path in wanted] == [False, False, True]
    seen = wanted[0].stat()
    assert found[wanted[0]][1:] == (3, seen.st_mtime_ns, seen.st_ino, False)
    assert list(ADAPTER.find_transcripts(tmp_path / "nowhere")) == []


# Hostile lines

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from([STAMP, "/x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from(
    ["text", "tool_use", "tool_result", "thinking", "redacted_thinking", "image", "turn_ended", "error", "brand_new"]
)
BLOCKS = st.builds(
    lambda kind, members: {**members, "type": kind},
    KINDS | JSON,
    st.dictionaries(
        st.sampled_from(["text", "name", "input", "id", "thinking", "content", "is_error", "tool_use_id"]), JSON
    ),
)
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["user", "assistant", "system"]) | JSON,
        "type": KINDS | JSON,
        "error": JSON,
        "message": st.fixed_dictionaries({"content": st.lists(BLOCKS | JSON, max_size=3) | JSON}) | JSON,
    },
)


def check(record: dict[str, Any]) -> None:
    """A line gives events of the right types or a gap, and leaves a state that can be written and taken up."""
    reader = open_reader()
    found = reader.read(record)
    for event in [] if isinstance(found, Gap) else found:
        assert isinstance(event.text, str)
        assert event.call_id is None or isinstance(event.call_id, str)
        assert (event.outcome is not None) == (event.kind is Kind.TOOL_RESULT)
    assert ADAPTER.open_reader("x", HOME, json.loads(json.dumps(reader.state()))).facts == reader.facts


@given(RECORDS)
@settings(max_examples=250, deadline=None)
def test_no_line_makes_the_reader_raise(record: dict[str, Any]) -> None:
    check(record)


@cache
def real_lines() -> list[dict[str, Any]]:
    return [record for name in FIXTURES for record in read_lines(TRANSCRIPTS / name)[0]]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_no_change_to_a_real_line_makes_the_reader_raise(data: st.DataObject) -> None:
    record = change_one_place(data, real_lines(), JSON)
    check(record)
