"""Codex lines by hand: who spoke, whose session a thread is, copies, ids, echoes and gaps."""

from typing import Any

import pytest

from brainproj.core.events import Flag, Gap, Kind, Outcome, Speaker

from .codex_lines import NOON, OLD_TURN, OWN, OWN_TURN, PARENT, event_line, item, line, message, meta, open_reader, read
from .reading import Reading, feed

REVIEW, GUARDIAN = {"subagent": "review"}, {"subagent": {"other": "guardian"}}
SPAWN = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}


@pytest.mark.parametrize(
    ("source", "more", "driver", "speaker", "flags"),
    [
        ("cli", {}, "person", Speaker.PERSON, Flag(0)),
        ("vscode", {}, "person", Speaker.PERSON, Flag(0)),
        (None, {}, "person", Speaker.PERSON, Flag(0)),
        ({"custom": "chatgpt"}, {}, "person", Speaker.PERSON, Flag(0)),
        ("exec", {}, "program", Speaker.HARNESS, Flag.PROGRAM),
        ("mcp", {}, "program", Speaker.HARNESS, Flag.PROGRAM),
        ("vscode", {"thread_source": "automation"}, "program", Speaker.HARNESS, Flag.PROGRAM),
        (SPAWN, {}, "assistant", Speaker.ASSISTANT, Flag(0)),
        (REVIEW, {"parent_thread_id": PARENT}, "harness", Speaker.HARNESS, Flag(0)),
        (GUARDIAN, {}, "harness", Speaker.HARNESS, Flag(0)),
        ({"subagent": "compact"}, {}, "harness", Speaker.HARNESS, Flag(0)),
        ({"internal": "memory_consolidation"}, {}, "harness", Speaker.HARNESS, Flag(0)),
        ("cli", {"thread_source": "memory_consolidation"}, "harness", Speaker.HARNESS, Flag(0)),
    ],
)
def test_who_drives_a_thread_speaks_its_prompts(
    source: object, more: dict[str, Any], driver: str, speaker: Speaker, flags: Flag
) -> None:
    reading = Reading()
    feed(open_reader(), [meta(source=source, **more), message("user", "fix it")], reading)
    [event] = reading.events
    assert (reading.facts.prompted_by.value, event.speaker, event.flags) == (driver, speaker, flags)


@pytest.mark.parametrize(
    ("members", "session_id", "agent_id", "parent_id", "forked_from"),
    [
        ({}, OWN, None, None, None),
        ({"session_id": OWN, "forked_from_id": PARENT}, OWN, None, None, PARENT),
        ({"session_id": "root", "parent_thread_id": PARENT, "source": SPAWN}, "root", OWN, PARENT, None),
        ({"source": SPAWN, "forked_from_id": PARENT}, PARENT, OWN, PARENT, None),
        ({"source": REVIEW, "parent_thread_id": PARENT}, PARENT, OWN, PARENT, None),
        ({"source": REVIEW}, OWN, None, None, None),
    ],
)
def test_whose_session_a_thread_is(
    members: dict[str, Any], session_id: str, agent_id: str | None, parent_id: str | None, forked_from: str | None
) -> None:
    reader = open_reader()
    reader.read(meta(**members))
    facts = reader.facts
    assert (facts.session_id, facts.agent_id) == (session_id, agent_id)
    assert (facts.parent_id, facts.forked_from) == (parent_id, forked_from)


PERSON, HARNESS, ASSISTANT, TOOL = Speaker.PERSON, Speaker.HARNESS, Speaker.ASSISTANT, Speaker.TOOL
WHO_SPOKE: dict[str, tuple[str, list[tuple[Speaker, str]], Flag]] = {
    "plain words": ("Fix it", [(PERSON, "Fix it")], Flag(0)),
    "environment": ("<environment_context>\n<cwd>/x</cwd>", [(HARNESS, "<environment_context>")], Flag(0)),
    "after white space": ("\n  <turn_aborted>\nstopped", [(HARNESS, "\n  <turn_aborted>")], Flag(0)),
    "agents.md": ("# AGENTS.md instructions for /x\n", [(HARNESS, "# AGENTS.md")], Flag(0)),
    "goal": ('<codex_internal_context source="goal">', [(HARNESS, "<codex_internal")], Flag(0)),
    "a hook's context": ("<external_hook>x</external_hook>", [(HARNESS, "<external_")], Flag(0)),
    "a schedule": ("<heartbeat>save</heartbeat>", [(HARNESS, "<heartbeat>")], Flag(0)),
    "a warning": ("Warning: apply_patch was requested via exec_command", [(HARNESS, "Warning:")], Flag(0)),
    "after compaction": (
        "Another language model started to solve this problem and",
        [(HARNESS, "Another language model")],
        Flag(0),
    ),
    "a plan": ("PLEASE IMPLEMENT THIS PLAN:\n# Plan", [(HARNESS, "PLEASE IMPLEMENT THIS PLAN:\n# Plan")], Flag.PLAN),
    "an answer": (
        '<send_user_message_question_reply>\n[{"question":"Which?","answer":"Flat"}]\n'
        "</send_user_message_question_reply>",
        [(PERSON, "Which?\nFlat")],
        Flag.ANSWER,
    ),
    "an answer that is no JSON": ("<send_user_message_question_reply>\nyes", [(PERSON, "yes")], Flag.ANSWER),
    "a shell command": (
        "<user_shell_command>\n<command>\nls -l\n</command>\n<result>\nExit code: 2\nDuration: 0.1 seconds\n"
        "Output:\nno\n</result>\n</user_shell_command>",
        [(PERSON, "ls -l"), (TOOL, "Exit code: 2\nDuration: 0.1 seconds\nOutput:\nno")],
        Flag.SHELL,
    ),
    "another thread's agent": (
        "<codex_delegation>\n <source_thread_id>1</source_thread_id>\n <input>Review this</input>\n</codex_delegation>",
        [(ASSISTANT, "Review this")],
        Flag(0),
    ),
    "an IDE's wrapper": (
        "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nFix the hover\n",
        [(PERSON, "Fix the hover")],
        Flag(0),
    ),
    "the last heading counts": (
        "# Files mentioned by the user:\n\n## My request for Codex:\nold\n## My request for Codex:\nnew",
        [(PERSON, "new")],
        Flag(0),
    ),
    "what the browser shows": (
        '<in-app-browser-context source="ambient-ui-state">\nURL\n</in-app-browser-context>\n\n## My request:\ngo on',
        [(PERSON, "go on")],
        Flag(0),
    ),
    "the heading inside a sentence": ("Explain ## My request for Codex: to me", [(PERSON, "Explain ##")], Flag(0)),
}


@pytest.mark.parametrize("what", WHO_SPOKE)
def test_who_spoke_a_block(what: str) -> None:
    text, pieces, flags = WHO_SPOKE[what]
    events = read(meta(), message("user", text))
    assert [event.speaker for event in events] == [speaker for speaker, _ in pieces]
    assert all(event.text.startswith(beginning) for event, (_, beginning) in zip(events, pieces, strict=True))
    assert events[0].flags == flags
    if events[-1].kind is Kind.TOOL_RESULT:
        assert events[-1].outcome is Outcome.FAILED
        assert (events[0].part, events[-1].part) == ("0", "0-result")


def test_each_block_of_an_item_is_looked_at() -> None:
    image = [{"type": "input_image", "image_url": "data:x"}]
    parts: list[dict[str, Any]] = [
        {"type": "input_text", "text": text} for text in ("# AGENTS.md instructions", "<environment_context>")
    ]
    words = [{"type": "input_text", "text": text} for text in ("Fix it,", "please")]
    mixed = item("message", role="user", id="msg_01a0b3db000070008000", content=parts + image + words)
    events = read(meta(), mixed, item("message", role="user", content=image))
    assert [(event.speaker, event.text, event.part) for event in events] == [
        (HARNESS, "# AGENTS.md instructions", "0"),
        (HARNESS, "<environment_context>", "1"),
        (PERSON, "Fix it,\nplease", "3"),
        (PERSON, "[image]", "0"),
    ]
    assert {event.native_id for event in events} == {"msg_01a0b3db000070008000", None}


def test_what_codex_says_of_a_block_counts() -> None:
    events = read(
        meta(),
        message("user", "Warning: unused import, remove it", kinds=["user.text"]),
        message("user", "You may use these plug-ins", kinds=["plugins.recommendations"]),
    )
    assert [event.speaker for event in events] == [PERSON, HARNESS]


OLD, OWN_WORDS = message("user", "old words"), message("user", "own words")
LATER = message("user", "own words", at="2026-07-01T12:30:00.000Z")
COPIES: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "turn ids": (
        {"forked_from_id": PARENT},
        [event_line("task_started", turn_id=OLD_TURN), OLD, event_line("task_started", turn_id=OWN_TURN), OWN_WORDS],
    ),
    "the turn id of an item": (
        {"forked_from_id": PARENT},
        [
            event_line("task_started", turn_id=OLD_TURN),
            OLD,
            item(
                "message",
                role="user",
                content="own words",
                internal_chat_message_metadata_passthrough={"turn_id": OWN_TURN},
            ),
        ],
    ),
    "ids that are no times": (
        {"forked_from_id": PARENT},
        [
            event_line("task_started", turn_id=OLD_TURN),
            event_line("task_started", turn_id="external-import-turn-3"),
            event_line("task_started", turn_id="7"),
            OLD,
            event_line("task_started", turn_id=OWN_TURN),
            OWN_WORDS,
        ],
    ),
    "a parent that nobody names": ({}, [meta(PARENT), OLD, event_line("task_started", turn_id=OWN_TURN), OWN_WORDS]),
    "ordinals": (
        {"subagent_history_start_ordinal": 2},
        [{**OLD, "ordinal": 1}, {**OWN_WORDS, "ordinal": 2}],
    ),
    "the mark of 0.118": (
        {"forked_from_id": PARENT},
        [OLD, item("function_call_output", call_id="c", output="You are the newly spawned agent. The"), OWN_WORDS],
    ),
    "times alone": ({"forked_from_id": PARENT}, [OLD, LATER]),
    "history that is only referred to": (
        {"forked_from_id": PARENT, "history_base": {"thread_id": PARENT, "end_ordinal_exclusive": 3}},
        [OWN_WORDS],
    ),
}


@pytest.mark.parametrize("what", COPIES)
def test_copied_lines_are_no_events(what: str) -> None:
    members, records = COPIES[what]
    assert [event.text for event in read(meta(**members), *records)] == ["own words"]


def test_only_the_first_session_meta_counts() -> None:
    reader = open_reader()
    feed(reader, [meta(), message("user", "hi"), meta(PARENT, cwd="/else"), meta(cwd="/moved")], Reading())
    assert (reader.facts.session_id, reader.facts.cwds) == (OWN, ["/home/dev/app", "/moved"])


def test_a_folder_that_changed_is_told_once() -> None:
    context = line("turn_context", {"cwd": "/home/dev/app", "model": "m1"})
    moved = line("turn_context", {"cwd": "/home/dev/lib", "model": "m2"})
    hello = message("user", "hi")
    reading = Reading()
    feed(open_reader(), [meta(), context, hello, moved, hello, hello], reading)
    assert [event.cwd for event in reading.events] == [None, "/home/dev/lib", None]
    assert (reading.facts.cwd, reading.facts.model) == ("/home/dev/app", "m2")


def test_what_only_repeats_brainproj_is_an_echo() -> None:
    texts = read(
        meta(),
        message("developer", '<hook_context><project-memory project="x">'),
        item("function_call", name="search", namespace="mcp__brainproj", arguments="{}", call_id="c1"),
        item("function_call_output", call_id="c1", output="3 hits"),
        item("function_call", name="mcp__brainproj__search", arguments="{}", call_id="c2"),
        item("custom_tool_call", name="exec", input="await tools.mcp__brainproj__search({})", call_id="c3"),
        item("function_call", name="search", namespace="mcp__other__", arguments="{}", call_id="c4"),
    )
    assert [bool(event.flags & Flag.ECHO) for event in texts] == [True, True, True, True, True, False]
    assert [event.tool for event in texts[1:4]] == ["mcp__brainproj__search"] * 3
    assert texts[-1].tool == "mcp__other__search"


def test_ids_are_unique_among_threads() -> None:
    long_id, item_id = "call_Ef4JjxErSw38zp7WXzEo0UXm", "msg_0db003e4ad885737016a45967d55e4819"
    events = read(
        meta(),
        item("function_call", name="x", arguments="{}", call_id=long_id, id="fc_0db003e4ad885737016a"),
        item("function_call_output", call_id=long_id, output=""),
        item("function_call", name="x", arguments="{}", call_id="functions.exec_command:12"),
        item("message", role="assistant", id=item_id, content=[{"type": "output_text", "text": "Done."}]),
        item("reasoning", id="rs_1", summary=[{"type": "summary_text", "text": "Hm"}]),
        message("user", "no id"),
    )
    assert [event.native_id for event in events] == [
        f"call:{long_id}",
        f"result:{long_id}",
        f"call:{OWN}:functions.exec_command:12",
        item_id,
        f"{OWN}:rs_1",
        None,
    ]


def test_thinking_is_what_can_be_seen_of_it() -> None:
    reading = Reading()
    visible = item("reasoning", summary=[], content=[{"type": "reasoning_text", "text": "Hm"}])
    hidden = [item("reasoning", summary=[], encrypted_content="gAAAA"), item("reasoning", summary=None, content=None)]
    feed(open_reader(), [meta(), visible, *hidden], reading)
    assert [(event.kind, event.text) for event in reading.events] == [(Kind.THINKING, "Hm")]
    assert reading.facts.hidden_thinking == 2


def test_an_interruption_is_told_once() -> None:
    stopped, mark = event_line("turn_aborted", reason="interrupted"), message("user", "<turn_aborted>\nThe user")
    assert [event.text for event in read(meta(), stopped)] == ["[turn aborted: interrupted]"]
    assert [event.text for event in read(meta(), mark, stopped)] == ["<turn_aborted>\nThe user"]


def test_agents_write_to_each_other() -> None:
    def letter(author: str, *blocks: dict[str, str]) -> dict[str, Any]:
        return item("agent_message", author=author, recipient="/root/b", content=list(blocks))

    head = "Message Type: {}\nTask name: /root/b\nSender: /root\nPayload:\n"
    sealed = {"type": "encrypted_content", "encrypted_content": "gAAAA"}
    events = read(
        meta(agent_path="/root/b"),
        letter("/root", {"type": "input_text", "text": head.format("NEW_TASK")}, sealed),
        letter("/root", {"type": "input_text", "text": head.format("FINAL_ANSWER") + "BANANA"}),
        letter("/root/b", {"type": "input_text", "text": head.format("MESSAGE") + "on it"}),
        line("inter_agent_communication", {"author": "/root", "recipient": "/root/b", "content": "go on"}),
        item("function_call_output", output="<codex_delegation><input>look</input></codex_delegation>"),
    )
    assert [(event.kind, event.speaker) for event in events] == [
        (Kind.PROMPT, ASSISTANT),
        (Kind.REPLY, ASSISTANT),
        (Kind.PROMPT, ASSISTANT),
        (Kind.PROMPT, ASSISTANT),
    ]
    assert [event.text.rpartition("\n")[2] for event in events] == ["BANANA", "on it", "go on", "look"]


@pytest.mark.parametrize(
    "record",
    [
        {"timestamp": NOON, "type": "brand_new", "payload": {}},
        item("brand_new"),
        line("response_item", {}),
        event_line("brand_new"),
        line("event_msg", None),
        event_line("item_completed", item={"type": "BrandNew"}),
        {"timestamp": NOON},
        {"record_type": "brand_new"},
    ],
)
def test_what_is_not_known_is_a_gap(record: dict[str, Any]) -> None:
    reader = open_reader()
    reader.read(meta())
    assert isinstance(reader.read(record), Gap)


def test_the_oldest_folder_is_in_a_sentence() -> None:
    head = {"id": OWN, "timestamp": NOON, "instructions": None}
    context = "<environment_context>\nCurrent working directory: /home/dev/old\nApproval policy: never\n"
    bare = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": context}]}
    reader = open_reader()
    feed(reader, [head, {"record_type": "state"}, bare], Reading())
    assert reader.facts.cwd == "/home/dev/old"
    assert not reader.facts.is_conversation
