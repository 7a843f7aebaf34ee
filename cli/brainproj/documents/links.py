"""Links: where something stands. Nothing is fetched, and that is said wherever the link is shown."""

import re

from ..errors import Refused
from .source import Material

kind = "link"
URL = re.compile(r"https?://\S+", re.IGNORECASE)
LETTERS = 2000


def takes(given: str, folder: str) -> bool:
    """Whether it is a web address."""
    return URL.fullmatch(given.strip()) is not None


def read(given: str, folder: str, root: str | None) -> Material:
    """The reference alone."""
    address = given.strip()
    if len(address) > LETTERS:
        raise Refused(f"a link has {LETTERS:,} characters at most")
    return Material(kind, address, address, address, fetched=False)
