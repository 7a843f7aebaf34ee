"""`brainproj install`: from nothing to memory in one command."""

from typing import Annotated

import typer

from ..brains import find_brain
from ..errors import UsageProblem
from ..install.apply import apply_install
from ..install.plan import can_take_brain, checkout_for_project, plan_install, plan_instructions
from ..views import terminal
from ..views.changes import render_done, render_steps
from .complete import agent_names
from .firstblock import show_first_block
from .installing import carry_out, plan_value, wanted_agents
from .options import JSON, YES
from .surroundings import Surroundings, current_folder, find_surroundings, is_interactive

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
    take_brain: Annotated[
        bool, typer.Option("--take-brain", help="Deliver the brain's feed ourselves, in scope, in agentihooks' place.")
    ] = False,
    agents_md: Annotated[
        bool,
        typer.Option(
            "--agents-md", help="Only tell this checkout's AGENTS.md of the memory, and CLAUDE.md to import it."
        ),
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
    if project and statusline:
        raise UsageProblem(
            "a status line is a person's, not a checkout's", hint="leave out one of --project, --statusline"
        )
    if agents_md and (agents or statusline or take_brain):
        raise UsageProblem("AGENTS.md is every agent's", hint="give --agents-md alone")
    around = find_surroundings()
    if agents_md:
        _tell_agents(around, yes=yes, dry_run=dry_run, json=json)
        return
    names = wanted_agents(around, agents)
    checkout = checkout_for_project(current_folder(), around.paths) if project else None
    takes_brain = take_brain or _wants_to_take_brain(around, names, is_asking=not (yes or dry_run or json))
    plan = plan_install(around.paths, names, checkout, with_status=statusline, takes_brain=takes_brain)
    plan = carry_out(around, plan, apply_install, yes=yes, dry_run=dry_run, json=json)
    if json:
        terminal.answer_json(plan_value(plan))
    elif dry_run:
        if not plan.changes:
            terminal.answer("Nothing would change.")
    else:
        home = str(around.paths.user_home)
        terminal.aside("")
        in_place = "Nothing was changed." if plan.problems else "Everything was in place already."
        terminal.aside(render_done(plan.changes, home) if plan.changes else in_place)
        if plan.steps:
            terminal.aside(render_steps(plan.steps))
        if not no_backfill and plan.has_hooks and (yes or not is_interactive() or _wants_to_read()):
            show_first_block(around)
    if plan.problems:
        raise typer.Exit(1)


def _tell_agents(around: Surroundings, *, yes: bool, dry_run: bool, json: bool) -> None:
    """Put our part into the checkout's AGENTS.md."""
    plan = plan_instructions(around.paths, checkout_for_project(current_folder(), around.paths))
    plan = carry_out(around, plan, apply_install, yes=yes, dry_run=dry_run, json=json)
    if json:
        terminal.answer_json(plan_value(plan))
    elif not plan.changes:
        terminal.answer("Nothing would change." if dry_run else "Everything was in place already.")
    elif not dry_run:
        terminal.answer(render_done(plan.changes, str(around.paths.user_home)))
    if plan.problems:
        raise typer.Exit(1)


def _wants_to_take_brain(around: Surroundings, names: tuple[str, ...], *, is_asking: bool) -> bool:
    """Offer to deliver what agentihooks gives to every session unscoped (design 9)."""
    if not is_asking or "claude" not in names or not is_interactive():
        return False
    knows_brain = find_brain(around.config, around.environment).brain is not None
    if not can_take_brain(around.paths, knows_brain=knows_brain):
        return False
    terminal.aside("agentihooks gives its brain's whole feed to every session, whatever the scope.")
    question = "Take `brain` out of its channels in Claude Code's settings, and deliver what each session may have?"
    return typer.confirm(question, err=True)


def _wants_to_read() -> bool:
    terminal.aside("")
    try:
        return typer.confirm("Read the transcripts that are there, and show a block?", default=True, err=True)
    except typer.Abort:
        terminal.aside("\nIt is put in; no transcript was read. Later: brainproj backfill")
        raise
