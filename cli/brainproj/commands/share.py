"""`brainproj share`: let a signal of one project reach every session on this machine."""

from typing import Annotated

import typer

from ..core.text import one_line
from ..persons import require_person
from ..share import find_signal, share_signal, unshare_signal
from ..store.database import open_store
from ..views import terminal
from .options import JSON, YES
from .surroundings import find_surroundings, resolver_for

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def share(
    address: Annotated[str, typer.Argument(help="The signal: rec:N, as `records` lists it.")],
    undo: Annotated[bool, typer.Option("--undo", help="Let it be its own project's alone again.")] = False,
    yes: YES = False,
    json: JSON = False,
) -> None:
    """Let a signal of one project reach every session on this machine.

    Examples:

      brainproj share rec:12

      brainproj share rec:12 --undo
    """
    from ..recall import read_recall_settings
    from ..refresh import Refresh

    around = find_surroundings()
    db = open_store(around.paths.brain_db)
    record = find_signal(db, address)
    act = require_person(around.environment, "sharing")
    if not (yes or undo or typer.confirm(f"Tell every session on this machine: {one_line(record.text)}?", err=True)):
        terminal.aside("Nothing was shared.")
        raise typer.Exit(1)
    if undo:
        unshare_signal(db, record, act, around.now)
    else:
        share_signal(db, record, act, around.now)
    resolver = resolver_for(around, db)
    ready = resolver.places.open() if resolver.places else None
    if ready is not None:
        settings = read_recall_settings(around.config, {})
        refresh = Refresh(around.paths, around.config, db, ready, resolver, settings, around.now)
        refresh.again(resolver.catalogue.by_id(record.project))
    if json:
        terminal.answer_json({"citation": f"rec:{record.id}", "shared": not undo, "by": act.who})
    elif undo:
        terminal.answer(f"rec:{record.id} reaches its own project's sessions only.")
    else:
        terminal.answer(f"rec:{record.id} reaches every session at its next moment, marked as fleet wide.")
