"""`brainproj uninstall`: every file is given back as it was."""

from typing import Annotated

import typer

from ..agents.registry import AGENT_NAMES
from ..cursor_folders import list_cursor_folders
from ..files import read_text_or_none
from ..install.apply import apply_uninstall
from ..install.plan import checkout_for_project, plan_uninstall
from ..views import terminal
from ..views.changes import render_done
from ..views.projects import short_path
from .complete import agent_names
from .installing import carry_out, plan_value, wanted_agents
from .options import JSON, YES
from .surroundings import current_folder, find_surroundings

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def uninstall(
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[AGENT]...", help="claude, codex, cursor; all if left out.", autocompletion=agent_names
        ),
    ] = None,
    project: Annotated[bool, typer.Option("--project", help="Only what was put into this checkout alone.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the change; make none.")] = False,
    yes: YES = False,
    json: JSON = False,
) -> None:
    """Take the memory out of the agents again, without a trace in their files.

    Examples:

      brainproj uninstall

      brainproj uninstall codex --dry-run
    """
    around = find_surroundings()
    names = wanted_agents(around, agents or list(AGENT_NAMES))
    checkout = checkout_for_project(current_folder(), around.paths) if project else None
    folders = list_cursor_folders(around.paths) if checkout is None else [checkout.top]
    plan = plan_uninstall(around.paths, names, checkout, folders)
    plan = carry_out(around, plan, apply_uninstall, yes=yes, dry_run=dry_run, json=json)
    if json:
        terminal.answer_json(plan_value(plan))
    elif not plan.changes:
        terminal.answer("Nothing of ours is in the agents' files." if not plan.problems else "Nothing was changed.")
    elif not dry_run:
        home = str(around.paths.user_home)
        terminal.answer(render_done(plan.changes, home))
    if plan.problems and not dry_run and not json:
        terminal.aside("Hooks of ours may still stand in what was left: mend it, and run this again.")
    elif plan.changes and not dry_run and not json and not agents and not project:
        shown = short_path(str(around.paths.home), str(around.paths.user_home))
        terminal.aside(f"What was remembered stays in {shown}; to remove that too: rm -r {shown}")
    config = around.paths.codex_home / "config.toml"
    if not (json or dry_run) and f"{around.paths.codex_home / 'hooks.json'}:" in (read_text_or_none(config) or ""):
        shown = short_path(str(config), str(around.paths.user_home))
        terminal.aside(
            f"Codex keeps in {shown}, under [hooks.state], that you trusted hooks of that file; that does no harm."
        )
    if plan.problems:
        raise typer.Exit(1)
