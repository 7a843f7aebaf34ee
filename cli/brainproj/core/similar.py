"""How much two short texts speak of one thing, to say the same of it or the opposite: told by their telling words."""

import re

from .emptywords import EMPTY_WORDS
from .query import folded

WORD = re.compile(r"[^\W_]+")
STEM = 5
"""Letters of a word that are compared: `retry` and `retries` are one."""


FEWEST = 2
"""Words in common below which two texts have nothing to do with each other."""
ALIKE = 0.5
"""From this share on two decisions may repeat or contradict each other; it is better to name one too many."""


def share_of_words(one: str, other: str) -> float:
    """Between 0 and 1: the telling words in common, of those of the shorter; 0 where only one word is."""
    first, second = telling_words(one), telling_words(other)
    common = len(first & second)
    return common / min(len(first), len(second)) if common >= FEWEST else 0.0


def telling_words(text: str) -> set[str]:
    """The words of a text that say what it is about, each by its beginning."""
    telling = (word for word in WORD.findall(folded(text)) if word not in EMPTY_WORDS)
    return {word[:STEM].removesuffix("y").removesuffix("i") for word in telling}
