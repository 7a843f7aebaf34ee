"""How it stands with a brain, in lines; and what it told of a project, as a table."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ..core.ages import render_age
from ..core.text import one_line, printable
from .tables import Column, render_table

if TYPE_CHECKING:
    from rich.table import Table

    from ..brainstate import BrainState
    from ..core.remote import Piece
    from ..store.outbox import SetAside


def brain_lines(state: "BrainState", now: datetime) -> list[str]:
    """Where the brain is, how old what it told is, what was left out of that, and how the outbox stands."""
    if state.setting.is_off:
        return ["turned off (BRAIN_ENABLED, or enabled in config.toml)"]
    problem = state.setting.problem if state.setting.brain is None else None
    if state.url is None:
        return [f"not asked: {printable(problem)}" if problem else LOCAL_ONLY]
    by = state.setting.set_by.value if state.setting.brain else "not named here, so not asked from here"
    lines = [f"not asked: {printable(problem)}"] if problem else []
    lines.append(f"{printable(state.url)} ({'named before' if problem else by})")
    lines.append(_source_words(state, now))
    if state.left_out:
        counts = ", ".join(f"{what} ({count:,})" for what, count in sorted(state.left_out.items()))
        lines.append(f"left out: {counts}")
    lines.append(_outbox_words(state))
    return lines


LOCAL_ONLY = "local only (neither BRAIN_URL nor [brain] url in config.toml names one)"
SOURCES = {
    "vault": "it knows no projects, so its vault is read",
    "kernel": "it has a feed for each project",
    "brain": "not read yet",
}
"""What each source means to a person."""


def _source_words(state: "BrainState", now: datetime) -> str:
    source = state.source
    if source is None or source.state == "never":
        return "not asked yet"
    if source.why:
        return f"failed: {printable(source.sentence)}"
    return f"{source.name}: {SOURCES[source.name]}; answered {render_age(state.answered_at, now)} ago"


def _outbox_words(state: "BrainState") -> str:
    """What is on its way, what is there, what was set aside."""
    counts = state.outbox
    parts = [f"{counts.delivered:,} delivered"] if counts.delivered else []
    if counts.waiting:
        parts.append(f"{counts.waiting:,} waiting" + (f" ({printable(state.outbox_why)})" if state.outbox_why else ""))
    if counts.refused or counts.withheld:
        parts.append(f"{counts.refused + counts.withheld:,} set aside: brainproj brain")
    if state.markers_off:
        return f"markers: none is sent, {state.markers_off}" + (f" ({', '.join(parts)})" if parts else "")
    return f"markers: {', '.join(parts) or 'none yet'}"


def render_pieces(pieces: "Iterable[Piece]", now: datetime) -> "Table":
    """What it told, arcs first, each with its address."""
    columns = (
        Column("ADDRESS", style="cyan"), Column("KIND"), Column("LAST", right=True), Column("TEXT", clips=True),
    )  # fmt: skip
    return render_table(
        columns, ((one.citation, one.kind.value, render_age(one.at, now), one_line(one.title)) for one in pieces)
    )


def render_set_aside(rows: "Sequence[SetAside]") -> "Table":
    """The markers that were not delivered and will not be, with the reason."""
    columns = (Column("RECORD", style="cyan"), Column("STATE"), Column("WHY", clips=True))
    return render_table(columns, ((f"rec:{one.record}", one.state, one_line(one.why)) for one in rows))
