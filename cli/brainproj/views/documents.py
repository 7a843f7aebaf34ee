"""The documents of a project for people, the one that changed last at the end."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .tables import Column, render_table

if TYPE_CHECKING:
    from rich.table import Table

    from ..store.documents import Document


def render_documents(documents: "Sequence[Document]", tasks: Mapping[int, str]) -> "Table":
    """The documents; what is only a link says so. tasks: citations by number."""
    columns = (
        Column("DOCUMENT", style="cyan"),
        Column("KIND"),
        Column("REV", right=True),
        Column("TASK"),
        Column("TITLE", clips=True),
    )
    return render_table(columns, [_row(one, tasks.get(one.task or 0)) for one in reversed(documents)])


def _row(one: "Document", task: str | None) -> tuple[str | int | None, ...]:
    title = f"{one.title} ({one.address})" if one.kind == "file" else one.title
    return one.citation, one.kind, one.revision, task, title if one.fetched else f"not fetched: {title}"
