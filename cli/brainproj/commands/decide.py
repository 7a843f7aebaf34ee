"""`brainproj decide`: record a decision of a project, or confirm one that was proposed. A person's act."""

import re
from typing import Annotated

import typer

from ..core.records import Links, Status
from ..decide import Wording
from ..errors import Refused
from ..evidence import cite
from ..persons import require_person
from ..store.records import StoredRecord
from ..views import terminal
from ..views.records import render_record
from .complete import task_names
from .options import JSON, PROJECT, YES
from .ruling import Ruling, agree, briefly, open_ruling, say_record

app = typer.Typer(rich_markup_mode=None, add_completion=False)
ADDRESS = re.compile(r"\[?rec:\d+\]?")


@app.command()
def decide(
    decision: Annotated[str, typer.Argument(help="The decision in words, or rec:N to put one in force.")],
    applies_to: Annotated[
        list[str] | None, typer.Option("--applies-to", help="A path or a subject it is about; may be given again.")
    ] = None,
    evidence: Annotated[
        list[str] | None, typer.Option("--evidence", help="The address of what speaks for it; may be given again.")
    ] = None,
    replace: Annotated[
        list[str] | None, typer.Option("--replace", help="The decision it takes the place of: rec:N.")
    ] = None,
    task: Annotated[str | None, typer.Option(help="The task it was made for.", autocompletion=task_names)] = None,
    project: PROJECT = None,
    yes: YES = False,
    json: JSON = False,
) -> None:
    """Record a decision, or confirm a proposed one; only a person at a terminal can.

    Examples:

      brainproj decide "Retry a payment with the same key" --applies-to src/pay.py

      brainproj decide "Retry three times at most" --replace rec:12
    """
    ruling = open_ruling(project)
    decisions = ruling.decisions
    replaced = [decisions.get(address, ("decision",)) for address in replace or ()]
    for one in replaced:
        decisions.check_replaceable("decision", one)
    cited = cite(ruling.db, ruling.opened.resolver.catalogue, ruling.known, evidence or (), ruling.folder)
    number = ruling.task(task).number if task else None
    if ADDRESS.fullmatch(decision.strip()):
        record = decisions.get(decision, ("decision",))
        more = Links(tuple(applies_to or ()), tuple(cited))
        _confirm(ruling, record, _with_more(ruling, record, more, number), replaced, yes, json)
        return
    act = require_person(ruling.opened.around.environment, "deciding")
    if replaced:
        _show_replaced(replaced)
        agree("Record this in place of them?" if len(replaced) > 1 else "Record this in its place?", yes=yes)
    wording = Wording(decision, Links(tuple(applies_to or ()), tuple(cited)), number)
    record = decisions.record("decision", wording, ruling.author(), act, replaced)
    ruling.make_ready()
    say_record(ruling, record, json, replaced)


def _with_more(ruling: Ruling, record: StoredRecord, more: Links, task: int | None) -> Wording | None:
    """The record's own words with more places and evidence; None where nothing is added."""
    if not (more.applies_to or more.cites or task is not None):
        return None
    own = ruling.text_of(record).links
    links = Links((*own.applies_to, *more.applies_to), tuple(dict.fromkeys((*own.cites, *more.cites))))
    return Wording(record.text, links, task if task is not None else record.task)


def _confirm(
    ruling: Ruling, record: StoredRecord, wording: Wording | None, replaced: list[StoredRecord], yes: bool, json: bool
) -> None:
    """Put one in force that is there already, perhaps with more places and evidence."""
    if record.status == Status.CURRENT and not replaced and wording is None:
        raise Refused(f"{record.citation} is in force already")
    if any(one.id == record.id for one in replaced):
        raise Refused(f"{record.citation} cannot replace itself")
    act = require_person(ruling.opened.around.environment, "deciding")
    if not yes:
        terminal.aside(render_record(ruling.text_of(record)))
    _show_replaced(replaced)
    what = "Keep this in force" if record.status == Status.CURRENT else "Put this in force"
    agree(f"{what}{' in their place' if replaced else ''}?", yes=yes)
    record = ruling.acting.confirm(record, act, replaced, wording)
    ruling.make_ready()
    say_record(ruling, record, json, replaced)


def _show_replaced(replaced: list[StoredRecord]) -> None:
    for one in replaced:
        terminal.aside(f"Replaces {one.citation}, {one.status}: {briefly(one)}")
