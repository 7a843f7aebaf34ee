"""`installed.json`: what we have put into files of others, so that each can be given back as it was.

Losing it costs the exact bytes in odd places, never an entry: ours are recognised by their command. A damaged one
counts as none.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from ..errors import BrainError
from ..files import read_or_none, write_whole


class Kind(StrEnum):
    """What we have in a file."""

    HOOKS = "hooks"
    SKILL = "skill"
    EXCLUDE = "exclude"
    RULE = "rule"
    UNIT = "unit"
    SERVER = "server"
    INSTRUCTIONS = "instructions"

    @property
    def is_shared(self) -> bool:
        """Whether one file serves several agents, and stays while any of them has it."""
        return self in (Kind.SKILL, Kind.INSTRUCTIONS)


@dataclass(frozen=True, slots=True)
class Note:
    """One file. `before`, `after`: digests of its content around our change; before is None where that cannot be given
    back whole. is_made: there was no such file. folders: those that were made for it, the outermost first. lines: those
    of an exclude file. checkout: the folder of a project's own installation, else "". channels: what we set those of
    agentihooks to, and what they were before, if anything. members: those of a hook file that were made for us
    (`hooks`, `hooks.Stop`, `version`); None where nobody knows.
    """

    kind: Kind
    agents: tuple[str, ...]
    before: str | None
    after: str
    is_made: bool
    folders: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    checkout: str = ""
    channels: tuple[str, ...] = ()
    members: tuple[str, ...] | None = ()


@dataclass(slots=True)
class Ledger:
    """All of them, by path; and the launchers that settings may name, the newest last."""

    launchers: list[str] = field(default_factory=list)
    files: dict[str, Note] = field(default_factory=dict)


def digest(content: bytes) -> str:
    """What a file's content is compared by."""
    return hashlib.sha256(content).hexdigest()


def read_ledger(path: Path) -> Ledger:
    """The ledger in `path`; an empty one where there is none that can be read."""
    try:
        found = json.loads(read_or_none(path) or b"{}")
        launchers = [one for one in found.get("launchers", []) if _is_path(one)]
        return Ledger(launchers, {file: _note(note) for file, note in found.get("files", {}).items() if _is_path(file)})
    except (BrainError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Ledger()


def _is_path(value: object) -> bool:
    return isinstance(value, str) and value.startswith("/") and "\0" not in value


def _note(found: dict[str, Any]) -> Note:
    lists = {
        name: tuple(str(one) for one in found.get(name, ())) for name in ("agents", "folders", "lines", "channels")
    }
    return Note(
        Kind(found["kind"]),
        lists["agents"],
        found["before"],
        found["after"],
        bool(found["is_made"]),
        lists["folders"],
        lists["lines"],
        str(found.get("checkout", "")),
        lists["channels"],
        None if found.get("members") is None else tuple(str(one) for one in found["members"]),
    )


def write_ledger(path: Path, ledger: Ledger) -> None:
    """Write it whole; take it away where nothing is installed any more. Raises BrainError."""
    if not ledger.files:
        path.unlink(missing_ok=True)
        return
    document = {
        "version": 1,
        "launchers": ledger.launchers,
        "files": {file: asdict(note) for file, note in sorted(ledger.files.items())},
    }
    write_whole(path, (json.dumps(document, indent=2) + "\n").encode())
