"""Ids: their types, and how the ids that we make are made.

An event's id must come out the same after a rebuild and from whichever file the event was read, so it is a digest of
what the agent itself calls the thing. Where a line has no id of its own, its bytes and its place in the transcript
stand in: the same line at the same place is the same event, also after the file was cut short and grew again.
"""

from base64 import b32encode
from hashlib import blake2b
from typing import NewType

SessionId = NewType("SessionId", str)
"""The agent's own id of a session: data from outside, never a file name (cases/27)."""
EventId = NewType("EventId", str)
"""12 lower-case base32 letters, 60 bits."""
ProjectKey = NewType("ProjectKey", str)
"""`host/path`, `local/<name>-<12 hex>`, `scratch/<name>`, or the name of a declared folder."""

EVENT_ID_LETTERS = 12
"""60 bits: a million events collide with odds of one in two million."""


def event_number(*parts: str | int) -> int:
    """The event id of `parts` as a number: (agent, native id, part), else of the line it stands in."""
    digest = blake2b("\0".join(map(str, parts)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 4


def line_mark(raw: bytes) -> str:
    """What tells a line from all others that stood at its place."""
    return blake2b(raw, digest_size=8).hexdigest()


def make_event_id(*parts: str | int) -> EventId:
    """The event id of `parts` in its letters: base32, five bits a letter."""
    digest = (event_number(*parts) << 4).to_bytes(8, "big")
    return EventId(b32encode(digest)[:EVENT_ID_LETTERS].decode("ascii").lower())
