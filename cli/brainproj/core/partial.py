"""Partial matches: passages that hold most of what the words of a question weigh, where none holds all of them.

A word weighs the more the fewer texts hold it, and one that no text holds weighs the most. What counts is held within
one window of a text; a long output that has every word somewhere has no answer. A passage that holds less than half is
still one where few others hold as much: what many say alike says nothing of this question. Where two neighbouring words
of a question are held by no text its very subject is unknown, and half is asked for. Where it names something as code
does, or quotes it, a passage that holds less than half must hold that.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from .emptywords import EMPTY_WORDS
from .query import MOST_TERMS, QUOTED, SHORTEST_BEGINNING, TOKENS, index_text

HALF = 0.5
"""Share of a question's weight that is always enough."""
LEAST = 0.25
"""Share that is enough where few hold as much. Higher keeps silent where the question uses other words than the answer;
lower answers what was never spoken of. `just bench-recall --misses` shows both."""
PAIR = 2
"""Of two words, one is half at best, and who gave two did not ask for the lighter one."""
FEW = 8
"""Texts that hold the same of a question, and still say something particular."""
WINDOW_LETTERS = 700
"""A passage: what is read at a glance."""
ANCHORS = 6
"""Places of a long text around which is looked."""
PLACES = 50
"""Places of a word in a long text that are gone through for these."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase that is looked for. forms: words that count as it, where it is one word.

    said: as the person wrote it. is_required: it stood in quotes. follows: it stands right after the term before it.
    is_name: it is what a program calls something, or a quoted phrase.
    """

    said: str
    words: tuple[str, ...]
    forms: frozenset[str]
    is_beginning: bool = False
    is_required: bool = False
    follows: bool = False
    is_name: bool = False

    @property
    def expression(self) -> str:
        """It in the language of FTS5; quoting leaves no character with a meaning of its own."""
        if len(self.words) > 1:
            return '"' + " ".join(self.words) + '"' + (" *" if self.is_beginning else "")
        if self.is_beginning:
            return f'"{self.words[0]}" *'
        return "(" + " OR ".join(f'"{form}"' for form in sorted(self.forms)) + ")"

    def is_in(self, words: Sequence[str]) -> bool:
        """Whether it stands among the words of a text."""
        if self.is_beginning and len(self.words) == 1:
            return any(word.startswith(self.words[0]) for word in words)
        if len(self.words) == 1:
            return not self.forms.isdisjoint(words)
        text = " " + " ".join(words) + " "
        return " " + " ".join(self.words) + ("" if self.is_beginning else " ") in text


def meaningful_terms(query: str, forms_of: Callable[[str], Iterable[str]]) -> list[Term]:
    """What of a question says what is looked for, each once; no empty word, unless it is quoted."""
    terms: dict[tuple[str, ...], Term] = {}
    follows = False
    for quoted, word in QUOTED.findall(query):
        if len(terms) == MOST_TERMS:
            break
        words = tuple(folded_words(quoted or word)[:MOST_TERMS])
        if words in terms or not words or (not quoted and all(one in EMPTY_WORDS for one in words)):
            follows = False
            continue
        is_beginning = not quoted and word.endswith("*") and len(words[-1]) >= SHORTEST_BEGINNING
        forms = frozenset([words[0], *forms_of(words[0])]) if len(words) == 1 and not quoted else frozenset(words)
        said = quoted or word.strip(PUNCTUATION)
        is_name = len(words) > 1 if quoted else NAME.search(said) is not None
        terms[words] = Term(said, words, forms, is_beginning, bool(quoted), follows and not quoted, is_name)
        follows = not quoted and word[-1] not in PUNCTUATION
    return list(terms.values())


NAME = re.compile(r"[^\W_]{2}_[^\W_]|\w::\w|\w{2}\.[a-zA-Z]|[a-z][A-Z]")
"""As in `charge_once`, `shop::Cart`, `checkout.py`, `chargeOnce`."""
ACCENTS = re.compile("[\u0300-\u036f]+")
PUNCTUATION = ".,;:?!()[]{}<>\"'`"


def folded_words(text: str) -> list[str]:
    """The words of a text as the index compares them: in lower case and without accents."""
    if not text.isascii():
        text = ACCENTS.sub("", unicodedata.normalize("NFD", index_text(text)))
    return TOKENS.findall(text.lower())


def weigh(holders: int, texts: int) -> float:
    """How much a term weighs that so many of so many texts hold."""
    return math.log(1 + texts / (1 + holders))


@dataclass(frozen=True, slots=True)
class Held:
    """The best window of a text. terms: a bit for each term that it holds. start: code points."""

    terms: int
    share: float
    start: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its terms, what each weighs, and whether nothing is known of its subject."""

    terms: Sequence[Term]
    weights: Sequence[float]
    is_strange: bool

    def share(self, held: int) -> float:
        """How much of the question these terms are: 0 to 1."""
        return sum(weight for number, weight in enumerate(self.weights) if held >> number & 1) / sum(self.weights)

    def is_answered(self, held: int, share: float, texts: "Counter[int]") -> bool:
        """Whether a passage with these terms says enough; `texts` counts all texts by the terms they hold."""
        if share >= HALF:
            return True
        if self.names:
            is_near = bool(self.names & held)
        else:
            is_near = share >= LEAST and not self.is_strange and len(self.terms) > PAIR
        return is_near and sum(count for others, count in texts.items() if others & held == held) <= FEW

    @property
    def names(self) -> int:
        """A bit for each term that is a name."""
        return sum(1 << number for number, term in enumerate(self.terms) if term.is_name)

    def missing(self, held: int) -> tuple[str, ...]:
        """The terms that are not held, as they were said."""
        return tuple(term.said for number, term in enumerate(self.terms) if not held >> number & 1)


def ask(terms: Sequence[Term], holders: Sequence[int], texts: int) -> Asked:
    """The question whose terms so many of so many texts hold."""
    pairs = zip(terms[1:], holders, holders[1:], strict=False)
    is_strange = any(term.follows and not before and not own for term, before, own in pairs)
    return Asked(terms, [weigh(number, texts) for number in holders], is_strange)


def best_window(text: str, asked: Asked) -> Held:
    """The window of a text that holds the most weight."""
    if len(text) <= WINDOW_LETTERS:
        return _held(text, 0, asked)
    windows = (_held(text[start : start + WINDOW_LETTERS], start, asked) for start in _starts(text, asked))
    return max(windows, key=lambda held: held.share, default=Held(0, 0.0, 0))


def _held(piece: str, start: int, asked: Asked) -> Held:
    words = folded_words(piece)
    held = sum(1 << number for number, term in enumerate(asked.terms) if term.is_in(words))
    return Held(held, asked.share(held), start)


def _starts(text: str, asked: Asked) -> list[int]:
    """Where windows may begin: a little before the places of those terms that the text has least of."""
    lowered = text.lower()
    starts: list[int] = []
    for places in sorted((list(_places(lowered, term)) for term in asked.terms), key=len):
        for place in places:
            start = max(0, place - WINDOW_LETTERS // 2)
            if all(abs(start - other) > WINDOW_LETTERS // 4 for other in starts):
                starts.append(start)
            if len(starts) >= ANCHORS:
                return starts
    return starts


def _places(lowered: str, term: Term) -> Iterator[int]:
    """Where words begin that may be the term's, in a lowered text; `find` is ten times as fast as any pattern."""
    beginning = _shared_beginning(term.forms) if len(term.words) == 1 else term.words[0]
    place = -1
    for _ in range(PLACES):
        place = lowered.find(beginning, place + 1)
        if place < 0:
            return
        if place == 0 or not lowered[place - 1].isalnum():
            yield place


def _shared_beginning(words: Iterable[str]) -> str:
    first, last = min(words), max(words)
    alike = (one == other for one, other in zip(first, last, strict=False))
    return "".join(letter for letter, _ in zip(first, takewhile(bool, alike), strict=False))
