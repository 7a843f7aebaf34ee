"""What the edges of a transcript tell without reading it: was it replaced, how old is it, which folder does it name."""

import contextlib
import json
import os
import re
from hashlib import blake2b
from typing import IO

from .agents.adapter import Found
from .agents.lines import open_transcript
from .core.times import parse_time, to_micros
from .errors import TranscriptUnreadable

EDGE = 4096
"""Bytes at the start and before the place of reading that tell whether a transcript was replaced."""
CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')
STAMP = re.compile(rb'"timestamp"\s*:\s*("[^"]*"|\d+)')


def is_packed(path: str) -> bool:
    """Whether a transcript is packed as a whole: it is then never appended to, and read anew when it changed."""
    return path.endswith(".zst")


def edges(file: IO[bytes], path: str, offset: int) -> tuple[bytes | None, bytes | None]:
    """Digests of what was read of an open transcript: of its first bytes, and of those before `offset`.

    The place of reading does not move. Raises TranscriptUnreadable.
    """
    if is_packed(path):
        return None, None
    try:
        start = os.pread(file.fileno(), min(EDGE, offset), 0)
        tail = os.pread(file.fileno(), min(EDGE, offset), max(0, offset - EDGE))
    except OSError as error:
        raise TranscriptUnreadable(f"cannot read {path}", detail=error.strerror) from error
    return blake2b(start, digest_size=16).digest(), blake2b(tail, digest_size=16).digest()


def last_time(found: Found) -> int:
    """When a transcript was last written to, by its own last line, else by the file's time; in microseconds.

    A resumed or forked session copies lines of an older one: the older is read first, whatever a copy of the files did
    to their times.
    """
    try:
        with contextlib.closing(open_transcript(found.path)) as file:
            tail = b"" if is_packed(found.path) else os.pread(file.fileno(), EDGE, max(0, found.size_bytes - EDGE))
    except (OSError, TranscriptUnreadable):
        return found.mtime_ns // 1000
    stamps = STAMP.findall(tail)
    moment = parse_time(stamps[-1].strip(b'"').decode("ascii", "replace")) if stamps else None
    return (to_micros(moment) or 0) if moment else found.mtime_ns // 1000


def first_cwd(path: str) -> str | None:
    """The first folder that the head of a transcript names, found without parsing a line."""
    try:
        with contextlib.closing(open_transcript(path)) as file:
            head = file.read(1 << 16)
    except (TranscriptUnreadable, OSError, EOFError):
        return None
    found = CWD.search(head)
    if found is None:
        return None
    try:
        cwd = json.loads(found[1])
    except ValueError:
        return None
    return cwd if isinstance(cwd, str) else None
