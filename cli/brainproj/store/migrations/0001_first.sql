-- The first schema. What each table is for stands above it; all moments are microseconds since 1970, UTC.

-- Settings of the store itself: 'redaction' is the version of the rules that every stored text has been through.
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- Projects by number; texts and index carry the number, so a key can change without moving an event.
-- merged_into: this one's events belong to that one (a remote appeared, a scratch name was recognised).
-- arcs_are_stale: a session changed since its arcs were made; set with the session, so that a kill leaves it set.
CREATE TABLE projects(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL, remote TEXT, root TEXT,
  merged_into INTEGER REFERENCES projects, arcs_are_stale INTEGER NOT NULL DEFAULT 0, first_seen_at INTEGER NOT NULL);

-- Which project a repository (its common dir) is bound to, and every binding it had before (until_at not null).
CREATE TABLE bindings(
  common_dir TEXT NOT NULL, project INTEGER NOT NULL REFERENCES projects, birth TEXT, bound_at INTEGER NOT NULL,
  until_at INTEGER);
CREATE INDEX bindings_by_dir ON bindings(common_dir);
CREATE INDEX bindings_by_birth ON bindings(birth);

-- Folders that were resolved once, for the time when they are gone. kind: checkout, worktree, declared, folder.
CREATE TABLE places(
  path TEXT PRIMARY KEY, project INTEGER NOT NULL REFERENCES projects, kind TEXT NOT NULL, worktree TEXT,
  seen_at INTEGER NOT NULL) WITHOUT ROWID;

-- The session project index. project null: not attributable, rule and why say for what reason.
-- listed: a transcript of its own was seen (a sub-agent's alone makes no session).
CREATE TABLE sessions(
  id INTEGER PRIMARY KEY, agent TEXT NOT NULL, session_id TEXT NOT NULL, project INTEGER REFERENCES projects,
  rule TEXT, why TEXT, cwd TEXT, worktree TEXT, branch TEXT, model TEXT, title TEXT, has_own_title INTEGER NOT NULL DEFAULT 0,
  parent_id TEXT, forked_from TEXT, prompted_by TEXT, started_at INTEGER, last_at INTEGER, transcript TEXT,
  listed INTEGER NOT NULL DEFAULT 0, compacted INTEGER NOT NULL DEFAULT 0,
  prompts INTEGER NOT NULL DEFAULT 0, tool_calls INTEGER NOT NULL DEFAULT 0, tool_failures INTEGER NOT NULL DEFAULT 0,
  events INTEGER NOT NULL DEFAULT 0, hidden_thinking INTEGER NOT NULL DEFAULT 0,
  UNIQUE(agent, session_id));
CREATE INDEX sessions_by_project ON sessions(project);
-- What every reading looks at again: folders whose sessions have no project yet.
CREATE INDEX sessions_without_project ON sessions(cwd) WHERE project IS NULL AND listed;

-- Later folders of a session, as they happened.
CREATE TABLE session_folders(session INTEGER NOT NULL, path TEXT NOT NULL, PRIMARY KEY(session, path)) WITHOUT ROWID;

-- How far each transcript has been read. start and tail are digests of the first and of the last bytes that were read:
-- when either no longer fits, the file was replaced and a new generation begins.
CREATE TABLE transcripts(
  id INTEGER PRIMARY KEY, agent TEXT NOT NULL, path TEXT NOT NULL UNIQUE, inode INTEGER NOT NULL, size_bytes INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL, offset INTEGER NOT NULL DEFAULT 0, lines INTEGER NOT NULL DEFAULT 0,
  generation INTEGER NOT NULL DEFAULT 0, start BLOB, tail BLOB, adapter INTEGER NOT NULL, state TEXT, session INTEGER,
  problem TEXT);
-- All that a look for new transcripts needs, without the states beside it.
CREATE INDEX transcripts_by_stamp ON transcripts(agent, path, size_bytes, mtime_ns, adapter);

-- One thing that happened. code: the event id as a number of 60 bits. call: pairs a call with its result.
-- kind, speaker, outcome: numbers of store/codes.py. body null: the event has no text.
CREATE TABLE events(
  id INTEGER PRIMARY KEY, code INTEGER NOT NULL, session INTEGER NOT NULL, source INTEGER NOT NULL, place INTEGER NOT NULL,
  at INTEGER, kind INTEGER NOT NULL, speaker INTEGER NOT NULL, outcome INTEGER, flags INTEGER NOT NULL, tool TEXT,
  agent_id TEXT, call INTEGER, body INTEGER, revision INTEGER NOT NULL DEFAULT 1);
CREATE UNIQUE INDEX events_by_code ON events(code);
CREATE INDEX events_by_session ON events(session);
CREATE INDEX events_by_body ON events(body);

-- Earlier revisions of an event's text. body null: the text is gone for good (why says the reason).
CREATE TABLE revisions(
  event INTEGER NOT NULL, revision INTEGER NOT NULL, body INTEGER, until_at INTEGER NOT NULL, why TEXT NOT NULL,
  PRIMARY KEY(event, revision)) WITHOUT ROWID;

-- Texts, stored once per project and class; the full text index has one row for each, under the same number.
-- class: a number that says kind, speaker, failed and hidden (store/codes.py). text: a TEXT, or a BLOB packed by zstd.
CREATE TABLE bodies(
  id INTEGER PRIMARY KEY, digest INTEGER NOT NULL, project INTEGER NOT NULL, class INTEGER NOT NULL, text NOT NULL);
CREATE UNIQUE INDEX bodies_by_digest ON bodies(digest);
CREATE VIRTUAL TABLE words USING fts5(text, tags, content='', tokenize="unicode61 remove_diacritics 2");
INSERT INTO words(words, rank) VALUES('hashsize', 67108864);

-- Complete lines that no adapter knows, and lines that are no JSON object: kept, redacted, given to nobody.
CREATE TABLE gaps(
  source INTEGER NOT NULL, generation INTEGER NOT NULL, place INTEGER NOT NULL, reason TEXT NOT NULL, bad INTEGER NOT NULL,
  text BLOB, PRIMARY KEY(source, generation, place)) WITHOUT ROWID;

-- Things kept on purpose. code: from the event and the marker's number in it, so reading again finds the same record.
CREATE TABLE records(
  id INTEGER PRIMARY KEY, code INTEGER NOT NULL UNIQUE, kind TEXT NOT NULL, status TEXT NOT NULL, project INTEGER,
  session INTEGER, event INTEGER, span_start INTEGER, span_end INTEGER, at INTEGER, title TEXT, body INTEGER NOT NULL, attributes TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1, confirmed_by TEXT);
CREATE INDEX records_by_project ON records(project, kind);
CREATE INDEX records_by_event ON records(event);
CREATE INDEX records_by_body ON records(body);

-- Signals that a person addressed to every session on this machine. code: the record's.
CREATE TABLE shares(code INTEGER PRIMARY KEY, at INTEGER NOT NULL, who TEXT NOT NULL, terminal TEXT);

-- Threads of work, made anew from the sessions of a project whenever one of them changes.
CREATE TABLE arcs(
  arc_id TEXT PRIMARY KEY, project INTEGER NOT NULL, title TEXT, started_at INTEGER, last_at INTEGER,
  tool_calls INTEGER NOT NULL, sessions TEXT NOT NULL, body INTEGER) WITHOUT ROWID;
CREATE INDEX arcs_by_project ON arcs(project);
CREATE INDEX arcs_by_body ON arcs(body);

-- What was forgotten stays forgotten, whatever transcript is read again. what: session, event, project, before, text.
CREATE TABLE tombstones(what TEXT NOT NULL, value TEXT NOT NULL, made_at INTEGER NOT NULL, PRIMARY KEY(what, value)) WITHOUT ROWID;

-- What a person changed in config.toml's [projects], so that it can be undone.
CREATE TABLE acts(
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, what TEXT NOT NULL, key TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL,
  undone_at INTEGER);
