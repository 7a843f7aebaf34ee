"""The answer of a kernel's `/feed`: its entries, the rows of its table of hot arcs, and whether it is one project's.

Format: formats/kernel.md 3. The server's `hash` is not looked at: it covers 32 letters of each entry, so a changed
table leaves it as it was. A project's own feed is no part of the kernel of today; how one is told is in `scoped_to`.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any

from .entries import DEFAULT_PRIORITY, DEFAULT_TTL_S, EMPTY_BODIES, SEVERITIES, Entry
from .text import clip, encodable

BUCKETS = ("hot_arcs", "inject_blocks", "entries")
ENTRIES_AT_MOST = 200
CONTENT_LETTERS = 100_000
ARC_ID = re.compile(r"[A-Za-z0-9][\w.-]{2,199}")
LESSON_LOG = re.compile(r"lessons-\d{4}-\d{2}-\d{2}\Z")
LINK = re.compile(r"\[\[([^\[\]|\n]{1,300})(?:\|[^\[\]|\n]{0,300})?\]\]")
CELLS = re.compile(r"(?<!\\)\|")
UNKNOWN = "?"
HEAT_MOST = 10
ROWS_AT_MOST = 50
"""A kernel shows ten."""
LINE_LETTERS = 2000
ID_LETTERS, TITLE_LETTERS = 400, 4000
"""Read; a secret that would be cut in half is hidden whole first, and what is shown is shorter."""


@dataclass(frozen=True, slots=True)
class HotRow:
    """A row of the table. status, blurb: as written. project: where the table has such a column."""

    arc_id: str
    heat: int
    status: str
    blurb: str
    project: str | None


@dataclass(frozen=True, slots=True)
class FeedAnswer:
    """A feed. echoed: the project that the answer says it is of, by its key and its name; both empty for none."""

    entries: tuple[Entry, ...]
    echoed_key: str
    echoed_name: str

    @property
    def is_scoped(self) -> bool:
        """Whether the answer says that it is one project's. An old kernel ignores the question and says nothing."""
        return bool(self.echoed_key or self.echoed_name)

    @property
    def digest(self) -> str:
        """Of all that is in it, by us."""
        values = [[one.id, one.title, one.content, one.priority, one.severity] for one in self.entries]
        return blake2b(json.dumps(sorted(values)).encode(), digest_size=12).hexdigest()


def parse_feed(answer: Mapping[str, Any], source: str, now: datetime) -> FeedAnswer:
    """The feed in an answer; what has not the shape of an entry is no entry. An id that comes twice counts once.

    `ttl` counts from `now`, when it was read: the answer does not tell when an entry was written.
    """
    found: dict[str, Entry] = {}
    for bucket in BUCKETS:
        values = answer.get(bucket)
        for value in values[:ENTRIES_AT_MOST] if isinstance(values, list) else []:
            entry = parse_entry(value, source, now) if isinstance(value, dict) else None
            if entry is not None:
                found.setdefault(entry.id, entry)
    key, name = _echo(answer)
    ordered = sorted(found.values(), key=lambda entry: (-entry.priority, entry.id))
    return FeedAnswer(tuple(ordered), key, name)


def parse_entry(value: Mapping[str, Any], source: str, now: datetime) -> Entry | None:
    """One entry; None for what has no id or nothing to say."""
    entry_id = _text(value.get("id")) or _text(value.get("title"))
    content = clip(_text(value.get("content")), CONTENT_LETTERS)
    if not entry_id or not content or content.lower() in EMPTY_BODIES:
        return None
    severity = _text(value.get("severity")).lower()
    ttl_s = min(max(_number(value.get("ttl"), DEFAULT_TTL_S), 0), 10**8)
    return Entry(
        id=clip(entry_id, ID_LETTERS),
        title=clip(_text(value.get("title")) or entry_id, TITLE_LETTERS),
        content=content,
        priority=_number(value.get("priority"), DEFAULT_PRIORITY),
        severity=severity if severity in SEVERITIES else "info",
        source=source,
        expires_at=now + timedelta(seconds=ttl_s),
        metadata=_label(value),
    )


UNREADABLE = "a project in words that cannot be read"
NAMES = {"project": "project", "repo": "project", "project_key": "key", "key": "key", "remote": "remote"}
"""Members that may say whose an entry is, and what each of them says."""


def _label(value: Mapping[str, Any]) -> dict[str, str]:
    """Whose an entry says it is, as `project`, `key` and `remote`; the rest of its metadata is nobody's concern.

    A label that cannot be read is still a label: such an entry is for nobody rather than for everybody.
    """
    found: dict[str, str] = {}
    holders = [value.get("metadata"), value]
    for holder in holders:
        if not isinstance(holder, dict):
            continue
        said = {str(name).lower(): one for name, one in holder.items()}
        project = said.get("project")
        if isinstance(project, dict):
            said |= {name: project.get(member) for name, member in (("project", "name"), ("project_key", "key"))}
        for name, what in NAMES.items():
            if holder is value and name in ("key", "repo", "remote"):
                continue
            one = said.get(name)
            if one not in (None, "", [], {}):
                found.setdefault(what, clip(_text(one), ID_LETTERS) or UNREADABLE)
    return found


ALERT_ID, ALERT_PRIORITY, ALERT_TTL_S = "amygdala-active", 100, 300
"""As the kernel gives an alert in its feed (formats/kernel.md 3)."""


def parse_signal(answer: Mapping[str, Any], source: str, now: datetime) -> Entry | None:
    """The alert in an answer of `/signal`; None while there is none."""
    if answer.get("active") is not True:
        return None
    severity = _text(answer.get("severity")).lower()
    value = {
        "id": ALERT_ID,
        "title": answer.get("title"),
        "content": answer.get("content"),
        "priority": ALERT_PRIORITY,
        "ttl": ALERT_TTL_S,
        "severity": severity if severity in SEVERITIES else "critical",
    }
    return parse_entry(value, source, now)


def hot_rows(entries: tuple[Entry, ...]) -> tuple[HotRow, ...]:
    """The rows of the tables of hot arcs, hottest first as written; those that cannot be arcs left out.

    The keeper takes its own logs of lessons for arcs, and shows `?` for what has no frontmatter (formats/kernel.md 3).
    """
    found: dict[str, HotRow] = {}
    for entry in entries:
        if entry.id.lower().startswith("hot-arcs"):
            for row in _table(entry.content):
                found.setdefault(row.arc_id, row)
    return tuple(found.values())


def without_rows(content: str, is_gone: Callable[[str], bool]) -> str:
    """A table of hot arcs without the rows of some arcs."""
    if "|" not in content:
        return content
    return "\n".join(line for line in content.split("\n") if not is_gone(_first_cell(line)))


def _first_cell(line: str) -> str:
    cells = CELLS.split(LINK.sub(r"\1", line[:LINE_LETTERS]).strip().strip("|"), maxsplit=1)
    return cells[0].strip("` ")


def _table(content: str) -> list[HotRow]:
    rows: list[HotRow] = []
    names: list[str] = []
    for line in content.splitlines():
        if len(rows) == ROWS_AT_MOST:
            break
        if not line.strip().startswith("|") or len(line) > LINE_LETTERS:
            names = []
            continue
        cells = [cell.strip().replace("\\|", "|") for cell in CELLS.split(LINK.sub(r"\1", line).strip().strip("|"))]
        if not names:
            names = [cell.lower() for cell in cells]
        elif names[0].startswith("arc") and "heat" in names:
            row = _row(dict(zip(names, cells, strict=False)), names[0])
            if row is not None:
                rows.append(row)
    return rows


def _row(cells: Mapping[str, str], first: str) -> HotRow | None:
    arc_id = cells.get(first, "").strip("` ")
    is_known = UNKNOWN not in (cells.get("region", ""), cells.get("status", ""))
    if not ARC_ID.fullmatch(arc_id) or LESSON_LOG.match(arc_id) or not is_known or set(arc_id) <= set("-."):
        return None
    blurb = cells.get("what it is") or cells.get("title") or arc_id
    heat = min(max(_number(cells.get("heat"), 0), 0), HEAT_MOST)
    return HotRow(arc_id, heat, cells.get("status", ""), blurb, cells.get("project") or None)


def _echo(answer: Mapping[str, Any]) -> tuple[str, str]:
    """(key, name) of the project that an answer says it is of."""
    said = answer.get("project")
    if isinstance(said, dict):
        return clip(_text(said.get("key")), ID_LETTERS), clip(_text(said.get("name")), ID_LETTERS)
    key = _text(answer.get("project_key")) or _text(answer.get("key"))
    return clip(key, ID_LETTERS), clip(_text(said), ID_LETTERS)


def _text(value: object) -> str:
    return encodable(value).strip() if isinstance(value, str) else ""


def _number(value: object, default: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return default
    try:
        return max(min(int(value), 10**9), -(10**9))
    except ValueError:
        return default
