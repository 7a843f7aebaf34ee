"""Being the one writer, and having room to write."""

import contextlib
import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from .errors import DiskFull, StoreLocked
from .paths import Paths
from .store import database

FREE_BYTES_NEEDED = 500_000_000
"""Reading stops below this: a full disk hurts the agent more than a gap in its memory."""
LOCK_WAIT_S = 5.0
"""How long a command waits for another writer."""


def need_room(home: Path) -> None:
    """Raise DiskFull while too little space is left to go on."""
    free = database.free_bytes(home)
    if free < FREE_BYTES_NEEDED:
        raise DiskFull(
            f"only {free / 1e6:,.0f} MB are left where {home} is",
            detail=f"Reading stops below {FREE_BYTES_NEEDED / 1e6:,.0f} MB; what was read so far is stored.",
            hint="free some space and run it again: it goes on from here",
        )


@contextlib.contextmanager
def writing(paths: Paths, db: sqlite3.Connection) -> Iterator[None]:
    """One transaction of the one writer. Raises StoreLocked, StoreUnusable."""
    with locked(paths.ingest_lock, doing="writing"), database.short_transaction(paths.brain_db, db):
        yield


@contextlib.contextmanager
def locked(path: Path, wait_s: float = LOCK_WAIT_S, doing: str = "reading transcripts") -> Iterator[None]:
    """Be the one writer. Raises StoreLocked when another one is still at it after `wait_s`."""
    with database.explained(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise StoreLocked(
                        f"another brainproj is {doing} just now",
                        detail=f"It still held {path} after {wait_s:.0f} seconds.",
                        hint="run this again when it is done",
                    ) from None
                time.sleep(0.05)
        yield
    finally:
        os.close(descriptor)
