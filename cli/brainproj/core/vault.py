"""Files of a kernel's vault: arcs with the sessions they are of, and the daily logs of lessons.

Format: formats/kernel.md 4 and 6. A newcomer's mistakes: to compute an arc's path (it lives where its heat has put it),
to take the first copy that a search names (the one in `clusters/` is stale), and to split a log at `## ` (lessons hold
headings of their own).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from .text import clip, encodable
from .times import parse_time

FOLDERS = ("bridge", "left", "right", "frontal-lobe", "pineal", "amygdala")
"""Where the keeper looks for an arc, in its own order; `clusters/` comes after all of them, its oldest day first."""
STALE_FOLDER = "clusters"
SUFFIXES = (".merged.md", ".md")
"""A merged arc's file takes the place of the one that it was."""
FIELD = re.compile(r"([A-Za-z_]\w*):(.*)")
ITEM = re.compile(r"\s*-\s+(.+)")
MERGED = re.compile(r"^## Merged from ([^\n]{1,300})$", re.MULTILINE)
HEADING = re.compile(r"^# (.+)$", re.MULTILINE)
SESSION_LINK = re.compile(r"^- home-bridge://sessions/([\w.-]+)", re.MULTILINE)
SESSION = re.compile(r"[\w.-]{6,200}")
HEADER = re.compile(r"## \d{4}-\d{2}-\d{2}T")
"""How the header of a lesson begins; whatever follows, the lesson before it ends here."""
DASH = " — "
HEADER_LETTERS = 400
FILE_LETTERS = 2_000_000
"""Characters of a file that are looked at."""
STATUSES = frozenset(("active", "complete", "stalled", "graduated", "resolved", "merged", "abandoned"))
SESSIONS_AT_MOST = 500
TITLE_LETTERS = 4000
"""Read; a secret that would be cut in half is hidden whole first, and what is shown is shorter."""
TEXT_LETTERS = 4096


@dataclass(frozen=True, slots=True)
class ArcPart:
    """What one arc's file was before others were merged into it. project: as the kernel wrote it, often wrong."""

    title: str
    sessions: tuple[str, ...]
    project: str | None
    text: str


@dataclass(frozen=True, slots=True)
class ArcFile:
    """An arc. title: its summary, else its title. parts: its own first, then what was merged into it."""

    arc_id: str
    path: str
    title: str
    status: str
    heat: int
    parts: tuple[ArcPart, ...]
    merged: tuple[str, ...]
    """The ids of the arcs behind the further parts."""


@dataclass(frozen=True, slots=True)
class LoggedLesson:
    """A lesson of a daily log. session_id: empty where the log names none. path: the log's."""

    at: datetime | None
    source: str
    session_id: str
    text: str
    path: str


def choose_paths(arc_id: str, paths: Iterable[str]) -> list[str]:
    """The files of an arc among the paths that a search found, the one that counts first, at most one of each kind."""
    names = {f"{arc_id}{suffix}": suffix for suffix in SUFFIXES}
    own = [path for path in dict.fromkeys(paths) if path.rpartition("/")[2] in names and _place(path) is not None]
    best: dict[str, str] = {}
    for path in sorted(own, key=lambda path: (_place(path) or (9, ""), path)):
        best.setdefault(names[path.rpartition("/")[2]], path)
    return sorted(best.values(), key=lambda path: (_place(path) or (9, ""), not path.endswith(SUFFIXES[0])))


def _place(path: str) -> tuple[int, str] | None:
    top, _, rest = path.partition("/")
    if top == STALE_FOLDER:
        return len(FOLDERS), rest
    return (FOLDERS.index(top), "") if top in FOLDERS else None


def parse_arc(arc_id: str, path: str, content: str) -> ArcFile | None:
    """The arc in a file; None for a file that is no arc of this id."""
    fields, body = _frontmatter(content)
    if fields.get("cluster_id", [""])[0] != arc_id:
        return None
    pieces = MERGED.split(body)
    title = _first(fields, "title")
    heading = HEADING.search(pieces[0])
    sessions = [one for one in fields.get("source_sessions", []) if SESSION.fullmatch(one)]
    parts = [
        ArcPart(
            clip(heading[1].strip() if heading else title or arc_id, TITLE_LETTERS),
            tuple(sessions[:SESSIONS_AT_MOST]),
            _first(fields, "project") or None,
            pieces[0].strip(),
        )
    ]
    for text in pieces[2::2]:
        heading = HEADING.search(text)
        linked = tuple(dict.fromkeys(SESSION_LINK.findall(text)))[:SESSIONS_AT_MOST]
        parts.append(ArcPart(clip(heading[1].strip() if heading else "", TITLE_LETTERS), linked, None, text.strip()))
    status = _first(fields, "status")
    return ArcFile(
        arc_id=arc_id,
        path=path,
        title=clip(_first(fields, "summary") or title or arc_id, TITLE_LETTERS),
        status=known_status(status),
        heat=_heat(_first(fields, "heat")),
        parts=tuple(parts),
        merged=tuple(one.strip() for one in pieces[1::2]),
    )


def known_status(status: str) -> str:
    """A status as it may be shown; empty for a word that is none."""
    return status.lower() if status.lower() in STATUSES else ""


def parse_log(path: str, content: str, *, is_cut: bool) -> list[LoggedLesson]:
    """The lessons of a daily log, oldest first. The last one of a log that was cut is not whole, and left out.

    A header that is not understood begins a lesson that nobody can be told of: it goes to no one, and to no other one.
    """
    found: list[LoggedLesson] = []
    header: LoggedLesson | None = None
    lines: list[str] = []
    for line in [*_plain(content).split("\n"), None]:
        if line is not None and not HEADER.match(line):
            lines.append(line)
            continue
        text = "\n".join(lines).strip()
        if header is not None and text and not (line is None and is_cut):
            found.append(replace(header, text=clip(text, TEXT_LETTERS)))
        header, lines = (None if line is None else _parse_header(line, path)), []
    return found


def _parse_header(line: str, path: str) -> LoggedLesson | None:
    """`## TIME — source — `session``, the session perhaps missing; a source may hold dashes of its own."""
    stamp, *rest = line[3:HEADER_LETTERS].rstrip().split(DASH)
    at = parse_time(stamp)
    if at is None or len(line) > HEADER_LETTERS:
        return None
    last = rest[-1].strip() if len(rest) > 1 else ""
    is_quoted = len(last) > 2 and last.startswith("`") and last.endswith("`")
    session = last.strip("`") if is_quoted or len(rest) == 2 else ""
    return LoggedLesson(at, DASH.join(rest).strip(), session if SESSION.fullmatch(session) else "", "", path)


def _plain(content: str) -> str:
    """A file's text with one kind of line ends, and not without end."""
    return encodable(content[:FILE_LETTERS]).replace("\r\n", "\n").replace("\r", "\n")


def _frontmatter(content: str) -> tuple[dict[str, list[str]], str]:
    """(fields, body). The kernel splits lines, it is not YAML; a list is `[a, b]` or lines behind dashes."""
    lines = _plain(content).lstrip("\ufeff").split("\n")
    if not lines or lines[0].strip() != "---":
        return {}, _plain(content)
    fields: dict[str, list[str]] = {}
    current: list[str] | None = None
    for number, line in enumerate(lines[1:], 1):
        if line.strip() == "---":
            return fields, "\n".join(lines[number + 1 :])
        item = ITEM.fullmatch(line)
        if item and current is not None:
            current.append(_unquoted(item[1]))
        elif field := FIELD.fullmatch(line.rstrip()):
            value = field[2].strip()
            listed = value.startswith("[") and value.endswith("]")
            values = [_unquoted(one) for one in value[1:-1].split(",")] if listed else [_unquoted(value)]
            current = fields.setdefault(field[1], [one for one in values if one])
    return {}, _plain(content)


def _unquoted(text: str) -> str:
    return text.strip().strip("\"'").strip()


def _first(fields: dict[str, list[str]], name: str) -> str:
    values = fields.get(name) or [""]
    return values[0]


def _heat(text: str) -> int:
    return min(int(text), 10) if text.isascii() and text.isdigit() and len(text) < 4 else 0
