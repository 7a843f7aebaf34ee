"""Letting a person edit a text in their own editor: $VISUAL, else $EDITOR, else one that is there."""

import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import typer

from ..core.text import printable
from ..decide import Wording
from ..errors import BrainError, Refused
from ..views import terminal

EDITORS = ("sensible-editor", "nano", "vim", "vi")
"""Looked for where no variable names one."""


def edit_text(text: str, environment: Mapping[str, str]) -> str | None:
    """The text as the person saved it; None where it is the same. Raises Refused where no editor runs."""
    command = _editor(environment)
    text = printable(text).strip()
    with tempfile.TemporaryDirectory(prefix="brainproj-") as folder:
        file = Path(folder) / "edit.md"
        file.write_text(text + "\n", "utf-8")
        try:
            done = subprocess.run([*command, str(file)], check=False)  # noqa: S603  (the person's own editor)
        except OSError as error:
            raise Refused(f"{command[0]} does not run: {error.strerror}", hint=NAME_ONE) from error
        if done.returncode:
            raise Refused(f"{command[0]} ended with status {done.returncode}", detail="Nothing was changed.")
        edited = file.read_text("utf-8", "replace").strip()
    return edited if edited != text else None


def edit_until(
    text: str,
    environment: Mapping[str, str],
    accept: Callable[[str], Wording],
    keep: Callable[[str], None] | None = None,
) -> Wording | None:
    """What `accept` makes of the text as edited; where it raises BrainError, the person may go on editing.

    None where nothing was changed. Ends the command with 1 where the person gives up; `keep` is handed their words.
    """
    while (edited := edit_text(text, environment)) is not None:
        try:
            return accept(edited)
        except BrainError as error:
            terminal.show_error(error)
            if not _goes_on(edited, keep):
                raise typer.Exit(1) from error
            text = edited
    return None


def _goes_on(edited: str, keep: Callable[[str], None] | None) -> bool:
    try:
        is_wanted = typer.confirm("Edit it again?", default=True, err=True)
    except (typer.Abort, KeyboardInterrupt):
        if keep is not None:
            keep(edited)
        raise
    if not is_wanted and keep is not None:
        keep(edited)
    return is_wanted


NAME_ONE = "name an editor in EDITOR, as `EDITOR=nano`"


def _editor(environment: Mapping[str, str]) -> list[str]:
    named = environment.get("VISUAL") or environment.get("EDITOR")
    try:
        command = shlex.split(named or "")
    except ValueError as error:
        raise Refused(f"{named} is no command", hint=NAME_ONE) from error
    found = command or [one for one in EDITORS if shutil.which(one)][:1]
    if not found:
        raise Refused("there is no editor", hint=NAME_ONE)
    return found
