"""`brainproj backup`: the whole store in one file, while everything goes on."""

import os
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from ..errors import NotFound, Refused
from ..store.database import open_store, write_copy
from ..views import terminal
from .options import JSON
from .surroundings import find_surroundings

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="A file that is not there yet.")],
    json: JSON = False,
) -> None:
    """Write the whole store to a file, readable by you alone; nothing needs to be stopped.

    Examples:

      brainproj backup brain-2026-11-30.db

      brainproj backup /media/stick/brain.db
    """
    around = find_surroundings()
    target = Path(os.path.abspath(file.expanduser()))  # noqa: PTH100
    if target.exists() or target.is_symlink():
        raise Refused(f"{file} is there already", detail="A backup is never written over anything.")
    if not target.parent.is_dir():
        raise NotFound(f"there is no folder {target.parent}")
    if not around.paths.brain_db.exists():
        raise NotFound("there is no store yet", hint="run `brainproj backfill` first")
    write_copy(open_store(around.paths.brain_db), around.paths.brain_db, target)
    size = target.stat().st_size
    if json:
        terminal.answer_json({"file": str(target), "bytes": size})
        return
    terminal.answer(f"{target}: {size / 1e6:,.1f} MB")
    terminal.aside(f"To go back to it: brainproj restore {quote(str(target))}")
