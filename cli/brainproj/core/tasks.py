"""Tasks: named pieces of work with a stable id, and which of them a name means. An ambiguous name is a choice."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..errors import Ambiguous

SLUG_LETTERS = 48
TITLE_LETTERS = 120
GOAL_LETTERS = 2000
SAID = 5
"""Tasks that are named where a name may mean several."""


class Status(StrEnum):
    """Whether a task is being worked on."""

    OPEN = "open"
    CLOSED = "closed"


class JoinedBy(StrEnum):
    """What made a session part of a task."""

    PERSON = "person"
    AGENT = "agent"
    SWARM = "swarm"
    BRANCH = "branch"


@dataclass(frozen=True, slots=True)
class Task:
    """A task as stored. number: of its row. person: the number of who opened it. Times in microseconds."""

    number: int
    project: int
    slug: str
    status: Status
    title: str
    goal: str | None
    branch: str | None
    swarm: str | None
    swarm_task: str | None
    person: int | None
    by_agent: bool
    opened_at: int
    closed_at: int | None

    @property
    def citation(self) -> str:
        """Its address."""
        return f"task:{self.slug}"


def make_slug(title: str, taken: Collection[str]) -> str:
    """A slug for a title: its words in small ASCII letters; a number behind it where it is taken."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    slug = ""
    for word in words:
        if len(slug) + len(word) + 1 > SLUG_LETTERS:
            break
        slug += f"-{word}" if slug else word
    slug = slug or (words[0][:SLUG_LETTERS] if words else "task")
    number, made = 1, slug
    while made in taken:
        number += 1
        made = f"{slug}-{number}"
    return made


def split_text(text: str) -> tuple[str, str | None]:
    """(title, goal) of a task's stored text."""
    title, _, goal = text.partition("\n")
    return title, goal or None


def find_task(tasks: Sequence[Task], name: str) -> Task | None:
    """The task that a name means: its id, title, swarm's id, the one id that begins so, the one title with these words.

    None where no task fits. Raises Ambiguous where several do.
    """
    wanted = name.strip().strip("[]").removeprefix("task:").casefold()
    if not wanted:
        return None
    for fitting in _by_closeness(tasks, wanted):
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise Ambiguous(
                f"{len(fitting)} tasks may be meant by {name}",
                detail="They are " + ", ".join(f"{task.slug} ({task.title})" for task in fitting[:SAID]) + ".",
                hint=f"name one by its id, as {fitting[0].slug}",
            )
    return None


def _by_closeness(tasks: Sequence[Task], wanted: str) -> Iterable[list[Task]]:
    """The tasks that fit, by stricter tests first."""
    yield [task for task in tasks if task.slug == wanted]
    yield [task for task in tasks if task.title.casefold() == wanted]
    yield [
        task
        for task in tasks
        if task.swarm_task and wanted in (task.swarm_task.casefold(), f"{task.swarm}/{task.swarm_task}".casefold())
    ]
    yield [task for task in tasks if task.slug.startswith(wanted)]
    words = wanted.replace("-", " ").split()
    yield [task for task in tasks if all(word in f"{task.title} {task.slug}".casefold() for word in words)]
