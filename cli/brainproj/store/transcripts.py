"""Positions: how far each transcript has been read, and what its reader knew there."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

UNFINISHED = -1
"""Stands for the size of a transcript that was not read to its end: no file has it, so it is looked at again."""


@dataclass(slots=True)
class Position:
    """The state of reading one transcript. `session` is the number of its session's row, None while unknown."""

    id: int
    agent: str
    path: str
    inode: int = 0
    size_bytes: int = UNFINISHED
    mtime_ns: int = 0
    offset: int = 0
    lines: int = 0
    generation: int = 0
    start: bytes | None = None
    tail: bytes | None = None
    adapter: int = 0
    state: dict[str, Any] | None = None
    session: int | None = None
    problem: str | None = None
    is_new: bool = field(default=False)

    def restart(self) -> None:
        """Read from the start again; the generation stays, so that the same lines are the same events."""
        self.offset, self.lines, self.state = 0, 0, None


COLUMNS = (
    "id, agent, path, inode, size_bytes, mtime_ns, offset, lines, generation, start, tail, adapter, state, session,"
    " problem"
)


def read_stamps(db: sqlite3.Connection, agent: str) -> set[tuple[str, int, int, int]]:
    """(path, size, time, adapter version) of each transcript read before: enough to see that none changed."""
    return set(db.execute("SELECT path, size_bytes, mtime_ns, adapter FROM transcripts WHERE agent = ?", (agent,)))


def is_stamped(db: sqlite3.Connection, path: str, stamp: tuple[int, int, int]) -> bool:
    """Whether a transcript was read as it is: its size, time and adapter version."""
    row = db.execute("SELECT size_bytes, mtime_ns, adapter FROM transcripts WHERE path = ?", (path,)).fetchone()
    return bool(row == stamp)


def read_position(db: sqlite3.Connection, path: str) -> Position | None:
    """Where reading a transcript goes on."""
    row = db.execute(f"SELECT {COLUMNS} FROM transcripts WHERE path = ?", (path,)).fetchone()
    if row is None:
        return None
    state = json.loads(row[12]) if row[12] else None
    return Position(*(*row[:12], state, row[13], row[14]))


def write_positions(db: sqlite3.Connection, positions: Iterable[Position]) -> None:
    """Store positions; in the same transaction as the events before them."""
    db.executemany(
        f"INSERT OR REPLACE INTO transcripts({COLUMNS}) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            (
                p.id, p.agent, p.path, p.inode, p.size_bytes, p.mtime_ns, p.offset, p.lines, p.generation, p.start,
                p.tail, p.adapter, json.dumps(p.state) if p.state is not None else None, p.session, p.problem,
            )
            for p in positions
        ),
    )  # fmt: skip


def positions_of_inode(db: sqlite3.Connection, agent: str, inode: int) -> list[Position]:
    """The positions of transcripts that were this file: one of them may have been moved."""
    rows = db.execute("SELECT path FROM transcripts WHERE agent = ? AND inode = ?", (agent, inode)).fetchall()
    found = (read_position(db, path) for (path,) in rows)
    return [position for position in found if position is not None]
