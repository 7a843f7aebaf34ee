"""`brainproj doctor`: every check, each finding with a remedy that can be pasted."""

import contextlib
import sqlite3
from dataclasses import replace
from typing import Annotated

import typer

from ..errors import BrainError, UsageProblem
from ..health.brain import check_brain
from ..health.examine import Health, by_severity, examine
from ..health.findings import needs_attention
from ..health.store import rehearse
from ..store.database import open_store
from ..views import terminal
from ..views.status import render_findings, render_runs
from .asking import brain_state_without_store, look_at_brain
from .options import JSON
from .surroundings import Surroundings, current_folder, find_surroundings, make_ready_again, resolver_for

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended in our own files.")] = False,
    rehearsal: Annotated[
        bool, typer.Option("--rehearse", help="Run the store's migrations on a copy, and say what came out.")
    ] = False,
    json: JSON = False,
) -> None:
    """Check everything, run each installed hook once, and say what to do.

    Examples:

      brainproj doctor

      brainproj doctor --fix
    """
    if fix and rehearsal:
        raise UsageProblem("--fix and --rehearse exclude each other", hint="leave one of them out")
    around = find_surroundings(tells_problems=False)  # a finding tells them
    if rehearsal:
        _rehearse(around, json=json)
        return
    found = _examine(around)
    mended = []
    if fix:
        for finding in found.findings:
            if finding.fix is not None:
                finding.fix()
                mended.append(finding)
        if mended:
            make_ready_again()
            found = _examine(around)
    if json:
        terminal.answer_json(
            {
                "ok": not needs_attention(found.findings),
                "findings": [finding.value() for finding in found.findings],
                "fixed": [finding.value() for finding in mended],
                "hooks": [run.value() for run in found.runs],
            }
        )
    else:
        if found.runs:
            terminal.aside(render_runs(found.runs))
            terminal.aside("")
        for finding in mended:
            terminal.aside(f"mended: {finding.what}")
        terminal.answer(render_findings(found.findings))
    if needs_attention(found.findings):
        raise typer.Exit(1)


def _examine(around: Surroundings) -> Health:
    health = examine(around.paths, around.config, around.environment, around.now, current_folder(), deep=True)
    try:
        with contextlib.closing(open_store(around.paths.brain_db, write=False)) as db:
            brain = look_at_brain(around, db, resolver_for(around, db))
    except (BrainError, sqlite3.Error):  # a finding tells
        brain = brain_state_without_store(around)
    return replace(health, findings=by_severity([*health.findings, *check_brain(around.paths, brain)]))


def _rehearse(around: Surroundings, *, json: bool) -> None:
    found = rehearse(around.paths)
    if json:
        terminal.answer_json(found.value())
    else:
        rows = sum(after for _, after in found.counts.values())
        change = (
            f"from schema {found.before} to {found.after}" if found.before != found.after else "no migration is due"
        )
        state = "whole, no row was lost" if found.is_ok else "NOT WELL: keep the store as it is, and report this"
        terminal.answer(f"On a copy: {change}; {rows:,} rows; {state}.")
    if not found.is_ok:
        raise typer.Exit(1)
