"""Cursor's sessions that seem to run now. Cursor keeps no register of live sessions, and its transcripts hold no time.

So the one sign is a transcript that changed within two minutes: work is going on there, or ended just now (its last
line is `turn_ended`). An idle Cursor session cannot be told from one that was closed, and is not listed; nor is a
folder given, because the name of the project's folder is lossy (formats/transcripts.md 3.1).
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from stat import S_ISREG

from ...core.live import LiveSession, State, is_fresh, text_or_none
from ...core.times import parse_time
from ..lines import parse_objects

TAIL = 64 << 10
"""Bytes at the end of a transcript that are searched for its last line; `turn_ended` is a short one."""
TRANSCRIPTS_MAX = 50_000


def find_live(cursor_home: Path, now: datetime) -> list[LiveSession]:
    """The sessions and sub-agents whose transcript changed within two minutes."""
    sessions: list[LiveSession] = []
    for count, (session_id, agent_id, path) in enumerate(_iter_transcripts(cursor_home)):
        if count == TRANSCRIPTS_MAX:
            break
        try:
            stat = path.stat()
        except OSError:
            continue
        changed_at = parse_time(stat.st_mtime)
        if is_fresh(changed_at, now) and S_ISREG(stat.st_mode):
            sessions.append(
                LiveSession(
                    session_id=text_or_none(session_id) or "",
                    agent_id=text_or_none(agent_id),
                    agent="cursor",
                    cwd=None,
                    title=None,
                    state=State.IDLE if _has_ended_turn(path) else State.BUSY,
                    seen_by=("cursor-transcript",),
                    started_at=None,
                    last_seen_at=changed_at,
                    transcript=str(path),
                    pid=None,
                )
            )
    return sessions


def keeps_register(cursor_home: Path) -> bool:
    """Whether a session that is not found does not run: never, Cursor writes down none."""
    return False


def _iter_transcripts(cursor_home: Path) -> Iterator[tuple[str, str | None, Path]]:
    for project in _list_folder(cursor_home / "projects"):
        for entry in _list_folder(project / "agent-transcripts"):
            if entry.suffix == ".jsonl":
                yield entry.stem, None, entry
                continue
            yield entry.name, None, entry / f"{entry.name}.jsonl"
            for child in _list_folder(entry / "subagents"):
                if child.suffix == ".jsonl":
                    yield entry.name, child.stem, child


def _has_ended_turn(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            file.seek(max(file.seek(0, 2) - TAIL, 0))
            lines = file.read(TAIL).splitlines()
    except OSError:
        return False
    last = parse_objects(lines[-1]) if lines else []
    return bool(last) and last[-1].get("type") == "turn_ended"


def _list_folder(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
