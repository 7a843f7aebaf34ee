"""The project of a session, looked up: `identity` decided it before and wrote down what its answer rests on.

A row counts only while the files it rests on are as they were. Where no row says anything the answer is UNKNOWN, never
a guess: the session is then told so, and the worker that is started finds out.
"""

import os
import sqlite3

from .. import gitdir

HOLDING = ("checkout", "worktree", "declared", "undeclared")
"""Kinds of folders of which everything is that lay below, also when they are gone."""
UNKNOWN = None
NONE = ""


def find_project(
    db: sqlite3.Connection, home: str, user_home: str, cwd: str | None, environment: dict[str, str]
) -> str | None:
    """The key of the project of `cwd` for a session with this environment; NONE, or UNKNOWN."""
    meta = dict(db.execute("SELECT name, value FROM meta WHERE name IN ('config', 'scratch', 'declared')"))
    if meta.get("config") != gitdir.stamp_of(home + "/config.toml"):
        return UNKNOWN
    named = environment.get("BRAINPROJ_PROJECT")
    if named:
        return row_at(db, "env:" + named)
    swarm = environment.get("AGENTIHOOKS_SWARM")
    if swarm:
        found = row_at(db, "swarm:" + swarm)
        if found != NONE:
            return found
    return _of_folder(db, meta, os.path.realpath(user_home), cwd)


def _of_folder(db: sqlite3.Connection, meta: dict[str, str], user_home: str, cwd: str | None) -> str | None:
    if not cwd or "\0" in cwd or not os.path.isabs(cwd):
        return NONE
    real = os.path.realpath(cwd)
    if not os.path.isdir(real):
        return _of_vanished(db, real)
    try:
        checkout = gitdir.find_checkout(real, user_home)
    except gitdir.GitUnreadable:
        return row_at(db, "unreadable:" + real)
    if meta.get("declared") == "1":
        if checkout is not None and checkout.linked:
            return row_at(db, "exactly:" + real)  # a folder declared in the main checkout counts here too
        declared, path = _declared(db, real)
        if declared is not None and (checkout is None or len(path) >= len(checkout.top)):
            return declared
    if checkout is not None:
        found = row_at(db, "scratchrepo:" + checkout.top)
        if found is UNKNOWN:
            found = row_at(db, checkout.top, ("checkout", "worktree"))
        if found is UNKNOWN and checkout.linked and not os.path.lexists(checkout.git_dir + "/config.worktree"):
            found = row_at(db, "common:" + checkout.common_dir)
        if found is UNKNOWN and any(_is_closed(path) for path in gitdir.config_paths(checkout)):
            found = row_at(db, "unreadable:" + real)
        return found
    scratch = meta.get("scratch", "")
    if scratch and real.startswith(scratch + "/"):
        parts = real[len(scratch) + 1 :].split("/")
        if len(parts) >= 2:
            return row_at(db, "scratch:" + parts[0])
    return NONE


def _is_closed(path: str) -> bool:
    """Whether there is something that cannot be read as a file."""
    return os.path.lexists(path) and not (os.path.isfile(path) and os.access(path, os.R_OK))


def _of_vanished(db: sqlite3.Connection, real: str) -> str | None:
    """What is known of a folder that is gone: of itself, else of the nearest checkout or declared folder it lay in."""
    found = row_at(db, "gone:" + real)
    if found is not UNKNOWN:
        return found
    path = real
    while True:
        row = db.execute("SELECT kind, project FROM places WHERE path = ?", (path,)).fetchone()
        if row and (row[0] in HOLDING or (path == real and row[0] != "listed")):
            return str(row[1])
        parent = os.path.dirname(path)
        if parent == path:
            return UNKNOWN
        path = parent


def _declared(db: sqlite3.Connection, real: str) -> tuple[str | None, str]:
    """(key, path) of the deepest declared folder that holds `real`."""
    path = real
    while True:
        row = db.execute(
            "SELECT project FROM places WHERE path = ? AND kind IN ('declared', 'listed')", (path,)
        ).fetchone()
        if row:
            return row[0], path
        parent = os.path.dirname(path)
        if parent == path:
            return None, ""
        path = parent


def row_at(db: sqlite3.Connection, path: str, kinds: tuple[str, ...] = ()) -> str | None:
    """The project of a row (of these kinds) whose stamp still holds; NONE where it says so, else UNKNOWN."""
    row = db.execute("SELECT project, stamp, kind FROM places WHERE path = ?", (path,)).fetchone()
    if row is None or (kinds and row[2] not in kinds) or not gitdir.stamps_hold(row[1]):
        return UNKNOWN
    return str(row[0])
