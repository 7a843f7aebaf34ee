"""The telling words of a short text: what it is about, told apart from how it is said."""

import re

from .emptywords import EMPTY_WORDS
from .query import folded

WORD = re.compile(r"[^\W_]+")
STEM = 5
"""Letters of a word that are compared: `retry` and `retries` are one."""


def telling_words(text: str) -> set[str]:
    """The words of a text that say what it is about, each by its beginning."""
    telling = (word for word in WORD.findall(folded(text)) if word not in EMPTY_WORDS)
    return {word[:STEM].removesuffix("y").removesuffix("i") for word in telling}
