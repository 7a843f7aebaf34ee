-- Whose sessions they are. key: `git:` and a digest of the address, or `os:` and a digest of login and machine, so that
-- no address is kept; name: what the person's git configuration says, or the login.
CREATE TABLE persons(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT, first_seen_at INTEGER NOT NULL);

-- The person who owns the session; never the author of its assistant's words. null: not told yet, or imported without.
ALTER TABLE sessions ADD COLUMN person INTEGER REFERENCES persons;
CREATE INDEX sessions_by_person ON sessions(person);
-- What every reading looks at again: sessions of this machine that nobody owns yet.
CREATE INDEX sessions_without_person ON sessions(id) WHERE person IS NULL AND listed AND transcript IS NOT NULL;
