"""ready.db: what hooks look up and write down. Texts rendered beforehand, who may have them, who had them.

It can be made anew at any time: losing it costs one repeated block. Hooks import this module (only `os` and
`sqlite3`); what fills the file is `publish.py`. All moments are microseconds since 1970, UTC.

A verdict says who gets an item in a scope: NULL nobody, '*' every session, else the key of the one project.
"""

import os
import sqlite3

SCHEMA = 3
"""Raised with any change: a ready.db of another number is made anew, never migrated."""
LOCK_WAIT_S = 0.1
"""How long a hook waits for another writer, in all; then it does without and leaves a line in the spool."""
TABLES = """
-- config: the stamp of config.toml all of this was decided with. scope: the one for all projects. scratch: the real
-- scratch root. declared: '1' where folders are declared. tool_calls, memory_ttl_s, block_bytes: settings.
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- What the rules of identity decided. path: a checkout's top, a declared folder, a folder that is gone, or
-- 'common:DIR', 'scratch:NAME', 'env:TEXT', 'swarm:SLUG'. project '' : none. stamp: files and their times; when one
-- differs the row no longer counts.
CREATE TABLE places(
  path TEXT PRIMARY KEY, kind TEXT NOT NULL, project TEXT NOT NULL, stamp TEXT NOT NULL) WITHOUT ROWID;

-- shown: the name as it may stand in a frame. scope NULL: that for all.
CREATE TABLE projects(
  key TEXT PRIMARY KEY, shown TEXT NOT NULL, scope TEXT, rendered_at INTEGER NOT NULL) WITHOUT ROWID;

-- hash: of the content. kind: block, record, entry. records: of a block, a digest of the records in it.
-- heading: of a record, its line in the frame; of a block, the swarm whose sessions it is for, '' for all. source: of
-- an entry, which brain it is from. origin: the session that said it. place: the lower the sooner. at: when it was
-- said; ready_at: since when a session can be given it.
CREATE TABLE items(
  hash TEXT PRIMARY KEY, id TEXT NOT NULL, kind TEXT NOT NULL, project TEXT, title TEXT NOT NULL, text TEXT NOT NULL,
  heading TEXT NOT NULL DEFAULT '', source TEXT NOT NULL DEFAULT '', severity TEXT NOT NULL DEFAULT 'info',
  is_memory INTEGER NOT NULL DEFAULT 0, is_alert INTEGER NOT NULL DEFAULT 0, records TEXT NOT NULL DEFAULT '',
  origin TEXT NOT NULL DEFAULT '', strict TEXT, ranked TEXT, off TEXT, place INTEGER NOT NULL DEFAULT 0,
  at INTEGER NOT NULL DEFAULT 0, expires_at INTEGER, why TEXT NOT NULL DEFAULT '', ready_at INTEGER NOT NULL DEFAULT 0);
CREATE INDEX items_of_project ON items(project, kind);
CREATE INDEX items_strict ON items(strict, place) WHERE kind <> 'block';
CREATE INDEX items_ranked ON items(ranked, place) WHERE kind <> 'block';
CREATE INDEX items_off ON items(off, place) WHERE kind <> 'block';
CREATE INDEX alerts ON items(place) WHERE is_alert;

-- What a session itself had, for the moment after its compaction; nobody else is given it.
CREATE TABLE recaps(
  agent TEXT NOT NULL, session_id TEXT NOT NULL, hash TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY(agent, session_id)) WITHOUT ROWID;

-- Sessions as hooks saw them; agent_id '' is the session itself. project NULL: not known yet, '' none. told_at: when it
-- got its block, told: the records in it. calls: tool calls. epoch: a compaction begins a new one.
CREATE TABLE seen(
  agent TEXT NOT NULL, session_id TEXT NOT NULL, agent_id TEXT NOT NULL, project TEXT, cwd TEXT, transcript TEXT,
  scope TEXT, moment TEXT NOT NULL, epoch INTEGER NOT NULL DEFAULT 0, calls INTEGER NOT NULL DEFAULT 0, told_at INTEGER,
  told TEXT, started_at INTEGER NOT NULL, last_at INTEGER NOT NULL, ended_at INTEGER, pid INTEGER, pid_start TEXT,
  swarm TEXT, task TEXT, lane TEXT, agent_name TEXT, named TEXT,
  PRIMARY KEY(agent, session_id, agent_id)) WITHOUT ROWID;

CREATE TABLE delivered(
  agent TEXT NOT NULL, session_id TEXT NOT NULL, agent_id TEXT NOT NULL, epoch INTEGER NOT NULL, hash TEXT NOT NULL,
  at INTEGER NOT NULL, moment TEXT NOT NULL, PRIMARY KEY(agent, session_id, agent_id, epoch, hash)) WITHOUT ROWID;

-- What the worker is to do. what: transcript (value: its path), folder (value: JSON of folder, named project, swarm),
-- project (value: its key), fleet, rule (value: a folder that Cursor works in).
CREATE TABLE wanted(
  what TEXT NOT NULL, agent TEXT NOT NULL, value TEXT NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY(what, agent, value)) WITHOUT ROWID;

-- Who works: a claim older than CLAIM_S is free again, since its holder was killed.
CREATE TABLE claims(name TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
"""
CLAIM_S = 30
SCOPE_COLUMNS = {"strict": "strict", "rank": "ranked", "off": "off"}


class ReadyUnusable(Exception):
    """There is no ready.db, or it is damaged or another version's: whoever may write makes it anew."""


def connect(path: str, wait_s: float = LOCK_WAIT_S) -> sqlite3.Connection:
    """A connection to an existing ready.db of this schema. Raises ReadyUnusable, sqlite3.OperationalError (locked)."""
    mode = "rw" if os.access(os.path.dirname(path), os.W_OK) and os.access(path, os.W_OK) else "ro&immutable=1"
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    try:
        db = sqlite3.connect(f"file:{quoted}?mode={mode}", uri=True, timeout=wait_s, isolation_level=None)
    except sqlite3.OperationalError as error:
        raise ReadyUnusable(str(error)) from error
    try:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version != SCHEMA:
            raise ReadyUnusable(f"schema {version}")
        db.execute("PRAGMA synchronous=off")  # a lost write costs a repeated line
    except sqlite3.DatabaseError as error:
        db.close()
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            raise
        raise ReadyUnusable(str(error)) from error
    except ReadyUnusable:
        db.close()
        raise
    return db


def make(db: sqlite3.Connection) -> None:
    """Give an empty database the tables."""
    db.executescript(TABLES)
    db.execute(f"PRAGMA user_version={SCHEMA}")
