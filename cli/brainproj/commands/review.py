"""`brainproj review`: what agents proposed, one by one with its evidence, for a person to confirm, edit or reject."""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import typer

from ..core.records import Act, Status
from ..core.text import counted
from ..errors import BrainError
from ..evidence import Cited, look_up
from ..persons import require_person
from ..recordtext import RecordText
from ..store.records import StoredRecord
from ..views import terminal
from ..views.records import render_waiting
from .options import JSON, PROJECT
from .ruling import Ruling, open_ruling, standing

app = typer.Typer(rich_markup_mode=None, add_completion=False)
BESIDE = 9
"""Decisions about the same that one key replaces each."""


class Waiting(NamedTuple):
    """A proposal with its evidence, and the decisions in force about the same."""

    shown: RecordText
    cited: list[Cited]
    beside: list[StoredRecord]

    @property
    def record(self) -> StoredRecord:
        """The proposal."""
        return self.shown.record

    def value(self) -> dict[str, object]:
        """One entry of `review --json`."""
        return {
            **self.shown.value(),
            "cited": [one.value() for one in self.cited],
            "in_force": [one.citation for one in self.beside],
        }


@app.command()
def review(
    address: Annotated[str | None, typer.Argument(help="Only this one: rec:N.")] = None,
    project: PROJECT = None,
    json: JSON = False,
) -> None:
    """Go through what agents proposed, one by one: confirm, edit, reject; only a person at a terminal can.

    Examples:

      brainproj review

      brainproj review rec:14
    """
    ruling = open_ruling(project)
    records = [ruling.decisions.get(address)] if address else _proposed(ruling)
    if json:
        terminal.answer_json([waiting.value() for waiting in _list_waiting(ruling, records)])
        return
    if not records:
        terminal.aside(f"Nothing waits for you in {ruling.known.name}.")
        return
    act = require_person(ruling.opened.around.environment, "reviewing")
    done = 0
    try:
        for place, record in enumerate(records, 1):
            if len(records) > 1:
                terminal.aside(f"{place} of {len(records)}")
            (waiting,) = _list_waiting(ruling, [record])
            answer = _ask(ruling, waiting, act)
            if answer == "q":
                break
            done += answer != "s"
    except (KeyboardInterrupt, typer.Abort):
        terminal.aside("\nStopped. What was said until now is kept.")
        raise
    finally:
        if done:
            ruling.make_ready()
    left = len(_proposed(ruling))
    terminal.aside(f"{counted(done, 'record')} changed, {left:,} still proposed.")


def _proposed(ruling: Ruling) -> list[StoredRecord]:
    """What waits, the oldest first."""
    return list(reversed(ruling.decisions.list(status=Status.PROPOSED)))


def _list_waiting(ruling: Ruling, records: list[StoredRecord]) -> Iterator[Waiting]:
    """Each with its evidence, and what is in force about the same; read as they are asked for."""
    catalogue = ruling.opened.resolver.catalogue
    beside = ruling.decisions.beside(records)
    for record in records:
        shown = ruling.text_of(record)
        cites = shown.links.cites or ((shown.source.partition(":")[0],) if shown.source else ())
        cited = look_up(ruling.db, catalogue, ruling.known, cites, ruling.folder, ruling.opened.around.config)
        yield Waiting(shown, cited, list(beside[record.id])[:BESIDE])


def _ask(ruling: Ruling, waiting: Waiting, act: Act) -> str:
    """Show one, and do what the person says of it; the key that ended it."""
    terminal.answer_wrapped(render_waiting(waiting.shown, waiting.cited, waiting.beside))
    keys = _keys(waiting)
    while True:
        said = typer.prompt(", ".join(f"{key} {what}" for key, what in keys.items()), prompt_suffix=" > ", err=True)
        key = str(said).strip().casefold()[:1]
        if key not in keys:
            terminal.aside(f"There is no answer {said}.")
            continue
        try:
            if key in "sq" or _do(ruling, waiting, act, key):
                return key
        except BrainError as error:
            terminal.show_error(error)
            return "s"


def _keys(waiting: Waiting) -> dict[str, str]:
    """The answers there are to a record, by their key."""
    if waiting.record.status == Status.CURRENT:
        return {"e": "edit", "t": "retire", "s": "skip", "q": "quit"}
    confirm = {"c": "confirm"}
    if waiting.record.kind == "decision":
        numbers = range(1, len(waiting.beside) + 1)
        confirm |= {str(one): f"confirm in place of {waiting.beside[one - 1].citation}" for one in numbers}
    ends = {"r": "reject"} if waiting.record.status == Status.PROPOSED else {}
    return {**confirm, "e": "edit and confirm", **ends, "s": "skip", "q": "quit"}


def _do(ruling: Ruling, waiting: Waiting, act: Act, key: str) -> bool:
    """Whether something was done; not where an editor was left without a word."""
    decisions, record = ruling.acting, waiting.record
    if key == "c":
        done = decisions.confirm(record, act)
    elif key == "r":
        done = decisions.reject(record, act)
    elif key == "t":
        done = decisions.retire(record, act)
    elif key == "e":
        if record.kind == "handoff":
            wording = ruling.edit_handoff(ruling.handoff_text(record), record.task)
        else:
            wording = ruling.edit_decision(record)
        if wording is None:
            terminal.aside("Nothing was changed.")
            return False
        done = ruling.acting.confirm(record, act, wording=wording)
    else:
        done = decisions.confirm(record, act, [waiting.beside[int(key) - 1]])
    terminal.aside(f"{done.citation} is {standing(done)}.\n")
    return True
