"""Search hits for people: a line that says where, then the passage with the hit in view."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.catalogue import KnownProject
from ..core.query import find_hit
from ..core.text import counted, one_line

if TYPE_CHECKING:
    from rich.console import Group

    from ..core.people import People
    from ..search import Hit


def render_hits(hits: "Sequence[Hit]", own: KnownProject | None, query: str, people: "People") -> "Group":
    """The hits, the best one last, where the eye is. Those of other projects are labelled."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    lines: list[Text | Padding] = []
    for hit in reversed(hits):
        head = Text(no_wrap=True, overflow="ellipsis")
        head.append(one_line(hit.citation), style="cyan")
        for part in _facts(hit, own, people):
            head.append(f"  {part}", style="dim")
        body = one_line(hit.excerpt)
        passage = Text(body)
        if found := find_hit(body, query):
            passage.stylize("bold", *found)
        lines += [head, Padding(passage, (0, 0, 0, 2))]
    return Group(*lines)


def _facts(hit: "Hit", own: KnownProject | None, people: "People") -> list[str]:
    facts = [hit.what]
    if hit.speaker:
        person = people.by_number(hit.person)
        facts.append(one_line(person.label) if person else hit.speaker)
    if hit.at:
        facts.append(hit.at.date().isoformat())
    if own is None or hit.project is None or hit.project.key != own.key:
        facts.append(f"in {one_line(hit.project.name)}" if hit.project else "in no project")
    if len(hit.places) > 1:
        facts.append(f"and {counted(len(hit.places) - 1, 'more place')}")
    if hit.missing:
        facts.append(f"without {one_line(', '.join(hit.missing))}")
    return facts
