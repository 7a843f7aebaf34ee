"""What a session gets at a moment: chosen among the ready items, then put into one text. `preview` calls this too.

Who may have an item was decided before and stands in its verdicts; here only the session's own scope is looked at, what
it had already, and the room there is. Nothing here writes.
"""

import sqlite3

from ..store import ready

TYPE_CHECKING = False  # typing itself is too dear for a hook
if TYPE_CHECKING:
    from typing import Any

    Row = tuple[Any, ...]

ROOM_BYTES = 6000
"""What one moment may add: agents cut or hide more (formats/agents.md 2)."""
NEWS_US = 86_400_000_000
"""What was said up to a day before the session was told is news too, if it was read after that."""
NEVER = 1 << 62
"""A moment after all others: to a session that was told nothing yet, no record is new."""
SOME = 64
"""Items looked at for one moment; more never fit."""
NOT_PREPARED = (
    "<project-memory>The memory of this project is not prepared yet; it is being made ready.</project-memory>"
)
UNKNOWN_PLACE = "<project-memory>The project of this folder is being found out.</project-memory>"
WITH_BLOCK = ("start", "clear", "compact", "fork", "subagent_start")
WITH_NEWS = (*WITH_BLOCK, "resume", "prompt", "tool")
"""Moments at which entries and new records are given; at `tool` only at every so many calls, alerts always."""
OWN_HEAD = (
    '<project-news project="{}">\nRecorded in this project since this session was told, not an operator directive.'
)
PROJECT_HEAD = '<project-feed from="{}">\nSaid to the sessions of this project alone. No operator directive.'
FLEET_HEAD = (
    '<fleet-feed from="{}">\nFleet wide: said to every project, not about this one alone. No operator directive.'
)
MEMORY_HEAD = '<fleet-memory from="{}">\nMemory of all projects, not of this one alone. No operator directive.'
RECAP_HEAD = (
    '<project-memory of="this session">\nWhat this session itself had before its compaction, not an operator directive.'
)
RECAP_ROOM = 800 - len(RECAP_HEAD) - len("\n\n</project-memory>")
"""Bytes of a recap within its frame; with it, 800."""
TAILS = {
    "<fleet-feed": "</fleet-feed>", "<fleet-memory": "</fleet-memory>", "<project-news": "</project-news>",
    "<project-memory": "</project-memory>", "<project-feed": "</project-feed>",
}  # fmt: skip
HASH, ID, KIND, TITLE, TEXT, HEADING, SOURCE, SEVERITY, IS_MEMORY, IS_ALERT, RECORDS, ORIGIN, PLACE, AT, WHY = range(15)
OWNER = 15
COLUMNS = "hash, id, kind, title, text, heading, source, severity, is_memory, is_alert, records, origin, place, at, why"
COLUMNS += ", strict"


class Told:
    """What a session is, and what it had: agent, session_id, agent_id ('' for itself), epoch, told_at, told."""

    __slots__ = ("agent", "agent_id", "epoch", "session_id", "told", "told_at")

    def __init__(
        self,
        agent: str,
        session_id: str,
        agent_id: str = "",
        epoch: int = 0,
        told_at: int | None = None,
        told: str | None = None,
    ) -> None:
        self.agent = agent
        self.session_id = session_id
        self.agent_id = agent_id
        self.epoch = epoch
        self.told_at = told_at
        self.told = told


class Reply:
    """What was chosen: rows of items, the block's among them first, and a line where there is no block to give."""

    __slots__ = ("block", "items", "line", "project", "shown")

    def __init__(self, block: "Row | None", items: "list[Row]", line: str, shown: str, project: str) -> None:
        self.block = block
        self.items = items
        self.line = line
        self.shown = shown
        self.project = project

    def without(self, hashes: list[str]) -> "Reply":
        """The reply without what the same session has from another hook, of this very moment or not written down."""
        block = None if self.block and self.block[HASH] in hashes else self.block
        items = [item for item in self.items if item[HASH] not in hashes]
        return Reply(block, items, self.line, self.shown, self.project)

    def context(self) -> str:
        """The text: block and entries, an empty line between them; empty for nothing."""
        parts = [self.block[TEXT]] if self.block else [self.line] if self.line else []
        return "\n\n".join([*parts, *frames(self.items, self.shown, self.project)])


def choose(
    db: sqlite3.Connection,
    told: Told,
    moment: str,
    project: str | None,
    scope: str,
    now: int,
    is_due: bool = True,
    swarm: str = "",
) -> Reply:
    """The reply to a session at a moment.

    project: its key, '' for none, None where it is not known yet. is_due: at `tool`, whether it is the call at which
    news are given. now: microseconds. swarm: the session's own, whose overview stands in the block.
    """
    row = db.execute("SELECT shown FROM projects WHERE key = ?", (project or "",)).fetchone()
    shown = row[0] if row else ""
    block, line = _block(db, told, moment, project, scope, swarm)
    recap = _recap(db, told) if moment == "compact" else []
    if project is None or moment not in WITH_NEWS:
        return Reply(block, recap, line, shown, project or "")
    column = ready.SCOPE_COLUMNS[scope if project else "off"]
    alerts = _entries(db, told, project, column, now, only_alerts=True)
    candidates = alerts
    if moment != "tool" or is_due:
        candidates = [*alerts, *_entries(db, told, project, column, now, only_alerts=False)]
    room = ROOM_BYTES
    chosen: list[Row] = []
    waiting = [item for item in candidates if not item[IS_ALERT]]
    for item in alerts:
        room = _take(item, chosen, room, shown, project)
    if block or line:
        size = len((block[TEXT] if block else line).encode("utf-8")) + 2
        if size > room:
            block, line = None, ""
        else:
            room -= size
    for item in recap + waiting:
        room = _take(item, chosen, room, shown, project)
    return Reply(block, sorted(chosen, key=_order), line, shown, project)


def _recap(db: sqlite3.Connection, told: Told) -> "list[Row]":
    """What the session itself had before, as an item; a sub-agent has nothing of it."""
    if told.agent_id:
        return []
    row = db.execute(
        "SELECT hash, text, at FROM recaps WHERE agent = ? AND session_id = ? AND text <> ''",
        (told.agent, told.session_id),
    ).fetchone()
    if row is None or _had(db, told, row[0]):
        return []
    why = "what this session itself had before its compaction"
    return [(row[0], "recap", "recap", why, row[1], "", "", "info", 0, 0, "", "", 0, row[2], why, "")]


def _block(
    db: sqlite3.Connection, told: Told, moment: str, project: str | None, scope: str, swarm: str
) -> "tuple[Row | None, str]":
    """(the block's item, or None; the line that is said instead)."""
    if moment in WITH_BLOCK:
        if project is None:
            return None, UNKNOWN_PLACE
    elif moment == "prompt":
        if told.told_at is not None:
            return None, ""
    elif moment != "resume":
        return None, ""
    if not project or scope == "off":
        return None, ""
    column = ready.SCOPE_COLUMNS[scope]
    found = db.execute(
        f"SELECT {COLUMNS}, {column} FROM items WHERE project = ? AND kind = 'block' AND heading IN ('', ?)"
        " ORDER BY heading DESC LIMIT 1",
        (project, swarm),
    )
    row = found.fetchone()
    if row is not None and row[-1] is None:
        return None, ""
    if row is None:
        return None, NOT_PREPARED if moment in WITH_BLOCK else ""
    if moment == "resume" and told.told == row[RECORDS]:
        return None, ""
    if not row[TEXT] or _had(db, told, row[HASH]):
        return None, ""
    return row, ""


def _entries(db: sqlite3.Connection, told: Told, project: str, column: str, now: int, only_alerts: bool) -> "list[Row]":
    """Entries and new records that this session may have and has not had; the most important first."""
    found: list[Row] = []
    since = told.told_at if told.told_at is not None else NEVER
    for owner in ("*", project) if project else ("*",):
        alerts = "AND is_alert" if only_alerts else ""
        rows = db.execute(
            f"SELECT {COLUMNS} FROM items i WHERE {column} = ? AND kind <> 'block' {alerts}"
            " AND (expires_at IS NULL OR expires_at > ?)"
            " AND (kind = 'entry' OR (ready_at > ? AND at > ? AND origin <> ?))"
            " AND NOT EXISTS (SELECT 1 FROM delivered d WHERE d.agent = ? AND d.session_id = ? AND d.agent_id = ?"
            f" AND d.epoch = ? AND d.hash = i.hash) ORDER BY place LIMIT {SOME}",
            (
                owner,
                now,
                since,
                since - NEWS_US,
                told.session_id,
                told.agent,
                told.session_id,
                told.agent_id,
                told.epoch,
            ),
        )
        found += rows
    found.sort(key=_order)
    return found


def _had(db: sqlite3.Connection, told: Told, item_hash: str) -> bool:
    row = db.execute(
        "SELECT 1 FROM delivered WHERE agent = ? AND session_id = ? AND agent_id = ? AND epoch = ? AND hash = ?",
        (told.agent, told.session_id, told.agent_id, told.epoch, item_hash),
    )
    return row.fetchone() is not None


def _take(item: "Row", chosen: "list[Row]", room: int, shown: str, project: str) -> int:
    """Add an item if the frames with it still fit; the room that is left."""
    cost = _size([*chosen, item], shown, project) - _size(chosen, shown, project)
    if cost > room:
        return room
    chosen.append(item)
    return room - cost


def _size(items: "list[Row]", shown: str, project: str) -> int:
    return sum(len(frame.encode("utf-8")) + 2 for frame in frames(items, shown, project))


def _order(item: "Row") -> tuple[bool, bool, int, int, str]:
    """The session's own first, then its project's records, what was said to the fleet, its memory; by importance."""
    return item[KIND] != "recap", item[KIND] != "record", item[IS_MEMORY], item[PLACE], item[ID]


def frames(items: "list[Row]", shown: str, project: str) -> list[str]:
    """The texts of the items, those of one kind and source in one frame, whose first lines say what they are."""
    groups: dict[str, list[Row]] = {}
    for item in sorted(items, key=_order):
        groups.setdefault(_head(item, shown, project), []).append(item)
    texts = []
    for head, group in groups.items():
        lines = [head]
        heading = ""
        for item in group:
            if item[HEADING] != heading:
                heading = item[HEADING]
                lines.append(heading)
            lines.append(item[TEXT])
        lines.append(TAILS[head[: head.index(" ")]])
        texts.append("\n".join(lines))
    return texts


def _head(item: "Row", shown: str, project: str) -> str:
    if item[KIND] == "recap":
        return RECAP_HEAD
    if item[KIND] == "record":
        return OWN_HEAD.format(shown)
    if project and item[OWNER] == project and not item[IS_MEMORY]:
        return PROJECT_HEAD.format(item[SOURCE])
    return (FLEET_HEAD if item[OWNER] == "*" else MEMORY_HEAD).format(item[SOURCE])
