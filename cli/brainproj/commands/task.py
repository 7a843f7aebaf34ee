"""`brainproj task`: named pieces of work, and the sessions that belong to them."""

from typing import Annotated

import typer

from ..core.redact import Redactor
from ..core.tasks import JoinedBy, Status, Task
from ..core.text import counted, encodable
from ..owners import own_identity, store_person
from ..persons import agent_in_between
from ..tasks import TaskBook, running_session
from ..views import terminal
from ..views.tasks import render_task, render_tasks
from .complete import session_ids, task_names
from .options import JSON, PROJECT
from .reading import Opened, open_project
from .ruling import task_book
from .surroundings import current_folder

app = typer.Typer(rich_markup_mode=None, add_completion=False)
NAME = Annotated[str, typer.Argument(help="Its id, its title, or what names it alone.", autocompletion=task_names)]
MAIN_BRANCHES = ("main", "master", "trunk", "develop", "HEAD")
"""Branches on which everything is done: they are no hint."""


@app.callback(invoke_without_command=True)
def task(context: typer.Context, json: JSON = False) -> None:
    """Name pieces of work, and see which sessions belong to them.

    Examples:

      brainproj task new "Charge a customer once"

      brainproj task continue charge
    """
    if context.invoked_subcommand is None:
        _show_list(None, json, with_closed=False)


@app.command()
def new(
    title: Annotated[str, typer.Argument(help="What it is called.")],
    goal: Annotated[str | None, typer.Option(help="What is reached when it is done.")] = None,
    branch: Annotated[
        str | None, typer.Option(help="Sessions on this branch belong to it; this folder's, unless it is a main one.")
    ] = None,
    project: PROJECT = None,
    json: JSON = False,
) -> None:
    """Open a task.

    Examples:

      brainproj task new "Charge a customer once"

      brainproj task new "Tide levels" --goal "The timetable shows them" --branch tides
    """
    opened = open_project(project)
    by_agent = agent_in_between(opened.around.environment) is not None
    redact = Redactor(opened.around.config.hide, opened.around.config.keep).redact
    own = None if by_agent else own_identity(opened.around.paths, current_folder())
    person = store_person(opened.db, own, redact, opened.around.now) if own else None
    book = task_book(opened)
    hint = branch if branch is not None else _branch_here(opened) if project is None else None
    made = book.open(
        redact(encodable(title)),
        redact(encodable(goal)) if goal else None,
        redact(encodable(hint)) if hint else None,
        person,
        by_agent=by_agent,
    )
    _say(book, _joined(book, made, opened, None), json, "Opened")


@app.command(name="list")
def list_(
    all: Annotated[bool, typer.Option("--all", help="Closed ones too.")] = False,
    project: PROJECT = None,
    json: JSON = False,
) -> None:
    """List the tasks of this project.

    Examples:

      brainproj task list

      brainproj task list --all --json
    """
    _show_list(project, json, with_closed=all)


def _show_list(project: str | None, json: bool, *, with_closed: bool) -> None:
    opened = open_project(project)
    found = [one for one in task_book(opened).list() if with_closed or one.task.status is Status.OPEN]
    if json:
        terminal.answer_json([one.value() for one in found])
    elif not found:
        terminal.aside(f'No task of {opened.known.name} is open. Open one: brainproj task new "WHAT IT IS"')
    else:
        terminal.answer(render_tasks(found, opened.around.now))
        terminal.aside(f"{counted(len(found), 'task')}. Go on with one: brainproj resume {found[0].task.slug}")


@app.command()
def show(name: NAME, project: PROJECT = None, json: JSON = False) -> None:
    """Show a task and the sessions that belong to it.

    Examples:

      brainproj task show charge-a-customer-once

      brainproj task show charge --json
    """
    opened = open_project(project)
    book = task_book(opened)
    _say(book, book.get(name), json, None)


@app.command(name="continue")
def continue_(
    name: NAME,
    session: Annotated[
        str | None,
        typer.Option(
            "--session", help="A session that belongs to it, by the beginning of its id.", autocompletion=session_ids
        ),
    ] = None,
    project: PROJECT = None,
    json: JSON = False,
) -> None:
    """Go on with a task: it is open again, and the session that runs this joins it.

    Examples:

      brainproj task continue charge

      brainproj task continue charge --session 5c77f019
    """
    opened = open_project(project)
    book = task_book(opened)
    _say(book, _joined(book, book.get(name), opened, session), json, "Continued")


@app.command()
def close(name: NAME, project: PROJECT = None, json: JSON = False) -> None:
    """End a task; its sessions stay.

    Examples:

      brainproj task close charge-a-customer-once

      brainproj task close charge --json
    """
    opened = open_project(project)
    book = task_book(opened)
    _say(book, book.close(book.get(name)), json, "Closed")


def _branch_here(opened: Opened) -> str | None:
    identity = opened.resolver.resolve(current_folder(), opened.around.environment).identity
    return identity.branch if identity and identity.branch not in MAIN_BRANCHES else None


def _joined(book: TaskBook, task: Task, opened: Opened, session: str | None) -> Task:
    """The task, gone on with by the session that is named, or that runs this."""
    if session is not None:
        return book.proceed(task, *book.session_of(session), JoinedBy.PERSON)
    agent, session_id = running_session(opened.around.environment) or (None, None)
    return book.proceed(task, agent, session_id, JoinedBy.AGENT)


def _say(book: TaskBook, task: Task, json: bool, done: str | None) -> None:
    facts = book.facts(task)
    if json:
        terminal.answer_json(facts.value())
        return
    terminal.answer(render_task(facts, book.now))
    if done:
        go_on = f" What it takes to go on: brainproj resume {task.slug}" if done == "Continued" else ""
        terminal.aside(f"{done} {task.citation}.{go_on}")
