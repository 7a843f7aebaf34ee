"""`brainproj restore`: go back to a backup."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from ..core.text import counted
from ..ingest import Ingest, Wanted
from ..restore import check_backup, restore_backup
from ..store.database import open_store
from ..views import terminal
from ..views.projects import short_path
from .installing import ask
from .options import JSON, YES
from .surroundings import find_surroundings, make_ready_again

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="What `backup` wrote.")],
    yes: YES = False,
    json: JSON = False,
) -> None:
    """Go back to a backup; the store that is there now is moved aside, not deleted.

    Examples:

      brainproj restore before.db

      brainproj restore /media/stick/brain.db --yes
    """
    around = find_surroundings()
    backup = file.expanduser()
    counts, latest = check_backup(backup)
    what = f"{counted(counts['sessions'], 'session')} of {counted(counts['projects'], 'project')}"
    until = f", until {_day(latest)}" if latest else ""
    ask(f"Go back to {file}: {what}{until}?", yes=yes)
    aside = restore_backup(around.paths, backup, around.now)
    db = open_store(around.paths.brain_db)
    Ingest(around.paths, around.config, db, None, around.now).run(Wanted(transcripts=()))  # newer rules of redaction
    make_ready_again()
    if json:
        terminal.answer_json({"file": str(backup), "moved_to": str(aside) if aside else None, **counts})
        return
    terminal.answer(f"Went back to {file}: {what}{until}.")
    if aside is not None:
        shown = short_path(str(aside), str(around.paths.user_home))
        terminal.aside(f"The store from before lies in {shown}. What was written since: brainproj backfill")


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
