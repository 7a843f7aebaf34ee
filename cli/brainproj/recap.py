"""What a session itself had, made ready before it is compacted: its goal, what failed in it, the files it edited."""

import sqlite3
from collections.abc import Collection
from hashlib import blake2b

from .attempts import Asked, find_attempts
from .core.catalogue import Catalogue
from .core.citations import render_event
from .core.recap import render_recap
from .core.tasks import Task
from .core.times import to_micros
from .hooks.reply import RECAP_ROOM
from .store import activity, codes
from .store.items import Recap, write_recap
from .store.people import OwnedSession, list_owned
from .subject import joined_tasks
from .tasks import TaskBook
from .who import list_edited

FAILURES = 6
FILES = 6
CALLS = 400


def make_recaps(book: TaskBook, catalogue: Catalogue, ready: sqlite3.Connection, sessions: Collection[int]) -> None:
    """Write the recaps of these sessions of the book's project, by their numbers."""
    tasks = joined_tasks(book)
    for session in list_owned(book.db, book.project.ids):
        if session.number in sessions:
            text = _recap(book, catalogue, session, tasks.get(session.session_id))
            digest = blake2b(f"recap\0{session.session_id}\0{text}".encode(), digest_size=12).hexdigest()
            write_recap(ready, Recap(session.agent, session.session_id, digest, text, to_micros(book.now) or 0))


def _recap(book: TaskBook, catalogue: Catalogue, session: OwnedSession, task: Task | None) -> str:
    found, _ = find_attempts(book.db, catalogue, Asked(book.project, limit=FAILURES, sessions=(session.number,)))
    failed = sorted(found, key=lambda one: one.resolution is not None)
    tried = [(one.command or one.tool or "a tool", one.line, one.citation) for one in failed]
    files = sorted(list_edited(book.db, [session], book.project.root, CALLS), key=lambda file: -file.calls)[:FILES]
    return render_recap(_goal(book, session, task), tried, [file.path for file in files], RECAP_ROOM)


def _goal(book: TaskBook, session: OwnedSession, task: Task | None) -> tuple[str, str] | None:
    """What the session is for: its task's goal, else what it began with."""
    if task is not None:
        return task.goal or task.title, task.citation
    first = activity.first_prompt(book.db, session.number)
    if first is None:
        return None
    return first.text, render_event(first.session_id, codes.id_letters(first.code), first.revision)
