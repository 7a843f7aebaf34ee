"""`brainproj backfill`: read what the agents have written into the store."""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import FolderGone, UsageProblem
from ..ingest import Wanted
from ..store.database import open_store
from ..views import terminal
from ..views.reports import render_report
from .options import AGENT, JSON, SINCE, check_agents, parse_since
from .reading import read_transcripts
from .surroundings import find_surroundings

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def backfill(
    agent: AGENT = None,
    root: Annotated[str | None, typer.Option(help="Read below this folder instead of the agent's home.")] = None,
    since: SINCE = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Read everything again, also what did not change.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be read; read nothing.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    json: JSON = False,
) -> None:
    """Read the transcripts of Claude Code, Codex and Cursor into the store.

    Examples:

      brainproj backfill

      brainproj backfill --agent codex --since 7d
    """
    check_agents(agent)
    if root is not None and agent is None:
        raise UsageProblem("--root needs an agent", hint="say whose folder it is: `--agent claude --root DIR`")
    if root is not None and not Path(root).expanduser().is_dir():
        raise FolderGone(f"{root} is not a folder", detail="Nothing was read.")
    around = find_surroundings()
    db = open_store(around.paths.brain_db, write=not dry_run)
    wanted = Wanted(
        agents=(agent,) if agent else (),
        root=Path(root).expanduser().absolute() if root else None,
        since=parse_since(since, around.now),
        rebuild=rebuild,
        dry_run=dry_run,
    )
    report = read_transcripts(around, db, None, wanted, quiet=quiet or json)
    if json:
        terminal.answer_json(report.value())
    else:
        terminal.answer(render_report(report, dry_run=dry_run))
    if not json:
        for problem in report.problems:
            terminal.warn(problem)
    if report.failed:
        raise typer.Exit(1)
