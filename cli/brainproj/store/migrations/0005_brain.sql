-- What a brain (a kernel over HTTP) told last of each project, until it tells something else; none of it is ours.
-- brain: its address. letters: of its citation. kind: arc, lesson, focus. title: what a block shows; text: all of it,
-- packed as in bodies. status, heat, sessions (a JSON list): of an arc. path: the brain's file. named: the brain's own
-- word for the project, where that alone told whose it is.
CREATE TABLE brain_pieces(
  brain TEXT NOT NULL, project INTEGER NOT NULL REFERENCES projects, letters TEXT NOT NULL, kind TEXT NOT NULL,
  title TEXT NOT NULL, text NOT NULL, at INTEGER, path TEXT NOT NULL, status TEXT NOT NULL, heat INTEGER NOT NULL,
  session_id TEXT NOT NULL, sessions TEXT NOT NULL, named TEXT NOT NULL, PRIMARY KEY(brain, project, letters)) WITHOUT ROWID;

-- The entries of its feed, as JSON, the most important first. project: of one that it gave to one project alone.
CREATE TABLE brain_entries(
  brain TEXT NOT NULL, what TEXT NOT NULL, place INTEGER NOT NULL, entry TEXT NOT NULL,
  PRIMARY KEY(brain, what, place)) WITHOUT ROWID;

-- How asking it went. what: feed, vault, or the number of a project. source: vault, kernel. claimed_at: somebody asks.
-- answered_at: since when what is kept holds. failures: in a row, by which the next wait is counted. why: of the last.
-- digest: of the feed that it was made from. left_out: a JSON object, why → how many.
CREATE TABLE brain_asks(
  brain TEXT NOT NULL, what TEXT NOT NULL, source TEXT NOT NULL DEFAULT '', claimed_at INTEGER, asked_at INTEGER,
  answered_at INTEGER, failures INTEGER NOT NULL DEFAULT 0, why TEXT, digest TEXT NOT NULL DEFAULT '',
  left_out TEXT NOT NULL DEFAULT '{}', PRIMARY KEY(brain, what)) WITHOUT ROWID;

-- Markers for the brain, in the order in which they are sent. code: the record's, which holds the text. key: by which
-- the brain knows it again. state: waiting, delivered, refused, withheld (never sent, why says the reason).
CREATE TABLE outbox(
  id INTEGER PRIMARY KEY AUTOINCREMENT, code INTEGER NOT NULL UNIQUE, key TEXT NOT NULL, state TEXT NOT NULL,
  queued_at INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0, done_at INTEGER, why TEXT, brain TEXT, path TEXT);
CREATE INDEX outbox_by_state ON outbox(state);
CREATE INDEX outbox_by_key ON outbox(key);
