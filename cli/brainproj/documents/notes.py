"""Notes: what a person writes down for the project, in a few words or a page."""

from ..core.text import clip, one_line
from ..errors import Refused
from .source import TEXT_BYTES, Material

kind = "note"
TITLE_LETTERS = 80


def takes(given: str, folder: str) -> bool:
    """Whether it is more than one word: a single one is a file's name, perhaps with a slip."""
    return len(given.split()) > 1


def read(given: str, folder: str, root: str | None) -> Material:
    """The note; it is found again by its words."""
    text = given.strip()
    if len(text.encode("utf-8", "replace")) > TEXT_BYTES:
        raise Refused(f"a note has {TEXT_BYTES >> 20} MB at most")
    return Material(kind, one_line(text)[:400], clip(one_line(text), TITLE_LETTERS), text, fetched=True)
