-- Named pieces of work. slug: stable, unique within a project. status: open, closed. body: title, and goal on the lines
-- after it. branch: sessions on it belong to the task. swarm, swarm_task: the swarm's own id of it. by_agent: an agent made it.
CREATE TABLE tasks(
  id INTEGER PRIMARY KEY, project INTEGER NOT NULL REFERENCES projects, slug TEXT NOT NULL, status TEXT NOT NULL,
  branch TEXT, swarm TEXT, swarm_task TEXT, person INTEGER REFERENCES persons, by_agent INTEGER NOT NULL, body INTEGER NOT NULL,
  opened_at INTEGER NOT NULL, closed_at INTEGER, UNIQUE(project, slug));
CREATE INDEX tasks_by_body ON tasks(body);

-- Sessions that belong to a task; by their id, since one may join before it was read. joined_by: person, agent, swarm.
CREATE TABLE task_sessions(
  task INTEGER NOT NULL REFERENCES tasks, agent TEXT NOT NULL, session_id TEXT NOT NULL, joined_by TEXT NOT NULL,
  at INTEGER NOT NULL, PRIMARY KEY(task, agent, session_id)) WITHOUT ROWID;
