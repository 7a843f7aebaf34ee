"""What to look at again, for people: the kinds one after the other, each finding with what may be said of it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..core.text import clip, one_line
from .records import day_of

if TYPE_CHECKING:
    from ..sleep import Finding
    from ..store.records import StoredRecord

TEXT_LETTERS = 300
HEADINGS = {
    "alike": "MAY CONTRADICT OR REPEAT EACH OTHER",
    "same place": "APPLY TO ONE PLACE",
    "unlinked": "PROPOSED, AND TIED TO NOTHING",
    "stale": "MAY BE OUT OF DATE",
}


def render_findings(found: "Sequence[Finding]") -> str:
    """All of it as text, what is wrong most probably first."""
    return "\n".join(line for kind, heading in HEADINGS.items() for line in _part(found, kind, heading)).rstrip()


def _part(found: "Sequence[Finding]", kind: str, heading: str) -> Iterator[str]:
    own = [one for one in found if one.kind == kind]
    if own:
        yield heading
    for one in own:
        yield from (_record_line(record) for record in one.records)
        yield f"    because {one_line(one.why)}"
        yield from (f"    {command}" for command in one.commands)
        yield ""


def _record_line(record: "StoredRecord") -> str:
    text = clip(one_line(record.text), TEXT_LETTERS)
    return f"  {record.citation}  {record.kind}, {record.status}, {day_of(record.since)}: {text}"
