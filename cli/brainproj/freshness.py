"""How fresh a pack is: until when its material was captured, what changed in the checkout since, what is unread."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from .core.text import clip, counted
from .core.times import from_micros, render_time
from .gitlog import Git
from .store import activity
from .store.people import OwnedSession, list_owned
from .tasks import TaskBook

CHANGED = 8
PATH_LETTERS = 160


@dataclass(frozen=True, slots=True)
class Freshness:
    """How far the material goes. changed: files that changed since; None where git does not tell. edited: how many of
    them are in no commit since, which come first; told by their times.

    unread_bytes: what the sessions' transcripts hold and was not read yet.
    """

    captured_at: datetime | None
    commits: int
    edited: int
    changed: tuple[str, ...] | None
    unread_bytes: int

    def value(self) -> dict[str, object]:
        """As JSON."""
        return {
            "captured_at": render_time(self.captured_at),
            "commits": self.commits,
            "edited": self.edited,
            "changed": list(self.changed) if self.changed is not None else None,
            "unread_bytes": self.unread_bytes,
        }


def measure_freshness(
    book: TaskBook, sessions: Sequence[OwnedSession], git: Git | None, clean: Callable[[str], str]
) -> Freshness:
    """Of these sessions; of the project's latest where there are none. clean: makes what git says safe to show."""
    latest = sessions or list_owned(book.db, book.project.ids)[:1]
    captured = from_micros(max((one.last_at or 0 for one in latest), default=0) or None)
    read = activity.list_positions(book.db, [one.number for one in sessions])
    unread = sum(_unread(path, offset) for path, offset in read)
    commits = git.list_commits(captured) if git and captured else None
    if commits is None or git is None or captured is None:
        return Freshness(captured, 0, 0, None, unread)
    committed = dict.fromkeys(path for commit in commits for path in commit.files)
    edited = [path for path in git.list_written(captured) or () if path not in committed]
    files = tuple(map(clean, [*edited, *committed]))
    return Freshness(captured, len(commits), len(edited), files, unread)


def freshness_lines(fresh: Freshness) -> list[str]:
    """Said at a pack's end."""
    if fresh.captured_at is None:
        return ["Nothing of it was captured yet."]
    lines = [f"Captured up to {fresh.captured_at:%Y-%m-%d %H:%M:%S} UTC."]
    if fresh.unread_bytes:
        lines.append(f"{fresh.unread_bytes:,} bytes of its transcripts were not read yet.")
    if fresh.changed is None:
        lines.append("What changed since, git does not tell.")
    elif fresh.changed:
        named = ", ".join(clip(path, PATH_LETTERS) for path in fresh.changed[:CHANGED])
        more = f" and {len(fresh.changed) - CHANGED} more" if len(fresh.changed) > CHANGED else ""
        where = [f"in {counted(fresh.commits, 'commit')}"] if fresh.commits else []
        where += ["in the working tree"] if fresh.edited else []
        lines.append(f"{counted(len(fresh.changed), 'file')} changed since, {' and '.join(where)}: {named}{more}.")
    else:
        lines.append("No file changed since, as git tells.")
    return lines


def _unread(path: str, offset: int) -> int:
    try:
        return max(Path(path).stat().st_size - offset, 0)
    except (OSError, ValueError):
        return 0
