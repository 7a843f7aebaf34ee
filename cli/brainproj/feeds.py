"""The fleet's feed: files of a person in our home, those that a kernel leaves for agentihooks, what a brain told.

Only read. A file that cannot be read, or is half written, costs itself.
"""

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from .core.entries import DEFAULT_TTL_S, Entry, parse_feed_file
from .core.text import encodable
from .paths import Paths

FILE_LIMIT = 1 << 20
"""Bytes of a feed file that are read; the kernel's have a few thousand."""
OWN_SOURCE = "this machine"
BRAIN_SOURCE = "the brain of agentihooks"


def read_feeds(paths: Paths, now: datetime, told: Iterable[Entry] = ()) -> list[Entry]:
    """The entries that are in force, one for each id, the most important first. told: what a brain said over HTTP.

    A file of one's own stays until it is taken away, unless it has a `ttl`; a brain's ends by its `ttl`. Of two brains'
    entries of one id and priority the one that came over HTTP counts.
    """
    entries = _read_folder(paths.feed_dir, OWN_SOURCE, None)
    entries += told
    entries += _read_folder(paths.brain_feed, BRAIN_SOURCE, DEFAULT_TTL_S)
    first: dict[str, Entry] = {}
    for entry in sorted(entries, key=lambda entry: (-entry.priority, entry.id)):
        if entry.expires_at is None or entry.expires_at > now:
            first.setdefault(entry.id, entry)
    return list(first.values())


def _read_folder(folder: Path, source: str, default_ttl_s: int | None) -> list[Entry]:
    entries = []
    try:
        with os.scandir(folder) as found:
            files = sorted(entry.path for entry in found if entry.name.endswith(".md") and entry.is_file())
    except OSError:
        return []
    for path in files:
        try:
            with open(path, "rb") as file:  # noqa: PTH123
                text = encodable(file.read(FILE_LIMIT).decode("utf-8", "replace"))
                written_at = datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC)
        except (OSError, ValueError, OverflowError):
            continue
        entry = parse_feed_file(text, Path(path).stem, source, written_at, default_ttl_s)
        if entry is not None:
            entries.append(entry)
    return entries
