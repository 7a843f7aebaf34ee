"""`brainproj status`: how everything stands, on one screen. `brainproj` alone is this."""

import sqlite3

import typer

from ..config import scope_in_force
from ..core.text import counted
from ..errors import BrainError
from ..follow import read_follower_state
from ..health.brain import check_brain, foreign_outbox
from ..health.examine import by_severity, examine
from ..status import Status, list_settings, measure_home, read_store_state
from ..views import terminal
from ..views.reports import NOTHING_FOUND
from ..views.status import render_status
from .asking import brain_state_without_store, look_at_brain
from .options import JSON
from .surroundings import current_folder, find_surroundings, open_for_reading, resolver_for

MORE = "Every check: brainproj doctor"
app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def status(json: JSON = False) -> None:
    """Show how everything stands: store, agents, lag, scope, and what needs attention.

    Examples:

      brainproj status

      brainproj status --json
    """
    around = find_surroundings(tells_problems=False)  # a finding tells them
    folder = current_folder()
    health = examine(around.paths, around.config, around.environment, around.now, folder, deep=False)
    known = None
    try:
        db = open_for_reading(around.paths)
        resolver = resolver_for(around, db)
        identity = resolver.resolve(folder, around.environment).identity
        known = resolver.catalogue.by_key(identity.key) if identity else None
        brain = look_at_brain(around, db, resolver)
        db.close()
    except (BrainError, sqlite3.Error):  # a finding tells
        brain = brain_state_without_store(around)
    findings = by_severity([*health.findings, *check_brain(around.paths, brain)])
    home_bytes, free = measure_home(around.paths)
    config = around.config
    found = Status(
        paths=around.paths,
        store=read_store_state(around.paths),
        states=health.states,
        reaches={reach.agent: reach for reach in health.reaches},
        scope=scope_in_force(config, around.environment, (known.key, *known.aliases) if known else ()),
        project=known.name if known else None,
        settings=list_settings(config, around.environment),
        brain=brain,
        foreign_markers=foreign_outbox(around.paths, around.environment),
        excluded={
            "projects": config.exclude_projects,
            "folders": config.exclude_folders,
            "agents": config.exclude_agents,
        },
        follower=read_follower_state(around.paths),
        home_bytes=home_bytes,
        free_bytes=free,
        findings=findings,
    )
    if json:
        terminal.answer_json(found.value())
        return
    terminal.answer(render_status(found, str(around.paths.user_home), around.now))
    notes = sum(finding.severity.value == "note" for finding in found.findings)
    terminal.aside("")
    if not any(state.is_here for state in found.states):
        if not found.store.counts["sessions"]:
            terminal.aside(NOTHING_FOUND)
    elif not any(state.installed for state in found.states):
        terminal.aside("No agent is given anything yet. Put it in: brainproj install")
    terminal.aside(f"Every check, and {counted(notes, 'note')}: brainproj doctor" if notes else MORE)
