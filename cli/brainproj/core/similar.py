"""How much two short texts say the same: the share of their telling words that they have in common."""

import re

from .emptywords import EMPTY_WORDS
from .query import folded

WORD = re.compile(r"[^\W_]+")
STEM = 5
"""Letters of a word that are compared: `retry` and `retries` are one."""


def share_of_words(one: str, other: str) -> float:
    """Between 0 (no telling word in common) and 1 (the same words); 0 where either has none."""
    first, second = _words(one), _words(other)
    both = first | second
    return len(first & second) / len(both) if first and second else 0.0


def _words(text: str) -> set[str]:
    telling = (word for word in WORD.findall(folded(text)) if word not in EMPTY_WORDS)
    return {word[:STEM].removesuffix("y").removesuffix("i") for word in telling}
