"""Sharing: a person lets a signal of one project reach every session on this machine, or takes that back."""

import sqlite3
from datetime import datetime

from .core.records import Act, Deed, Status
from .core.times import to_micros
from .errors import NotFound, Refused
from .store.database import transaction
from .store.records import StoredRecord, keep_act, list_records


def find_signal(db: sqlite3.Connection, address: str) -> StoredRecord:
    """The signal at an address. Raises NotFound, Refused for a record of another kind."""
    number = address.removeprefix("rec:")
    found = list_records(db, None, int(number)) if number.isascii() and number.isdecimal() and len(number) < 15 else []
    if not found:
        raise NotFound(f"there is no record {address}", hint="see `brainproj records --kind signal`")
    if found[0].kind != "signal":
        raise Refused(
            f"{address} is a {found[0].kind}",
            detail="Only a signal can be shared: a project's lessons and decisions stay in it.",
        )
    return found[0]


def share_signal(db: sqlite3.Connection, record: StoredRecord, act: Act, now: datetime) -> None:
    """Let a signal reach every session."""
    at = to_micros(now) or 0
    with transaction(db):
        db.execute("INSERT OR IGNORE INTO shares VALUES(?,?,?,?)", (record.code, at, act.who, act.terminal))
        keep_act(db, record.id, Status(record.status), Deed.SHARED, act, at)


def unshare_signal(db: sqlite3.Connection, record: StoredRecord, act: Act, now: datetime) -> None:
    """Let a signal be its project's alone again."""
    with transaction(db):
        db.execute("DELETE FROM shares WHERE code = ?", (record.code,))
        keep_act(db, record.id, Status(record.status), Deed.UNSHARED, act, to_micros(now) or 0)
