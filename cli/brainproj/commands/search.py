"""`brainproj search`: find what was said, done or decided."""

import sqlite3
from typing import Annotated

import typer

from ..config import Scope, scope_in_force
from ..core.catalogue import KnownProject
from ..core.text import counted
from ..core.times import to_micros
from ..errors import UsageProblem
from ..search import Question, search
from ..store.codes import ALL_KINDS, SPEAKER_NAMES
from ..views import terminal
from ..views.hits import render_hits
from .options import AGENT, JSON, PROJECT, SINCE, check_agents, check_among, parse_since
from .reading import NOTHING_READ, is_empty, read_first
from .surroundings import Surroundings, find_surroundings, open_for_reading, project_here, resolver_for

SPEAKERS = tuple(SPEAKER_NAMES.values())
app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(name="search")
def run_search(
    query: Annotated[
        str | None,
        typer.Argument(help='Words or a question; a path and a "quoted part" are looked for as they are.'),
    ] = None,
    project: PROJECT = None,
    everywhere: Annotated[bool, typer.Option("--everywhere", help="In all projects, not only this folder's.")] = False,
    kind: Annotated[list[str] | None, typer.Option(help=f"Only these: {', '.join(ALL_KINDS)}.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only results of tools that failed.")] = False,
    since: SINCE = None,
    agent: AGENT = None,
    speaker: Annotated[list[str] | None, typer.Option(help=f"Only these: {', '.join(SPEAKERS)}.")] = None,
    file: Annotated[str | None, typer.Option("--file", help="Only calls of tools that touch this file.")] = None,
    by: Annotated[str | None, typer.Option("--by", help="Only what this person typed: a name, address or id.")] = None,
    thinking: Annotated[bool, typer.Option("--thinking", help="Also what agents thought.")] = False,
    fts: Annotated[bool, typer.Option("--fts", help="The query is an expression of SQLite's FTS5.")] = False,
    hidden: Annotated[
        bool, typer.Option("--hidden", help="Also thinking, texts of the harness, and repetitions of our own words.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="The most hits.")] = 20,
    json: JSON = False,
) -> None:
    """Find what was said, done or decided in this project.

    Passages with all of the words come first, then those with most of them. Examples:

      brainproj search "why did the import drop rows"

      brainproj search src/app.py --failed --since 7d
    """
    if everywhere and project:
        raise UsageProblem("--everywhere and --project exclude each other", hint="leave one of them out")
    check_among(kind or (), ALL_KINDS, "kind")
    check_among(speaker or (), SPEAKERS, "speaker")
    check_agents(agent)
    if query is None and file is None:
        raise UsageProblem("missing argument: what to look for", hint="see `brainproj search --help`")
    if by is not None and (speaker or file is not None):
        raise UsageProblem(
            "--by finds what a person typed", hint="leave out --speaker and --file; see also `brainproj who`"
        )
    if fts and file is not None:
        raise UsageProblem("--fts and --file exclude each other", hint="leave one of them out")
    around = find_surroundings()
    db = open_for_reading(around.paths)
    resolver = resolver_for(around, db)
    own = None if everywhere else project_here(around, resolver, project, may_widen=True)
    read_first(around, db, resolver, None if everywhere else own.root if own else None)
    own = None if everywhere else project_here(around, resolver, project, may_widen=True)
    moment = parse_since(since, around.now)
    scope = scope_in_force(around.config, around.environment, (own.key, *own.aliases) if own else ())
    question = Question(
        words=query or "",
        project=own,
        scope=Scope.STRICT if project else scope.effective,
        limit=limit,
        kinds=("tool_call",) if file is not None else tuple(kind or ()),
        speakers=tuple(speaker or ()),
        agent=agent,
        thinking=thinking or "thinking" in (kind or ()),
        file=file,
        is_fts=fts,
        persons=_persons(around, db, by),
        failed=failed,
        hidden=hidden,
        since=to_micros(moment),
    )
    answer = search(db, resolver.catalogue, question)
    if json:
        terminal.answer_json([hit.value() for hit in answer.hits])
        return
    if not answer.hits:
        terminal.aside(_nothing(own, is_empty(db)))
        return
    terminal.answer(render_hits(answer.hits, own, query or file or ""))
    more = " There are more: narrow the words, or raise --limit." if answer.is_cut else ""
    hits = counted(len(answer.hits), "hit")
    terminal.aside(f"{hits}.{more} Open one with its surroundings: brainproj show {answer.hits[0].citation}")


def _persons(around: Surroundings, db: sqlite3.Connection, by: str | None) -> tuple[int, ...]:
    if by is None:
        return ()
    from ..owners import read_people

    return read_people(db, around.config).get(by).numbers


def _nothing(own: KnownProject | None, is_empty: bool) -> str:
    """Why there is no hit, and what to try."""
    if is_empty:
        return NOTHING_READ
    if own is None:
        return "Nothing in any project answers this. Fewer or other words may find more."
    return f"Nothing in {own.name} answers this. Fewer words may; or elsewhere: brainproj search … --everywhere"
