"""What is gone on with: a task, else a thread of work, by whatever names it alone. An ambiguous name is a choice."""

from collections.abc import Sequence
from dataclasses import dataclass

from .core.arcs import Arc, group_arcs
from .core.tasks import SAID, Status, Task
from .core.text import one_line
from .core.times import from_micros, render_time, to_micros
from .core.titles import clean_title
from .errors import Ambiguous, NotFound
from .store.activity import first_prompt
from .store.arcs import read_spans
from .store.people import OwnedSession, list_owned
from .tasks import TaskBook, TaskFacts

TELLING = 3
"""Words of a title that says what the work is about."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A task or a thread of work with its sessions, the latest first. Without either: what was worked on last."""

    task: Task | None
    arc: Arc | None
    sessions: tuple[OwnedSession, ...]
    names: tuple[str, ...]
    """What it is called; of a thread of work, what each of its sessions is about, the latest first."""
    tasks: tuple[Task, ...] = ()
    """Of a thread of work: the tasks that sessions of it belong to."""

    @property
    def title(self) -> str:
        """What it is called."""
        return self.names[0] if self.names else "untitled work"

    def name_with(self, words: str) -> str | None:
        """The first of its names that holds all the words, in any case and order; None where none does."""
        wanted = words.casefold().replace("-", " ").split()
        return next((name for name in self.names if all(word in name.casefold() for word in wanted)), None)

    @property
    def citation(self) -> str | None:
        """Its address."""
        return self.task.citation if self.task else f"arc:{self.arc.arc_id}" if self.arc else None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A task or thread of work that `find_tasks` names."""

    subject: Subject
    title: str
    status: str
    last_active_at: int | None

    def value(self) -> dict[str, object]:
        """As JSON."""
        return {
            "citation": self.subject.citation,
            "kind": "task" if self.subject.task else "arc",
            "title": self.title,
            "status": self.status,
            "last_active_at": render_time(from_micros(self.last_active_at)),
            "sessions": [session.session_id for session in self.subject.sessions],
        }


def find_subject(book: TaskBook, name: str) -> Subject:
    """What a name means: a task, an arc's address or title, nothing for what was worked on last.

    Raises NotFound, Ambiguous.
    """
    wanted = name.strip().strip("[]")
    if not wanted:
        arcs = list_arcs(book)
        latest = max(arcs, key=lambda arc: (arc.last_active_at is not None, arc.last_active_at), default=None)
        return _with_task(book, _of_arcs(book, [latest])[0]) if latest else Subject(None, None, (), ())
    is_address = wanted.startswith("arc:")
    if is_address:
        fitting = _of_arcs(book, [arc for arc in list_arcs(book) if wanted[4:] and arc.arc_id.startswith(wanted[4:])])
    else:
        task = book.find(wanted)
        if task is not None:
            return of_task(book, task)
        fitting = [one for one in _of_arcs(book, list_arcs(book)) if one.name_with(wanted)]
    if len(fitting) == 1:
        return fitting[0] if is_address else _with_task(book, fitting[0])
    if fitting:
        named = ", ".join(f"{one.citation} ({one_line(one.title)})" for one in fitting[:SAID])
        raise Ambiguous(
            f"{len(fitting)} threads of work may be meant by {name}",
            detail=f"They are {named}.",
            hint=f"name one by its address, as {fitting[0].citation}",
        )
    raise NotFound(
        f"no task and no thread of work of {book.project.name} is called {one_line(name)}",
        hint="see `brainproj task list` and `brainproj arcs`",
    )


def list_candidates(book: TaskBook, words: str, limit: int) -> list[Candidate]:
    """The tasks, open ones first, and the threads of work that belong to none of them; those that hold the words."""
    tasks = [(_of_facts(facts), facts) for facts in book.list()]
    found = [
        Candidate(one, one.title, facts.task.status.value, to_micros(facts.last_active_at))
        for one, facts in tasks
        if one.name_with(words) is not None
    ]
    found.sort(key=lambda one: (one.status == Status.CLOSED, -(one.last_active_at or 0)))
    taken = {session.session_id for one, _ in tasks for session in one.sessions}
    loose = [arc for arc in list_arcs(book) if not taken.issuperset(arc.session_ids)]
    for one in _of_arcs(book, loose):
        name = one.name_with(words)
        if name is not None and one.arc is not None:
            found.append(Candidate(one, name, one.arc.status.value, to_micros(one.arc.last_active_at)))
    return found[:limit]


def list_arcs(book: TaskBook) -> list[Arc]:
    """The threads of work of the book's project, the hottest first."""
    return group_arcs(read_spans(book.db, book.project.ids), book.now)


def of_task(book: TaskBook, task: Task) -> Subject:
    """A task with those of its sessions that were read."""
    return _of_facts(book.facts(task))


def _of_facts(facts: TaskFacts) -> Subject:
    task = facts.task
    whole = f"{task.title} {task.slug.replace('-', ' ')} {task.goal or ''} {task.swarm_task or ''}"
    sessions = tuple(one.session for one in facts.sessions if one.session)
    return Subject(task, None, sessions, (task.title, whole))


def _of_arcs(book: TaskBook, arcs: Sequence[Arc]) -> list[Subject]:
    """Threads of work with their sessions, each called by what its sessions are about."""
    owned = {session.session_id: session for session in list_owned(book.db, book.project.ids)}
    joined = joined_tasks(book)
    found = []
    for arc in arcs:
        sessions = [owned[one] for one in reversed(arc.session_ids) if one in owned]
        names = [name for session in sessions if (name := session.title or _first_words(book, session))]
        names.sort(key=_tells_little)
        tasks = dict.fromkeys(joined[one.session_id] for one in sessions if one.session_id in joined)
        found.append(Subject(None, arc, tuple(sessions), tuple(dict.fromkeys(names)), tuple(tasks)))
    return found


def _tells_little(name: str) -> bool:
    """Of few words: whoever goes on says "Continue", and that is the latest."""
    return len(name.split()) < TELLING


def _with_task(book: TaskBook, thread: Subject) -> Subject:
    """The open task that the latest sessions of a thread of work belong to; the thread, where there is none."""
    task = next((one for one in thread.tasks if one.status is Status.OPEN), None)
    return of_task(book, task) if task else thread


def _first_words(book: TaskBook, session: OwnedSession) -> str | None:
    """What a session without a title began with, as a title."""
    first = first_prompt(book.db, session.number)
    return clean_title(first.text) if first else None


def joined_tasks(book: TaskBook) -> dict[str, Task]:
    """The task that each session of the project belongs to, by the session's id; of several, the one worked on last."""
    found: dict[str, Task] = {}
    for facts in book.list():
        for one in facts.sessions:
            found.setdefault(one.session_id, facts.task)
    return found
