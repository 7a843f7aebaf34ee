"""What a person told git for all repositories: name and address, with includes and their conditions.

Read from disk as `gitdir` reads: no git process, regular files alone, of a bounded size and number; whatever is wrong
with one of them says nothing. A repository's own includes are not followed: it can name any file.

Conditions: https://git-scm.com/docs/git-config#_conditional_includes
"""

import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .gitdir import CONFIG_LIMIT, Checkout, branch_of, parse_items, remotes_of

FILES_AT_MOST = 64
"""Files of one configuration that are read; one that includes itself ends here."""
LONGEST = 4096
"""Letters of a pattern, a path or an address that are compared."""
BYTES_AT_MOST = 4 * CONFIG_LIMIT
PIECE = re.compile(r"\*\*/|\*\*|\*|\?|\[[!^]?[^]]+\]|\\.|.", re.DOTALL)
RANGE = re.compile(r".-.|.", re.DOTALL)


def read_user(files: Iterable[Path], checkout: Checkout | None, settings: Mapping[str, str]) -> dict[str, str]:
    """`name` and `email` as a person told git, in this checkout (with these settings of its own) or in none."""
    reading = _Reading(checkout, tuple(remotes_of(dict(settings)).values()))
    for file in files:
        reading.read(str(file))
    return reading.user


@dataclass(slots=True)
class _Reading:
    checkout: Checkout | None
    remotes: tuple[str, ...]
    user: dict[str, str] = field(default_factory=dict)
    left: int = FILES_AT_MOST
    left_bytes: int = BYTES_AT_MOST
    within: tuple[str, ...] = ()
    """The files that are being read, one including the other."""

    def read(self, path: str) -> None:
        """Take what a file says, and what it includes where that stands."""
        if self.left <= 0 or path in self.within:
            return
        self.left -= 1
        self.within += (path,)
        text = _text_of(path)[: self.left_bytes]
        self.left_bytes -= len(text)
        for section, key, value in parse_items(text):
            if section == "user" and key in ("name", "email"):
                self.user[key] = value
            elif key == "path" and value and (section == "include" or self._holds(section, path)):
                self.read(os.path.join(os.path.dirname(path), os.path.expanduser(value)))  # noqa: PTH111, PTH118, PTH120
        self.within = self.within[:-1]

    def _holds(self, section: str, path: str) -> bool:
        """Whether the condition of an `includeIf` section is so."""
        head, _, condition = section.partition(".")
        what, colon, pattern = condition.partition(":")
        if head != "includeif" or not colon or self.checkout is None:
            return False
        if what in ("gitdir", "gitdir/i"):
            return _fits_folder(pattern, self.checkout.git_dir, os.path.dirname(path), what.endswith("/i"))  # noqa: PTH120
        if what == "onbranch":
            return _fits(pattern + "**" if pattern.endswith("/") else pattern, branch_of(self.checkout) or "")
        if what == "hasconfig":
            name, _, address = pattern.partition(":")
            return name == "remote.*.url" and any(_fits(address, remote) for remote in self.remotes)
        return False


def _text_of(path: str) -> str:
    """The text of a regular file that is no longer than a person writes; empty for anything else."""
    try:
        found = os.stat(path)  # noqa: PTH116
        if not stat.S_ISREG(found.st_mode) or found.st_size > CONFIG_LIMIT:
            return ""
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read(CONFIG_LIMIT).decode("utf-8-sig", "replace")
    except (OSError, ValueError):
        return ""


def _fits_folder(pattern: str, git_dir: str, here: str, any_case: bool) -> bool:
    pattern = os.path.expanduser(pattern)  # noqa: PTH111
    if pattern.startswith("./"):
        pattern = f"{here}/{pattern[2:]}"
    elif not pattern.startswith("/"):
        pattern = f"**/{pattern}"
    if pattern.endswith("/"):
        pattern += "**"
    return any(_fits(pattern, folder, any_case=any_case) for folder in (git_dir, os.path.realpath(git_dir)))


def _fits(pattern: str, text: str, *, any_case: bool = False) -> bool:
    """Whether a text fits a glob as git knows them: `*` within a part of a path, `**` over whole parts.

    Each piece moves a set of places in the text forward, so no pattern takes longer than its length times the text's.
    """
    if len(text) > LONGEST or len(pattern) > LONGEST:
        return False
    if any_case:
        pattern, text = pattern.lower(), text.lower()
    places = {0}
    for found in PIECE.finditer(pattern):
        begins = found.start() == 0 or pattern[found.start() - 1] == "/"
        is_whole = begins and (found[0] == "**/" or found.end() == len(pattern))
        places = _moved(found[0], text, places, is_whole=is_whole)
        if not places:
            return False
    return len(text) in places


def _moved(piece: str, text: str, places: set[int], *, is_whole: bool) -> set[int]:
    """Where a piece of a glob, met at these places, may end. is_whole: it stands for whole parts of a path."""
    if piece in ("*", "**", "**/") and (piece == "*" or not is_whole):
        first = min(places)
        moved: set[int] = set()
        for place in range(first, len(text) + 1):
            if place in places or (place - 1 in moved and text[place - 1] != "/"):
                moved.add(place)
        return _moved("/", text, moved, is_whole=False) if piece == "**/" else moved
    if piece in ("**", "**/"):
        later = range(min(places), len(text) + 1)
        return {place for place in later if piece == "**" or place in places or text[place - 1] == "/"}
    there = {place for place in places if place < len(text)}
    if piece == "?":
        return {place + 1 for place in there if text[place] != "/"}
    if piece[0] == "[" and len(piece) > 1:
        letters, is_not = (piece[2:-1], True) if piece[1] in "!^" else (piece[1:-1], False)
        wanted = {chr(code) for one in RANGE.finditer(letters) for code in range(ord(one[0][0]), ord(one[0][-1]) + 1)}
        return {place + 1 for place in there if text[place] != "/" and (text[place] in wanted) is not is_not}
    return {place + 1 for place in there if text[place] == piece[-1]}
