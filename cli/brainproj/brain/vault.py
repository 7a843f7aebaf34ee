"""The vault of a kernel, read through its API: the arcs that the feed names, and the lessons of the last days.

All of it for all projects, at once, since an arc tells its project only when its file was read. At most 35 requests,
the one for the feed among them: searches give way first (one then asks for two arcs), days last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial

from ..core.feedanswer import HotRow
from ..core.vault import ArcFile, LoggedLesson, choose_paths, parse_arc, parse_log
from .client import BrainClient

LESSON_FOLDERS = ("left/reference", "left")
"""A log is in the first, and moves to the second after about 14 days (formats/kernel.md 6)."""
HITS = 20
"""Files that a search for an arc answers with at most: an arc's own are among the first."""
HITS_AT_MOST = 200
"""More a kernel refuses."""


@dataclass(frozen=True, slots=True)
class Vault:
    """What was read. not_found: rows that lead to no arc. unread_days: days there was no request left for."""

    arcs: tuple[ArcFile, ...]
    lessons: tuple[LoggedLesson, ...]
    not_found: int
    unread_days: int


def read_vault(client: BrainClient, rows: Sequence[HotRow], today: date, days: int) -> Vault:
    """The arcs of these rows, and the lessons of so many UTC days. Raises BrainUnavailable: half of it is none."""
    days = max(days, 0)
    rows = rows[: max(client.left // 2, 0)]
    days_read = min(days, max(client.left - len(rows) - (1 if rows else 0), 0))
    searches = min(len(rows), client.left - len(rows) - days_read)
    groups = [rows[number::searches] for number in range(searches)]
    found = _find_paths(client, groups)
    dates = [today - timedelta(days=number) for number in range(days_read)]
    logs = _read_logs(client, dates, kept=sum(len(paths) for paths in found.values()))
    arcs = _read_arcs(client, [(row, paths) for row in rows if (paths := found[row.arc_id])])
    lessons = [lesson for log in logs for lesson in log]
    return Vault(tuple(arcs), tuple(lessons), len(rows) - len(arcs), days - days_read)


def _find_paths(client: BrainClient, groups: Sequence[Sequence[HotRow]]) -> dict[str, list[str]]:
    """The files of each arc, those that count first; the arcs of a group are searched for at once."""
    tasks = [partial(_search, client, [row.arc_id for row in group]) for group in groups]
    found = zip(groups, client.at_once(tasks), strict=True)
    return {row.arc_id: choose_paths(row.arc_id, paths) for group, paths in found for row in group}


def _search(client: BrainClient, arc_ids: Sequence[str]) -> list[str]:
    hits = min(HITS * len(arc_ids), HITS_AT_MOST)
    answer = client.find("/vault/search", q=" ".join(arc_ids), limit=hits) or {}
    results = answer.get("results")
    found = results if isinstance(results, list) else []
    return [hit["path"] for hit in found if isinstance(hit, dict) and isinstance(hit.get("path"), str)]


def _read_logs(client: BrainClient, dates: Sequence[date], kept: int) -> list[list[LoggedLesson]]:
    """The lessons of each day. kept: requests that arcs still need; the others look where the oldest logs move to."""
    read = client.at_once([partial(_read_log, client, LESSON_FOLDERS[0], day) for day in dates])
    missing = [number for number, log in enumerate(read) if log is None]
    spare = min(max(client.left - kept, 0), len(missing))
    moved = missing[len(missing) - spare :]
    again = client.at_once([partial(_read_log, client, LESSON_FOLDERS[1], dates[number]) for number in moved])
    found = dict(enumerate(read)) | dict(zip(moved, again, strict=True))
    return [found[number] or [] for number in range(len(dates))]


def _read_log(client: BrainClient, folder: str, day: date) -> list[LoggedLesson] | None:
    """The lessons of a log; None for a day without one."""
    path = f"{folder}/lessons-{day.isoformat()}.md"
    read = _read(client, path)
    return parse_log(path, read[0], is_cut=read[1]) if read else None


def _read(client: BrainClient, path: str) -> tuple[str, bool] | None:
    """(content, whether it was cut) of a file; None where there is none."""
    answer = client.find("/vault/read", path=path)
    content = answer.get("content") if answer is not None else None
    return (content, answer.get("truncated") is True) if answer is not None and isinstance(content, str) else None


def _read_arcs(client: BrainClient, chosen: Sequence[tuple[HotRow, list[str]]]) -> list[ArcFile]:
    """The arcs. Of two files of one arc the first counts, and has the sessions and projects of both."""
    firsts = client.at_once([partial(_read_arc, client, row, paths[0]) for row, paths in chosen])
    seconds = [(row, paths[1]) for row, paths in chosen if len(paths) > 1][: max(client.left, 0)]
    others = client.at_once([partial(_read_arc, client, row, path) for row, path in seconds])
    beside = {arc.arc_id: arc for arc in others if arc is not None}
    arcs = [_with_parts(arc, beside.get(arc.arc_id)) for arc in firsts if arc is not None]
    return _complete(client, arcs)


def _read_arc(client: BrainClient, row: HotRow, path: str) -> ArcFile | None:
    read = _read(client, path)
    return parse_arc(row.arc_id, path, read[0]) if read else None


def _with_parts(arc: ArcFile, other: ArcFile | None) -> ArcFile:
    return arc if other is None else replace(arc, parts=(arc.parts[0], *other.parts, *arc.parts[1:]))


def _complete(client: BrainClient, arcs: list[ArcFile]) -> list[ArcFile]:
    """Give merged arcs the projects of what was merged into them, as far as there are requests for it: two each."""
    known = {arc.arc_id: arc for arc in arcs}
    missing = list(dict.fromkeys(one for arc in arcs for one in arc.merged if one not in known))
    missing = missing[: max(client.left // 2, 0)]
    rows = [HotRow(arc_id, 0, "", "", None) for arc_id in missing]
    found = _find_paths(client, [[row] for row in rows])
    read = client.at_once([partial(_read_arc, client, row, paths[0]) for row in rows if (paths := found[row.arc_id])])
    known |= {arc.arc_id: arc for arc in read if arc is not None}
    return [_with_projects(arc, known) for arc in arcs]


def _with_projects(arc: ArcFile, known: dict[str, ArcFile]) -> ArcFile:
    """The arc, its merged parts with the sessions and the project of the files that they were."""
    own = len(arc.parts) - len(arc.merged)
    parts = list(arc.parts)
    for number, arc_id in enumerate(arc.merged):
        before = known.get(arc_id)
        if before is not None and own + number < len(parts):
            first, part = before.parts[0], parts[own + number]
            sessions = tuple(dict.fromkeys((*part.sessions, *first.sessions)))
            parts[own + number] = replace(
                part, sessions=sessions, project=first.project, title=part.title or first.title
            )
    return replace(arc, parts=tuple(parts))
