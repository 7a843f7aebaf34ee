"""The end of an installation: read what there is, and show the block that a session is given."""

from ..core.text import counted
from ..cursor_folders import keep_rule, list_cursor_folders
from ..errors import BrainError
from ..ingest import Wanted
from ..install.ledger import read_ledger
from ..store.database import open_store
from ..store.listing import latest_project
from ..views import terminal
from .previewing import show_preview
from .reading import read_transcripts
from .surroundings import Surroundings, current_folder, resolver_for


def show_first_block(around: Surroundings) -> None:
    """Read the transcripts, this folder's first, and show the block of its project, else of the one used last."""
    db = open_store(around.paths.brain_db)
    folder = current_folder()
    resolver = resolver_for(around, db)
    report = read_transcripts(around, db, resolver, Wanted(first=folder))
    for problem in report.problems:
        terminal.warn(problem)
    terminal.aside("")
    found = counted(report.found, "transcript was", "transcripts were")
    terminal.aside(f"{found} found, {report.read:,} of them read; none was changed.")
    if any("cursor" in note.agents for note in read_ledger(around.paths.ledger_path).files.values()):
        for one in list_cursor_folders(around.paths):
            keep_rule(one, db, around.config, resolver)
    here = resolver.resolve(folder, around.environment).identity
    latest = None if here else latest_project(db)
    if here is None and latest is None:
        terminal.aside("This folder has no project, and no session was found yet. In a checkout: brainproj preview")
        return
    terminal.aside("What a session is given at its start:" if here else f"{folder} has no project. In {latest}:")
    try:
        show_preview(cwd=folder, session=None, project=latest, scope=None, at=None, json=False)
    except BrainError as error:
        terminal.show_error(error)
