"""`brainproj search`: find what was said, done or decided."""

import sqlite3
from collections.abc import Sequence
from typing import Annotated

import typer

from ..config import Scope, scope_in_force
from ..core.catalogue import KnownProject
from ..core.people import People
from ..core.text import counted
from ..core.times import to_micros
from ..errors import UsageProblem
from ..search import Question, search
from ..store.codes import ALL_KINDS, SPEAKER_NAMES
from ..views import terminal
from ..views.hits import render_hits
from .complete import kind_names, person_names, speaker_names
from .options import AGENT, JSON, PROJECT, SINCE, check_agents, check_among, parse_since
from .reading import NOTHING_READ, is_empty, read_first
from .surroundings import Surroundings, find_surroundings, open_for_reading, project_here, resolver_for

SPEAKERS = tuple(SPEAKER_NAMES.values())
app = typer.Typer(rich_markup_mode=None, add_completion=False)
KIND = typer.Option(help=f"Only these: {', '.join(ALL_KINDS)}.", autocompletion=kind_names)
SPEAKER = typer.Option(help=f"Only these: {', '.join(SPEAKERS)}.", autocompletion=speaker_names)
BY = typer.Option("--by", help="Only what this person typed: a name, address or id.", autocompletion=person_names)


@app.command(name="search")
def run_search(
    query: Annotated[
        list[str] | None,
        typer.Argument(help='Words or a question; a path and a "quoted part" are looked for as they are.'),
    ] = None,
    project: PROJECT = None,
    everywhere: Annotated[bool, typer.Option("--everywhere", help="In all projects, not only this folder's.")] = False,
    kind: Annotated[list[str] | None, KIND] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only results of tools that failed.")] = False,
    since: SINCE = None,
    agent: AGENT = None,
    speaker: Annotated[list[str] | None, SPEAKER] = None,
    file: Annotated[str | None, typer.Option("--file", help="Only calls of tools that touch this file.")] = None,
    by: Annotated[str | None, BY] = None,
    thinking: Annotated[bool, typer.Option("--thinking", help="Also what agents thought.")] = False,
    fts: Annotated[bool, typer.Option("--fts", help="The query is an expression of SQLite's FTS5.")] = False,
    hidden: Annotated[
        bool, typer.Option("--hidden", help="Also thinking, texts of the harness, and repetitions of our own words.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="The most hits.")] = 20,
    json: JSON = False,
) -> None:
    """Find what was said, done or decided in this project.

    The best hit stands last; all of the words beat most of them, and a filter alone lists the latest. Examples:

      brainproj search "why did the import drop rows"

      brainproj search src/app.py --failed --since 7d
    """
    words = " ".join(query or ()).strip()
    if everywhere and project:
        raise UsageProblem("--everywhere and --project exclude each other", hint="leave one of them out")
    check_among(kind or (), ALL_KINDS, "kind")
    check_among(speaker or (), SPEAKERS, "speaker")
    check_agents(agent)
    if not query and not (kind or failed or since or agent or speaker or by or file):
        raise UsageProblem(
            "missing argument: what to look for", hint="give words, or a filter: see `brainproj search --help`"
        )
    _check_by(by, kind or (), {"--speaker": speaker, "--file": file, "--failed": failed})
    if fts and (file is not None or not words):
        raise UsageProblem("--fts needs an expression, and excludes --file", hint="see `brainproj search --help`")
    around = find_surroundings()
    db = open_for_reading(around.paths)
    resolver = resolver_for(around, db)
    own = None if everywhere else project_here(around, resolver, project, may_widen=True)
    read_first(around, db, resolver, None if everywhere else own.root if own else None)
    own = None if everywhere else project_here(around, resolver, project, may_widen=True)
    moment = parse_since(since, around.now)
    scope = scope_in_force(around.config, around.environment, (own.key, *own.aliases) if own else ())
    question = Question(
        words=words,
        latest=not query and file is None,
        project=own,
        scope=Scope.STRICT if project else scope.effective,
        limit=limit,
        kinds=("tool_call",) if file is not None else tuple(kind or ()),
        speakers=tuple(speaker or ()),
        agent=agent,
        thinking=thinking or "thinking" in (kind or ()),
        file=file,
        is_fts=fts,
        persons=_people(around, db).get(by).numbers if by is not None else (),
        failed=failed,
        hidden=hidden,
        since=to_micros(moment),
    )
    answer = search(db, resolver.catalogue, question)
    is_typed = any(hit.person is not None for hit in answer.hits)
    people = _people(around, db) if is_typed else People((), {}, "")
    if json:
        terminal.answer_json([hit.value(people) for hit in answer.hits])
        return
    if not answer.hits:
        terminal.aside(NOTHING_READ if is_empty(db) else _nothing(own, words, file))
        return
    terminal.answer(render_hits(answer.hits, own, words or file or "", people))
    more = " There are more: narrow the words, or raise --limit." if answer.is_cut else ""
    hits = counted(len(answer.hits), "hit")
    terminal.aside(f"{hits}.{more} Open one with its surroundings: brainproj show {answer.hits[0].citation}")


def _people(around: Surroundings, db: sqlite3.Connection) -> People:
    """Everybody in the store; asked for only where somebody's words are shown."""
    from ..owners import read_people

    return read_people(db, around.config)


def _check_by(by: str | None, kinds: Sequence[str], others: dict[str, object]) -> None:
    """Raises UsageProblem where somebody's words are asked for with what no person types."""
    against = [name for name, given in others.items() if given]
    if set(kinds) - {"prompt"}:
        against.append("--kind")
    if by is not None and against:
        raise UsageProblem("--by finds what a person typed, and nothing else", hint=f"leave out {', '.join(against)}")


def _nothing(own: KnownProject | None, words: str, file: str | None) -> str:
    """What to try where there is no hit."""
    where = own.name if own else "any project"
    if not words:
        return f"No tool touched {file} in {where}." if file is not None else f"Nothing in {where} fits."
    said = f"Nothing in {where} answers this. Fewer or other words may; what was decided: brainproj records"
    return said + ("; elsewhere: brainproj search … --everywhere" if own else "")
