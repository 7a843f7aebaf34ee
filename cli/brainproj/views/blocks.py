"""A preview for people: where the session is and how much it gets, and what was withheld and why."""

from datetime import datetime
from typing import TYPE_CHECKING

from ..core.ages import render_age
from ..core.text import counted, one_line
from ..core.tokens import estimate_tokens
from .projects import short_path
from .tables import Column, render_table

if TYPE_CHECKING:
    from rich.table import Table

    from ..preview import Preview


def render_summary(found: "Preview", home: str) -> str:
    """One line above the block."""
    identity = found.resolution.identity
    if identity is None:
        cwd = short_path(one_line(found.resolution.cwd), home) or "(no folder)"
        return f"{cwd} has no project: {one_line(found.resolution.why)}. A session there gets no block."
    where = one_line(identity.name) + (f" (worktree {one_line(identity.worktree)})" if identity.worktree else "")
    said = f"{where}, at {found.moment}, scope {found.scope}"
    if not found.context:
        return f"{said}: nothing"
    size = len(found.context.encode())
    parts = []
    if found.block is not None:
        budget = found.budget_bytes if found.budget_bytes > 0 else 6000
        parts.append(f"{counted(len(found.block.items), 'item')}, {found.block.size_bytes:,} of {budget:,} bytes")
    entries = len(found.delivered) - (len(found.block.items) if found.block else 0)
    if entries or found.block is None:
        parts.append(f"{counted(entries, 'entry', 'entries')}, {size:,} bytes in all")
    line = f"{said}: {', '.join(parts)}, about {estimate_tokens(found.context):,} tokens"
    if found.sources[0].state == "never":
        line += "\nNo transcript was found on this machine yet. See how it works: brainproj demo"
    return line


def render_reasons(found: "Preview") -> "Table | None":
    """What was withheld, and why; then what entries came with the block."""
    columns = (Column("WITHHELD"), Column("KIND"), Column("WHY", clips=True))
    rows = [(reason.id, reason.kind, reason.why) for reason in found.withheld]
    of_block = {item.address for item in found.block.items} if found.block else set()
    entries = [(reason.id, reason.kind, reason.why) for reason in found.delivered if reason.id not in of_block]
    if not rows:
        return render_table((Column("DELIVERED"), *columns[1:]), entries) if entries else None
    return render_table(columns, [*rows, *([("DELIVERED", " ", " ")] if entries else []), *entries])


def render_given(found: "Preview", now: datetime) -> "Table | None":
    """What a running session was given already."""
    if not found.given:
        return None
    columns = (Column("GIVEN"), Column("AGO", right=True), Column("AT", clips=True))
    return render_table(columns, ((one.what, render_age(one.at, now), one.moment) for one in found.given))
