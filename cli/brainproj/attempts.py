"""What was tried and failed, and what helped: found from outcomes, never from how somebody spoke of it.

A failure is a tool's result with an error flag or an exit code, or the output of a test runner that counts failures. A
denied or cancelled call is none. Failures of one command with one telling line are one, counted. What resolved one is
the first later success of the same command, else of another call on the same files by the same tool.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from .core.attempts import command_key, command_of, failure_line, files_of, is_same_file, signature
from .core.catalogue import Catalogue, KnownProject
from .core.citations import render_event
from .core.query import folded, query_terms
from .core.testruns import WORDS, failing_summary
from .core.times import from_micros, render_time
from .store import attempts as rows
from .store import codes, texts

LOOKED_AT = 1000
"""Failures, the newest, that are looked at in one question."""
AROUND = 3
MESSAGE_LETTERS = 400
OUTPUT_LETTERS = 1200


@dataclass(frozen=True, slots=True)
class Said:
    """A message beside a failure."""

    citation: str
    speaker: str
    text: str

    def value(self) -> dict[str, str]:
        """As JSON."""
        return {"citation": self.citation, "speaker": self.speaker, "text": self.text}


@dataclass(frozen=True, slots=True)
class Resolution:
    """A later success. by: `command` (the same one) or `files`."""

    citation: str
    at: datetime | None
    by: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One failure, at its newest place. count: how often it was met. line: what tells most; output: its end."""

    citation: str
    project: KnownProject | None
    session_id: str
    agent: str
    at: datetime | None
    first_at: datetime | None
    count: int
    tool: str | None
    command: str | None
    files: tuple[str, ...]
    line: str
    output: str
    before: tuple[Said, ...]
    after: tuple[Said, ...]
    resolution: Resolution | None

    def value(self) -> dict[str, object]:
        """One entry of `attempts --json`."""
        found = self.resolution
        return {
            "citation": self.citation,
            "project": self.project.value() if self.project else None,
            "session_id": self.session_id,
            "agent": self.agent,
            "at": render_time(self.at),
            "first_at": render_time(self.first_at),
            "count": self.count,
            "tool": self.tool,
            "command": self.command,
            "files": list(self.files),
            "line": self.line,
            "output": self.output,
            "before": [one.value() for one in self.before],
            "after": [one.value() for one in self.after],
            "resolution": {"citation": found.citation, "at": render_time(found.at), "by": found.by} if found else None,
        }


@dataclass(frozen=True, slots=True)
class Asked:
    """Which failures. words: all must occur in command or output. file: it must be named. since: microseconds.

    sessions: numbers of their rows; None: those of any.
    """

    project: KnownProject
    words: str = ""
    file: str | None = None
    since: int | None = None
    limit: int = 10
    sessions: tuple[int, ...] | None = None


@dataclass(slots=True)
class _Failure:
    result: rows.ToolResult
    call: str
    output: str
    count: int = 1
    first_at: int = 0


def find_attempts(db: sqlite3.Connection, catalogue: Catalogue, asked: Asked) -> tuple[list[Attempt], bool]:
    """The failures of a project, the newest first, and whether there are more."""
    found: dict[tuple[str, str], _Failure] = {}
    for failure in _failures(db, asked):
        key = (_subject(failure), signature(failure.output))
        known = found.get(key)
        if known is None:
            failure.first_at = failure.result.at
            found[key] = failure
        else:
            known.count += 1
            known.first_at = failure.result.at
    some = list(found.values())[: asked.limit]
    return [_attempt(db, catalogue, asked, failure) for failure in some], len(found) > len(some)


def _failures(db: sqlite3.Connection, asked: Asked) -> Iterator[_Failure]:
    """Every failure that is asked for, the newest first."""
    projects = asked.project.ids
    if asked.sessions is not None:
        results = rows.list_results(db, asked.sessions, asked.since, LOOKED_AT)
    else:
        results = rows.list_failed(db, projects, asked.since, LOOKED_AT)
        results += rows.list_with_words(db, projects, WORDS, asked.since, LOOKED_AT)
    wanted = [folded(" ".join(phrase)) for phrase in query_terms(asked.words)]
    for result in sorted(results, key=lambda one: (-one.at, -one.id)):
        output = texts.read_text(db, result.body) or ""
        if not result.is_failed and failing_summary(output) is None:
            continue
        call = (texts.read_text(db, result.call_body) or "") if result.call_body is not None else ""
        if asked.file is not None and not _names(asked.file, call, output):
            continue
        letters = folded(f"{call}\n{output}")
        if all(_holds(letters, one) for one in wanted):
            yield _Failure(result, call, output)


def _holds(letters: str, phrase: str) -> bool:
    return phrase in letters or phrase in " ".join("".join(c if c.isalnum() else " " for c in letters).split())


def _names(file: str, call: str, output: str) -> bool:
    return any(is_same_file(file, one) for one in files_of(call)) or file.removeprefix("./") in output


def _subject(failure: _Failure) -> str:
    """What was tried: a command, else the tool and its files."""
    command = command_of(failure.call)
    return command_key(command) if command else f"{failure.result.tool} {' '.join(files_of(failure.call))}"


def _attempt(db: sqlite3.Connection, catalogue: Catalogue, asked: Asked, failure: _Failure) -> Attempt:
    result = failure.result
    before, after = rows.messages_around(db, result, AROUND)
    command = command_of(failure.call)
    return Attempt(
        citation=_cite(result),
        project=catalogue.by_id(result.project),
        session_id=result.session_id,
        agent=result.agent,
        at=from_micros(result.at or None),
        first_at=from_micros(failure.first_at or None),
        count=failure.count,
        tool=result.tool,
        command=command,
        files=files_of(failure.call),
        line=failure_line(failure.output),
        output=failure.output[-OUTPUT_LETTERS:],
        before=tuple(_said(db, one) for one in before),
        after=tuple(_said(db, one) for one in after),
        resolution=_resolution(db, asked, failure),
    )


def _resolution(db: sqlite3.Connection, asked: Asked, failure: _Failure) -> Resolution | None:
    """The first later success: of the same command, else on the same files by the same tool."""
    result, command = failure.result, command_of(failure.call)
    if command:
        key = command_key(command)
        same = [body for body, text in _calls(db, asked, key) if command_key(command_of(text) or "") == key]
        if found := _first_success(db, same, result):
            return Resolution(_cite(found), from_micros(found.at or None), "command")
    for file in files_of(failure.call):
        same = [
            body
            for body, text in _calls(db, asked, file)
            if any(is_same_file(file, one) for one in files_of(text)) and bool(command_of(text)) == bool(command)
        ]
        found = _first_success(db, same, result)
        if found is not None and found.tool == result.tool:
            return Resolution(_cite(found), from_micros(found.at or None), "files")
    return None


def _calls(db: sqlite3.Connection, asked: Asked, words: str) -> list[tuple[int, str]]:
    return list(rows.find_same_calls(db, asked.project.ids, words))


def _first_success(db: sqlite3.Connection, calls: list[int], failed: rows.ToolResult) -> rows.ToolResult | None:
    later = [one for body in calls for one in rows.list_results_of(db, body, failed)]
    for one in sorted(later, key=lambda result: (result.at, result.id)):
        if one.is_ok and failing_summary(texts.read_text(db, one.body) or "") is None:
            return one
    return None


def _cite(result: rows.ToolResult) -> str:
    return render_event(result.session_id, result.event_id, result.revision)


def _said(db: sqlite3.Connection, message: rows.Message) -> Said:
    text = (texts.read_text(db, message.body) or "") if message.body is not None else ""
    clipped = text if len(text) <= MESSAGE_LETTERS else text[: MESSAGE_LETTERS - 1] + "…"
    return Said(render_event(message.session_id, codes.id_letters(message.code)), message.speaker, clipped)
