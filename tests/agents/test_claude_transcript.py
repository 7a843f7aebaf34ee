"""Claude Code's transcripts: each fixture against its independent counts, who spoke, outcomes, and hostile lines."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brainproj.agents.claude.adapter import ADAPTER
from brainproj.agents.claude.finding import find_transcripts
from brainproj.core.events import Event, Flag, Gap, Kind, Outcome, Speaker
from brainproj.core.times import parse_time

from ..conftest import CASES, TRANSCRIPTS
from .reading import Reading, expected_of, read_lines, read_transcript

HOME = TRANSCRIPTS / "claude"
EXPECTED = {name: wanted for name, wanted in expected_of("claude").items() if "human" in wanted}
FIXTURES = sorted(EXPECTED)
CATALOGUE = "claude/projects/-tmp/stage0-all-kinds.jsonl"


def reading_of(name: str, split_at: int | None = None) -> Reading:
    return read_transcript(ADAPTER, TRANSCRIPTS / name, HOME, split_at)


def unique(events: list[Event]) -> list[Event]:
    """Each event once, as the store keeps it."""
    return list({(e.native_id, e.part) if e.native_id else id(e): e for e in events}.values())


def said(events: list[Event], flag: Flag | None) -> list[str]:
    """What a person said with this flag, or as a plain prompt of the session itself with None."""
    return [
        event.text
        for event in events
        if event.speaker is Speaker.PERSON
        and (event.is_prompt and not event.flags if flag is None else bool(event.flags & flag))
    ]


@pytest.mark.parametrize("name", FIXTURES)
def test_lines_and_session(name: str) -> None:
    wanted, reading = EXPECTED[name], reading_of(name)
    torn = int(
        name.endswith("truncated.jsonl")
    )  # its last line is half written: not there yet, so neither read nor bad
    assert reading.records == wanted["records"] - torn
    # the expectation counts a line with two objects as bad; we can split it
    assert reading.bad_lines == wanted["bad_lines"] - wanted["lines_with_two_objects"] - torn
    assert reading.split_lines == wanted["lines_with_two_objects"]
    facts = reading.facts
    assert facts.cwd == wanted["cwd"]
    assert set(facts.cwds) == set(wanted["cwds"])
    if wanted["session_id"] and "subagents" not in name:
        assert facts.session_id == wanted["session_id"]
    if wanted["models"]:
        assert facts.model in wanted["models"]
    if wanted["versions"]:
        assert facts.version in wanted["versions"]
    branches = [branch for branch in wanted["git_branches"] if branch not in ("", "HEAD")]
    assert facts.branch in (branches or [None])


@pytest.mark.parametrize("name", FIXTURES)
def test_what_a_person_said(name: str) -> None:
    wanted, events = EXPECTED[name], unique(reading_of(name).events)
    human = wanted["human"]
    assert sum(event.is_prompt for event in events) == wanted["human_messages"]
    for found, texts in ((said(events, None), human["prompts"]), (said(events, Flag.QUEUED), human["queued"])):
        assert len(found) == len(texts)
        for text in texts:
            assert any(one.startswith(text.strip()[:40]) for one in found), text
    assert len(said(events, Flag.COMMAND)) == len(human["commands"])
    assert len(said(events, Flag.SHELL)) == len(human["shell"])
    assert len(said(events, Flag.FEEDBACK)) == len(human["feedback"])
    assert len(said(events, Flag.ANSWER)) == human["question_answers"]
    assert sum(bool(event.flags & Flag.PLAN) for event in events) == human["plan_accepted"]


@pytest.mark.parametrize("name", FIXTURES)
def test_calls_and_outcomes(name: str) -> None:
    wanted, events = EXPECTED[name], unique(reading_of(name).events)
    results = [
        event
        for event in events
        if event.kind is Kind.TOOL_RESULT and event.outcome is not Outcome.UNKNOWN and event.speaker is Speaker.TOOL
    ]
    calls = {event.call_id for event in events if event.kind is Kind.TOOL_CALL}
    outcomes = [event.outcome for event in results]
    assert len(calls) == wanted["tool_calls"]
    assert len(results) == wanted["tool_results"]
    assert outcomes.count(Outcome.FAILED) == wanted["tool_failures"]
    assert outcomes.count(Outcome.DENIED) == wanted["tool_denials"]
    stopped = [event for event in results if event.outcome is Outcome.CANCELLED]
    # a command that was interrupted while running is no error in the line, and cancelled all the same
    assert sum(event.text.startswith(("[Request", "<tool_use")) for event in stopped) == wanted["tool_cancelled"]
    nameless = int(name.endswith("agent-a0ad4f44468bdf20d.jsonl"))  # neither its call nor its result has an id
    assert len(calls - {event.call_id for event in results}) == wanted["unanswered_calls"] - nameless
    early = int("88db7fea" in name)  # there a result stands before its call
    assert sum(event.tool is None for event in results if event.call_id in calls - {None}) == early


@pytest.mark.parametrize("name", FIXTURES)
def test_the_model_and_its_helpers(name: str) -> None:
    wanted, reading = EXPECTED[name], reading_of(name)
    events = unique(reading.events)
    assert sum(bool(event.flags & Flag.API_ERROR) for event in events) == wanted["api_error_messages"]
    assert sum(event.kind is Kind.COMPACTION for event in events) == wanted["compact_summaries"]
    if "subagents" in name:
        assert reading.facts.agent_id in wanted["agent_ids"]
    if wanted["sidechain_records"]:
        assert any(event.agent_id for event in events)
    assert not any(event.is_prompt for event in events if event.agent_id)
    assert reading.facts.started_at == parse_time(wanted["first_timestamp"])


@pytest.mark.parametrize("name", [CATALOGUE, *FIXTURES])
def test_real_lines_leave_no_gap(name: str) -> None:
    gaps = {gap.reason for gap in reading_of(name).gaps}
    allowed = {"unknown type 'None'"} if "todowrite" in name else set()  # one line of it has no type at all
    assert gaps <= allowed


@pytest.mark.parametrize("name", FIXTURES)
def test_reading_in_two_parts_is_reading_once(name: str) -> None:
    whole = reading_of(name)
    for split_at in range(0, whole.records, max(1, whole.records // 9)):
        parts = reading_of(name, split_at)
        assert (parts.events, parts.gaps, parts.facts) == (whole.events, whole.gaps, whole.facts)


def test_only_transcripts_are_found() -> None:
    found = {Path(f.path).relative_to(HOME).as_posix(): f for f in find_transcripts(HOME)}
    assert len(found) == 44
    assert all(f.is_child == ("agent-" in name) for name, f in found.items())
    case = CASES / "11-sub-agent-files" / "home" / ".claude"
    assert sorted(Path(f.path).name for f in find_transcripts(case)) == [
        "5f0c0000-0000-4000-8000-000000000011.jsonl", "agent-a1.jsonl", "agent-b2.jsonl",
    ]  # fmt: skip
    assert list(find_transcripts(HOME / "nowhere")) == []


def test_case_13_titles_and_speakers() -> None:
    reading = read_transcript(ADAPTER, CASES / "13-first-message-is-not-the-person" / "claude.jsonl", HOME)
    prompts = [event.text for event in reading.events if event.is_prompt]
    assert prompts == ["Fix the rounding in invoices"]
    by_people = " ".join(event.text for event in reading.events if event.speaker is Speaker.PERSON)
    for word in ("Caveat", "environment_context", "being continued", "total 3"):
        assert word not in by_people


def line(content: Any, **members: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": "u", "message": {"role": "user", "content": content}, **members}


WHO_SPOKE: list[tuple[dict[str, Any], list[tuple[Speaker, str]]]] = [
    (line("plain"), [(Speaker.PERSON, "plain")]),
    (line("  padded\n"), [(Speaker.PERSON, "padded")]),
    (line("<div> is HTML"), [(Speaker.PERSON, "<div> is HTML")]),
    (line("[WIP] title"), [(Speaker.PERSON, "[WIP] title")]),
    (line("<system-reminder>x</system-reminder>\nreal"), [(Speaker.HARNESS, "<system-reminder>x</system-reminder>"), (Speaker.PERSON, "real")]),
    (line("real <system-reminder>x</system-reminder>"), [(Speaker.HARNESS, "<system-reminder>x</system-reminder>"), (Speaker.PERSON, "real")]),
    (line("<system-reminder>cut off"), [(Speaker.HARNESS, "<system-reminder>cut off")]),
    (line([{"type": "text", "text": "<ide_selection>x</ide_selection>"}, {"type": "text", "text": "go"}]), [(Speaker.HARNESS, "<ide_selection>x</ide_selection>"), (Speaker.PERSON, "go")]),
    (line("<command-message>x</command-message> <command-name>/x</command-name><command-args>a b</command-args>"), [(Speaker.PERSON, "/x a b")]),
    (line("<bash-input>ls -l</bash-input>"), [(Speaker.PERSON, "ls -l")]),
    (line("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>"), [(Speaker.TOOL, "a")]),
    (line("[Request interrupted by user for tool use]"), [(Speaker.HARNESS, "[Request interrupted by user for tool use]")]),
    (line("x", isMeta=True), [(Speaker.HARNESS, "x")]),
    (line("x", isSidechain=True), [(Speaker.ASSISTANT, "x")]),
    (line("x", isCompactSummary=True), [(Speaker.ASSISTANT, "x")]),
    (line("x", origin={"kind": "task-notification"}), [(Speaker.HARNESS, "x")]),
    (line("x", origin={"kind": "human"}, promptSource="typed"), [(Speaker.PERSON, "x")]),
    (line("x", promptSource="system"), [(Speaker.HARNESS, "x")]),
    (line("x", promptSource="sdk"), [(Speaker.HARNESS, "x")]),
    (line("x", teamName="t"), [(Speaker.ASSISTANT, "x")]),
    (line("Implement the following plan:\n1"), [(Speaker.HARNESS, "Implement the following plan:\n1")]),
    (line([{"type": "image"}]), [(Speaker.PERSON, "[image]")]),
    (line(""), []),
    (line(None), []),
    (line(["bare", 3, None]), []),
]  # fmt: skip


@pytest.mark.parametrize(("record", "wanted"), WHO_SPOKE)
def test_who_spoke(record: dict[str, Any], wanted: list[tuple[Speaker, str]]) -> None:
    found = ADAPTER.open_reader("x.jsonl", HOME, None).read(record)
    assert isinstance(found, list)
    assert [(event.speaker, event.text) for event in found] == wanted


def result(text: Any, error: bool, **members: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": "t", "content": text, "is_error": error}
    return {"type": "user", "uuid": "u", "message": {"content": [block]}, **members}


OUTCOMES = [
    (result("fine", False), Outcome.OK),
    (result("Exit code 2\nboom", True), Outcome.FAILED),
    (result("<tool_use_error>String not found</tool_use_error>", True), Outcome.FAILED),
    (result("<tool_use_error>Cancelled: parallel tool call x errored</tool_use_error>", True), Outcome.CANCELLED),
    (result("The user doesn't want to proceed with this tool use. The tool use was rejected", True), Outcome.DENIED),
    (result("Permission prompt was aborted.", True), Outcome.DENIED),
    (result("Permission to use Bash with command rm has been denied.", True), Outcome.DENIED),
    (result("PreToolUse:Bash hook error: [x]: no", True), Outcome.DENIED),
    (result("anything", True, toolDenialKind="permission-rule"), Outcome.DENIED),
    (result("[Request interrupted by user for tool use]", True), Outcome.CANCELLED),
    (result("partial", False, toolUseResult={"interrupted": True}), Outcome.CANCELLED),
    (result([{"type": "text", "text": "ENOENT: no such file"}], True), Outcome.FAILED),
    (result(None, True), Outcome.FAILED),
]


@pytest.mark.parametrize(("record", "wanted"), OUTCOMES)
def test_outcomes(record: dict[str, Any], wanted: Outcome) -> None:
    found = ADAPTER.open_reader("x.jsonl", HOME, None).read(record)
    assert isinstance(found, list)
    assert found[0].outcome is wanted


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
MEMBERS = (
    "type", "message", "attachment", "origin", "toolUseResult", "forkedFrom", "sessionId", "uuid", "timestamp", "cwd", "agentId",
    "isMeta", "isSidechain", "customTitle", "gitBranch",
)  # fmt: skip
BLOCK = st.dictionaries(
    st.sampled_from(["type", "text", "content", "id", "name", "input", "tool_use_id", "thinking"]), JSON
)
CONTENT = JSON | st.lists(BLOCK | JSON, max_size=4)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["user", "assistant", "attachment", "system", "custom-title", "new"]),
    st.dictionaries(st.sampled_from(MEMBERS), JSON),
    CONTENT,
)
def test_no_line_makes_it_raise(kind: str, members: dict[str, Any], content: Any) -> None:
    reader = ADAPTER.open_reader("agent-x.jsonl", HOME, None)
    reader.read(
        {"type": kind, "message": {"content": content}, "attachment": {"type": "queued_command", "prompt": content}}
        | members
    )
    reader.read({**members, "type": kind, "message": {"content": content}})
    reader.read(members)
    assert json.loads(json.dumps(reader.state())) == reader.state()


REAL = [record for name in FIXTURES[:12] for record in read_lines(TRANSCRIPTS / name)[0][:30]]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(REAL), st.data())
def test_no_mutated_real_line_makes_it_raise(record: dict[str, Any], data: st.DataObject) -> None:
    mutated = json.loads(json.dumps(record))
    holders: list[Any] = [mutated]
    for holder in holders:
        holders += [
            member
            for member in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(member, (dict, list)) and member
        ]
    holder = data.draw(st.sampled_from(holders))
    key = data.draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
    holder[key] = data.draw(JSON)
    assert isinstance(ADAPTER.open_reader("x.jsonl", HOME, None).read(mutated), (list, Gap))
