"""What is kept on purpose: its statuses, what a person may make of it, and how a decision is edited.

Only decisions and handoffs are made official, and only by a person; what an agent says of either is a proposal. A
newcomer's mistake: to look for the decision in force by its text. It is told by status alone.
"""

import posixpath
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """Where a record stands. `current` is in force."""

    PROPOSED = "proposed"
    CURRENT = "current"
    SUPERSEDED = "superseded"
    REJECTED = "rejected"
    RETIRED = "retired"


class Deed(StrEnum):
    """What a person did to a record."""

    RECORDED = "recorded"
    CONFIRMED = "confirmed"
    EDITED = "edited"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    RETIRED = "retired"
    SHARED = "shared"
    UNSHARED = "unshared"


class LinkKind(StrEnum):
    """What a record is tied to. applies_to: a path or a subject; cites: its evidence; replaces: another record."""

    APPLIES_TO = "applies_to"
    CITES = "cites"
    REPLACES = "replaces"


TEXT_LETTERS = 4096
"""Characters of a record's text that are kept; the kernel takes no more (formats/kernel.md 4)."""
PLACE_LETTERS = 300
LINKS_AT_MOST = 20


@dataclass(frozen=True, slots=True)
class Act:
    """Who acted, at which terminal, below which processes (the nearest first)."""

    who: str
    terminal: str
    parents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Links:
    """What a record is tied to. cites: citations; replaces: numbers of records."""

    applies_to: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    replaces: tuple[int, ...] = ()

    def targets(self) -> Iterable[tuple[LinkKind, str]]:
        """Each link as it is stored."""
        yield from ((LinkKind.APPLIES_TO, one) for one in self.applies_to)
        yield from ((LinkKind.CITES, one) for one in self.cites)
        yield from ((LinkKind.REPLACES, str(one)) for one in self.replaces)

    def ended(self, in_force: Collection[int]) -> list[str]:
        """The addresses of those it took the place of, but for what is in force again."""
        return [f"rec:{number}" for number in self.replaces if number not in in_force]


def render_wording(text: str, links: Links) -> str:
    """A decision as it is edited: its words, and what it is tied to in lines of their own at the end."""
    places, cites = (", ".join(values) for values in (links.applies_to, links.cites))
    return f"{text}\n\n{APPLIES_TO}: {places}\n{EVIDENCE}: {cites}"


def parse_wording(text: str) -> tuple[str, list[str], list[str]]:
    """(words, places, citations) of an edited decision; the lines may be missing, and stand in any order."""
    lines, named = text.rstrip().splitlines(), {APPLIES_TO: list[str](), EVIDENCE: list[str]()}
    while lines and (found := TRAILER.fullmatch(lines[-1].strip())):
        named[found[1].capitalize()] = [one.strip() for one in found[2].split(",") if one.strip()]
        lines.pop()
    return "\n".join(lines).strip(), named[APPLIES_TO], named[EVIDENCE]


APPLIES_TO, EVIDENCE = "Applies to", "Evidence"
TRAILER = re.compile(rf"({APPLIES_TO}|{EVIDENCE}):(.*)", re.IGNORECASE)


def clean_place(place: str) -> str:
    """A path or subject as it is kept: without `./`, a final slash or needless white space; a link as it is."""
    place = " ".join(place.split())[:PLACE_LETTERS]
    return posixpath.normpath(place).removeprefix("./") if "/" in place and "://" not in place else place
