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


def brain_lines(state: "BrainState", now: datetime) -> list[str]:
    """Where the brain is, how old what it told is, what was left out of that, and how the outbox stands."""
    if state.url is None:
        off = "turned off (BRAIN_ENABLED, or enabled in config.toml)" if state.setting.is_off else ""
        return [off or (f"not asked: {state.setting.problem}" if state.setting.problem else LOCAL_ONLY)]
    by = state.setting.set_by.value if state.setting.brain else "not named in this environment, so not asked from here"
    lines = [f"{printable(state.url)} ({by}) · {_source_words(state, now)}"]
    if state.left_out:
        counts = ", ".join(f"{what} ({count:,})" for what, count in sorted(state.left_out.items()))
        lines.append(f"left out: {counts}")
    lines.append(_outbox_words(state, now))
    return lines


LOCAL_ONLY = "local only (BRAIN_URL is not set)"


def _source_words(state: "BrainState", now: datetime) -> str:
    source = state.source
    if source is None or source.state == "never":
        return "not asked yet"
    if source.why:
        kept = f", what it told {render_age(state.answered_at, now)} ago still counts" if state.answered_at else ""
        return f"{source.name}, failed{kept}"
    return f"{source.name}, answered {render_age(state.answered_at, now)} ago"


def _outbox_words(state: "BrainState", now: datetime) -> str:
    """What is on its way, what is there, what was set aside."""
    counts = state.outbox
    parts = [f"{counts.delivered:,} delivered"] if counts.delivered else []
    if counts.waiting:
        parts.append(f"{counts.waiting:,} waiting")
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


def render_set_aside(rows: "Sequence[tuple[int, str, str]]") -> "Table":
    """The markers that were not delivered and will not be, with the reason."""
    columns = (Column("RECORD", style="cyan"), Column("STATE"), Column("WHY", clips=True))
    return render_table(columns, ((f"rec:{number}", state, one_line(why)) for number, state, why in rows))
