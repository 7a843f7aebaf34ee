"""Passages that hold most of a question's words: what `search` goes on with where few or none hold all of them.

Three narrowing steps, so that it costs little at a million texts: the newest holders of each term; those that can hold
enough, the best first; of these the texts themselves. What was found is followed to the reply that ended its turn.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .core.partial import LEAST, Asked, Held, Term, ask, best_window, meaningful_terms
from .store import search as index
from .store import texts
from .wordforms import forms_of

HOLDERS = 2000
"""Holders of a term that are looked at, the newest."""
READ = 80
"""Texts that are read."""
NEWER = 0.25
"""How much more the newest passage of a project counts than its oldest one."""
NEAR = 0.6
"""Share of the best passage's that another must have to be worth its tokens beside it."""
TURNS = 8
"""Of what was found, how many are followed to the reply that ended their turn."""
FEW_LETTERS = 40
"""A shorter reply says that something was done, not what."""
ASKED_BEFORE = 0.15
"""What a reply gains by the words of the prompt before it."""
FOLLOWS = 0.8
"""What a reply is worth that has none of the words itself: it stands right after the prompt that has them."""
FAILED_WEIGHT = 1.0
"""Of a failed tool's output; that of one that went well is under it (`index.WEIGHTS`)."""


@dataclass(frozen=True, slots=True)
class PartialHit:
    """A passage of a text. score: up to about 2, higher is better. missing: what of the question it does not hold."""

    body: int
    project: int
    kind: str
    score: float
    start: int
    missing: tuple[str, ...]


def find_partial(db: sqlite3.Connection, question: str, wanted: index.Filter) -> list[PartialHit]:
    """The passages that hold enough of a question, in whatever forms of its words, best first."""
    terms = meaningful_terms(question, forms_of)
    if not terms or wanted.projects == ():
        return []
    holders = _holders(db, terms, wanted)
    extent = index.measure_extent(db, wanted.projects)
    asked = ask(terms, [len(some) for some in holders], extent.events)
    held = _terms_held(holders)
    counts = Counter(held.values())
    windows = _read(db, _candidates(held, asked), asked)
    found = {body: one for body, one in windows.items() if asked.is_answered(one.terms, one.share, counts)}
    about = index.describe_bodies(db, list(found))
    if index.may_hold_replies(wanted):
        answers = _answers(db, found, about, asked)
        about |= index.describe_bodies(db, list(answers))
        found |= answers
    most = max((held.share for held in found.values()), default=0.0)
    found = {body: held for body, held in found.items() if held.share >= NEAR * most}
    return _ranked(found, about, asked, extent)


def _holders(db: sqlite3.Connection, terms: Sequence[Term], wanted: index.Filter) -> list[list[int]]:
    """The newest texts with each term; where something was quoted, only those that have that too."""
    required = [term.expression for term in terms if term.is_required]
    return [
        index.list_holders(db, " AND ".join(dict.fromkeys([term.expression, *required])), wanted, HOLDERS)
        for term in terms
    ]


def _terms_held(holders: Sequence[Sequence[int]]) -> dict[int, int]:
    """Text → a bit for each term. Of a term with more holders than were listed, every older text is taken for one."""
    held: dict[int, int] = defaultdict(int)
    for number, some in enumerate(holders):
        for body in some:
            held[body] |= 1 << number
    for number, some in enumerate(holders):
        if len(some) == HOLDERS:
            for body in held:
                if body < some[-1]:
                    held[body] |= 1 << number
    return held


def _candidates(held: dict[int, int], asked: Asked) -> list[int]:
    """The texts that may hold enough, the heaviest and then the newest first."""
    shares = {terms: asked.share(terms) for terms in set(held.values())}
    bodies = [body for body, terms in held.items() if shares[terms] >= LEAST or asked.names & terms]
    return sorted(bodies, key=lambda body: (-shares[held[body]], -body))[:READ]


def _read(db: sqlite3.Connection, bodies: Sequence[int], asked: Asked) -> dict[int, Held]:
    return {body: best_window(text, asked) for body, text in texts.read_texts(db, bodies).items()}


def _ranked(
    found: dict[int, Held], about: dict[int, index.BodyFacts], asked: Asked, extent: index.Extent
) -> list[PartialHit]:
    """What was found by its share of the question, its kind and its age within the project's life."""
    span = max(1, extent.last_at - extent.first_at)
    hits = []
    for body, held in found.items():
        one = about[body]
        youth = max(0.0, min(1.0, ((one.at or 0) - extent.first_at) / span))
        weight = FAILED_WEIGHT if one.failed else index.WEIGHTS.get(one.kind, 1.0)
        score = held.share * weight * (1.0 + NEWER * youth)
        hits.append(PartialHit(body, one.project, one.kind, score, held.start, asked.missing(held.terms)))
    return sorted(hits, key=lambda hit: (-hit.score, -hit.body))


def _answers(
    db: sqlite3.Connection, found: dict[int, Held], about: dict[int, index.BodyFacts], asked: Asked
) -> dict[int, Held]:
    """The replies that ended the turns of what was found: an answer seldom says again what it was asked."""
    answers: dict[int, Held] = {}
    turns = [body for body in found if about[body].kind == "prompt" or about[body].failed]
    for body in sorted(turns, key=lambda body: (-found[body].share, -body))[:TURNS]:
        reply = index.final_reply(db, body)
        text = texts.read_text(db, reply) or ""
        if reply is None or len(text) < FEW_LETTERS:
            continue
        own, before = found.get(reply) or best_window(text, asked), found[body]
        share = max(own.share + ASKED_BEFORE * before.share, FOLLOWS * before.share)
        if reply not in answers or answers[reply].share < share:
            answers[reply] = replace(own, share=share, terms=own.terms | before.terms)
    return answers
