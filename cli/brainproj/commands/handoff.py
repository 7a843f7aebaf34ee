"""`brainproj handoff`: what one session hands on to the next. An agent drafts it, a person approves it."""

import sys
from typing import Annotated

import typer

from ..core.handoffs import render_template
from ..core.records import Status
from ..core.tasks import Task
from ..core.text import counted, printable
from ..decide import Wording
from ..errors import NotFound, Refused
from ..persons import agent_in_between, require_person
from ..recordtext import task_citations
from ..store.records import StoredRecord
from ..tasks import running_session
from ..views import terminal
from ..views.records import render_handoffs, render_record
from .complete import task_names
from .options import JSON, PROJECT, YES
from .ruling import Ruling, agree, open_ruling, say_record

app = typer.Typer(rich_markup_mode=None, add_completion=False)
TASK = Annotated[str, typer.Argument(help="The task, by what names it alone.", autocompletion=task_names)]
LONGEST = 1 << 20
"""Characters of a draft that are read from a pipe."""


@app.callback(invoke_without_command=True)
def handoff(context: typer.Context, json: JSON = False) -> None:
    """Hand a task on: drafts, and what a person approved.

    Examples:

      brainproj handoff

      brainproj handoff approve charge
    """
    if context.invoked_subcommand is not None:
        return
    ruling = open_ruling(None)
    found = ruling.decisions.list("handoff")
    if json:
        terminal.answer_json([ruling.text_of(record).value() for record in found])
    elif not found:
        terminal.aside(f"No handoff of {ruling.known.name} is stored. Write one: brainproj handoff approve TASK")
    else:
        terminal.answer(render_handoffs(found, task_citations(ruling.db, ruling.known)))
        terminal.aside(f"{counted(len(found), 'handoff')}. Open one: brainproj show {found[0].citation}")


@app.command()
def show(task: TASK, project: PROJECT = None, json: JSON = False) -> None:
    """Show the handoff of a task that is in force, else the latest draft.

    Examples:

      brainproj handoff show charge

      brainproj handoff show charge --json
    """
    ruling = open_ruling(project)
    named = ruling.task(task)
    record = _of(ruling, named, Status.CURRENT) or _of(ruling, named, Status.PROPOSED)
    if record is None:
        raise NotFound(f"{named.citation} has no handoff", hint=f"write one: `brainproj handoff approve {named.slug}`")
    shown = ruling.text_of(record)
    if json:
        terminal.answer_json(shown.value())
    else:
        terminal.answer_wrapped(render_record(shown))
        draft = _of(ruling, named, Status.PROPOSED)
        if draft is not None and draft.id != record.id and not _is_older(draft, record):
            terminal.aside(f"A newer draft waits: {draft.citation}. Approve it: brainproj handoff approve {named.slug}")


@app.command()
def draft(task: TASK, project: PROJECT = None, json: JSON = False) -> None:
    """Keep a draft from stdin, with the headings Goal, Done, Failed approaches, Remaining, Blockers, Evidence.

    Examples:

      brainproj handoff draft charge < handoff.md

      printf 'Goal: charge once\\nDone:\\n- a key for each payment\\n' | brainproj handoff draft charge
    """
    ruling = open_ruling(project)
    named = ruling.task(task)
    if sys.stdin is None or sys.stdin.isatty():
        raise Refused("a draft is read from stdin", hint=f"write it yourself: `brainproj handoff approve {named.slug}`")
    wording = ruling.handoff(sys.stdin.read(LONGEST), named.number)
    environment = ruling.opened.around.environment
    is_agent = agent_in_between(environment) is not None
    agent, _ = running_session(environment) or (None, None)
    by = agent or ("an agent" if is_agent else "a person")
    record, _ = ruling.decisions.propose("handoff", wording, by, None if is_agent else ruling.author())
    if json:
        terminal.answer_json(ruling.text_of(record).value())
    else:
        terminal.answer(f"{record.citation} is {record.status}. Approve it: brainproj handoff approve {named.slug}")


@app.command()
def approve(task: TASK, project: PROJECT = None, yes: YES = False, json: JSON = False) -> None:
    """Edit the latest draft in your editor and approve it, or write one; only a person at a terminal can.

    Examples:

      brainproj handoff approve charge

      EDITOR=nano brainproj handoff approve charge
    """
    ruling = open_ruling(project)
    named = ruling.task(task)
    environment = ruling.opened.around.environment
    act = require_person(environment, "approving")
    in_force, draft = _of(ruling, named, Status.CURRENT), _of(ruling, named, Status.PROPOSED)
    record = draft if draft is not None and not _is_older(draft, in_force) else in_force
    text = ruling.handoff_text(record) if record else render_template(named.goal or named.title)
    wording = ruling.edit_handoff(text, named.number)
    if wording is None and (record is None or record is in_force):
        terminal.aside("Nothing was written, so nothing was approved.")
        raise typer.Exit(1)
    terminal.aside(printable(wording.text if wording else text))
    replaced = [in_force] if in_force is not None and in_force is not record else []
    others = f", in place of {replaced[0].citation}" if replaced else ""
    _agree_or_keep(ruling, f"Approve this for {named.citation}{others}?", wording, yes=yes)
    if record is not None:
        record = ruling.acting.confirm(record, act, wording=wording)
    elif wording is not None:
        record = ruling.acting.record("handoff", wording, ruling.author(), act)
    ruling.make_ready()
    if record is not None:
        say_record(ruling, record, json, replaced)


def _is_older(draft: StoredRecord, in_force: StoredRecord | None) -> bool:
    return in_force is not None and (draft.at or 0) <= (in_force.at or 0)


def _agree_or_keep(ruling: Ruling, question: str, wording: Wording | None, *, yes: bool) -> None:
    """Ask; what was written and is not approved is kept as a draft."""
    try:
        agree(question, yes=yes)
    except (typer.Exit, typer.Abort, KeyboardInterrupt):
        if wording is not None:
            ruling.keep_draft(wording)
        raise


def _of(ruling: Ruling, task: Task, status: Status) -> StoredRecord | None:
    """The latest handoff of a task with this status."""
    return next((one for one in ruling.decisions.list("handoff", status) if one.task == task.number), None)
