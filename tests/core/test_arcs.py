"""Arcs and their focus: which sessions belong together, how hot they are, and that the order of input is nothing."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brainproj.core.arcs import Arc, ArcStatus, SessionSpan, focus_of, group_arcs

NOW = datetime(2026, 10, 5, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def session(name: str, ago: timedelta | None, minutes: int = 10, **more: object) -> SessionSpan:
    """A session that started so long ago and took so many minutes."""
    start = None if ago is None else NOW - ago
    plain = SessionSpan(
        session_id=name,
        agent="claude",
        started_at=start,
        last_at=None if start is None else start + minutes * MINUTE,
        title=None,
        tool_calls=0,
        tool_failures=0,
        prompts=1,
        compacted=False,
        branch=None,
    )
    return replace(plain, **more)  # type: ignore[arg-type]


def groups(*sessions: SessionSpan) -> set[tuple[str, ...]]:
    return {arc.session_ids for arc in group_arcs(sessions, NOW)}


def only(*sessions: SessionSpan) -> Arc:
    (arc,) = group_arcs(sessions, NOW)
    return arc


def test_no_session_is_no_arc_and_no_focus() -> None:
    assert group_arcs([], NOW) == []
    assert focus_of([]) is None


def test_a_gap_of_more_than_two_hours_begins_a_new_arc() -> None:
    first = session("a", DAY)
    at_the_limit = session("b", DAY - 130 * MINUTE)
    over = session("c", DAY - 130 * MINUTE - MINUTE)
    assert groups(first, at_the_limit) == {("a", "b")}
    assert groups(first, over) == {("a",), ("c",)}


def test_the_gap_is_counted_from_the_latest_end_in_the_group() -> None:
    long = session("a", DAY, minutes=300)
    short = session("b", DAY - HOUR)
    assert groups(long, short, session("c", DAY - 6 * HOUR)) == {("a", "b", "c")}


def test_a_compaction_in_the_session_before_begins_a_new_arc() -> None:
    assert groups(session("a", DAY, compacted=True), session("b", DAY - 11 * MINUTE)) == {("a",), ("b",)}
    assert groups(session("a", DAY), session("b", DAY - 11 * MINUTE, compacted=True)) == {("a", "b")}


def test_sessions_of_two_agents_make_one_arc() -> None:
    assert groups(session("a", DAY), session("b", DAY - 20 * MINUTE, agent="codex")) == {("a", "b")}


def test_a_session_with_one_time_only_is_a_moment() -> None:
    assert only(session("a", DAY, last_at=None)).last_active_at == NOW - DAY
    assert only(session("a", None, last_at=NOW - DAY)).started_at == NOW - DAY
    assert only(session("a", DAY, last_at=NOW - 2 * DAY)).last_active_at == NOW - DAY


def test_sessions_without_a_time_are_arcs_of_their_own_cold_and_last() -> None:
    arcs = group_arcs([session("x", None, tool_calls=5000), session("a", 400 * DAY), session("y", None)], NOW)
    assert arcs[0].session_ids == ("a",)
    assert {arc.session_ids for arc in arcs[1:]} == {("x",), ("y",)}
    assert [(arc.heat, arc.last_active_at) for arc in arcs[1:]] == [(0, None)] * 2


def test_the_title_is_that_of_the_newest_session_that_has_one() -> None:
    named = session("a", DAY, title="old"), session("b", DAY - 20 * MINUTE, title="new")
    assert only(*named, session("c", DAY - 40 * MINUTE)).title == "new"
    assert only(session("a", DAY)).title is None


@pytest.mark.parametrize(
    ("idle", "status"),
    [
        (-DAY, ArcStatus.ACTIVE),
        (6 * HOUR - MINUTE, ArcStatus.ACTIVE),
        (6 * HOUR, ArcStatus.COMPLETE),
        (48 * HOUR, ArcStatus.COMPLETE),
        (48 * HOUR + MINUTE, ArcStatus.STALLED),
        (14 * DAY, ArcStatus.STALLED),
        (14 * DAY + MINUTE, ArcStatus.GRADUATED),
    ],
)
def test_status_follows_from_the_time_since_it_was_last_active(idle: timedelta, status: ArcStatus) -> None:
    assert only(session("a", idle, minutes=0)).status is status


def test_a_warm_arc_does_not_graduate() -> None:
    arc = only(session("a", 15 * DAY, tool_calls=2000))
    assert (arc.heat, arc.status) == (4, ArcStatus.STALLED)


@pytest.mark.parametrize(
    ("ago", "tool_calls", "heat"),
    [
        (-DAY, 0, 3 + 1 + 2),
        (HOUR, 0, 3 + 1 + 2),
        (24 * HOUR, 0, 3 + 1),
        (24 * HOUR + MINUTE, 0, 1 + 1),
        (72 * HOUR, 0, 1 + 1),
        (73 * HOUR, 0, 1),
        (4 * DAY, 499, 1),
        (4 * DAY, 500, 2),
        (4 * DAY, 100_000, 5),
        (11 * DAY - MINUTE, 500, 2),
        (11 * DAY, 500, 1),
        (15 * DAY, 500, 0),
        (400 * DAY, 500, 0),
        (HOUR, 100_000, 10),
    ],
)
def test_heat_is_the_sum_of_its_points(ago: timedelta, tool_calls: int, heat: int) -> None:
    assert only(session("a", ago, minutes=0, tool_calls=tool_calls)).heat == heat


def test_each_session_adds_a_point_up_to_three() -> None:
    assert [only(*(session(str(n), 4 * DAY) for n in range(count))).heat for count in (1, 2, 3, 4)] == [1, 2, 3, 3]


def test_tool_calls_are_those_of_all_its_sessions() -> None:
    assert only(session("a", DAY, tool_calls=300), session("b", DAY, tool_calls=200)).tool_calls == 500


def test_arcs_come_hottest_first_then_last_active_then_by_id() -> None:
    arcs = group_arcs(
        [session("hot", HOUR), session("newer", 20 * DAY), session("older", 30 * DAY), session("none", None)], NOW
    )
    assert [arc.session_ids for arc in arcs] == [("hot",), ("newer",), ("older",), ("none",)]
    timeless = [arc.arc_id for arc in group_arcs([session(name, None) for name in "abcdef"], NOW)]
    assert timeless == sorted(timeless)
    assert focus_of(arcs) == arcs[0]


SPANS = st.lists(
    st.builds(
        SessionSpan,
        session_id=st.text("abcd", min_size=1, max_size=4),
        agent=st.sampled_from(["claude", "codex"]),
        started_at=st.none() | st.integers(-2000, 40_000).map(lambda minutes: NOW - minutes * MINUTE),
        last_at=st.none() | st.integers(-2000, 40_000).map(lambda minutes: NOW - minutes * MINUTE),
        title=st.none() | st.text(max_size=3),
        tool_calls=st.integers(0, 5000),
        tool_failures=st.just(0),
        prompts=st.just(1),
        compacted=st.booleans(),
        branch=st.none(),
    ),
    max_size=12,
    unique_by=lambda span: (span.agent, span.session_id),
)


@given(SPANS, st.randoms(use_true_random=False))
def test_the_order_of_the_sessions_changes_nothing(spans: list[SessionSpan], random: Random) -> None:
    shuffled = random.sample(spans, len(spans))
    assert group_arcs(shuffled, NOW) == group_arcs(spans, NOW)


@given(SPANS)
def test_every_session_is_in_one_arc_and_every_arc_has_its_own_id(spans: list[SessionSpan]) -> None:
    arcs = group_arcs(spans, NOW)
    assert sorted(name for arc in arcs for name in arc.session_ids) == sorted(span.session_id for span in spans)
    assert len({arc.arc_id for arc in arcs}) == len(arcs)
    assert all(0 <= arc.heat <= 10 and len(arc.arc_id) == 12 for arc in arcs)


@given(SPANS, st.integers(0, 300))
def test_an_arc_keeps_its_id_when_a_later_session_joins_it(spans: list[SessionSpan], minutes: int) -> None:
    starts = [start for span in spans if (start := span.started_at or span.last_at)]
    later = replace(session("later", DAY), started_at=max(starts, default=NOW) + minutes * MINUTE, last_at=None)
    before = {arc.arc_id for arc in group_arcs(spans, NOW)}
    after = group_arcs([*spans, later], NOW)
    joined = next(arc for arc in after if "later" in arc.session_ids)
    assert before <= {arc.arc_id for arc in after}
    assert joined.arc_id in before or joined.session_ids == ("later",)
