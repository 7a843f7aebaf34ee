"""`brainproj import`: take in what `export` wrote, on this machine or another."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Annotated

import typer

from ..core.catalogue import KnownProject
from ..core.ids import ProjectKey
from ..core.project import ProjectIdentity, Rule
from ..core.redact import Redactor
from ..core.text import counted
from ..errors import NotFound, Refused
from ..identity import Resolver
from ..ingest import Ingest, Wanted
from ..intake import make_writer
from ..locks import locked, need_room
from ..store.database import explained, open_store, transaction
from ..transfer import LINE_LIMIT, Importer, read_head
from ..views import terminal
from .options import JSON, PROJECT
from .surroundings import Surroundings, current_folder, find_surroundings, resolver_for

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(name="import")
def run_import(
    file: Annotated[str, typer.Argument(help="What `export` wrote; `-` for stdin.")],
    project: PROJECT = None,
    json: JSON = False,
) -> None:
    """Take in a project's memory that `export` wrote; twice adds nothing.

    Examples:

      brainproj import harbor.jsonl

      brainproj import harbor.jsonl --project harbor
    """
    around = find_surroundings()
    name = "stdin" if file == "-" else file
    with _opened(file) as stream:
        redact = Redactor(around.config.hide, around.config.keep).redact
        head = read_head(stream.readline(LINE_LIMIT), name, redact)
        db = open_store(around.paths.brain_db)
        resolver = resolver_for(around, db)
        need_room(around.paths.home)
        with locked(around.paths.ingest_lock), explained(around.paths.brain_db):
            here = resolver.resolve(current_folder(), around.environment).identity  # so that it is known by its name
            known = resolver.catalogue.get(project) if project else _project_of(around, resolver, head, name)
            writer = make_writer(db, redact, around.now, is_import=True)
            found = Importer(db, writer, known, name).take_all(_lines(stream))
    Ingest(around.paths, around.config, db, resolver, around.now).run(Wanted(transcripts=()))
    if json:
        terminal.answer_json(found.value())
    else:
        for problem in found.problems[:20]:
            terminal.warn(problem)
        old = f"; {counted(found.events_read - found.events_added, 'event')} were here before"
        terminal.answer(
            f"{known.name}: {counted(found.sessions_added, 'session')} and {counted(found.events_added, 'event')} added"
            + (old if found.events_read > found.events_added else "")
        )
        twins = [one.key for one in resolver.catalogue.find(known.name) if one.key != known.key]
        if twins:
            terminal.note(f"{', '.join(twins)} is called {known.name} too: name them by their keys")
        if known.root is None and here is not None and here.key != known.key:
            terminal.aside(f"It is filed under {known.key}. If that is this folder's project:")
            terminal.aside(f"  brainproj projects merge {known.key} {here.key}")


def _opened(file: str) -> IO[bytes]:
    if file == "-":
        return sys.stdin.buffer
    try:
        return Path(file).expanduser().open("rb")
    except OSError as error:
        raise NotFound(f"cannot read {file}: {error.strerror}") from error


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines; one that is far too long comes in pieces, each of which is no line of an export."""
    while line := stream.readline(LINE_LIMIT + 1):
        yield line


def _project_of(around: Surroundings, resolver: Resolver, head: dict[str, str | None], name: str) -> KnownProject:
    """The project that the export names, made known if it is not. Raises Refused for one that is left out here."""
    key = head["key"] or ""
    known = resolver.catalogue.by_key(key)
    names = {key, head["name"], *((known.key, known.name, *known.aliases) if known else ())}
    if names & set(around.config.exclude_projects):
        raise Refused(f"{key} is left out by [capture] exclude in config.toml", detail="Nothing was imported.")
    identity = ProjectIdentity(
        ProjectKey(key),
        head["name"] or key,
        head["remote"],
        None,
        "",
        None,
        None,
        Rule.EXPLICIT,
        f"imported from {name}",
    )
    with transaction(resolver.db):
        number = resolver.project_number(identity)
    found = resolver.catalogue.by_id(number)
    if found is None:
        raise NotFound(f"the project {key} could not be made")
    return found
