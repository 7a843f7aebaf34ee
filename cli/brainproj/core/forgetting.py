"""Keeping a text out without keeping it: its length, a sum of its beginning, and a digest of all of it.

What was said elsewhere cannot be erased there, so it is told again and again; it must be known again wherever it stands
in what is told, though nothing of it is stored any more.
"""

from collections.abc import Iterable
from hashlib import blake2b
from zlib import crc32

BEGINNING = 4
"""Letters; a shorter text is a word like any other, and is not kept out by itself."""


def mark_of(text: str) -> str | None:
    """What tells a text again; None for one that is too short for it."""
    if len(text) < BEGINNING:
        return None
    return f"{len(text)}:{_sum(text, 0)}:{_digest(text)}"


class KeptOut:
    """The texts that are kept out, by their marks."""

    def __init__(self, marks: Iterable[str]) -> None:
        self._lengths: dict[int, set[tuple[int, str]]] = {}
        for mark in marks:
            length, beginning, digest = mark.split(":")
            self._lengths.setdefault(int(beginning), set()).add((int(length), digest))

    def holds(self, text: str) -> bool:
        """Whether one of them stands in a text."""
        if not self._lengths:
            return False
        for place in range(len(text) - BEGINNING + 1):
            for length, digest in self._lengths.get(_sum(text, place), ()):
                if _digest(text[place : place + length]) == digest:
                    return True
        return False

    def without(self, text: str) -> str:
        """A text without the lines in which one of them stands; empty where one goes over several lines."""
        if not self.holds(text):
            return text
        rest = "\n".join(line for line in text.split("\n") if not self.holds(line))
        return "" if self.holds(rest) else rest


def _sum(text: str, place: int) -> int:
    return crc32(text[place : place + BEGINNING].encode("utf-8", "surrogatepass"))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
