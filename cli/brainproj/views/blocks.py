"""A preview for people: where the session is and how much it gets, and what was withheld and why."""

from typing import TYPE_CHECKING

from ..core.text import one_line
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
    if found.block is None:
        return f"{said}: nothing"
    count = len(found.block.items)
    budget = found.budget_bytes if found.budget_bytes > 0 else 6000
    items = f"{count} item" if count == 1 else f"{count} items"
    line = f"{said}: {items}, {found.block.size_bytes:,} of {budget:,} bytes, about {found.block.tokens:,} tokens"
    if found.source_state == "never":
        line += "\nNo transcript was found on this machine yet. See how it works: brainproj demo"
    return line


def render_reasons(found: "Preview") -> "Table":
    """What was withheld, and why."""
    columns = (Column("WITHHELD"), Column("KIND"), Column("WHY", clips=True))
    return render_table(columns, ((reason.id, reason.kind, reason.why) for reason in found.withheld))
