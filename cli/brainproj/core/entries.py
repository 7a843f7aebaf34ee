"""Entries of a fleet's feed: their fields, how a feed file is read, and their text as a session may be given it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from .block import safe_text
from .text import clip, printable

SEVERITIES = ("nuclear", "critical", "alert", "warning", "info", "resolved")
"""The most urgent first (formats/agentihooks.md 1.5)."""
ALERTS = frozenset({"nuclear", "critical"})
EMPTY_BODIES = frozenset({"no active signals.", "no inject blocks.", "no data.", "none.", "no recent lessons."})
FIELD = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:[ \t]*(.*)")
TITLE_LIMIT = 200
"""Characters of an id or title that are shown."""
DEFAULT_PRIORITY = 5
DEFAULT_TTL_S = 3600


@dataclass(frozen=True, slots=True)
class Entry:
    """One item of a feed. expires_at None: it stays until it is taken away. source: which brain it is from."""

    id: str
    title: str
    content: str
    priority: int
    severity: str
    source: str
    expires_at: datetime | None
    metadata: Mapping[str, str]

    @property
    def is_alert(self) -> bool:
        """Whether a session is to hear of it at its very next moment."""
        return self.severity in ALERTS


def parse_feed_file(text: str, stem: str, source: str, written_at: datetime, default_ttl_s: int | None) -> Entry | None:
    """The entry in a feed file; None where it has no body, or one that says there is nothing.

    Format: flat frontmatter between two lines of dashes, then the body (formats/kernel.md 3); without frontmatter all
    of it is the body. `ttl` counts from when the file was written.
    """
    metadata, body = _split(text)
    if not body or body.lower() in EMPTY_BODIES:
        return None
    entry_id = metadata.get("id") or stem
    severity = metadata.get("severity", "info").lower()
    ttl_s = _number(metadata.get("ttl"), default_ttl_s)
    return Entry(
        id=entry_id,
        title=metadata.get("title") or entry_id,
        content=body,
        priority=_number(metadata.get("priority"), DEFAULT_PRIORITY) or 0,
        severity=severity if severity in SEVERITIES else "info",
        source=source,
        expires_at=None if ttl_s is None else _after(written_at, ttl_s),
        metadata=metadata,
    )


def _split(text: str) -> tuple[dict[str, str], str]:
    lines = text.lstrip("\ufeff").splitlines()
    if not lines or lines[0].strip() != "---":
        return {}, text.strip()
    metadata: dict[str, str] = {}
    for number, line in enumerate(lines[1:], 1):
        if line.strip() == "---":
            return metadata, "\n".join(lines[number + 1 :]).strip()
        if found := FIELD.fullmatch(line.strip()):
            metadata[found[1].lower()] = found[2].strip().strip("\"'")
    return {}, text.strip()


def _after(moment: datetime, seconds: int) -> datetime | None:
    """The end of an entry; None for one beyond all calendars."""
    try:
        return moment + timedelta(seconds=min(max(seconds, 0), 10**9))
    except OverflowError:
        return None


def _number(text: str | None, default: int | None) -> int | None:
    try:
        return int(text) if text else default
    except ValueError:
        return default


def render_entry(entry: Entry, limit_bytes: int) -> str:
    """An entry as lines of plain text behind its title, at most `limit_bytes` long; what is cut is said."""
    severity = "" if entry.severity == "info" else f" · {entry.severity}"
    lines = [f"[{clip(safe_text(entry.id), TITLE_LIMIT)}] {clip(safe_text(entry.title), TITLE_LIMIT)}{severity}"]
    room = limit_bytes - len(lines[0].encode())
    body = [line for line in printable(entry.content).splitlines() if line.strip()]
    for place, raw in enumerate(body):
        line = _safe_line(clip(raw, limit_bytes))
        cost = len(line.encode()) + 1
        if cost > room - (80 if place + 1 < len(body) else 0):
            lines.append(f"… {len(body) - place} more lines were cut")
            break
        if line:
            lines.append(line)
            room -= cost
    return "\n".join(lines)


def _safe_line(line: str) -> str:
    """A line that is nothing but text; a heading becomes a line like the others."""
    return safe_text(line.lstrip("# ") if line.startswith("#") else line)
