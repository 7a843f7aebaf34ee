"""Addresses of what is stored, and how they are written and read.

`SESSION8/EVENT12[@rev][:from-to]`: the first letters of a session's id, an event's id, perhaps a revision and a span
of its text (code points, half open). `rec:12`, `arc:<12 letters>`, `task:SLUG`, `doc:12`, `commit:<hash>` and
`brain:<12 letters>` (what a brain said) address the rest. Anything else is the beginning of a session's id.
"""

import re
from dataclasses import dataclass

SESSION_LETTERS = 8
EVENT = re.compile(
    r"(?:(?P<session>.*)/)?(?P<event>[a-z2-7]{4,12})(?:@(?P<revision>\d{1,9}))?(?::(?P<start>\d{1,9})-(?P<end>\d{1,9}))?",
    re.DOTALL,
)
OTHER = re.compile(r"(?P<what>rec|arc|task|doc|commit|brain):(?P<id>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class EventCitation:
    """A passage of an event; `session` is the beginning of its session's id."""

    session: str | None
    event: str
    revision: int | None = None
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class OtherCitation:
    """A record, arc, task, document or commit, or what a brain said."""

    what: str
    id: str


@dataclass(frozen=True, slots=True)
class SessionCitation:
    """A session, by the beginning of its id."""

    beginning: str


Citation = EventCitation | OtherCitation | SessionCitation


def parse_citation(text: str) -> Citation:
    """What an address means; any text means something, whether it exists or not."""
    text = text.strip().strip("[]")
    if other := OTHER.fullmatch(text):
        return OtherCitation(other["what"], other["id"])
    found = EVENT.fullmatch(text)
    if found and (found["session"] is not None):
        span = (int(found["start"]), int(found["end"])) if found["start"] else None
        revision = int(found["revision"]) if found["revision"] else None
        return EventCitation(found["session"], found["event"], revision, span)
    return SessionCitation(text)


def render_event(session_id: str, event_id: str, revision: int = 1, span: tuple[int, int] | None = None) -> str:
    """The address of an event; the revision is written where it is not the first."""
    text = f"{session_id[:SESSION_LETTERS]}/{event_id}"
    if revision > 1:
        text += f"@{revision}"
    return text + (f":{span[0]}-{span[1]}" if span else "")
