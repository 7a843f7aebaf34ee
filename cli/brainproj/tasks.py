"""Tasks of a project: opened, found again by name, continued, closed; and the sessions that belong to them.

A person or an agent may do any of it: a task is work that goes on, and decides nothing. Names and ids mean a task of
this project, or none.
"""

import re
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from .core.catalogue import KnownProject
from .core.people import People, Person
from .core.tasks import (
    GOAL_LETTERS,
    TITLE_LETTERS,
    JoinedBy,
    Status,
    Task,
    find_task,
    make_slug,
)
from .core.text import clip, encodable, one_line
from .core.times import from_micros, render_time, to_micros
from .errors import NotFound, Refused
from .locks import writing
from .paths import Paths
from .store import tasks as rows
from .store.people import OwnedSession, list_owned
from .store.reading import find_sessions

SESSION_ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
SESSION_VARIABLES = {"CLAUDE_CODE_SESSION_ID": "claude"}
"""What an agent tells the commands it runs of the session they run in (formats/agents.md 3.5)."""


@dataclass(frozen=True, slots=True)
class TaskSession:
    """A session of a task. session None: it was not read yet. person: whose it is."""

    agent: str
    session_id: str
    joined_by: JoinedBy
    session: OwnedSession | None
    person: Person | None

    def value(self) -> dict[str, object]:
        """As JSON."""
        return {
            "agent": self.agent,
            "session_id": self.session_id,
            "joined_by": self.joined_by.value,
            "title": self.session.title if self.session else None,
            "last_seen_at": render_time(from_micros(self.session.last_at)) if self.session else None,
            "person": self.person.value() if self.person else None,
        }


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """A task with its sessions, the latest first."""

    task: Task
    project: KnownProject | None
    person: Person | None
    sessions: tuple[TaskSession, ...]

    @property
    def last_active_at(self) -> datetime | None:
        """When it was worked on last: its latest session, else when it was opened."""
        times = [one.session.last_at for one in self.sessions if one.session and one.session.last_at]
        return from_micros(max(times, default=self.task.opened_at))

    def value(self) -> dict[str, object]:
        """One entry of `task list --json`, and the document of the other commands."""
        task = self.task
        return {
            "citation": task.citation,
            "kind": "task",
            "id": task.slug,
            "title": task.title,
            "goal": task.goal,
            "status": task.status.value,
            "branch": task.branch,
            "swarm": task.swarm,
            "swarm_task": task.swarm_task,
            "person": self.person.value() if self.person else None,
            "by": "assistant" if task.by_agent else "person",
            "opened_at": render_time(from_micros(task.opened_at)),
            "closed_at": render_time(from_micros(task.closed_at)),
            "last_active_at": render_time(self.last_active_at),
            "sessions": [one.value() for one in self.sessions],
        }


@dataclass(frozen=True, slots=True)
class TaskBook:
    """The tasks of one project."""

    paths: Paths
    db: sqlite3.Connection
    project: KnownProject
    people: People
    now: datetime

    def list(self) -> list[TaskFacts]:
        """All of them, those being worked on first, then the one worked on last."""
        owned = self._owned()
        found = [self._facts(task, owned) for task in rows.list_tasks(self.db, self.project.ids)]
        return sorted(found, key=lambda one: (one.task.status is Status.CLOSED, -_moment(one.last_active_at)))

    def find(self, name: str) -> Task | None:
        """The task that a name means; None where there is none. Raises Ambiguous."""
        return find_task(rows.list_tasks(self.db, self.project.ids), name)

    def get(self, name: str) -> Task:
        """The task that a name means. Raises NotFound, Ambiguous."""
        found = self.find(name)
        if found is None:
            raise NotFound(
                f"no task of {self.project.name} is called {name}",
                hint=f'open one: `brainproj task new "{one_line(name)}"`',
            )
        return found

    def facts(self, task: Task) -> TaskFacts:
        """A task with its sessions."""
        return self._facts(task, self._owned())

    def _owned(self) -> dict[tuple[str, str], OwnedSession]:
        return {(one.agent, one.session_id): one for one in list_owned(self.db, self.project.ids)}

    def _facts(self, task: Task, owned: Mapping[tuple[str, str], OwnedSession]) -> TaskFacts:
        joined = [
            TaskSession(
                one.agent,
                one.session_id,
                one.joined_by,
                session := owned.get((one.agent, one.session_id)),
                self.people.by_number(session.person) if session else None,
            )
            for one in rows.list_joined(self.db, task, self.project.ids)
        ]
        joined.sort(key=lambda one: -((one.session.last_at or 0) if one.session else 0))
        return TaskFacts(task, self.project, self.people.by_number(task.person), tuple(joined))

    def open(self, title: str, goal: str | None, branch: str | None, person: int | None, *, by_agent: bool) -> Task:
        """A new task; texts are redacted. Raises Refused where one of this name is there."""
        title = clip(one_line(encodable(title)), TITLE_LETTERS)
        if not title:
            raise Refused("a task needs a name")
        goal = encodable(goal or "").strip()[:GOAL_LETTERS]
        text = f"{title}\n{goal}" if goal else title
        with writing(self.paths, self.db):
            known = rows.list_tasks(self.db, self.project.ids)
            for task in known:
                if task.title.casefold() == title.casefold():
                    raise Refused(
                        f"there is a task of this name, {task.status.value}: {task.slug}",
                        hint=f"go on with it: `brainproj task continue {task.slug}`",
                    )
            slug = make_slug(title, {task.slug for task in known})
            new = rows.NewTask(slug, text, branch or None, None, None, person, by_agent)
            number = rows.add_task(self.db, self.project.ids[0], new, self._micros())
            rows.drop_stone(self.db, self.project.ids[0], slug)
        return self._again(number)

    def proceed(self, task: Task, agent: str | None, session_id: str | None, by: JoinedBy) -> Task:
        """Go on with a task: it is open again, and the session that is named joins it."""
        with writing(self.paths, self.db):
            if task.status is Status.CLOSED:
                rows.set_status(self.db, task.number, Status.OPEN, self._micros())
            if agent and session_id and not rows.is_elsewhere(self.db, agent, session_id, self.project.ids):
                rows.join(self.db, task.number, agent, session_id, by, self._micros())
        return self._again(task.number)

    def close(self, task: Task) -> Task:
        """End a task; its sessions stay what they are."""
        with writing(self.paths, self.db):
            if task.status is Status.OPEN:
                rows.set_status(self.db, task.number, Status.CLOSED, self._micros())
        return self._again(task.number)

    def session_of(self, beginning: str) -> tuple[str, str]:
        """(agent, id) of a stored session of this project. Raises NotFound: another project's is none."""
        found = [row for row in find_sessions(self.db, beginning) if row[3] in self.project.ids] if beginning else []
        if len(found) != 1:
            what = "more than one session" if found else "no session"
            raise NotFound(
                f"{what} of {self.project.name} begins with {beginning}", hint="see `brainproj sessions --all`"
            )
        return found[0][2], found[0][1]

    def _again(self, number: int) -> Task:
        return next(task for task in rows.list_tasks(self.db, self.project.ids) if task.number == number)

    def _micros(self) -> int:
        return to_micros(self.now) or 0


def running_session(environment: Mapping[str, str]) -> tuple[str, str] | None:
    """(agent, id) of the session that runs this command, where its agent tells."""
    for name, agent in SESSION_VARIABLES.items():
        if SESSION_ID.fullmatch(environment.get(name, "")):
            return agent, environment[name]
    return None


def join_swarm_tasks(
    db: sqlite3.Connection, seen: "list[SwarmSession]", redact: Callable[[str], str], now: int
) -> None:
    """Sessions that a swarm gave one of its tasks join the task of that id, which is made where there is none.

    Call it inside a write transaction.
    """
    for session in seen:
        one = replace(session, swarm=redact(encodable(session.swarm)), task=redact(encodable(session.task)))
        known = rows.list_tasks(db, one.projects)
        task = next((t for t in known if (t.swarm, t.swarm_task) == (one.swarm, one.task)), None)
        if task is not None:
            number = task.number
        else:
            slug = make_slug(f"{one.swarm} {one.task}", {t.slug for t in known})
            if rows.is_forgotten(db, one.projects[0], slug):
                continue
            new = rows.NewTask(slug, f"{one.task} of the swarm {one.swarm}", None, one.swarm, one.task, None, True)
            number = rows.add_task(db, one.projects[0], new, now)
        rows.join(db, number, one.agent, one.session_id, JoinedBy.SWARM, now)


@dataclass(frozen=True, slots=True)
class SwarmSession:
    """A session that a hook saw in a swarm. projects: numbers of its project, the main one first."""

    agent: str
    session_id: str
    projects: tuple[int, ...]
    swarm: str
    task: str


def _moment(at: datetime | None) -> float:
    return at.timestamp() if at else 0.0
