"""One file that we have a part in, as it is and as it is to be: found out by reading alone."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ..core.jsontext import NotJson
from ..errors import BrainError
from ..files import read_or_none
from .ledger import Kind, Ledger, Note, digest
from .parts import HookPart, NotOurs, Part
from .servers import JsonServerPart, TomlServerPart

FRAMED = (HookPart, JsonServerPart, TomlServerPart)
"""Parts of files that can be empty but for their frame."""
BACKUP = ".brainproj.bak"


class Action(StrEnum):
    """What is done with a file."""

    CREATE = "create"
    CHANGE = "change"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class Change:
    """One file as it is and as it is to be; None for no file."""

    part: Part
    before: bytes | None
    after: bytes | None

    @property
    def action(self) -> Action:
        """What happens to it."""
        if self.after is None:
            return Action.REMOVE
        return Action.CREATE if self.before is None else Action.CHANGE


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that is left as it is, and why."""

    path: Path
    what: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done. `steps`: (agent as people call it, what the person still has to do)."""

    parts: tuple[Part, ...]
    changes: tuple[Change, ...]
    problems: tuple[Problem, ...]
    steps: tuple[tuple[str, str], ...] = ()
    checkout: str = ""

    @property
    def has_hooks(self) -> bool:
        """Whether any agent's hook file can be changed, or is as it should be."""
        return any(part.kind is Kind.HOOKS for part in self.parts)


def compute(parts: Iterable[Part], ledger: Ledger, *, is_taking: bool) -> tuple[list[Change], list[Problem]]:
    """What would change in which file; the files that must be left, with the reason."""
    changes, problems = [], []
    for part in parts:
        try:
            change = taken_change(part, ledger) if is_taking else put_change(part, ledger)
        except (NotJson, NotOurs, BrainError, UnicodeError) as error:
            problems.append(Problem(part.path, reason_of(error)))
            continue
        if change.before != change.after:
            changes.append(change)
    return changes, problems


def reason_of(error: Exception) -> str:
    """Why a file is left, in a few words."""
    if isinstance(error, UnicodeError):
        return "it is not UTF-8"
    if isinstance(error, NotJson):
        return f"it is no JSON that can be changed: {error}"
    if isinstance(error, BrainError):
        return f"{error.message}{f' ({error.detail})' if error.detail else ''}"
    return str(error)


def put_change(part: Part, ledger: Ledger) -> Change:
    """The file with our part."""
    before = read_or_none(part.path)
    after = part.put(None if before is None else decode(part, before), ledger.files.get(str(part.path)))
    return Change(part, before, None if after is None else encode(part, after))


def taken_change(part: Part, ledger: Ledger) -> Change:
    """The file without our part: where nobody has changed it since, with the very bytes from before."""
    before, note = read_or_none(part.path), ledger.files.get(str(part.path))
    if before is None or (note is not None and set(note.agents) - set(part.agents) and part.kind.is_shared):
        return Change(part, before, before)  # gone, or another agent reads it
    if note is not None and note.kind is Kind.HOOKS and digest(before) == note.after:
        if note.is_made:
            return Change(part, before, None)
        backup = read_or_none(backup_path(part.path))
        if backup is not None and digest(backup) == note.before:
            return Change(part, before, backup)
    after = part.take(decode(part, before), note)
    is_lost = note is None and not backup_path(part.path).exists()
    if is_lost and isinstance(part, FRAMED) and after is not None and encode(part, after) != before:
        after = None if part.is_empty(after) else after  # a hook file that was there before has a backup
    return Change(part, before, None if after is None else encode(part, after))


def may_back_up(path: Path, note: Note | None) -> bool:
    """Whether the name of the backup is free, or has our own under it."""
    return is_own_backup(path, note, None) or not os.path.lexists(backup_path(path))


def is_own_backup(path: Path, note: Note | None, restored: bytes | None) -> bool:
    """Whether the file of the backup's name is ours: by the ledger, or since it holds what is given back."""
    try:
        backup = read_or_none(backup_path(path))
    except BrainError:
        return False
    if backup is None:
        return False
    return (note is not None and digest(backup) == note.before) or (restored is not None and backup == restored)


def unread_reason(part: HookPart) -> str | None:
    """Why the agent passes by the file as it is, whatever stands in it; None where it does not."""
    try:
        return part.integration.unread_for((read_or_none(part.path) or b"").decode("utf-8"))
    except (BrainError, UnicodeError):
        return None


def decode(part: Part, content: bytes) -> str:
    """The text of a file; git's list may hold paths in any encoding."""
    return content.decode("utf-8", "surrogateescape" if part.kind is Kind.EXCLUDE else "strict")


def encode(part: Part, text: str) -> bytes:
    """The content of a file, as `decode` read it."""
    return text.encode("utf-8", "surrogateescape" if part.kind is Kind.EXCLUDE else "strict")


def backup_path(path: Path) -> Path:
    """Where the content from before is kept."""
    return path.with_name(path.name + BACKUP)
