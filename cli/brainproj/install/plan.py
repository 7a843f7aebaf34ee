"""Putting our part into the agents' files, and taking it out again: what would be done, found out by reading alone.

`applying` does it. A project's own files are planned only where git can be told to leave them alone.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ..agents.integration import Integration
from ..agents.integrations import INTEGRATIONS
from ..agents.registry import agent_home
from ..cursor_rule import PLACE as RULE_PLACE
from ..errors import Refused
from ..foreign.channels import ALL, BRAIN, injects_feed, read_channels
from ..gitdir import Checkout
from ..gitexclude import exclude_path, is_tracked
from ..paths import Paths
from ..repositories import find_readable_checkout
from . import instructions
from .changes import BACKUP, Plan, Problem, compute, unread_reason
from .ledger import Kind, Ledger, Note, read_ledger
from .parts import ExcludePart, HookPart, Launchers, Part, RulePart, SkillPart
from .servers import JsonServerPart, TomlServerPart
from .unit import UnitPart

SKILL_FILE = "brainproj/SKILL.md"
CURSOR_SERVERS = ".cursor/mcp.json"


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
            detail="Files for one project belong into its checkout.",
            hint="change to the checkout that is meant",
        )
    return checkout


# planning ----------------------------------------------------------------------------------------------------------


def plan_install(
    paths: Paths,
    agents: Iterable[str],
    checkout: Checkout | None = None,
    *,
    with_status: bool = False,
    takes_brain: bool = False,
) -> Plan:
    """What `install` would do for these agents, for the person or for one checkout.

    takes_brain: agentihooks is to give Claude Code's sessions all its channels but the brain's, which we deliver.
    """
    ledger = read_ledger(paths.ledger_path)
    agents = tuple(agents)
    parts = _standard_parts(paths, ledger, agents, checkout, with_status=with_status)
    if takes_brain:
        parts = [_without_brain(paths, part) for part in parts]
    problems = _not_for_one_checkout(checkout, parts) if checkout is not None else []
    refused = {problem.path for problem in problems}
    changes, more = compute([part for part in parts if part.path not in refused], ledger, is_taking=False)
    left = {problem.path for problem in (*problems, *more)}
    if any(part.kind is Kind.EXCLUDE and part.path in left for part in parts):
        changes, left = [], {part.path for part in parts}  # git was not told, so nothing is put before it
    steps = [step for part in parts if isinstance(part, HookPart) for step in _steps(part, part.path in left, checkout)]
    sound = tuple(part for part in parts if part.path not in left)
    return Plan(sound, tuple(changes), (*problems, *more), tuple(steps), checkout.top if checkout else "")


def plan_instructions(paths: Paths, checkout: Checkout) -> Plan:
    """What putting our part into a checkout's AGENTS.md would do, and the import into its CLAUDE.md."""
    parts = instructions.parts_for(checkout.top)
    problems = [
        Problem(part.path, "a link leads out of the checkout, so another place would be changed")
        for part in parts
        if instructions.leads_out(part, checkout.top)
    ]
    left = {problem.path for problem in problems}
    changes, more = compute(
        [part for part in parts if part.path not in left], read_ledger(paths.ledger_path), is_taking=False
    )
    left |= {problem.path for problem in more}
    sound = tuple(part for part in parts if part.path not in left)
    return Plan(sound, tuple(changes), (*problems, *more), (), checkout.top)


def _steps(part: HookPart, is_left: bool, checkout: Checkout | None) -> list[tuple[str, str]]:
    """What a person still has to do for one agent, the most pressing first."""
    one = part.integration
    if is_left:
        return [(one.shown, f"no hook was put in: see to {part.path}, and run this again")]
    steps = one.project_steps if checkout is not None else one.steps
    if why := unread_reason(part):
        steps = (f"mend {part.path}: {why}, so nothing in it counts", *steps)
    return [(one.shown, step) for step in steps]


def plan_uninstall(
    paths: Paths, agents: Iterable[str], checkout: Checkout | None = None, rule_folders: Iterable[str] = ()
) -> Plan:
    """What `uninstall` would do: everywhere, or in one checkout. rule_folders: where Cursor may have a rule of ours."""
    ledger, agents = read_ledger(paths.ledger_path), tuple(agents)
    parts: dict[Path, Part] = {}
    noted = [
        _noted_part(paths, ledger, Path(file), note, agents)
        for file, note in ledger.files.items()
        if note.kind is not Kind.EXCLUDE
        and set(note.agents) & set(agents)
        and (checkout is None or note.checkout == checkout.top)
    ]
    if checkout is None and len(agents) == len(INTEGRATIONS):
        noted += [UnitPart(Path(file), "") for file, note in ledger.files.items() if note.kind is Kind.UNIT]
    excludes = _exclude_parts(ledger, checkout, {str(part.path) for part in noted}, agents)
    rules = _rule_parts(rule_folders) if "cursor" in agents else []
    for part in (*_unnoted_parts(paths, ledger, agents, checkout), *noted, *excludes, *rules):
        known = parts.get(part.path)
        lines = tuple(dict.fromkeys([*(known.lines if known else ()), *part.lines]))
        parts[part.path] = replace(part, lines=lines) if isinstance(part, ExcludePart) else part
    changes, problems = compute(parts.values(), ledger, is_taking=True)
    left = {problem.path for problem in problems}
    sound = tuple(part for part in parts.values() if part.path not in left)
    return Plan(sound, tuple(changes), tuple(problems), (), checkout.top if checkout else "")


def _unnoted_parts(paths: Paths, ledger: Ledger, agents: tuple[str, ...], checkout: Checkout | None) -> Iterator[Part]:
    """The places where our parts belong, for a ledger that is lost: of git's list only lines that name us are ours."""
    parts = _standard_parts(paths, ledger, agents, checkout, with_status=False)
    refused = {problem.path for problem in _not_for_one_checkout(checkout, parts)} if checkout is not None else set()
    for part in parts:
        if isinstance(part, ExcludePart):
            if str(part.path) not in ledger.files:
                yield replace(part, lines=tuple(line for line in part.lines if "brainproj" in line))
        elif part.path not in refused:
            yield part
    if checkout is not None:
        yield from (part for part in instructions.parts_for(checkout.top) if part.path.is_file())


def _exclude_parts(
    ledger: Ledger, checkout: Checkout | None, taken: set[str], agents: tuple[str, ...]
) -> Iterator[Part]:
    """Our lines of git's lists, but those for files that stay: of another agent, or in another worktree."""
    for file, note in ledger.files.items():
        if note.kind is not Kind.EXCLUDE or (checkout is not None and Path(file) != exclude_path(checkout.common_dir)):
            continue
        kept = set()
        for other, one in ledger.files.items():
            stays = other not in taken or set(one.agents) - set(agents)
            if (
                one.checkout
                and one.kind in (Kind.HOOKS, Kind.SKILL, Kind.SERVER)
                and stays
                and _excluded_by(one.checkout) == file
            ):
                kept |= {f"/{Path(other).relative_to(one.checkout)}{end}" for end in ("", BACKUP)}
        yield ExcludePart(Path(file), note.agents, tuple(line for line in note.lines if line not in kept))


def _excluded_by(folder: str) -> str | None:
    checkout = find_readable_checkout(folder)
    return None if checkout is None else str(exclude_path(checkout.common_dir))


def plan_one(ledger: Ledger, part: Part, *, is_taking: bool) -> Plan:
    """What putting in, or taking out, one part alone would do."""
    changes, problems = compute([part], ledger, is_taking=is_taking)
    return Plan((part,) if not problems else (), tuple(changes), tuple(problems))


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
        if (server := server_part(paths, launchers, one.agent, checkout)) is not None:
            hooks.append(server)
    parts = [*hooks, *(SkillPart(path, names) for path, names in skills.items())]
    if checkout is not None:
        parts.insert(0, ExcludePart(exclude_path(checkout.common_dir), agents, _project_lines(agents)))
    return parts


def can_take_brain(paths: Paths, *, knows_brain: bool) -> bool:
    """Whether agentihooks gives the brain's whole feed to sessions, and we can deliver what each may have of it.

    knows_brain: whether we are told where it is over HTTP; else its feed must lie in files.
    """
    is_read = knows_brain or any(paths.brain_feed.glob("*.md"))
    return is_read and injects_feed(paths) and ALL not in (read_channels(paths) or [])


def _without_brain(paths: Paths, part: Part) -> Part:
    if not isinstance(part, HookPart) or part.integration.agent != "claude":
        return part
    left = [one for one in read_channels(paths) or [] if one != BRAIN]
    return replace(part, channels=",".join(left))


def _noted_part(paths: Paths, ledger: Ledger, path: Path, note: Note, agents: tuple[str, ...]) -> Part:
    """The part of these agents that a line of the ledger tells of."""
    mine = tuple(agent for agent in note.agents if agent in agents)
    if note.kind is Kind.SKILL:
        return SkillPart(path, mine)
    if note.kind is Kind.INSTRUCTIONS:
        return instructions.InstructionsPart(path, mine)
    if note.kind is Kind.SERVER:
        launchers = find_launchers(paths, ledger)
        return (TomlServerPart if path.suffix == ".toml" else JsonServerPart)(path, mine, launchers)
    return HookPart(path, integration_of(mine[0]), find_launchers(paths, ledger))


def server_part(paths: Paths, launchers: Launchers, agent: str, checkout: Checkout | None) -> Part | None:
    """Where an agent's settings name our MCP server: the person's for those that start it in the session's folder, the
    checkout's for Cursor, which says only there what folder it is.
    """
    if checkout is not None:
        path = Path(checkout.top) / CURSOR_SERVERS
        return JsonServerPart(path, (agent,), launchers, ("--cwd", "${workspaceFolder}")) if agent == "cursor" else None
    if agent == "claude":
        is_moved = paths.claude_home != paths.user_home / ".claude"
        return JsonServerPart(
            (paths.claude_home if is_moved else paths.user_home) / ".claude.json", (agent,), launchers
        )
    return TomlServerPart(paths.codex_home / "config.toml", (agent,), launchers) if agent == "codex" else None


def _project_lines(agents: Iterable[str]) -> tuple[str, ...]:
    """What git is told to leave alone for a project's own installation."""
    lines = []
    for one in map(integration_of, agents):
        hooks = f"/{one.project_hook_file}"
        lines += [hooks, hooks + BACKUP, f"/{one.project_skills}/{SKILL_FILE}"]
        lines += [f"/{CURSOR_SERVERS}"] if one.agent == "cursor" else []
    return tuple(dict.fromkeys(lines))


def _not_for_one_checkout(checkout: Checkout, parts: Iterable[Part]) -> list[Problem]:
    """Files that are not one person's alone: git tracks them, or a link leads to another place."""
    problems = []
    for part in parts:
        if part.kind is Kind.EXCLUDE:
            continue
        place = str(part.path.relative_to(checkout.top))
        if os.path.realpath(part.path) != os.path.join(os.path.realpath(checkout.top), place):  # noqa: PTH118
            problems.append(Problem(part.path, "a link leads to it, so another place would be changed"))
        elif is_tracked(checkout.git_dir, place):
            problems.append(Problem(part.path, "git tracks it, so it is not changed for one person alone"))
    return problems
