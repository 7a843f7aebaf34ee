"""The one table style: no box, upper-case header, two spaces between columns, the last column clips."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..core.text import one_line

if TYPE_CHECKING:
    from rich.table import Table

MISSING = "–"
"""Stands for a value that is not there; never blank, never 0."""


SHORTEST = 8
"""Columns that are left of a clipped text however narrow the screen is."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `style` is one of the few of style.md: cyan for ids, green, yellow, red."""

    header: str
    right: bool = False
    style: str = ""
    clips: bool = False


def render_table(columns: Sequence[Column], rows: Iterable[Sequence[str | int | None]]) -> "Table":
    """A table of texts and counts; None is shown as a dash, counts with thousands separators."""
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    texts = [[cell_text(value) for value in row] for row in rows]
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, pad_edge=False, header_style="dim")
    for place, column in enumerate(columns):
        widest = max([cell_len(column.header), *(cell_len(row[place]) for row in texts)])
        table.add_column(
            column.header,
            justify="right" if column.right else "left",
            style=column.style,
            no_wrap=not column.clips,
            overflow="ellipsis",
            min_width=SHORTEST if column.clips else widest,  # only the clipping column gives way
        )
    for row in texts:
        table.add_row(*(Text(cell, no_wrap=True, overflow="ellipsis") for cell in row))
    return table


def cell_text(value: str | int | None) -> str:
    """One value as a table shows it."""
    if value is None or value == "":
        return MISSING
    return f"{value:,}" if isinstance(value, int) else one_line(value)
