"""Records for people: the list, and one with what it is tied to and what persons did to it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..core.query import MARKERS
from ..core.text import clip, one_line, printable
from ..core.times import from_micros
from .tables import MISSING, Column, render_table

if TYPE_CHECKING:
    from rich.table import Table

    from ..evidence import Cited
    from ..recordtext import RecordText
    from ..store.records import StoredAct, StoredRecord

EXCERPT_LETTERS = 200
ID_LETTERS = 8


def render_records(records: "Sequence[StoredRecord]") -> "Table":
    """The records, the one that changed last at the end."""
    columns = (
        Column("RECORD", style="cyan"),
        Column("KIND"),
        Column("STATUS"),
        Column("DATE"),
        Column("TEXT", clips=True),
    )
    return render_table(
        columns, [(one.citation, one.kind, one.status, day_of(one.since), one.text) for one in reversed(records)]
    )


def render_handoffs(records: "Sequence[StoredRecord]", tasks: "Mapping[int, str]") -> "Table":
    """The handoffs with the tasks they are of, the one that changed last at the end."""
    columns = (
        Column("HANDOFF", style="cyan"),
        Column("STATUS"),
        Column("DATE"),
        Column("TASK"),
        Column("TEXT", clips=True),
    )
    rows = [
        (one.citation, one.status, day_of(one.since), tasks.get(one.task or 0), one.text) for one in reversed(records)
    ]
    return render_table(columns, rows)


def render_record(shown: "RecordText") -> str:
    """A record as `show` has it: its text, its ties, its history."""
    return "\n".join([_head(shown), "", *_indented(shown), "", *_ties(shown), *_history(shown)]).rstrip()


def render_waiting(shown: "RecordText", cited: "Sequence[Cited]", beside: "Sequence[StoredRecord]") -> str:
    """A proposal as `review` shows it: with the words of its evidence, and what is in force about the same."""
    lines = [_head(shown), "", *_indented(shown), "", *_ties(shown)]
    if cited:
        lines.append("evidence:")
        lines += [line for one in cited for line in _cited_lines(one)]
    else:
        lines.append("no evidence was named")
    if beside:
        lines.append("in force about the same:" if shown.record.kind == "decision" else "in force until this is:")
        lines += [
            f"  {place}  {one.citation}  {clip(one_line(one.text), EXCERPT_LETTERS)} ({day_of(one.since)})"
            for place, one in enumerate(beside, 1)
        ]
    return "\n".join(lines)


def day_of(micros: int | None) -> str:
    """The UTC day of a time, or a dash."""
    moment = from_micros(micros)
    return moment.date().isoformat() if moment else MISSING


def _head(shown: "RecordText") -> str:
    record = shown.record
    name = one_line(shown.project.name) if shown.project else "no project"
    where = f" in {record.session_id[:ID_LETTERS]}" if record.session_id else ""
    said = f"by {one_line(shown.said_by)}{where}"
    if record.author is None and record.confirmed_by:
        said += f", confirmed by {one_line(record.confirmed_by)}"
    return f"{record.citation}  {record.kind}, {record.status}, {day_of(record.since)}, {said} ({name})"


def _indented(shown: "RecordText") -> list[str]:
    """The words, apart from ours: no line of theirs can be taken for one of the history."""
    return [f"  {line}" for line in printable(shown.record.text).splitlines()]


def _ties(shown: "RecordText") -> Iterator[str]:
    links = shown.links
    if shown.task:
        yield f"task: {shown.task}"
    if links.applies_to:
        yield f"applies to: {', '.join(map(one_line, links.applies_to))}"
    if links.replaces:
        verb = "replaces" if shown.record.status != "proposed" else "would replace"
        yield f"{verb}: {', '.join(f'rec:{number}' for number in links.replaces)}"
    if shown.replaced_by is not None:
        yield f"replaced by: rec:{shown.replaced_by}"
    if shown.source:
        yield f"said at {one_line(shown.source)}: brainproj show {one_line(shown.source)}"


def _history(shown: "RecordText") -> Iterator[str]:
    if shown.links.cites:
        yield f"evidence: {', '.join(map(one_line, shown.links.cites))}"
    for revision, text, until, why in shown.earlier:
        yield f"until {day_of(until)}, revision {revision} ({one_line(why)}): {clip(one_line(text), EXCERPT_LETTERS)}"
    if shown.acts:
        yield "history:"
        yield from (_act_line(act) for act in shown.acts)


def _act_line(act: "StoredAct") -> str:
    moment = from_micros(act.at)
    when = f"{moment:%Y-%m-%d %H:%M}" if moment else MISSING
    other = f" by rec:{act.other}" if act.other is not None else ""
    return f"  {when}  {act.what}{other}, {one_line(act.who)} at {one_line(act.terminal)}"


def _cited_lines(one: "Cited") -> Iterator[str]:
    yield f"  [{one_line(one.citation)}] {one_line(one.what)}"
    yield f"    {clip(one_line(MARKERS.sub(' ', one.text)), EXCERPT_LETTERS)}"
