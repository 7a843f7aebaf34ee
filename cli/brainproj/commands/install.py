"""`brainproj install`: from nothing to memory in one command."""

from typing import Annotated

import typer

from ..install import apply_install, checkout_for_project, plan_install
from ..views import terminal
from ..views.changes import render_done, render_steps
from .complete import agent_names
from .firstblock import show_first_block
from .installing import ask, plan_value, show_plan, wanted_agents, warn_of_problems
from .options import JSON, YES
from .surroundings import current_folder, find_surroundings, is_interactive

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def install(
    agents: Annotated[
        list[str] | None,
        typer.Argument(metavar="[AGENT]...", help="claude, codex, cursor.", autocompletion=agent_names),
    ] = None,
    project: Annotated[
        bool, typer.Option("--project", help="For this checkout alone, in files that git leaves alone.")
    ] = False,
    statusline: Annotated[
        bool, typer.Option("--statusline", help="Also add a line to Claude Code's status line.")
    ] = False,
    no_backfill: Annotated[bool, typer.Option("--no-backfill", help="Read no transcripts afterwards.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the change; make none.")] = False,
    yes: YES = False,
    json: JSON = False,
) -> None:
    """Put the memory into the agents on this machine; `uninstall` takes it out again.

    Examples:

      brainproj install

      brainproj install codex --dry-run
    """
    around = find_surroundings()
    names = wanted_agents(around, agents)
    checkout = checkout_for_project(current_folder(), around.paths) if project else None
    plan = plan_install(around.paths, names, checkout, with_status=statusline)
    if not json:
        show_plan(around, plan, as_answer=dry_run)
    if not dry_run:
        if plan.changes:
            ask("Make these changes?", yes=yes)
        named = len(plan.problems)
        plan = apply_install(around.paths, plan)
        warn_of_problems(plan.problems[named:])
    if json:
        terminal.answer_json(plan_value(plan))
    elif dry_run:
        if not plan.changes:
            terminal.answer("Nothing would change.")
    else:
        home = str(around.paths.user_home)
        terminal.aside("")
        terminal.aside(render_done(plan.changes, home) if plan.changes else "Everything was in place already.")
        if plan.steps:
            terminal.aside(render_steps(plan.steps))
        if not no_backfill and (yes or not is_interactive() or _wants_to_read()):
            show_first_block(around)
    if plan.problems:
        raise typer.Exit(1)


def _wants_to_read() -> bool:
    terminal.aside("")
    return typer.confirm("Read the transcripts that are there, and show a block?", default=True, err=True)
