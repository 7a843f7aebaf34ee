"""Going back to a backup: the file is checked first, and the store that is there is moved aside with its log.

What was forgotten since the backup was made is forgotten in it too, and a marker that was sent since is not sent again.
"""

import contextlib
import os
import shutil
import sqlite3
from datetime import datetime
from pathlib import Path

from .core.times import from_micros
from .errors import NotFound, StoreCorrupt, StoreUnusable
from .forget import ASIDE, forget_again
from .locks import locked
from .paths import Paths
from .store.database import explained, open_backup, open_store, transaction
from .store.listing import list_tombstones, oldest_and_latest, store_counts
from .store.outbox import list_done, take_done

PARTS = ("", "-wal", "-shm")
"""A store's files: a log that is left behind would be taken for the next store's."""


def check_backup(backup: Path) -> tuple[dict[str, int], datetime | None]:
    """What a backup holds, and until when. Raises NotFound, StoreUnusable for what is no whole store of ours."""
    if not backup.is_file():
        raise NotFound(f"there is no file {backup}")
    with explained(backup), contextlib.closing(open_backup(backup)) as db:
        said = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if said != "ok":
            raise StoreCorrupt(f"{backup} is damaged: {said}", detail="Nothing was changed.")
        return store_counts(db), from_micros(oldest_and_latest(db)[1])


def restore_backup(paths: Paths, backup: Path, now: datetime) -> Path | None:
    """Put a backup in the store's place; the folder in which the store from before lies now, if there was one."""
    with locked(paths.ingest_lock), explained(paths.brain_db):
        forgotten, done = _read_kept(paths)
        new = paths.brain_db.with_name("brain.db.new")
        shutil.copyfile(backup, new)
        new.chmod(0o600)
        aside = _move_aside(paths, now) if paths.brain_db.exists() else None
        os.replace(new, paths.brain_db)  # noqa: PTH105
    if done:
        with contextlib.closing(open_store(paths.brain_db)) as db, transaction(db):
            take_done(db, done)
    if forgotten:
        with contextlib.closing(open_store(paths.brain_db)) as db:
            forget_again(paths, db, forgotten, now)
        aside = None  # it held what was forgotten
    return aside


def _read_kept(paths: Paths) -> tuple[list[tuple[str, str, int]], list[tuple[object, ...]]]:
    """(what was forgotten, what markers were sent) in the store that is there; nothing where it cannot be read."""
    try:
        with contextlib.closing(open_store(paths.brain_db, write=False)) as db:
            return list_tombstones(db), list_done(db)
    except (StoreUnusable, sqlite3.Error):
        return [], []


def _move_aside(paths: Paths, now: datetime) -> Path:
    aside = paths.home / f"{ASIDE}{now:%Y%m%d-%H%M%S}"
    aside.mkdir(mode=0o700, exist_ok=True)
    for part in PARTS:
        own = paths.brain_db.with_name(paths.brain_db.name + part)
        if own.exists():
            own.rename(aside / own.name)
    return aside
