"""Changing the files of others as a plan says, under a lock that two of us share; what changed meanwhile stays.

For each file the ledger is written first, then the backup, then the file, so that whoever is killed leaves a state
from which the next run goes on.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from ..core.jsontext import NotJson
from ..errors import BrainError
from ..files import ChangedMeanwhile, drop_leftovers, exchange, write_whole
from ..launcher import make_launcher, write_launcher
from ..locks import locked
from ..paths import Paths
from .changes import (
    Change,
    Plan,
    Problem,
    backup_path,
    decode,
    is_own_backup,
    may_back_up,
    put_change,
    reason_of,
    taken_change,
)
from .ledger import Kind, Ledger, Note, digest, read_ledger, write_ledger
from .parts import HookPart, NotOurs, Part
from .servers import JsonServerPart

ATTEMPTS = 5
"""How often a file that somebody else writes at the same moment is read again."""


def apply_install(paths: Paths, plan: Plan) -> Plan:
    """Put our parts in. The plan comes back with what was done, and with the files that could not be changed."""
    if not write_launcher(paths):
        make_launcher(paths)  # says why it cannot
    with locked(paths.install_lock, doing="changing settings"):
        ledger = read_ledger(paths.ledger_path)
        ledger.launchers = list(dict.fromkeys([*ledger.launchers, str(paths.launcher)]))
        return _apply(plan, plan.parts, lambda part: _put_in(paths, plan, part, ledger))


def apply_uninstall(paths: Paths, plan: Plan) -> Plan:
    """Take our parts out, with the backups and folders that were made for them."""
    with locked(paths.install_lock, doing="changing settings"):
        ledger = read_ledger(paths.ledger_path)
        folders = {one for part in plan.parts if (note := ledger.files.get(str(part.path))) for one in note.folders}
        done = _apply(plan, plan.parts[::-1], lambda part: _take_out(paths, part, ledger))
        for folder in sorted(
            folders, key=len, reverse=True
        ):  # two files may share a folder that was made for the first
            with contextlib.suppress(OSError):
                Path(folder).rmdir()
        return done


def _apply(plan: Plan, parts: Iterable[Part], change_one: Callable[[Part], Change]) -> Plan:
    """Change file by file; one that cannot be changed is left, unless it is git's list: nothing is put before that."""
    done, problems = [], list(plan.problems)
    for part in parts:
        drop_leftovers(part.path)
        try:
            change = _again(partial(change_one, part))
        except (NotJson, NotOurs, BrainError, UnicodeError) as error:
            problems.append(Problem(part.path, reason_of(error)))
            if part.kind is Kind.EXCLUDE:
                break
            continue
        if change.before != change.after:
            done.append(change)
    return replace(plan, changes=tuple(done), problems=tuple(problems))


def _again(attempt: Callable[[], Change]) -> Change:
    """What an attempt gives, made anew while somebody else writes the same file."""
    for left in reversed(range(ATTEMPTS)):
        try:
            return attempt()
        except ChangedMeanwhile:
            if not left:
                raise
    raise AssertionError


def _put_in(paths: Paths, plan: Plan, part: Part, ledger: Ledger) -> Change:
    change, file = put_change(part, ledger), str(part.path)
    note = ledger.files.get(file)
    if change.after is None:
        return change
    agents = tuple(dict.fromkeys([*(note.agents if note else ()), *part.agents]))
    added = set(part.lines) - set(decode(part, change.before or b"").splitlines()) if part.lines else set()
    lines = tuple(dict.fromkeys([*(note.lines if note else ()), *(line for line in part.lines if line in added)]))
    if change.before == change.after:
        if note is None or (note.agents, note.lines) != (agents, lines):
            stood = Note(part.kind, agents, None, digest(change.after), False, (), lines, plan.checkout, (), None)
            made = note or stood
            ledger.files[file] = replace(made, agents=agents, lines=lines)
            write_ledger(paths.ledger_path, ledger)
        return change
    is_made, before = _state_before(part, change, note)
    channels, members = (note.channels, note.members) if note else ((), ())
    if isinstance(part, HookPart):
        channels = channels or part.channels_before(decode(part, change.before or b""))
    if isinstance(part, (HookPart, JsonServerPart)) and members is not None:
        text = decode(part, change.before or b"")
        members = tuple(dict.fromkeys([*members, *part.members_before(text)]))
    if before == digest(change.before or b"") and not may_back_up(part.path, note):
        before = None  # somebody else's file has the backup's name
    folders = note.folders if note else ()
    folders = tuple(dict.fromkeys([*folders, *_missing_folders(part.path)]))
    ledger.files[file] = Note(
        part.kind, agents, before, digest(change.after), is_made, folders, lines, plan.checkout, channels, members
    )
    write_ledger(paths.ledger_path, ledger)
    if part.kind is Kind.HOOKS and change.before is not None and before == digest(change.before):
        write_whole(backup_path(part.path), change.before)
        with contextlib.suppress(OSError):
            backup_path(part.path).chmod(part.path.stat().st_mode & 0o777)
    exchange(part.path, change.before, change.after)
    return change


def _state_before(part: Part, change: Change, note: Note | None) -> tuple[bool, str | None]:
    """(whether there was no file, the digest of the content to give back): before us, not before this change."""
    if change.before is None:
        return True, None
    if note is not None and part.kind is not Kind.HOOKS:
        return note.is_made, note.before
    if note is not None and digest(change.before) == note.after:
        return note.is_made, note.before
    left = part.take(change.before.decode("utf-8"), None) if part.kind is Kind.HOOKS else None
    if left is not None and left.encode("utf-8") != change.before:  # ours stands in it already, and others changed it
        return note is not None and note.is_made, None
    return False, digest(change.before)


def _take_out(paths: Paths, part: Part, ledger: Ledger) -> Change:
    change, file = taken_change(part, ledger), str(part.path)
    note = ledger.files.get(file)
    if change.before != change.after:
        exchange(part.path, change.before, change.after)
    left = tuple(agent for agent in note.agents if agent not in part.agents) if note else ()
    lines = tuple(line for line in note.lines if line not in part.lines) if note else ()
    if note is not None and (lines or (left and part.kind.is_shared)):
        ledger.files[file] = replace(note, agents=left or note.agents, lines=lines)
        write_ledger(paths.ledger_path, ledger)
        return change
    folders = [Path(folder) for folder in note.folders] if note else []
    with contextlib.suppress(OSError):  # the folder is gone, or somebody else keeps something in it
        if part.kind is Kind.HOOKS and is_own_backup(part.path, note, change.after):
            backup_path(part.path).unlink(missing_ok=True)
        if part.kind is Kind.SKILL and note is None:
            folders = [part.path.parent]
        if part.kind is Kind.RULE:
            folders = [part.path.parent.parent, part.path.parent]
        for folder in reversed(folders):
            folder.rmdir()
    if ledger.files.pop(file, None) is not None:
        write_ledger(paths.ledger_path, ledger)
    return change


def _missing_folders(path: Path) -> Iterator[str]:
    """The folders that have to be made for a file, the outermost first."""
    missing = []
    folder = Path(os.path.realpath(path)).parent
    while not folder.exists():
        missing.append(str(folder))
        folder = folder.parent
    return reversed(missing)
