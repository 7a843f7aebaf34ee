"""What a brain told, opened: the text as it was read there, and where that is. It is nothing that happened here."""

import sqlite3
from dataclasses import dataclass

from .core.brain import parse_brain
from .core.catalogue import Catalogue, KnownProject
from .core.remote import Piece
from .core.times import from_micros, render_time
from .errors import Ambiguous, NotFound
from .store.brain import FEED, VAULT, find_pieces, read_ask
from .store.reading import find_sessions


@dataclass(frozen=True, slots=True)
class PieceText:
    """A piece with the brain it is from. told_at: microseconds. here: the ids of its sessions that are stored here."""

    piece: Piece
    brain: str
    project: KnownProject | None
    told_at: int | None
    here: tuple[str, ...]

    @property
    def where(self) -> str:
        """The brain's host and the file of it."""
        return f"{parse_brain(self.brain).name}, {self.piece.path}"

    def value(self) -> dict[str, object]:
        """The document of `show brain:LETTERS --json`."""
        piece = self.piece
        return {
            "citation": piece.citation,
            "kind": piece.kind.value,
            "project": self.project.value() if self.project else None,
            "text": piece.text,
            "revision": 1,
            "title": piece.title,
            "brain": self.brain,
            "path": piece.path,
            "at": render_time(piece.at),
            "told_at": render_time(from_micros(self.told_at)),
            "session_id": piece.session_id or None,
            "sessions": list(piece.sessions),
            "sessions_here": list(self.here),
            "before": [],
            "after": [],
        }


def open_piece(
    db: sqlite3.Connection, catalogue: Catalogue, letters: str, own: KnownProject | None = None
) -> PieceText:
    """The piece with these letters, or with letters that begin so. Raises NotFound, Ambiguous."""
    found = [one for one in find_pieces(db, letters) if letters]
    mine = [one for one in found if own is not None and one[1] in own.ids]
    found = mine or found
    if len({piece.letters for _, _, piece in found}) > 1:
        hint = f"one of them is {found[0][2].citation}"
        raise Ambiguous(f"more than one thing a brain told begins with {letters}", hint=hint)
    if not found:
        raise NotFound(f"no brain told brain:{letters}, or it has taken it back", hint="see `brainproj brain`")
    brain, number, piece = found[0]
    asks = (read_ask(db, brain, what) for what in (str(number), VAULT, FEED))
    told_at = next((ask.answered_at for ask in asks if ask.answered_at is not None), None)
    named = dict.fromkeys(one for one in (piece.session_id, *piece.sessions) if one)
    here = tuple(one for one in named if any(row[1] == one for row in find_sessions(db, one)))
    return PieceText(piece, brain, catalogue.by_id(number), told_at, here)
