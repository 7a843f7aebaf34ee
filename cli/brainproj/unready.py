"""Taking texts out of what is ready: after something was forgotten, or a rule of redaction hides more."""

import sqlite3

from .config import Config
from .cursor_rule import remove_rule
from .paths import Paths
from .places import Places
from .store.items import erase_items
from .store.seen import list_seen


def erase_ready(paths: Paths, config: Config) -> None:
    """Leave no text in ready.db, Cursor's rule files, the spool and the hook's log; the next refresh makes them anew.

    A ready.db that cannot be cleaned is deleted: losing it costs each session one repeated block.
    """
    for path in (paths.spool_path, paths.log_path.with_name("hook.log"), paths.log_path.with_name("hook.log.1")):
        path.unlink(missing_ok=True)
    if not paths.ready_db.exists():
        return
    db = Places(paths, config).open()
    try:
        if db is None:
            raise sqlite3.OperationalError("it cannot be opened")
        for folder in {row.cwd for row in list_seen(db) if row.agent == "cursor" and row.cwd}:
            remove_rule(folder)
        erase_items(db)
    except sqlite3.Error:
        for part in ("", "-wal", "-shm"):
            paths.ready_db.with_name(paths.ready_db.name + part).unlink(missing_ok=True)
    finally:
        if db is not None:
            db.close()
