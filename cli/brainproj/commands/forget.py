"""`brainproj forget`: remove a session, record, project, or everything before a time, for good."""

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from ..errors import Refused, StoreLocked, UsageProblem
from ..forget import Erasure, erase, measure, plan
from ..reports import Wanted
from ..store.database import open_store
from ..store.publish import unless_refused
from ..views import terminal
from .complete import session_ids
from .options import JSON, PROJECT, YES, parse_since
from .reading import read_transcripts
from .surroundings import find_surroundings, is_interactive, resolver_for

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def forget(
    address: Annotated[
        str | None,
        typer.Argument(help="A session, a citation, rec:N, task:ID, doc:N or brain:ID.", autocompletion=session_ids),
    ] = None,
    project: PROJECT = None,
    before: Annotated[str | None, typer.Option(help="Everything older than this time or age.")] = None,
    text: Annotated[Path | None, typer.Option(help="Every event that holds the text of this file.")] = None,
    yes: YES = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go; remove nothing.")] = False,
    json: JSON = False,
) -> None:
    """Remove what is stored, for good; it does not come back with the next backfill.

    Examples:

      brainproj forget 5c77f019

      brainproj forget --before 365d
    """
    if sum(one is not None for one in (address, project, before, text)) != 1:
        raise UsageProblem("say one thing to forget", hint="a session, rec:N, --project, --before or --text")
    around = find_surroundings()
    db = open_store(around.paths.brain_db)
    resolver = resolver_for(around, db)
    moment = parse_since(before, around.now, "--before") if before else None
    chosen = plan(db, resolver.catalogue, address=address, project=project, before=moment, text=_text(text))
    erasure = measure(db, chosen)
    if not dry_run:
        if not yes:
            _ask(erasure)
        erase(around.paths, db, erasure, around.now)
        from ..recall import read_recall_settings
        from ..refresh import Refresh
        from ..unready import erase_ready

        erase_ready(around.paths, around.config)
        ready = resolver.places.open() if resolver.places else None
        if ready is not None:
            settings = read_recall_settings(around.config, {})
            with unless_refused(around.paths.ready_db):
                Refresh(around.paths, around.config, db, ready, resolver, settings, around.now).everything()
        with contextlib.suppress(StoreLocked):  # what hooks saw grow while nobody else could read
            read_transcripts(around, db, resolver, Wanted(transcripts=()), quiet=True)
    if json:
        terminal.answer_json(erasure.value())
    else:
        terminal.answer(f"{'Would forget' if dry_run else 'Forgot'} {erasure.sentence()}.")


def _text(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        text = path.read_text("utf-8", "replace").strip()
    except OSError as error:
        raise UsageProblem(f"cannot read {path}: {error.strerror}") from error
    if not text:
        raise UsageProblem(f"{path} is empty", hint="write the text to forget into it")
    return text


def _ask(erasure: Erasure) -> None:
    """Raise Refused unless a person says yes."""
    if not is_interactive():
        raise Refused(
            f"this would forget {erasure.sentence()}", detail="Nothing was removed.", hint="say so with `--yes`"
        )
    if not typer.confirm(f"Forget {erasure.sentence()} for good?", err=True):
        raise Refused("nothing was removed")
