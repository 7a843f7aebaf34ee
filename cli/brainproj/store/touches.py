"""Calls of tools, for `who`: those in somebody's sessions, and those that hold a file's name."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..core.events import Flag, Kind
from ..core.query import match_expression
from . import codes, texts
from .search import Filter, list_holders

CALL = codes.KINDS[Kind.TOOL_CALL]
COUNTED = f"e.kind = {CALL} AND e.body IS NOT NULL AND NOT e.flags & {int(Flag.ECHO)}"


class Call(NamedTuple):
    """A call of a tool. session: the number of its row. at: microseconds."""

    session: int
    code: int
    revision: int
    at: int | None
    text: str


def iter_calls(db: sqlite3.Connection, sessions: Sequence[int], limit: int) -> Iterator[Call]:
    """The calls in these sessions, one session after the other, the newest of each first; so many at most."""
    left = limit
    for session in sessions:
        rows = db.execute(
            f"SELECT e.session, e.code, e.revision, e.at, e.body FROM events e WHERE e.session = ? AND {COUNTED}"
            " ORDER BY e.id DESC LIMIT ?",
            (session, left),
        ).fetchall()
        yield from _with_texts(db, rows)
        left -= len(rows)
        if left <= 0:
            return


def list_calls_naming(db: sqlite3.Connection, projects: tuple[int, ...], file: str, limit: int) -> list[Call]:
    """The calls in these projects whose text holds the words of a file's name, the newest first."""
    expression = match_expression(f'"{file}"')
    if expression is None:
        return []
    found: list[Call] = []
    for body in list_holders(db, expression, Filter(projects, kinds=(Kind.TOOL_CALL.value,)), limit):
        rows = db.execute(
            f"SELECT e.session, e.code, e.revision, e.at, e.body FROM events e WHERE e.body = ? AND {COUNTED}"
            " ORDER BY e.id DESC LIMIT ?",
            (body, limit),
        ).fetchall()
        found += _with_texts(db, rows)
    return sorted(found, key=lambda call: -(call.at or 0))


def _with_texts(db: sqlite3.Connection, rows: Sequence[tuple[int, int, int, int | None, int]]) -> Iterator[Call]:
    found = texts.read_texts(db, (row[4] for row in rows))
    return (Call(*row[:4], found.get(row[4], "")) for row in rows)
