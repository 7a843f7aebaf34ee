"""The forms of an English word that a person means by any one of them: charge, charges, charged, charging."""

from functools import lru_cache

from snowballstemmer import stemmer  # type: ignore[import-untyped]

ENDINGS = ("", "s", "e", "es", "ed", "d", "ing", "er", "ers", "or", "ion", "ions", "ation", "ment", "able", "ly")
AFTER_I = ("y", "ies", "ied", "ying")
DOUBLED = ("ed", "ing", "er", "ers")
SHORTEST = 3
"""Letters of a word that has other forms."""


@lru_cache(maxsize=256)
def forms_of(word: str) -> frozenset[str]:
    """Words with the same stem; the word itself alone where it holds anything but ASCII letters."""
    if len(word) < SHORTEST or not word.isascii() or not word.isalpha():
        return frozenset([word])
    stems = stemmer("english")
    stem = stems.stemWord(word)
    made = {stem + ending for ending in ENDINGS} | {stem + stem[-1] + ending for ending in DOUBLED}
    if stem.endswith("i"):
        made |= {stem[:-1] + ending for ending in AFTER_I}
    return frozenset([word, *(one for one in made if stems.stemWord(one) == stem)])
