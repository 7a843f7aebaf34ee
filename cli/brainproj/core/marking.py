"""A marker as it is sent to a kernel: its body, and the key by which the kernel knows it again.

Format: formats/kernel.md 4 and formats/agentihooks.md 3.3. The kernel writes texts and attributes into files as they
are, and runs what a marker inside another's text asks it to verify; so no tag and no line break leaves this machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import NAMESPACE_URL, uuid5

from .markers import neutralise_markers
from .text import clip, one_line

CONTENT_LETTERS = 4096
"""Characters that the kernel takes of a text."""
TITLE_LETTERS = 80
ATTRIBUTE_LETTERS = 400
TITLED = ("decision", "signal")
"""Kinds whose title stands in frontmatter: without one the kernel takes the first 80 characters, line breaks too."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a marker was said. None: not known, or there is none. said_at: ISO 8601."""

    session_id: str
    agent_id: str | None
    agent: str
    source: str | None
    project: str | None
    project_key: str | None
    remote: str | None
    worktree: str | None
    branch: str | None
    cwd: str | None
    said_at: str | None


def idempotency_key(session_id: str, kind: str, text: str) -> str:
    """The key that agentihooks' own writer makes too: whichever of the two sends a marker, it is written once."""
    return uuid5(NAMESPACE_URL, f"{session_id}-{kind}-{text}").hex


def make_body(
    kind: str, text: str, spoken: Mapping[str, object], origin: Origin, *, with_paths: bool
) -> dict[str, object]:
    """The body of `POST /marker`. spoken: what the model wrote as attributes; never overwritten, unless it is empty."""
    attributes = {name: _clean(str(value)) for name, value in spoken.items() if value not in (None, "")}
    known = {
        "session_id": origin.session_id,
        "agent_id": origin.agent_id,
        "source": origin.source or "agent",
        "agent": origin.agent,
        "project": origin.project,
        "repo": origin.project,
        "project_key": origin.project_key,
        "remote": origin.remote,
        "worktree": origin.worktree,
        "branch": origin.branch,
        "cwd": origin.cwd if with_paths else None,
        "ts": origin.said_at,
    }
    for name, value in known.items():
        if value and name not in attributes:
            attributes[name] = _clean(value)
    if kind in TITLED and "title" not in attributes:
        attributes["title"] = clip(_clean(text), TITLE_LETTERS)
    return {"type": kind, "content": clip(neutralise_markers(text), CONTENT_LETTERS), "attrs": attributes}


def _clean(text: str) -> str:
    """One line that cannot end the frontmatter or the comment that it is written into."""
    return clip(neutralise_markers(one_line(text)).replace("-->", "-- >"), ATTRIBUTE_LETTERS)
