"""Codex rollouts: each fixture against its independent counts, read at once and in parts, and where they are found."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brainproj.agents.codex.adapter import ADAPTER
from brainproj.agents.codex.outcomes import find_exit_code
from brainproj.agents.codex.titles import read_thread_names
from brainproj.core.events import Event, Flag, Gap, Kind, Outcome, PromptedBy, Speaker
from brainproj.core.times import parse_time

from ..conftest import CASES, TRANSCRIPTS
from .codex_lines import event_line, message
from .reading import Reading, expected_of, feed, read_lines, read_transcript

HOME = TRANSCRIPTS / "codex"
EXPECTED = expected_of("codex")
FIXTURES = sorted(EXPECTED)
CATALOGUE, IMPORT = "019fc8be", "01a01d20"
FORKED_AGENT, FORK = "019d7e36", "019f1fd6"
NOT_OURS = {
    "format", "bad_lines", "bytes", "ends_with_newline", "types",  # the file, not what it says
    "session_meta_ids", "originator", "source", "thread_source", "history_mode",  # read, not told
    "started_at",  # the process's; a session starts with its first line (design.md 8)
    "user_items_plain", "user_items_injected", "injected_heads",  # asserted block by block: test_injected_items
    "user_message_events", "user_message_items",  # the repetitions
    "imported_from_other_agent",  # asserted in test_imported_turns_are_no_events
}  # fmt: skip
COPIED = "counts the lines copied from the parent as well; ours are the thread's own"
REDACTED = "ids and times of the catalogue are one redacted text"
NOTHING_FOUND = "counts exit code 1 of rg, which only says that nothing was found (formats 2.9)"
OVERRIDES: dict[str, dict[str, tuple[Any, str]]] = {
    "0198c6a2": {"cwd": ("/home/dev/src/shop", "stands in <environment_context> (formats 2.10)")},
    "019d6d29": {"tool_errors": (11, NOTHING_FOUND)},
    "019f2016": {"tool_errors": (2, NOTHING_FOUND)},
    FORKED_AGENT: {
        "assistant_messages": (6, COPIED),
        "tool_calls": (9, COPIED),
        "tool_outputs": (9, COPIED),
        "tool_errors": (0, NOTHING_FOUND),
        "developer_messages": (0, COPIED),
        "forked_from_id": (None, "a sub-agent is part of its parent's session, not a fork of it"),
    },
    FORK: {
        "turn_cwds": (["/home/dev/.codex/worktrees/045e/mise"], COPIED),
        "assistant_messages": (8, COPIED),
        "tool_calls": (13, COPIED),
        "tool_outputs": (13, COPIED),
        "other_calls": ({}, COPIED),
        "developer_messages": (1, COPIED),
    },
    IMPORT: {
        "last_timestamp": ("2026-08-20T08:15:00.001Z", "imported turns are not the thread's own"),
        "user_texts": ([], "imported turns are no events"),
        "assistant_messages": (0, "imported turns are no events"),
        "prompted_by": ("person", "who drives the thread, should it go on; is_conversation says that nothing has"),
    },
    CATALOGUE: {
        "last_timestamp": ("2026-08-03T10:48:56.000Z", REDACTED),
        "tool_outputs": (5, "counts two outputs with one redacted id as one"),
    },
}
UNWRAPPED = {
    "# Files mentioned by the user:\n\n## image (2)": "can you add this image to the top of the repo",
    "# Files mentioned by the user:\n\n## gitsync.mp4": "the first one is  sync..the second one is plan",
    "# Files mentioned by the user:\n\n## PR: mise": "i want to implement this. While I think it's good",
    "<send_user_message_question_reply>": "Should totals round half up?\nYes, round half up",
    "<image name=": "[Image #1] why is this total still wrong?",
}
"""Where an expected text begins with a wrapper: what the person wrote."""
DRIVERS = {"person": "person", "program": "program", "agent": "assistant", "harness": "harness"}
REST = ("web_search", "image_generation", "tool_search")
"""Tools whose calls are items of their own kind: `other_calls`, and those the expectation does not count."""


def short(name: str) -> str:
    """The first eight letters of a fixture's thread id."""
    return name.split("/")[-1].split("-", 6)[-1][:8]


@cache
def reading_of(name: str) -> Reading:
    return read_transcript(ADAPTER, TRANSCRIPTS / name, HOME)


def told(name: str) -> dict[str, Any]:
    """What we say of a fixture, under the names of its expectation."""
    reading = reading_of(name)
    facts, events = reading.facts, reading.events
    calls = [event for event in events if event.kind is Kind.TOOL_CALL]
    results = [event for event in events if event.kind is Kind.TOOL_RESULT]
    failures = [event for event in results if event.outcome is Outcome.FAILED]
    codes = [find_exit_code(event.text) for event in results]
    wanted = EXPECTED[name]
    return {
        "records": reading.records,
        "session_id": facts.agent_id or facts.session_id,
        "root_session_id": facts.session_id if wanted["root_session_id"] else None,
        "parent_thread_id": facts.parent_id,
        "forked_from_id": facts.forked_from,
        "cwd": facts.cwd,
        "turn_cwds": facts.cwds if wanted["turn_cwds"] else [],
        "git": facts.branch,
        "cli_version": facts.version,
        "models": facts.model,
        "first_timestamp": facts.started_at,
        "last_timestamp": facts.last_at,
        "own_part_starts_at_record": own_part_start(name),
        "prompted_by": facts.prompted_by.value,
        "human_messages": sum(event.is_prompt for event in events),
        "plan_accepted": sum(bool(event.flags & Flag.PLAN) for event in events),
        "question_replies": sum(bool(event.flags & Flag.ANSWER) for event in events),
        "user_texts": [event.text for event in events if is_driven(event, facts.prompted_by)],
        "assistant_messages": sum(e.kind is Kind.REPLY and e.speaker is Speaker.ASSISTANT for e in events),
        "developer_messages": len(list(harness_items(name, "developer"))),
        "tool_calls": sum(event.tool not in REST for event in calls),
        "other_calls": dict(Counter(f"{event.tool}_call" for event in calls if event.tool in REST[:2])),
        "tool_outputs": sum(event.tool not in REST for event in results),
        "unanswered_calls": len({event.call_id for event in calls} - {event.call_id for event in results} - {None}),
        "tool_errors": len(failures),
        "nonzero_exits": dict(Counter(str(code) for code in codes if code)),
        "failure_texts": [event.text[:60] for event in failures if find_exit_code(event.text) is None],
    }


def is_driven(event: Event, driver: PromptedBy) -> bool:
    """Whether a prompt was said by whoever drives the thread; review prompts are told by their text."""
    if event.kind is not Kind.PROMPT:
        return False
    if event.flags & Flag.PLAN:  # the app's words, counted with those that carry no known wrapper
        return True
    if driver is PromptedBy.HARNESS:
        return event.speaker is Speaker.HARNESS and event.text.startswith("Review the code changes")
    speaker = {PromptedBy.PERSON: Speaker.PERSON, PromptedBy.ASSISTANT: Speaker.ASSISTANT}
    if driver is PromptedBy.PERSON and event.text == "[trimmed for fixture]":
        return False
    return bool(event.flags & Flag.PROGRAM) or event.speaker is speaker.get(driver)


def own_part_start(name: str) -> int:
    """The first record after a copied part, seen from outside: the session's last time moves on with it."""
    records, _ = read_lines(TRANSCRIPTS / name)
    reader = ADAPTER.open_reader(str(TRANSCRIPTS / name), HOME, None)
    moved_at = [0]
    for index, record in enumerate(records):
        before = reader.facts.last_at
        found = reader.read(record)
        if reader.facts.last_at != before or found:
            moved_at.append(index)
    copied = EXPECTED[name]["own_part_starts_at_record"] > 0
    return moved_at[2] if copied else 0


def harness_items(name: str, role: str) -> Iterator[list[Event]]:
    """The events of each item of a role that was read as the harness's and nobody else's."""
    records, _ = read_lines(TRANSCRIPTS / name)
    reader = ADAPTER.open_reader(str(TRANSCRIPTS / name), HOME, None)
    for record in records:
        item = record.get("payload", record)
        found = reader.read(record)
        if item.get("type") != "message" or item.get("role") != role or isinstance(found, Gap) or not found:
            continue
        if all(event.speaker is Speaker.HARNESS and not event.flags & Flag.PROGRAM for event in found):
            yield found


def wanted_of(name: str) -> dict[str, Any]:
    """The expectation, in our terms and with what we override."""
    wanted = {key: value for key, value in EXPECTED[name].items() if key not in NOT_OURS}
    wanted |= {key: value for key, (value, _) in OVERRIDES.get(short(name), {}).items()}
    wanted["git"] = (wanted["git"] or {}).get("branch")
    wanted["models"] = wanted["models"][-1] if wanted["models"] else None
    wanted["prompted_by"] = DRIVERS.get(wanted.get("prompted_by", "person"))
    for key in ("first_timestamp", "last_timestamp"):
        wanted[key] = parse_time(wanted[key])
    return wanted


@pytest.mark.parametrize("name", FIXTURES)
def test_a_fixture_says_what_was_counted(name: str) -> None:
    ours, wanted = told(name), wanted_of(name)
    texts, own = wanted.pop("user_texts", None), ours.pop("user_texts")
    for key in wanted:
        assert ours[key] == wanted[key], key
    assert not reading_of(name).gaps
    if texts is not None:
        for text, spoken in zip(texts[-len(own) :] if own else texts, own, strict=True):
            beginning = next((ours for raw, ours in UNWRAPPED.items() if text.lstrip().startswith(raw)), text.strip())
            assert spoken.startswith(beginning)


@pytest.mark.parametrize("name", FIXTURES)
def test_injected_items(name: str) -> None:
    wanted = EXPECTED[name]
    items = [found for found in harness_items(name, "user") if not found[0].flags & Flag.PLAN]
    heads = Counter(found[0].text.lstrip()[:12] for found in items)
    plain = wanted["user_items_plain"] if wanted.get("prompted_by") == "harness" else 0
    if wanted["own_part_starts_at_record"] == 0 and short(name) != IMPORT:
        assert sum(heads.values()) == wanted["user_items_injected"] + plain
        for head, count in wanted["injected_heads"].items():
            assert sum(n for start, n in heads.items() if start.startswith(head[:12])) == count


@pytest.mark.parametrize("name", FIXTURES)
def test_reading_on_after_every_line_equals_reading_once(name: str) -> None:
    records, _ = read_lines(TRANSCRIPTS / name)
    path, reading, state = str(TRANSCRIPTS / name), Reading(), None
    for record in records:
        reader = ADAPTER.open_reader(path, HOME, state)
        feed(reader, [record], reading)
        written = json.dumps(reading.state)
        assert len(written) < 4000
        state = json.loads(written)
    once = reading_of(name)
    assert (reading.events, reading.gaps, reading.facts) == (once.events, once.gaps, once.facts)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_reading_in_two_parts_equals_reading_once(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(FIXTURES))
    once = reading_of(name)
    parts = read_transcript(ADAPTER, TRANSCRIPTS / name, HOME, data.draw(st.integers(0, once.records)))
    assert (parts.events, parts.gaps, parts.facts, parts.state) == (once.events, once.gaps, once.facts, once.state)


def test_every_event_of_a_thread_has_a_place_of_its_own() -> None:
    for name in FIXTURES:
        if short(name) != CATALOGUE:
            events = reading_of(name).events
            ids = Counter((event.native_id, event.part) for event in events if event.native_id)
            assert set(ids.values()) <= {1}


def test_imported_turns_are_no_events_and_later_ones_are() -> None:
    name = next(name for name in FIXTURES if short(name) == IMPORT)
    records, _ = read_lines(TRANSCRIPTS / name)
    assert not reading_of(name).events
    assert not reading_of(name).facts.is_conversation
    later = [
        event_line("task_started", turn_id="01a01d21-0000-7000-8000-000000000001"),
        message("user", "now add a test"),
        message("assistant", "Added."),
    ]
    reading = Reading()
    feed(ADAPTER.open_reader(name, HOME, None), records + later, reading)
    assert [event.text for event in reading.events] == ["now add a test", "Added."]
    assert reading.facts.is_conversation


def test_a_session_is_titled_by_its_thread_name() -> None:
    name = next(name for name in FIXTURES if short(name) == "019ddeed")
    assert reading_of(name).facts.own_title == "Add image to repo"
    assert read_thread_names(HOME) == {
        "019ddeed-72de-7371-bf67-ac505f4386ba": "Add image to README",
        "019f421d-dfca-7e60-b773-72b71b761173": "New name",
    }
    assert read_thread_names(HOME / "nowhere") == {}


def test_the_first_message_is_not_the_persons() -> None:
    path = CASES / "13-first-message-is-not-the-person" / "codex.jsonl"
    events = read_transcript(ADAPTER, path, HOME).events
    assert [event.text for event in events if event.is_prompt] == ["Speed up the nightly import"]
    assert [event.speaker for event in events[:2]] == [Speaker.HARNESS] * 2


def test_rollouts_are_found_at_any_depth(tmp_path: Path) -> None:
    day = tmp_path / "sessions/2026/07/01"
    for folder in (day, tmp_path / "archived_sessions", tmp_path / "worktrees"):
        folder.mkdir(parents=True)
    (tmp_path / "sessions/2026/08").write_text("a file where a folder is looked for")
    wanted = [day / "rollout-a.jsonl", day / "rollout-b.jsonl.zst", tmp_path / "sessions/rollout-c.jsonl"]
    wanted.append(tmp_path / "archived_sessions/rollout-d.jsonl")
    others = [day / "rollout-a.jsonl.zst", day / "rollout-e.jsonl.tmp", day / "x.jsonl", tmp_path / "rollout-f.jsonl"]
    for path in wanted + others:
        path.write_text("{}\n")
    (day / "rollout-link.jsonl").symlink_to(wanted[0])
    found = {Path(rollout.path): rollout for rollout in ADAPTER.find_transcripts(tmp_path)}
    assert sorted(found) == sorted(wanted)
    seen = wanted[0].stat()
    assert found[wanted[0]][1:] == (3, seen.st_mtime_ns, seen.st_ino, False)
    shutil.rmtree(tmp_path / "sessions")
    assert len(list(ADAPTER.find_transcripts(tmp_path))) == 1
    assert list(ADAPTER.find_transcripts(tmp_path / "nowhere")) == []
