"""The two sources that a brain can be: its vault, read file by file, and a feed of one project's own.

Both are handed what the brain said and hand on pieces, each with the project that it is of. What no known project can
be told of is left out, and counted. Imported only where a brain is asked: HTTP is dear.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta

from .attribution import Attribution
from .brain.client import BrainClient
from .brain.vault import Vault, read_vault
from .core.catalogue import KnownProject
from .core.entries import Entry
from .core.feedanswer import FeedAnswer, HotRow, hot_rows
from .core.memory import ProjectMemory
from .core.remote import ARCS_AT_MOST, LESSONS_AT_MOST, Piece, PieceKind, make_memory, piece_letters
from .core.scope import INTENT_IDS
from .core.text import clip, one_line
from .core.times import parse_time
from .core.vault import ArcFile, ArcPart, LoggedLesson, known_status, parse_log
from .errors import BrainUnavailable
from .recall import RecallSettings

AHEAD = timedelta(days=1)
"""A time that lies further ahead is none."""
ARC_LETTERS = 16_000
"""Characters of an arc's file that are kept."""
SHOWN_LETTERS = 4000
"""Of a title before secrets are taken out of it; it is cut to what is shown after that."""
FEED_PATH = "/feed"
STAMP = re.compile(r"\((\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}) UTC\)")
DATED = re.compile(r"(\d{4}-\d{2}-\d{2})-")
BULLET = re.compile(
    r"[-*]\s+(?:\*\*)?[\[(]?(\d{4}-\d{2}-\d{2})?(?:[T ][\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?[\])]?(?:\*\*)?\s*[:—–-]?\s*(.+)"
)
NO_ARC, UNKNOWN_ARC, SEVERAL = "rows that lead to no arc", "arcs of no known project", "arcs of several projects"
AMBIGUOUS = "arcs of a name that several projects have"
NO_SESSION, UNKNOWN_SESSION = "lessons without a session", "lessons of unknown sessions"
OTHERS, UNREAD_DAYS = "rows of other projects", "days of lessons that were not read"


@dataclass(slots=True)
class Told:
    """What a brain told: the pieces of each project, by its key. left_out: why → how many."""

    pieces: dict[str, list[Piece]] = field(default_factory=dict)
    entries: tuple[Entry, ...] = ()
    left_out: Counter[str] = field(default_factory=Counter)

    def add(self, project: KnownProject, piece: Piece) -> None:
        self.pieces.setdefault(project.key, []).append(piece)


@dataclass(slots=True)
class VaultSource:
    """Today's kernel: the feed's hot arcs and the daily logs, from its vault. One reading serves every project."""

    client: BrainClient
    feed: FeedAnswer
    attribution: Attribution
    settings: RecallSettings
    name: str = "vault"
    _told: Told | None = None

    def fetch(self, project: KnownProject, now: datetime) -> ProjectMemory:
        """The project's memory as the brain has it now. Raises BrainUnavailable."""
        return make_memory(project.name, self.client.brain.source, self.tell(now).pieces.get(project.key, []))

    def tell(self, now: datetime) -> Told:
        """What the brain tells of all projects. Raises BrainUnavailable."""
        if self._told is None:
            rows = hot_rows(self.feed.entries)
            some = rows[: self.settings.arcs_at_most] if self.settings.arcs_at_most > 0 else rows
            today = now.astimezone(UTC).date()
            vault = read_vault(self.client, some, today, self.settings.stale_lesson_days)
            self._told = self._attribute(vault)
        return self._told

    def _attribute(self, vault: Vault) -> Told:
        told = Told()
        self.attribution.learn(session for arc in vault.arcs for part in arc.parts for session in part.sessions)
        self.attribution.learn(lesson.session_id for lesson in vault.lessons)
        for arc in vault.arcs:
            self._arc(told, arc)
        for lesson in vault.lessons:
            self._lesson(told, lesson)
        told.left_out.update({NO_ARC: vault.not_found, UNREAD_DAYS: vault.unread_days})
        told.left_out = +told.left_out
        return told

    def _arc(self, told: Told, arc: ArcFile) -> None:
        """An arc of one project whole, with its summary; of one that was merged of several, to each its own part."""
        told_by = [self._owner(part) for part in arc.parts]
        owners = [owner for owner, _ in told_by]
        known = {owner.key: owner for owner in owners if owner}
        if len(known) == 1 and all(owners):
            sessions = tuple(dict.fromkeys(session for part in arc.parts for session in part.sessions))
            text = "\n\n".join(part.text for part in arc.parts)
            whole = self._piece(arc, arc.title, text, sessions)
            told.add(next(iter(known.values())), replace(whole, named=told_by[0][1]))
            return
        for number, (part, (owner, word)) in enumerate(zip(arc.parts, told_by, strict=True)):
            if owner is not None:
                own = self._piece(arc, part.title or arc.arc_id, part.text, part.sessions)
                told.add(owner, replace(own, letters=_letters_of(arc, number), named=word))
        if not known:
            told.left_out[next((why for owner, why in told_by if owner is None and why), UNKNOWN_ARC)] += 1

    def _owner(self, part: ArcPart) -> tuple[KnownProject | None, str]:
        """Whose a part is: its sessions say, else the kernel's own word.

        Beside the project that word, where only it tells; beside None the reason, where there is more than "unknown".
        """
        known = [found for session in part.sessions if (found := self.attribution.of_session(session))]
        projects = {found.project.key: found.project for found in known if found.project}
        if projects:
            return (next(iter(projects.values())), "") if len(projects) == 1 else (None, SEVERAL)
        word = part.project if part.project and not known else ""
        owner = self.attribution.of_name(word)
        if owner is None:
            return None, AMBIGUOUS if self.attribution.is_ambiguous(word) else ""
        return owner, word

    def _piece(self, arc: ArcFile, title: str, text: str, sessions: tuple[str, ...]) -> Piece:
        known = (self.attribution.of_session(session) for session in sessions)
        last = max((found.last_at for found in known if found and found.last_at), default=None)
        return Piece(
            kind=PieceKind.ARC,
            letters=piece_letters("arc", arc.arc_id, ""),
            title=one_line(title),
            text=clip(text, ARC_LETTERS),
            at=last or day_of(arc.arc_id),
            path=arc.path,
            status=arc.status,
            heat=arc.heat,
            sessions=sessions,
        )

    def _lesson(self, told: Told, lesson: LoggedLesson) -> None:
        known = self.attribution.of_session(lesson.session_id) if lesson.session_id else None
        if known is None or known.project is None:
            told.left_out[UNKNOWN_SESSION if lesson.session_id else NO_SESSION] += 1
            return
        told.add(known.project, lesson_piece(lesson))


def _letters_of(arc: ArcFile, number: int) -> str:
    """The letters of a part: those of the arc that it was before it was merged."""
    own = len(arc.parts) - len(arc.merged)
    if number >= own:
        return piece_letters("arc", arc.merged[number - own], "")
    return piece_letters("arc", arc.arc_id, "" if number == 0 else f"copy {number}")


@dataclass(slots=True)
class KernelSource:
    """A kernel that knows projects: `/feed?project=`. Its entries are read as the fleet's are, its intent is the focus.

    What the rows may look like is not written down anywhere yet: they are taken in the shapes of the feed of today.
    """

    client: BrainClient
    feed: FeedAnswer
    attribution: Attribution
    project: KnownProject
    name: str = "kernel"

    def fetch(self, project: KnownProject, now: datetime) -> ProjectMemory:
        """The project's memory as the brain has it now. Raises BrainUnavailable."""
        return make_memory(project.name, self.client.brain.source, self.tell(now).pieces.get(project.key, []))

    def tell(self, now: datetime) -> Told:
        """What the brain tells of the project. Raises BrainUnavailable where it answers for another one."""
        if not self._is_own(self.feed.echoed_name, self.feed.echoed_key):
            said = one_line(self.feed.echoed_key or self.feed.echoed_name)
            raise BrainUnavailable(f"{self.client.brain.name} was asked for {self.project.key} and answers for {said}")
        told = Told()
        kept: list[Entry] = []
        for entry in self.feed.entries:
            label = entry.metadata.get("project", ""), entry.metadata.get("key", ""), entry.metadata.get("remote", "")
            pieces = list(_pieces(entry))
            if any(label) and not self._is_own(*label):
                told.left_out[OTHERS] += max(len(pieces), 1)
                continue
            for row, piece in pieces:
                if row is not None and row.project is not None and not self._is_own(row.project):
                    told.left_out[OTHERS] += 1
                else:
                    told.add(self.project, piece)
            if not pieces and any(label):
                kept.append(entry)
        told.entries = tuple(kept)
        return told

    def _is_own(self, name: str, key: str = "", remote: str = "") -> bool:
        found = self.attribution.of_label(name, key, remote)
        return found is not None and found.key == self.project.key


def _pieces(entry: Entry) -> Iterator[tuple[HotRow | None, Piece]]:
    """The memory in an entry: arcs of a table, lessons, an intent; nothing in any other entry."""
    entry_id = entry.id.lower()
    if entry_id.startswith("hot-arcs"):
        for row in hot_rows((entry,)):
            yield row, _row_piece(row)
    elif entry_id.startswith("lessons"):
        for lesson in _lessons(entry.content):
            yield None, lesson_piece(lesson)
    elif entry_id in INTENT_IDS:
        yield None, _intent_piece(entry)


def _row_piece(row: HotRow) -> Piece:
    return Piece(
        kind=PieceKind.ARC,
        letters=piece_letters("arc", row.arc_id, ""),
        title=clip(one_line(row.blurb), SHOWN_LETTERS),
        text=row.blurb,
        at=day_of(row.arc_id),
        path=FEED_PATH,
        status=known_status(row.status),
        heat=row.heat,
    )


def _lessons(content: str) -> Sequence[LoggedLesson]:
    """The lessons of an entry: as a daily log has them, else one a bullet, perhaps with its day."""
    logged = parse_log(FEED_PATH, content, is_cut=False)
    if logged:
        return logged
    found = (BULLET.fullmatch(line.strip()) for line in content.splitlines())
    return [LoggedLesson(parse_time(one[1]), "", "", one[2].strip(), FEED_PATH) for one in found if one]


def lesson_piece(lesson: LoggedLesson) -> Piece:
    """A lesson as a piece; its address is told by who said it and what, since a log may move."""
    return Piece(
        kind=PieceKind.LESSON,
        letters=piece_letters("lesson", lesson.session_id, lesson.text),
        title=clip(one_line(lesson.text), SHOWN_LETTERS),
        text=lesson.text,
        at=lesson.at,
        path=lesson.path,
        session_id=lesson.session_id,
    )


def _intent_piece(entry: Entry) -> Piece:
    words = " ".join(line for line in entry.content.splitlines() if not line.startswith("#"))
    return Piece(
        kind=PieceKind.FOCUS,
        letters=piece_letters("intent", entry.content),
        title=clip(one_line(words), SHOWN_LETTERS),
        text=entry.content,
        at=stamp_of(entry.content),
        path=FEED_PATH,
    )


def stamp_of(content: str) -> datetime | None:
    """The time in the heading of an intent or a tick's report: a file of long ago stays in the feed for ever."""
    found = STAMP.search(content.split("\n", 1)[0])
    return parse_time(f"{found[1]}T{found[2]}") if found else None


def day_of(arc_id: str) -> datetime | None:
    """The day on which an arc began, as its id has it."""
    found = DATED.match(arc_id)
    day = parse_time(found[1]) if found else None
    return datetime.combine(day.date(), time(), UTC) if day else None


def limit_pieces(pieces: Iterable[Piece], now: datetime) -> list[Piece]:
    """The newest lessons and the hottest arcs of the pieces: more never enter a block. What lies ahead has no time."""
    own = [one if one.at is None or one.at < now + AHEAD else replace(one, at=None) for one in pieces]
    long_ago = datetime.min.replace(tzinfo=UTC)
    lessons = sorted((one for one in own if one.kind is PieceKind.LESSON), key=lambda one: one.at or long_ago)
    arcs = sorted((one for one in own if one.kind is PieceKind.ARC), key=lambda one: one.heat)
    focus = [one for one in own if one.kind is PieceKind.FOCUS][:1]
    return [*focus, *arcs[-ARCS_AT_MOST:], *lessons[-LESSONS_AT_MOST:]]
