"""`brainproj show`: the exact source at an address, with what stands around it."""

import contextlib
from typing import TYPE_CHECKING, Annotated

import typer

from ..browse import DocumentText, Passage, SessionText, open_address
from ..errors import BrainError
from ..piecetext import PieceText
from ..recordtext import RecordText
from ..views import terminal
from ..views.passages import render_shown
from .complete import session_ids
from .options import JSON
from .surroundings import Surroundings, current_folder, find_surroundings, open_for_reading, project_here, resolver_for

if TYPE_CHECKING:
    from ..core.catalogue import KnownProject
    from ..identity import Resolver

OF_ONE_PROJECT = ("task:", "commit:", "brain:")
"""Addresses that may mean something in several projects."""
app = typer.Typer(rich_markup_mode=None, add_completion=False)


def _own(around: Surroundings, resolver: "Resolver") -> "KnownProject | None":
    """The project of this folder: its task is meant where several have one of an id."""
    with contextlib.suppress(BrainError):
        return project_here(around, resolver, None)
    return None


@app.command()
def show(
    address: Annotated[
        str,
        typer.Argument(
            help="A citation, rec:N, arc:ID, task:ID, doc:N, commit:HASH, brain:ID, or a session's id.",
            autocompletion=session_ids,
        ),
    ],
    raw: Annotated[bool, typer.Option("--raw", help="The stored text alone, as it is.")] = False,
    json: JSON = False,
) -> None:
    """Open the exact source at an address, with what stands around it.

    Examples:

      brainproj show 5c77f019/abcdefghijkl

      brainproj show rec:12
    """
    around = find_surroundings()
    db = open_for_reading(around.paths)
    resolver = resolver_for(around, db)
    own = _own(around, resolver) if address.strip("[ ").startswith(OF_ONE_PROJECT) else None
    shown = open_address(db, resolver.catalogue, address, own, current_folder() if own else None, around.config)
    if json:
        terminal.answer_json(shown.value())
    elif raw and isinstance(shown, Passage):
        terminal.answer_raw(shown.text)
    elif raw and isinstance(shown, RecordText):
        terminal.answer_raw(shown.record.text)
    elif raw and isinstance(shown, DocumentText):
        terminal.answer_raw(shown.text)
    elif raw and isinstance(shown, PieceText):
        terminal.answer_raw(shown.piece.text)
    elif raw and isinstance(shown, SessionText):
        for event in shown.events:
            terminal.answer_raw(event.text + "\n")
    else:
        write = terminal.answer_wrapped if isinstance(shown, RecordText) else terminal.answer
        for part in render_shown(shown):
            write(part)
        if isinstance(shown, RecordText) and shown.record.status == "proposed":
            terminal.aside(f"It waits for a person: brainproj review {shown.record.citation}")
