"""The same thing said twice: a title and the prompt it was cut from, a lesson and its reply, one command run again.

Equal texts are one already (the store keeps each once). Here it is the nearly equal ones, so that five hits are five
things. Folding never joins what two people or two times said differently: only a whole within a whole, and outputs that
differ in nothing but durations, moments and ids.
"""

import re

SHORTEST = 12
"""Letters: a shorter text is in many others by chance."""
HEAD = 400
"""Letters that tell most outputs apart before their whole is looked at."""
PASSING = re.compile(
    r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?"  # moments
    r"|\b\d+(?:\.\d+)?\s?(?:ms|s|sec|secs|seconds|µs|us)\b"  # how long it took
    r"|\b(?:0x)?(?=[0-9a-f]*\d)[0-9a-f]{6,}\b|Chunk ID: \S+",  # ids and addresses
    re.IGNORECASE,
)


def says_again(part: str, whole: str) -> bool:
    """Whether one text stands in another, word for word; an ellipsis at its end is a cut."""
    part = _plain(part.rstrip("…"))
    return len(part) >= SHORTEST and part in _plain(whole)


def output_head(text: str) -> str:
    """How an output begins, whenever it was made."""
    return PASSING.sub("#", text[:HEAD])


def is_same_output(one: str, other: str) -> bool:
    """Whether two outputs differ in nothing but when they were made and how long it took."""
    return PASSING.sub("#", one) == PASSING.sub("#", other)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
