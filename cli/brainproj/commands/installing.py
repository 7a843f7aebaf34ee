"""What `install` and `uninstall` have in common: which agents, showing the change, asking, saying what is left."""

from collections.abc import Callable, Sequence

import typer

from ..agents.registry import AGENT_NAMES
from ..core.text import printable
from ..errors import NotFound, Refused
from ..install.changes import Plan, Problem
from ..install.plan import find_agents
from ..paths import Paths
from ..views import terminal
from ..views.changes import render_plan
from .options import check_agents
from .surroundings import Surroundings, is_interactive


def wanted_agents(around: Surroundings, named: Sequence[str] | None) -> tuple[str, ...]:
    """The named agents, else those that are on this machine. Raises UsageProblem, NotFound."""
    named = [agent.lower() for agent in named or ()]
    check_agents(*named)
    found = tuple(dict.fromkeys(named)) if named else find_agents(around.paths, around.environment)
    if not found:
        raise NotFound(
            "no agent was found on this machine",
            detail="Neither a program nor a settings folder of Claude Code, Codex or Cursor.",
            hint=f"name one: `brainproj install {AGENT_NAMES[0]}`",
        )
    return found


def carry_out(
    around: Surroundings,
    plan: Plan,
    apply: Callable[[Paths, Plan], Plan],
    *,
    yes: bool,
    dry_run: bool,
    json: bool,
) -> Plan:
    """Show a plan, ask, apply it; what was done comes back, or the plan itself for `--dry-run`. Raises Refused."""
    if not json:
        _show(around, plan, as_answer=dry_run)
    if dry_run:
        if not json:
            terminal.aside("Nothing was changed: this shows what would be.")
        return plan
    if plan.changes:
        ask(f"Make {'this change' if len(plan.changes) == 1 else f'these {len(plan.changes)} changes'}?", yes=yes)
    done = apply(around.paths, plan)
    _warn(done.problems[len(plan.problems) :])
    return done


def _show(around: Surroundings, plan: Plan, *, as_answer: bool) -> None:
    """The change as a diff, and the files that are left as they are."""
    if plan.changes:
        shown = render_plan(plan, str(around.paths.user_home))
        (terminal.answer if as_answer else terminal.aside)(shown)
    _warn(plan.problems)


def _warn(problems: Sequence[Problem]) -> None:
    """A line for each file that is left as it is."""
    for problem in problems:
        terminal.warn(printable(f"{problem.path} was left as it is: {problem.what}"))


def ask(question: str, *, yes: bool) -> None:
    """Go on only if a person says yes. Raises Refused where there is nobody to ask."""
    if yes:
        return
    if not is_interactive():
        raise Refused("this needs a yes, and there is no terminal", detail="Nothing was changed.", hint="add `--yes`")
    if not typer.confirm(question, err=True):
        terminal.aside("Nothing was changed.")
        raise typer.Exit(1)


def plan_value(plan: Plan) -> dict[str, object]:
    """A plan, or what was done of it, as JSON."""
    return {
        "changes": [
            {
                "file": str(one.part.path),
                "action": one.action.value,
                "kind": one.part.kind.value,
                "agents": list(one.part.agents),
            }
            for one in plan.changes
        ],
        "problems": [{"file": str(problem.path), "what": problem.what} for problem in plan.problems],
        "steps": [{"agent": agent, "what": step} for agent, step in plan.steps],
    }
