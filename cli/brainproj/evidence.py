"""Evidence: the citations that a proposal, decision or handoff names, each checked to open in its own project."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from .browse import ArcText, CommitText, DocumentText, Passage, SessionText, Shown, TaskText, open_address
from .config import Config
from .core.catalogue import Catalogue, KnownProject
from .core.citations import SESSION_LETTERS
from .core.handoffs import parse_handoff, render_handoff
from .core.records import LINKS_AT_MOST, Links
from .core.text import one_line
from .core.times import from_micros
from .decide import Wording
from .errors import BrainError, NotFound, Refused
from .piecetext import PieceText
from .recordtext import RecordText


def cite(
    db: sqlite3.Connection,
    catalogue: Catalogue,
    project: KnownProject,
    addresses: Iterable[str],
    folder: str | None,
) -> list[str]:
    """The addresses as they are kept, each once. Raises NotFound for one that opens nothing in this project.

    folder: the checkout in which its commits are.
    """
    wanted = [address for address in addresses if address.strip()]
    if len(wanted) > LINKS_AT_MOST:
        raise Refused(f"{len(wanted)} citations are too many", detail=f"Name the {LINKS_AT_MOST} that tell most.")
    return list(dict.fromkeys(_one(db, catalogue, project, address, folder) for address in wanted))


def cite_handoff(
    db: sqlite3.Connection, catalogue: Catalogue, project: KnownProject, text: str, task: int | None, folder: str | None
) -> Wording:
    """A handoff of a task as it is kept, its evidence checked as by `cite`. Raises NotFound, Refused."""
    handoff = parse_handoff(text)
    if handoff.is_empty:
        raise Refused("a handoff needs words")
    cited = cite(db, catalogue, project, handoff.evidence, folder)
    return Wording(render_handoff(handoff), Links(cites=tuple(cited)), task)


@dataclass(frozen=True, slots=True)
class Cited:
    """A piece of evidence as it is there now. what: kind and day, or that it is gone."""

    citation: str
    what: str
    text: str
    is_gone: bool = False

    def value(self) -> dict[str, str]:
        """As JSON."""
        return {"citation": self.citation, "what": self.what, "text": self.text}


def look_up(
    db: sqlite3.Connection,
    catalogue: Catalogue,
    project: KnownProject,
    citations: Iterable[str],
    folder: str | None,
    config: Config | None = None,
) -> list[Cited]:
    """What each citation opens in its project; one that opens nothing there (any more) says so.

    config: whose rules hide what git says, which was never stored.
    """
    opened = ((one, _open_own(db, catalogue, project, one, folder, config)) for one in citations)
    return [_cited(project, citation, shown) for citation, shown in opened]


def _cited(project: KnownProject, citation: str, shown: Shown | None) -> Cited:
    if shown is None:
        return Cited(citation, "is gone", f"it opens nothing in {project.name}", is_gone=True)
    match shown:
        case Passage():
            event = shown.event
            outcome = f", {event.outcome}" if event.outcome not in (None, "ok", "unknown") else ""
            return Cited(citation, f"{event.kind.replace('_', ' ')}{outcome}{_day(event.at)}", shown.text)
        case RecordText():
            record = shown.record
            return Cited(citation, f"{record.kind}, {record.status}{_day(record.since)}", record.text)
        case ArcText():
            return Cited(citation, f"thread of work{_day(shown.arc.last_at)}", shown.arc.title or "")
        case TaskText():
            return Cited(citation, f"task, {shown.task.status.value}", shown.task.title)
        case DocumentText():
            return Cited(citation, f"document, {shown.document.kind}", shown.text)
        case CommitText():
            return Cited(citation, f"commit, {shown.commit.at:%Y-%m-%d}", shown.commit.subject)
        case PieceText():
            return Cited(citation, f"{shown.piece.kind} of {shown.where}", shown.piece.text)
        case SessionText():
            return Cited(citation, f"session of {shown.agent}", shown.session_id)


def _day(at: int | None) -> str:
    moment = from_micros(at)
    return f", {moment:%Y-%m-%d}" if moment else ""


def _open_own(
    db: sqlite3.Connection,
    catalogue: Catalogue,
    project: KnownProject,
    address: str,
    folder: str | None,
    config: Config | None = None,
) -> Shown | None:
    """What an address opens, if that is this project's."""
    try:
        shown = open_address(db, catalogue, address, project, folder, config)
    except BrainError:
        return None
    return shown if shown.project is not None and shown.project.key == project.key else None


def _one(db: sqlite3.Connection, catalogue: Catalogue, project: KnownProject, address: str, folder: str | None) -> str:
    shown = _open_own(db, catalogue, project, address, folder)
    if shown is None:
        raise NotFound(
            f"nothing in {project.name} has the address {one_line(address)[:100]}",
            hint="addresses stand in [brackets] in what `brainproj search` and `brainproj attempts` find",
        )
    match shown:
        case Passage():
            return shown.citation
        case RecordText():
            return shown.record.citation
        case ArcText():
            return f"arc:{shown.arc.arc_id}"
        case TaskText():
            return shown.task.citation
        case DocumentText():
            return shown.document.citation
        case CommitText():
            return shown.citation
        case PieceText():
            return shown.piece.citation
        case SessionText():
            return shown.session_id[:SESSION_LETTERS]
