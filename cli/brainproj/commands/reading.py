"""Reading transcripts from a command: with progress, and as the first thing where the store is still empty.

The adapters and the rules of redaction are imported only when something is to be read: a search must not pay for them.
"""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..core.text import counted
from ..views import terminal
from .surroundings import Surroundings, find_surroundings, open_for_reading, project_here, resolver_for

if TYPE_CHECKING:
    from ..core.catalogue import KnownProject
    from ..identity import Resolver
    from ..ingest import Report, Wanted

NOTHING_READ = "No transcript is stored yet. Read them: brainproj backfill"


def read_transcripts(
    around: Surroundings, db: sqlite3.Connection, resolver: "Resolver | None", wanted: "Wanted", *, quiet: bool = False
) -> "Report":
    """Read what is new, with a bar on stderr where that is a terminal."""
    from ..ingest import Ingest

    try:
        with _progress_shown(quiet) as progress:
            return Ingest(around.paths, around.config, db, resolver, around.now, progress).run(wanted)
    except KeyboardInterrupt:
        terminal.aside("Stopped. What was read is stored; the next run goes on from there.")
        raise


@contextlib.contextmanager
def _progress_shown(quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A function to call with the bytes done and in all; None where nobody looks."""
    if quiet:
        yield None
        return
    from ..views.progress import bar

    with bar("Reading transcripts") as advance:
        yield advance


def is_empty(db: sqlite3.Connection) -> bool:
    """Whether no transcript was ever read."""
    return db.execute("SELECT 1 FROM transcripts LIMIT 1").fetchone() is None


def read_first(around: Surroundings, db: sqlite3.Connection, resolver: "Resolver", folder: str | None) -> None:
    """Fill an empty store before the first answer, the transcripts of the asked folder's project before the others."""
    if not is_empty(db):
        return
    from ..ingest import Wanted

    report = read_transcripts(around, db, resolver, Wanted(first=folder))
    for problem in report.problems:
        terminal.warn(problem)
    if report.found:
        terminal.aside(
            f"Read {counted(report.read, 'transcript')} for the first time:"
            f" {counted(report.sessions_added, 'session')}, {counted(report.events, 'event')}."
            " They were only read, never changed."
        )


def point_to_brain(around: Surroundings, db: sqlite3.Connection, known: "KnownProject") -> None:
    """Say what is in no list of this store: what a brain told of the project."""
    from ..brains import brain_in_use
    from ..store.brain import list_pieces

    brain = brain_in_use(db, around.config, around.now)
    told = len(list_pieces(db, brain, known.ids)) if brain and known.ids else 0
    if told:
        terminal.aside(f"{counted(told, 'piece')} more that a brain told: brainproj brain")


class Opened(NamedTuple):
    """One project's memory, for a command that reads it."""

    around: Surroundings
    db: sqlite3.Connection
    resolver: "Resolver"
    known: "KnownProject"


def open_project(named: str | None) -> Opened:
    """The named project, else this folder's, with what is stored of it; an empty store is filled first.

    Raises NotFound where the folder has no project.
    """
    around = find_surroundings()
    db = open_for_reading(around.paths)
    resolver = resolver_for(around, db)
    known = project_here(around, resolver, named)
    read_first(around, db, resolver, known.root)
    return Opened(around, db, resolver, project_here(around, resolver, named))
