"""Decisions of the histories: proposed in a reply, confirmed by a person afterwards, some replaced later, some left.

Unlike the books, these sentences were written by somebody who knows how passages are ranked; what they measure is whether
a decision that no longer holds, or never did, is given as one in force.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from .wordings import Component

SENTENCES = (
    ("The {component} keeps its rows for {value} days.", "How long does the {component} keep its rows?"),
    ("Retries of the {component} stop after {value} attempts.", "When do retries of the {component} stop?"),
    ("The {component} answers within {value} milliseconds or not at all.", "How fast must the {component} answer?"),
    ("A change of the {component} waits {value} minutes.", "How many minutes does a change of the {component} wait?"),
    ("The {component} opens {value} connections at most.", "How many connections may the {component} open?"),
    ("Logs of the {component} are cut at {value} lines.", "Where are logs of the {component} cut?"),
)
"""(what is decided, what is asked of it later)."""
LEADS = ("I looked at it and propose this.", "My proposal:", "This is what I would settle on.")


@dataclass(frozen=True, slots=True)
class Decided:
    """One decision of a project. old: what it replaced; is_confirmed: else it was only ever proposed."""

    project: str
    text: str
    old: str | None
    is_confirmed: bool
    question: str


def decide(project: str, parts: Sequence[Component], chance: random.Random) -> list[Decided]:
    """A decision for each part: most confirmed, half of these in place of another, one only proposed."""
    found = []
    for number, part in enumerate(parts):
        told, asked = chance.choice(SENTENCES)
        first, then = chance.sample(range(3, 400), 2)
        old = told.format(component=part.name, value=first) if number % 2 == 0 else None
        text = told.format(component=part.name, value=then)
        is_last = number == len(parts) - 1
        found.append(Decided(project, text, None if is_last else old, not is_last, asked.format(component=part.name)))
    return found


def proposal(text: str, chance: random.Random) -> str:
    """The reply that proposes it."""
    return f"{chance.choice(LEADS)}\n<!-- @decision -->{text}<!-- @/decision -->"
