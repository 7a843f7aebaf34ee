"""`brainproj watch`: follow the transcripts as they are written."""

import os
import signal
import threading
from types import FrameType
from typing import Annotated

import typer

from ..core.text import counted
from ..errors import UsageProblem
from ..follow import Follower, Reading
from ..install.apply import apply_install, apply_uninstall
from ..install.ledger import read_ledger
from ..install.plan import plan_one
from ..install.unit import start_command, stop_command, unit_part
from ..views import terminal
from ..views.changes import render_done
from .installing import carry_out, plan_value
from .options import JSON, YES
from .surroundings import Surroundings, find_surroundings

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def watch(
    install: Annotated[bool, typer.Option("--install", help="Have the system start it at each login.")] = False,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Have it started no more.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing of what is read.")] = False,
    yes: YES = False,
    json: JSON = False,
) -> None:
    """Follow the agents' transcripts, so that what is said is found within a second.

    Examples:

      brainproj watch

      brainproj watch --install
    """
    if install and uninstall:
        raise UsageProblem("--install and --uninstall exclude each other", hint="leave one of them out")
    around = find_surroundings()
    if install or uninstall:
        _change_unit(around, is_taking=uninstall, yes=yes, json=json)
        return
    stop, ended_by = threading.Event(), []

    def end(number: int, _frame: FrameType | None) -> None:
        ended_by.append(number)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, end)
    follower = Follower(around.paths, stop, _tell_json if json else _tell_nothing if quiet else _tell, terminal.warn)
    if not (quiet or json):
        terminal.aside("Following the transcripts of Claude Code, Codex and Cursor. Ctrl-C ends.")
    follower.run()
    if not (quiet or json):
        terminal.aside("")
        terminal.aside(f"Stopped after {counted(follower.readings, 'reading')}; the next start goes on from here.")
    if signal.SIGINT in ended_by:
        raise KeyboardInterrupt


def _tell_nothing(_reading: Reading) -> None:
    """Nothing is said."""


def _tell(reading: Reading) -> None:
    what = ", ".join(
        f"{counted(count, 'event')} of {agent}" for agent, count in reading.report.events_by_agent.items() if count
    )
    lag = f", {reading.lag_s:.1f} s after the last was written" if reading.lag_s is not None else ""
    terminal.answer(f"{what or 'lines of no known kind'}{lag}")


def _tell_json(reading: Reading) -> None:
    value = {
        "events": dict(reading.report.events_by_agent),
        "transcripts": list(reading.paths),
        "lag_s": None if reading.lag_s is None else round(reading.lag_s, 3),
    }
    terminal.answer_json(value)


def _change_unit(around: Surroundings, *, is_taking: bool, yes: bool, json: bool) -> None:
    part = unit_part(around.paths, os.environ)
    plan = plan_one(read_ledger(around.paths.ledger_path), part, is_taking=is_taking)
    apply = apply_uninstall if is_taking else apply_install
    done = carry_out(around, plan, apply, yes=yes, dry_run=False, json=json)
    if json:
        terminal.answer_json(plan_value(done))
    else:
        home = str(around.paths.user_home)
        nothing = "It is not there." if is_taking else "It was in place already."
        terminal.answer(render_done(done.changes, home) if done.changes else nothing)
        if is_taking and done.changes:
            terminal.aside(f"If it runs: {stop_command(part)}")
        elif not is_taking:
            terminal.aside(f"Start it: {start_command(part)}")
    if done.problems:
        raise typer.Exit(1)
