"""Tasks and the sessions that joined them, as rows of brain.db."""

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..core.events import Speaker
from ..core.ids import event_number
from ..core.pack import RECALLED
from ..core.tasks import JoinedBy, Status, Task, make_slug, split_text
from . import codes, texts

COLUMNS = "id, project, slug, status, branch, swarm, swarm_task, person, by_agent, body, opened_at, closed_at"


class Joined(NamedTuple):
    """A session of a task. at: when it joined, microseconds; of a branch, None."""

    agent: str
    session_id: str
    joined_by: JoinedBy
    at: int | None


class NewTask(NamedTuple):
    """What a task is made of. text: title, and goal on the lines after it; redacted."""

    slug: str
    text: str
    branch: str | None = None
    swarm: str | None = None
    swarm_task: str | None = None
    person: int | None = None
    by_agent: bool = False


def list_tasks(db: sqlite3.Connection, projects: Sequence[int] | None) -> list[Task]:
    """The tasks of these projects (None: all), open ones first, then the latest."""
    where = "1" if projects is None else f"project IN ({','.join('?' * len(projects))})"
    rows = db.execute(
        f"SELECT {COLUMNS} FROM tasks WHERE {where} ORDER BY status = 'closed', opened_at DESC, id DESC", projects or ()
    ).fetchall()
    found = texts.read_texts(db, (row[9] for row in rows))
    tasks = [_task(row, found.get(row[9], "")) for row in rows]
    return tasks if projects is None else _told_apart(tasks)


def _told_apart(tasks: list[Task]) -> list[Task]:
    """The tasks of one project with ids that differ: projects that were merged may both have one of a name."""
    taken: set[str] = set()
    slugs: dict[int, str] = {}
    for task in sorted(tasks, key=lambda task: task.number):
        slugs[task.number] = make_slug(task.slug, taken) if task.slug in taken else task.slug
        taken.add(slugs[task.number])
    return [replace(task, slug=slugs[task.number]) for task in tasks]


def _task(row: Sequence[object], text: str) -> Task:
    number, project, slug, status, branch, swarm, swarm_task, person, by_agent, _, opened_at, closed_at = row
    title, goal = split_text(text)
    values = (number, project, slug, Status(str(status)), title, goal, branch, swarm, swarm_task, person)
    return Task(*values, bool(by_agent), opened_at, closed_at)  # type: ignore[arg-type]


def add_task(db: sqlite3.Connection, project: int, new: NewTask, now: int) -> int:
    """Write a task; its number. Call it inside a write transaction."""
    speaker = codes.SPEAKERS[Speaker.ASSISTANT if new.by_agent else Speaker.PERSON]
    number = codes.body_class(codes.TASK_KIND, speaker, failed=False, hidden=False)
    body = texts.ensure_body(db, project, number, new.text)
    added = db.execute(
        "INSERT INTO tasks(project, slug, status, branch, swarm, swarm_task, person, by_agent, body, opened_at)"
        " VALUES(?,?,?,?,?,?,?,?,?,?)",
        (
            project, new.slug, Status.OPEN.value, new.branch, new.swarm, new.swarm_task, new.person, int(new.by_agent),
            body, now,
        ),
    )  # fmt: skip
    return int(added.lastrowid or 0)


def set_status(db: sqlite3.Connection, task: int, status: Status, now: int) -> None:
    """Open or close a task."""
    closed_at = now if status is Status.CLOSED else None
    db.execute("UPDATE tasks SET status = ?, closed_at = ? WHERE id = ?", (status.value, closed_at, task))


def join(db: sqlite3.Connection, task: int, agent: str, session_id: str, by: JoinedBy, now: int) -> bool:
    """Make a session part of a task; False where it was already."""
    added = db.execute(
        "INSERT OR IGNORE INTO task_sessions VALUES(?,?,?,?,?)", (task, agent, session_id, by.value, now)
    )
    return added.rowcount > 0


RESUMED = re.compile(
    rf"\A(?:[^\n]*\n){{0,6}}?{re.escape(RECALLED)}[^\n]*\n"
    r"Task: [^\n]*\[task:([a-z0-9-]+)\] · (?:open|closed)"
)
"""How an answer of `resume` begins that names a task, perhaps behind the lines that an agent's shell puts before it."""


def join_resumed(
    db: sqlite3.Connection, projects: Sequence[int], agent: str, session_id: str, answer: str, now: int
) -> None:
    """Let a session join the task that it was given by `resume`: of its own project, all of whose numbers are named."""
    named = RESUMED.match(answer)
    for task in list_tasks(db, projects) if named else ():
        if named is not None and task.slug == named[1]:
            join(db, task.number, agent, session_id, JoinedBy.AGENT, now)


def list_joined(db: sqlite3.Connection, task: Task, projects: Sequence[int]) -> list[Joined]:
    """The sessions of a task: those that joined, and those on its branch; each once, by what is said of it first."""
    marks = ",".join("?" * len(projects))
    rows = db.execute(
        "SELECT t.agent, t.session_id, t.joined_by, t.at FROM task_sessions t LEFT JOIN sessions s"
        " ON s.agent = t.agent AND s.session_id = t.session_id WHERE t.task = ?"
        f" AND (s.project IS NULL OR s.project IN ({marks}))",
        (task.number, *projects),
    )
    found = {(row[0], row[1]): Joined(row[0], row[1], JoinedBy(row[2]), row[3]) for row in rows}
    if task.branch:
        on_branch = db.execute(
            f"SELECT agent, session_id FROM sessions WHERE listed AND project IN ({marks}) AND branch = ?",
            (*projects, task.branch),
        )
        for agent, session_id in on_branch:
            found.setdefault((agent, session_id), Joined(agent, session_id, JoinedBy.BRANCH, None))
    return list(found.values())


def is_elsewhere(db: sqlite3.Connection, agent: str, session_id: str, projects: Sequence[int]) -> bool:
    """Whether a session is known to be another project's."""
    row = db.execute("SELECT project FROM sessions WHERE agent = ? AND session_id = ?", (agent, session_id)).fetchone()
    return row is not None and row[0] is not None and row[0] not in projects


def task_places(db: sqlite3.Connection, body: int, since: int | None) -> list[tuple[int, int]]:
    """(number, when it was opened) of the tasks with this text."""
    sql = "SELECT id, opened_at FROM tasks WHERE body = ? AND (? IS NULL OR opened_at >= ?)"
    return db.execute(sql, (body, since, since)).fetchall()


def rename_tasks(db: sqlite3.Connection, body: int, new_body: int, text: str) -> None:
    """Give the tasks with a text another one; their ids are made anew, since they hold words of it."""
    for number, project in db.execute("SELECT id, project FROM tasks WHERE body = ?", (body,)).fetchall():
        others = db.execute("SELECT slug FROM tasks WHERE project = ? AND id <> ?", (project, number))
        slug = make_slug(split_text(text)[0], {row[0] for row in others})
        db.execute("UPDATE tasks SET body = ?, slug = ? WHERE id = ?", (new_body, slug, number))


def _stone(db: sqlite3.Connection, project: int, slug: str) -> str:
    """What stands for a task that was forgotten: a digest, since an id holds words."""
    (key,) = db.execute("SELECT key FROM projects WHERE id = ?", (project,)).fetchone()
    return str(event_number("task", key, slug))


def is_forgotten(db: sqlite3.Connection, project: int, slug: str) -> bool:
    """Whether a task of this id was forgotten: no import, restore or swarm brings it back, only a person."""
    found = "SELECT 1 FROM tombstones WHERE what = 'task' AND value = ?"
    return db.execute(found, (_stone(db, project, slug),)).fetchone() is not None


def list_forgotten(db: sqlite3.Connection) -> list[int]:
    """Tasks that were forgotten after they were opened, and are there: those of a store that is older."""
    stones = dict(db.execute("SELECT value, made_at FROM tombstones WHERE what = 'task'").fetchall())
    rows = db.execute("SELECT id, project, slug, opened_at FROM tasks").fetchall() if stones else []
    return [row[0] for row in rows if stones.get(_stone(db, row[1], row[2]), -1) >= row[3]]


def drop_stone(db: sqlite3.Connection, project: int, slug: str) -> None:
    """Let a task of this id be there again: a person opened it."""
    db.execute("DELETE FROM tombstones WHERE what = 'task' AND value = ?", (_stone(db, project, slug),))


def list_holding(db: sqlite3.Connection, text: str) -> list[int]:
    """Tasks whose id, branch or swarm holds a text; what they say is a text like any other."""
    columns = ("slug", "branch", "swarm", "swarm_task")
    where = " OR ".join(f"instr({column}, ?)" for column in columns)
    return [row[0] for row in db.execute(f"SELECT id FROM tasks WHERE {where}", (text,) * len(columns))]


def remove_tasks(db: sqlite3.Connection, tasks: Sequence[int], now: int) -> int:
    """Take out tasks with their text; how many there were. Call it inside a write transaction."""
    count = 0
    for number in tasks:
        row = db.execute("SELECT body, project, slug FROM tasks WHERE id = ?", (number,)).fetchone()
        if row is not None:
            count += 1
            db.execute("INSERT OR REPLACE INTO tombstones VALUES('task', ?, ?)", (_stone(db, row[1], row[2]), now))
            db.execute("DELETE FROM task_sessions WHERE task = ?", (number,))
            for owner in ("records", "documents"):
                db.execute(f"UPDATE {owner} SET task = NULL WHERE task = ?", (number,))
            db.execute("DELETE FROM tasks WHERE id = ?", (number,))
            texts.drop_unused(db, [row[0]])
    return count
