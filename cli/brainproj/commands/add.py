"""`brainproj add`: keep a file, a note or a link with this project."""

from typing import Annotated

import typer

from ..library import Library, document_value
from ..owners import own_identity, store_person
from ..persons import agent_in_between
from ..views import terminal
from .complete import task_names
from .options import JSON, PROJECT
from .ruling import open_ruling
from .surroundings import current_folder

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def add(
    document: Annotated[str, typer.Argument(help="A file, a link (https://…), or a note in words.")],
    title: Annotated[str | None, typer.Option(help="What it is called.")] = None,
    task: Annotated[str | None, typer.Option(help="The task it belongs to.", autocompletion=task_names)] = None,
    project: PROJECT = None,
    json: JSON = False,
) -> None:
    """Keep a file, a link or a note with this project; a file that changed gets a new revision.

    Examples:

      brainproj add docs/payments.md --task charge

      brainproj add "The provider answers after up to 30 seconds."
    """
    ruling = open_ruling(project)
    around = ruling.opened.around
    redact = ruling.decisions.redact
    number = ruling.task(task).number if task else None
    by_agent = agent_in_between(around.environment) is not None
    own = None if by_agent else own_identity(around.paths, current_folder())
    person = store_person(ruling.db, own, redact, around.now) if own else None
    library = Library(around.paths, ruling.db, ruling.known, redact, around.now)
    kept, became = library.add(document, current_folder(), title, number, person, by_agent=by_agent)
    if json:
        terminal.answer_json({**document_value(kept, ruling.citation_of(kept.task)), "became": became})
        return
    unfetched = "" if kept.fetched else " Only the link is kept; what stands there was not fetched."
    terminal.answer(f"{kept.citation} {became}: {kept.kind}, revision {kept.revision}.{unfetched}")
