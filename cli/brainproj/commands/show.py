"""`brainproj show`: the exact source at an address, with what stands around it."""

from typing import Annotated

import typer

from ..browse import Passage, RecordText, SessionText, open_address
from ..views import terminal
from ..views.passages import render_shown
from .complete import session_ids
from .options import JSON
from .surroundings import find_surroundings, open_for_reading, resolver_for

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def show(
    address: Annotated[
        str, typer.Argument(help="A citation, rec:N, arc:ID, or a session's id.", autocompletion=session_ids)
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
    shown = open_address(db, resolver_for(around, db).catalogue, address)
    if json:
        terminal.answer_json(shown.value())
    elif raw and isinstance(shown, Passage):
        terminal.answer_raw(shown.text)
    elif raw and isinstance(shown, RecordText):
        terminal.answer_raw(shown.record.text)
    elif raw and isinstance(shown, SessionText):
        for event in shown.events:
            terminal.answer_raw(event.text + "\n")
    else:
        for part in render_shown(shown):
            terminal.answer(part)
