"""Putting our part into the agents' files, and taking it out without a trace: plan, show, apply.

A plan is made by reading alone, so it can be shown first. Applying reads each file again, under a lock that two of us
share: what changed meanwhile stays. For each file the ledger is written first, then the backup, then the file, so
that whoever is killed leaves a state from which the next run goes on.
"""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path

from .agents.integration import Integration
from .agents.integrations import INTEGRATIONS
from .agents.registry import agent_home
from .core.jsontext import NotJson
from .cursor_rule import PLACE as RULE_PLACE
from .errors import BrainError, Refused
from .files import ChangedMeanwhile, drop_leftovers, exchange, read_or_none, write_whole
from .gitdir import Checkout
from .gitexclude import exclude_path, is_tracked
from .launcher import write_launcher
from .ledger import Kind, Ledger, Note, digest, read_ledger, write_ledger
from .locks import locked
from .parts import ExcludePart, HookPart, Launchers, NotOurs, Part, RulePart, SkillPart
from .paths import Paths
from .repositories import find_readable_checkout

BACKUP = ".brainproj.bak"
SKILL_FILE = "brainproj/SKILL.md"
ATTEMPTS = 5
"""How often a file that somebody else writes at the same moment is read again."""


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


def find_agents(paths: Paths, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The agents that are on this machine: a home folder, or a program that can be started."""
    return tuple(
        one.agent
        for one in INTEGRATIONS
        if agent_home(paths, one.agent).is_dir()
        or any(shutil.which(program, path=environment.get("PATH")) for program in one.programs)
    )


def integration_of(agent: str) -> Integration:
    """What we know of an agent by its name."""
    return next(one for one in INTEGRATIONS if one.agent == agent)


def find_launchers(paths: Paths, ledger: Ledger) -> Launchers:
    """The launcher of this home, and those that an earlier installation named."""
    known = dict.fromkeys([paths.launcher, *(Path(one) for one in ledger.launchers)])
    return Launchers(paths.launcher, tuple(known), paths.user_home)


def checkout_for_project(folder: str, paths: Paths) -> Checkout:
    """The checkout that `--project` means. Raises Refused where there is none to put files into."""
    checkout = find_readable_checkout(folder)
    if checkout is None or checkout.top in (checkout.common_dir, os.path.realpath(paths.user_home)):
        raise Refused(
            f"{folder} is in no git checkout",
            detail="Files for one project are put only where git can be told to leave them alone.",
            hint="leave out `--project` to install for all projects",
        )
    return checkout


# planning ----------------------------------------------------------------------------------------------------------


def plan_install(
    paths: Paths, agents: Iterable[str], checkout: Checkout | None = None, *, with_status: bool = False
) -> Plan:
    """What `install` would do for these agents, for the person or for one checkout."""
    ledger = read_ledger(paths.ledger_path)
    agents = tuple(agents)
    parts = _standard_parts(paths, ledger, agents, checkout, with_status=with_status)
    tracked = [part.path for part in parts if checkout is not None and _is_tracked(checkout, part)]
    problems = [Problem(path, "git tracks it, so it is not changed for one person alone") for path in tracked]
    changes, more = _compute([part for part in parts if part.path not in tracked], ledger, is_taking=False)
    left = {problem.path for problem in (*problems, *more)}
    if any(part.kind is Kind.EXCLUDE and part.path in left for part in parts):
        changes, left = [], {part.path for part in parts}  # git was not told, so nothing is put before it
    steps = [
        (one.shown, step)
        for one in map(integration_of, agents)
        for step in (one.project_steps if checkout is not None else one.steps)
    ]
    for part in parts:
        if isinstance(part, HookPart) and (why := _unread(part)):
            steps.append((part.integration.shown, f"mend {part.path}: {why}, so nothing in it counts"))
    sound = tuple(part for part in parts if part.path not in left)
    return Plan(sound, tuple(changes), (*problems, *more), tuple(steps), checkout.top if checkout else "")


def plan_uninstall(
    paths: Paths, agents: Iterable[str], checkout: Checkout | None = None, rule_folders: Iterable[str] = ()
) -> Plan:
    """What `uninstall` would do: everywhere, or in one checkout. rule_folders: where Cursor may have a rule of ours."""
    ledger, agents = read_ledger(paths.ledger_path), tuple(agents)
    parts: dict[Path, Part] = {}
    standard = _standard_parts(paths, ledger, agents, checkout, with_status=False)
    noted = [
        _noted_part(paths, ledger, Path(file), note, agents)
        for file, note in ledger.files.items()
        if set(note.agents) & set(agents) and (checkout is None or note.checkout == checkout.top)
    ]
    rules = _rule_parts(rule_folders) if "cursor" in agents else []
    unnoted = [part for part in standard if part.kind is not Kind.EXCLUDE or str(part.path) not in ledger.files]
    for part in (*unnoted, *noted, *rules):
        known = parts.get(part.path)
        lines = tuple(dict.fromkeys([*(known.lines if known else ()), *part.lines]))
        parts[part.path] = replace(part, lines=lines) if isinstance(part, ExcludePart) else part
    changes, problems = _compute(parts.values(), ledger, is_taking=True)
    left = {problem.path for problem in problems}
    sound = tuple(part for part in parts.values() if part.path not in left)
    return Plan(sound, tuple(changes), tuple(problems), (), checkout.top if checkout else "")


def _rule_parts(folders: Iterable[str]) -> list[Part]:
    """Cursor's rule files that we made, and the lines that hide them from git."""
    parts: list[Part] = []
    for checkout in {found.top: found for folder in folders if (found := find_readable_checkout(folder))}.values():
        parts.append(ExcludePart(exclude_path(checkout.common_dir), ("cursor",), (f"/{RULE_PLACE}",)))
        if (Path(checkout.top) / RULE_PLACE).is_file():
            parts.append(RulePart(Path(checkout.top) / RULE_PLACE))
    return parts


def _standard_parts(
    paths: Paths, ledger: Ledger, agents: tuple[str, ...], checkout: Checkout | None, *, with_status: bool
) -> list[Part]:
    """The parts for these agents in the places where they belong; git is told first."""
    launchers = find_launchers(paths, ledger)
    hooks: list[Part] = []
    skills: dict[Path, tuple[str, ...]] = {}
    for one in map(integration_of, agents):
        home = agent_home(paths, one.agent)
        path = Path(checkout.top) / one.project_hook_file if checkout else home / one.hook_file
        hooks.append(HookPart(path, one, launchers, with_status and one.agent == "claude"))
        if checkout:
            folder = Path(checkout.top) / one.project_skills
        else:
            folder = home / "skills" if one.has_own_skills else paths.user_home / one.project_skills
        skill = folder / SKILL_FILE
        skills[skill] = (*skills.get(skill, ()), one.agent)
    parts = [*hooks, *(SkillPart(path, names) for path, names in skills.items())]
    if checkout is not None:
        parts.insert(0, ExcludePart(exclude_path(checkout.common_dir), agents, _project_lines(agents)))
    return parts


def _noted_part(paths: Paths, ledger: Ledger, path: Path, note: Note, agents: tuple[str, ...]) -> Part:
    """The part of these agents that a line of the ledger tells of."""
    mine = tuple(agent for agent in note.agents if agent in agents)
    if note.kind is Kind.SKILL:
        return SkillPart(path, mine)
    if note.kind is Kind.EXCLUDE:
        others = {line for agent in note.agents if agent not in agents for line in _project_lines((agent,))}
        return ExcludePart(path, mine, tuple(line for line in note.lines if line not in others))
    return HookPart(path, integration_of(mine[0]), find_launchers(paths, ledger))


def _project_lines(agents: Iterable[str]) -> tuple[str, ...]:
    """What git is told to leave alone for a project's own installation."""
    lines = []
    for one in map(integration_of, agents):
        hooks = f"/{one.project_hook_file}"
        lines += [hooks, hooks + BACKUP, f"/{one.project_skills}/{SKILL_FILE}"]
    return tuple(dict.fromkeys(lines))


def _is_tracked(checkout: Checkout, part: Part) -> bool:
    return part.kind is not Kind.EXCLUDE and is_tracked(checkout.git_dir, str(part.path.relative_to(checkout.top)))


def _compute(parts: Iterable[Part], ledger: Ledger, *, is_taking: bool) -> tuple[list[Change], list[Problem]]:
    """What would change in which file; the files that must be left, with the reason."""
    changes, problems = [], []
    for part in parts:
        try:
            change = _taken(part, ledger) if is_taking else _put(part, ledger)
        except (NotJson, NotOurs, BrainError, UnicodeError) as error:
            problems.append(Problem(part.path, _reason(error)))
            continue
        if change.before != change.after:
            changes.append(change)
    return changes, problems


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeError):
        return "it is not UTF-8"
    if isinstance(error, NotJson):
        return f"it is no JSON that can be changed: {error}"
    if isinstance(error, BrainError):
        return f"{error.message}{f' ({error.detail})' if error.detail else ''}"
    return str(error)


def _put(part: Part, ledger: Ledger) -> Change:
    before = read_or_none(part.path)
    after = part.put(None if before is None else _decode(part, before), ledger.files.get(str(part.path)))
    return Change(part, before, None if after is None else _encode(part, after))


def _taken(part: Part, ledger: Ledger) -> Change:
    before, note = read_or_none(part.path), ledger.files.get(str(part.path))
    if before is None or (note is not None and set(note.agents) - set(part.agents) and part.kind is Kind.SKILL):
        return Change(part, before, before)  # gone, or another agent reads it
    if note is not None and note.kind is Kind.HOOKS and digest(before) == note.after:
        if note.is_made:
            return Change(part, before, None)
        backup = read_or_none(_backup(part.path))
        if backup is not None and digest(backup) == note.before:
            return Change(part, before, backup)
    after = part.take(_decode(part, before), note)
    return Change(part, before, None if after is None else _encode(part, after))


def _unread(part: HookPart) -> str | None:
    """Why the agent passes by the file as it is, whatever stands in it; None where it does not."""
    try:
        return part.integration.unread_for((read_or_none(part.path) or b"").decode("utf-8"))
    except (BrainError, UnicodeError):
        return None


def _decode(part: Part, content: bytes) -> str:
    """The text of a file; git's list may hold paths in any encoding."""
    return content.decode("utf-8", "surrogateescape" if part.kind is Kind.EXCLUDE else "strict")


def _encode(part: Part, text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape" if part.kind is Kind.EXCLUDE else "strict")


def _backup(path: Path) -> Path:
    return path.with_name(path.name + BACKUP)


# applying ----------------------------------------------------------------------------------------------------------


def apply_install(paths: Paths, plan: Plan) -> Plan:
    """Put our parts in. The plan comes back with what was done, and with the files that could not be changed."""
    if not write_launcher(paths):
        raise BrainError(f"cannot write {paths.launcher}", hint="set BRAINPROJ_HOME to a folder you can write")
    with locked(paths.install_lock, doing="changing settings"):
        ledger = read_ledger(paths.ledger_path)
        ledger.launchers = list(dict.fromkeys([*ledger.launchers, str(paths.launcher)]))
        return _apply(plan, plan.parts, lambda part: _put_in(paths, plan, part, ledger))


def apply_uninstall(paths: Paths, plan: Plan) -> Plan:
    """Take our parts out, with the backups and folders that were made for them."""
    with locked(paths.install_lock, doing="changing settings"):
        ledger = read_ledger(paths.ledger_path)
        return _apply(plan, plan.parts[::-1], lambda part: _take_out(paths, part, ledger))


def _apply(plan: Plan, parts: Iterable[Part], change_one: Callable[[Part], Change]) -> Plan:
    """Change file by file; one that cannot be changed is left, unless it is git's list: nothing is put before that."""
    done, problems = [], list(plan.problems)
    for part in parts:
        drop_leftovers(part.path)
        try:
            change = _again(partial(change_one, part))
        except (NotJson, NotOurs, BrainError, UnicodeError) as error:
            problems.append(Problem(part.path, _reason(error)))
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
    change, file = _put(part, ledger), str(part.path)
    note = ledger.files.get(file)
    if change.after is None:
        return change
    agents = tuple(dict.fromkeys([*(note.agents if note else ()), *part.agents]))
    added = set(part.lines) - set(_decode(part, change.before or b"").splitlines()) if part.lines else set()
    lines = tuple(dict.fromkeys([*(note.lines if note else ()), *(line for line in part.lines if line in added)]))
    if change.before == change.after:
        if note is None or (note.agents, note.lines) != (agents, lines):
            made = note or Note(part.kind, agents, None, digest(change.after), False, (), lines, plan.checkout)
            ledger.files[file] = replace(made, agents=agents, lines=lines)
            write_ledger(paths.ledger_path, ledger)
        return change
    is_made, before = _state_before(part, change, note)
    folders = note.folders if note else ()
    folders = tuple(dict.fromkeys([*folders, *_missing_folders(part.path)]))
    ledger.files[file] = Note(part.kind, agents, before, digest(change.after), is_made, folders, lines, plan.checkout)
    write_ledger(paths.ledger_path, ledger)
    if part.kind is Kind.HOOKS and change.before is not None and before == digest(change.before):
        write_whole(_backup(part.path), change.before)
        with contextlib.suppress(OSError):
            _backup(part.path).chmod(part.path.stat().st_mode & 0o777)
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
    change, file = _taken(part, ledger), str(part.path)
    note = ledger.files.get(file)
    if change.before != change.after:
        exchange(part.path, change.before, change.after)
    left = tuple(agent for agent in note.agents if agent not in part.agents) if note else ()
    if note is not None and left and part.kind is not Kind.HOOKS:
        lines = tuple(line for line in note.lines if line not in part.lines)
        ledger.files[file] = replace(note, agents=left, lines=lines)
        write_ledger(paths.ledger_path, ledger)
        return change
    folders = [Path(folder) for folder in note.folders] if note else []
    with contextlib.suppress(OSError):  # the folder is gone, or somebody else keeps something in it
        if part.kind is Kind.HOOKS:
            _backup(part.path).unlink(missing_ok=True)
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
