"""`brainproj brain`: what a brain over HTTP told of a project, and what waits to go there."""

import sqlite3
from typing import TYPE_CHECKING, Annotated

import typer

from ..brains import brain_in_use
from ..core.text import counted
from ..core.times import from_micros, render_time
from ..errors import NotFound
from ..locks import writing
from ..store.brain import list_pieces
from ..store.outbox import SetAside, list_set_aside, try_again
from ..views import terminal
from ..views.brain import brain_lines, render_pieces, render_set_aside
from .asking import look_at_brain
from .options import JSON, PROJECT
from .surroundings import Surroundings, current_time, find_surroundings, open_for_reading, project_here, resolver_for

if TYPE_CHECKING:
    from ..core.catalogue import KnownProject
    from ..core.remote import Piece
    from ..identity import Resolver

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def brain(
    project: PROJECT = None,
    retry: Annotated[bool, typer.Option("--retry", help="Have the markers that it refused sent once more.")] = False,
    json: JSON = False,
) -> None:
    """Show what the brain told of this project, and which markers it did not take.

    A brain is a kernel over HTTP: BRAIN_URL and BRAIN_HTTP_TOKEN in the environment, or url and token_file under
    [brain] in config.toml.

    Examples:

      brainproj brain

      brainproj brain --json
    """
    around = find_surroundings()
    db = open_for_reading(around.paths)
    resolver = resolver_for(around, db)
    known = _project(around, resolver, project)
    if retry:
        with writing(around.paths, db):
            count = try_again(db)
        terminal.aside(
            f"{counted(count, 'marker')} will be sent once more, after the next prompt or by `brainproj watch`."
        )
    state = look_at_brain(around, db, resolver, known)
    pieces = _pieces(around, db, known)
    aside = list_set_aside(db, known.ids if known else None)
    if json:
        terminal.answer_json(
            {
                **state.value(),
                "project": known.value() if known else None,
                "pieces": [_piece_value(one) for one in pieces],
                "set_aside": [_aside_value(one) for one in aside],
            }
        )
        return
    if pieces:
        terminal.answer(render_pieces(pieces, around.now))
    if aside:
        terminal.answer(render_set_aside(aside))
    for line in brain_lines(state, current_time()):
        terminal.aside(line)
    if pieces and known:
        shown = f"Open one: brainproj show {pieces[-1].citation}"
        terminal.aside(f"{counted(len(pieces), 'piece')} of {known.name}. {shown}")
    elif known and state.source and state.source.state in ("fresh", "stale"):
        terminal.aside(f"It told nothing of {known.name}.")


def _project(around: Surroundings, resolver: "Resolver", named: str | None) -> "KnownProject | None":
    """The named project, else this folder's; None in a folder without one, where only the brain itself is shown."""
    try:
        return project_here(around, resolver, named)
    except NotFound:
        if named:
            raise
        return None


def _pieces(around: Surroundings, db: sqlite3.Connection, known: "KnownProject | None") -> "list[Piece]":
    url = brain_in_use(db, around.config, current_time())
    told = list_pieces(db, url, known.ids) if url and known else []
    return sorted(told, key=lambda one: (one.kind.value, one.heat, one.at.timestamp() if one.at else 0))


def _piece_value(one: "Piece") -> dict[str, object]:
    return {
        "citation": one.citation,
        "kind": one.kind.value,
        "text": one.text,
        "title": one.title,
        "status": one.status or None,
        "at": render_time(one.at),
        "path": one.path,
        "session_id": one.session_id or None,
        "sessions": list(one.sessions),
    }


def _aside_value(one: SetAside) -> dict[str, object]:
    return {
        "citation": f"rec:{one.record}",
        "kind": one.kind,
        "text": one.text,
        "state": one.state,
        "why": one.why,
        "at": render_time(from_micros(one.at)),
        "brain": one.brain,
    }
