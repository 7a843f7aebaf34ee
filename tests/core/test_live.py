"""What several sources say of one session becomes one value, whatever order they come in."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brainproj.core.live import LiveSession, State, is_fresh, latest, merge_sessions, text_or_none

NOON = datetime(2026, 10, 5, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
OWN = LiveSession(
    session_id="s1",
    agent_id=None,
    agent="claude",
    cwd="/dev/alpha",
    title=None,
    state=State.BUSY,
    seen_by=("claude",),
    started_at=NOON,
    last_seen_at=NOON,
    transcript=None,
    pid=7,
)
TOLD = replace(
    OWN, cwd="/dev/beta", title="Fix it", state=State.IDLE, seen_by=("agentihooks",), pid=None, agent_name="eng@1"
)

SITUATIONS = {
    "the agent itself decides the state, though the registry saw the session later": (
        [OWN, replace(TOLD, last_seen_at=NOON + HOUR)],
        [replace(OWN, title="Fix it", seen_by=("agentihooks", "claude"), last_seen_at=NOON + HOUR, agent_name="eng@1")],
    ),
    "an end that only the registry knows does not end what the agent lists": (
        [replace(TOLD, state=State.ENDED, last_seen_at=NOON + HOUR), replace(OWN, last_seen_at=None)],
        [
            replace(
                OWN,
                title="Fix it",
                seen_by=("agentihooks", "claude"),
                last_seen_at=NOON + HOUR,
                agent_name="eng@1",
            )
        ],
    ),
    "of two first-hand sources the later one decides": (
        [replace(OWN, state=State.IDLE, last_seen_at=NOON + HOUR, pid=8), OWN],
        [replace(OWN, state=State.IDLE, last_seen_at=NOON + HOUR, pid=8)],
    ),
    "of two second-hand sources too": (
        [TOLD, replace(TOLD, state=State.ENDED, last_seen_at=NOON + HOUR, title=None)],
        [replace(TOLD, state=State.ENDED, last_seen_at=NOON + HOUR)],
    ),
    "the earliest start and the latest sign of life are kept": (
        [replace(OWN, started_at=NOON - HOUR, last_seen_at=NOON - HOUR), replace(OWN, started_at=NOON)],
        [replace(OWN, started_at=NOON - HOUR, last_seen_at=NOON)],
    ),
    "an unknown time is neither": (
        [replace(OWN, started_at=None, last_seen_at=None), OWN],
        [OWN],
    ),
    "nobody knows a time": (
        [replace(OWN, started_at=None, last_seen_at=None), replace(TOLD, started_at=None, last_seen_at=None)],
        [
            replace(
                OWN,
                title="Fix it",
                seen_by=("agentihooks", "claude"),
                started_at=None,
                last_seen_at=None,
                agent_name="eng@1",
            )
        ],
    ),
    "sources are named once, in order": (
        [replace(OWN, seen_by=("b", "a")), replace(OWN, seen_by=("a", "c"))],
        [replace(OWN, seen_by=("a", "b", "c"))],
    ),
    "one id in two agents is two sessions": (
        [replace(OWN, agent="codex"), OWN],
        [OWN, replace(OWN, agent="codex")],
    ),
    "a sub-agent is not its root, nor is an empty id none": (
        [replace(OWN, agent_id="a1"), replace(OWN, agent_id=""), OWN],
        [OWN, replace(OWN, agent_id=""), replace(OWN, agent_id="a1")],
    ),
    "nothing": ([], []),
}

sessions = st.builds(
    LiveSession,
    session_id=st.sampled_from(["s1", "s2", "../s1\0"]),
    agent_id=st.sampled_from([None, "a1"]),
    agent=st.sampled_from(["claude", "codex"]),
    cwd=st.sampled_from([None, "/a", "/b"]),
    title=st.sampled_from([None, "t", "\ud800"]),
    state=st.sampled_from(State),
    seen_by=st.lists(st.sampled_from(["agentihooks", "claude", "codex-lock"]), min_size=1).map(tuple),
    started_at=st.sampled_from([None, NOON, NOON + HOUR]),
    last_seen_at=st.sampled_from([None, NOON, NOON + HOUR]),
    transcript=st.sampled_from([None, "/t"]),
    pid=st.sampled_from([None, 1, 2]),
    swarm=st.sampled_from([None, "fleet"]),
)


@pytest.mark.parametrize(("found", "merged"), SITUATIONS.values(), ids=SITUATIONS)
def test_merge(found: list[LiveSession], merged: list[LiveSession]) -> None:
    assert merge_sessions(found) == merged
    assert merge_sessions(reversed(found)) == merged


@given(st.lists(sessions, max_size=8).flatmap(lambda found: st.tuples(st.just(found), st.permutations(found))))
def test_order_of_input_does_not_matter(orders: tuple[list[LiveSession], list[LiveSession]]) -> None:
    found, shuffled = orders
    assert merge_sessions(found) == merge_sessions(shuffled)


@given(st.lists(sessions, max_size=8))
def test_merging_twice_is_merging_once(found: list[LiveSession]) -> None:
    once = merge_sessions(found)
    assert merge_sessions(once) == once
    assert len({(each.agent, each.session_id, each.agent_id) for each in once}) == len(once)


@given(st.lists(sessions, min_size=1, max_size=8))
def test_nothing_known_is_lost(found: list[LiveSession]) -> None:
    merged = {(each.agent, each.session_id, each.agent_id): each for each in merge_sessions(found)}
    for session in found:
        kept = merged[session.agent, session.session_id, session.agent_id]
        assert set(session.seen_by) <= set(kept.seen_by)
        assert all(
            getattr(kept, name) is not None
            for name in session.__slots__
            if getattr(session, name) is not None and name != "agent_id"
        )


@pytest.mark.parametrize(
    ("moment", "fresh"),
    [
        (None, False),
        (NOON, True),
        (NOON - timedelta(seconds=120), True),
        (NOON - timedelta(seconds=121), False),
        (NOON + timedelta(seconds=90), True),
        (NOON + HOUR, False),
        (datetime.max.replace(tzinfo=UTC), False),
    ],
)
def test_fresh(moment: datetime | None, fresh: bool) -> None:
    assert is_fresh(moment, NOON) is fresh


def test_latest() -> None:
    assert latest(None, NOON, NOON - HOUR) == NOON
    assert latest(None, None) is None


@pytest.mark.parametrize(
    ("value", "text"), [("a", "a"), ("", None), (None, None), (7, None), (["a"], None), ("\ud800/", "\ufffd/")]
)
def test_text_of_a_foreign_record(value: object, text: str | None) -> None:
    assert text_or_none(value) == text
