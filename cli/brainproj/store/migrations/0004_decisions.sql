-- What persons make official. A record's number is given out once and stays with its code, so that no address ever opens
-- another record, and what a person did to it holds when it is made anew from the transcript.
CREATE TABLE record_numbers(id INTEGER PRIMARY KEY AUTOINCREMENT, code INTEGER NOT NULL UNIQUE);
INSERT INTO record_numbers SELECT id, code FROM records ORDER BY id;

-- person: who typed it at a terminal; null: an agent said it. task: what a handoff is of, or a decision was made for.
-- decided_at: since when its status is what it is by a person's act; null: by none.
ALTER TABLE records ADD COLUMN person INTEGER REFERENCES persons;
ALTER TABLE records ADD COLUMN task INTEGER REFERENCES tasks;
ALTER TABLE records ADD COLUMN decided_at INTEGER;
CREATE INDEX records_by_task ON records(task) WHERE task IS NOT NULL;

-- What a record is tied to. what: applies_to (a path or a subject), cites (a citation), replaces (a record's number).
CREATE TABLE record_links(
  record INTEGER NOT NULL REFERENCES record_numbers, what TEXT NOT NULL, target TEXT NOT NULL,
  PRIMARY KEY(record, what, target)) WITHOUT ROWID;
CREATE INDEX record_links_by_target ON record_links(what, target);

-- Earlier texts of records, packed as in bodies; they stand in no index.
CREATE TABLE record_revisions(
  record INTEGER NOT NULL REFERENCES record_numbers, revision INTEGER NOT NULL, text NOT NULL, until_at INTEGER NOT NULL,
  why TEXT NOT NULL, PRIMARY KEY(record, revision)) WITHOUT ROWID;

-- What persons did: what (recorded, confirmed, edited, rejected, superseded, retired, shared, unshared), the status it left, who, at which
-- terminal, below which processes (a JSON list, the nearest first). other: the record that took its place.
CREATE TABLE record_acts(
  id INTEGER PRIMARY KEY, record INTEGER NOT NULL REFERENCES record_numbers, at INTEGER NOT NULL, what TEXT NOT NULL,
  status TEXT NOT NULL, who TEXT NOT NULL, terminal TEXT NOT NULL, parents TEXT NOT NULL, other INTEGER);
CREATE INDEX record_acts_by_record ON record_acts(record);

-- Files, notes and links that somebody keeps with a project. kind: file, note, link. address: a path within the project
-- (absolute outside of it), a URL, a note's first words. body: the newest text; fetched: whether it is what stands there.
CREATE TABLE documents(
  id INTEGER PRIMARY KEY AUTOINCREMENT, project INTEGER NOT NULL REFERENCES projects, kind TEXT NOT NULL,
  address TEXT NOT NULL, title TEXT NOT NULL, fetched INTEGER NOT NULL, body INTEGER NOT NULL, revision INTEGER NOT NULL DEFAULT 1,
  task INTEGER REFERENCES tasks, person INTEGER REFERENCES persons, by_agent INTEGER NOT NULL, added_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL, UNIQUE(project, kind, address));
CREATE INDEX documents_by_body ON documents(body);

-- Earlier texts of documents, packed as in bodies; they stand in no index.
CREATE TABLE document_revisions(
  document INTEGER NOT NULL REFERENCES documents, revision INTEGER NOT NULL, text NOT NULL, until_at INTEGER NOT NULL,
  PRIMARY KEY(document, revision)) WITHOUT ROWID;
