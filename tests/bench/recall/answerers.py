"""What is asked: brainproj's own search, plain `rg` over the transcripts in three ways, and an empty memory."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from brainproj.browse import ArcText, Passage, open_address
from brainproj.config import Scope, read_config
from brainproj.core.emptywords import EMPTY_WORDS
from brainproj.core.pack import Pack
from brainproj.core.people import People
from brainproj.core.records import Act
from brainproj.core.tokens import estimate_tokens
from brainproj.decide import Decisions
from brainproj.identity import Resolver
from brainproj.paths import find_paths
from brainproj.recordtext import RecordText
from brainproj.resume import Resume
from brainproj.search import Question as Words
from brainproj.search import search
from brainproj.servers.answers import Answers
from brainproj.store.database import open_store
from brainproj.subject import find_subject
from brainproj.tasks import TaskBook

from .decided import Decided

ACT = Act("ada", "/dev/pts/0", ())
MOST = 5
LINE_LETTERS = 300
"""What is shown of a line that `rg` found, as `-M 300 --max-columns-preview` does; a whole one may be a megabyte."""


@dataclass(frozen=True, slots=True)
class Found:
    """A passage that was given: its text, whether it is the asked project's, and what it is said to be.

    said: of a decision where it stands; empty where nothing is said.
    """

    text: str
    is_own: bool
    said: str = ""


@dataclass(frozen=True, slots=True)
class Given:
    """The passages, best first, and the tokens of what is put before the agent."""

    found: tuple[Found, ...]
    tokens: int


class Answerer(Protocol):
    """Something that answers a question of a project."""

    name: str

    def ask(self, project: str, question: str) -> Given:
        """At most five passages."""
        ...


class EmptyMemory:
    """What an agent has without any."""

    name = "empty memory"

    def ask(self, project: str, question: str) -> Given:
        """Nothing."""
        return Given((), 0)


class Brainproj:
    """The search that agents have over MCP, in the scope `strict`."""

    name = "brainproj"

    def __init__(self, home: Path) -> None:
        self.home = home
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("BRAIN", "CLAUDE", "CODEX"))
        }
        self.environment = environment | {"HOME": str(home)}
        command = [sys.executable, "-m", "brainproj", "backfill", "--quiet"]
        subprocess.run(command, env=self.environment, check=True, capture_output=True)
        self.paths = find_paths(self.environment, home)
        self.db: sqlite3.Connection = open_store(self.paths.brain_db)
        self.catalogue = Resolver(self.paths, read_config(self.paths.config_path), self.db, datetime.now(UTC)).catalogue

    def ask(self, project: str, question: str) -> Given:
        """The hits, each opened at its address; the tokens of the tool's answer."""
        known = self.catalogue.by_key(f"git.example.com/acme/{project}")
        assert known is not None
        answer = search(self.db, self.catalogue, Words(question, known, Scope.STRICT, MOST))
        found = [
            Found(self._open(hit.citation), hit.project is not None and hit.project.key == known.key, hit.what)
            for hit in answer.hits
        ]
        said = Answers(self.paths, self.environment, str(self.home / "dev" / project)).search(question, limit=MOST)
        return Given(tuple(found), estimate_tokens(said))

    def confirm(self, decisions: Sequence[Decided]) -> None:
        """What persons did after it was proposed: first the old ones, then what took their place."""
        for one in decisions:
            known = self.catalogue.by_key(f"git.example.com/acme/{one.project}")
            assert known is not None
            book = Decisions(self.paths, self.db, known, str, datetime.now(UTC))
            records = {record.text: record for record in book.list("decision")}
            old = book.confirm(records[one.old], ACT) if one.old is not None else None
            if one.is_confirmed:
                book.confirm(records[one.text], ACT, [old] if old else [])

    def pack(self, project: str, question: str) -> Pack:
        """What an agent is given that goes on with the latest work, with a question."""
        known = self.catalogue.by_key(f"git.example.com/acme/{project}")
        assert known is not None
        book = TaskBook(self.paths, self.db, known, People((), {}, ""), datetime.now(UTC))
        return Resume(book, self.catalogue, None, {}, str).pack(find_subject(book, ""), question).pack

    def _open(self, citation: str) -> str:
        match shown := open_address(self.db, self.catalogue, citation):
            case Passage():
                return shown.text
            case RecordText():
                return shown.record.text
            case ArcText():
                return shown.arc.title or ""
            case _:
                raise AssertionError(f"{citation} is no passage")


class Ripgrep:
    """`rg` for the words of the question that mean something, the newest line first.

    all_words: only lines that hold all of them; else those that hold the most first. own_only: told which files are the
    project's, which `rg` cannot know.
    """

    def __init__(self, home: Path, files: dict[str, list[Path]], *, all_words: bool, own_only: bool) -> None:
        self.roots, self.files = [home / ".claude", home / ".codex"], files
        self.all_words, self.own_only = all_words, own_only
        self.name = f"`rg`, {'all words in a line' if all_words else 'most words first'}"
        self.name += ", the project's files alone" if own_only else ""

    def ask(self, project: str, question: str) -> Given:
        """The lines, as they stand in the files."""
        asked = [
            word for part in question.split() if (word := part.strip('?.,;:"').casefold()) and word not in EMPTY_WORDS
        ]
        where: Sequence[Path] = self.files[project] if self.own_only else self.roots
        patterns = [piece for word in asked for piece in ("-e", word)]
        command = ["rg", "-i", "-F", "--hidden", "--no-ignore", "--with-filename", "--null", "--no-heading", *patterns]
        done = subprocess.run([*command, "--", *map(str, where)], capture_output=True, text=True, check=False)
        lines = [(path, line) for row in done.stdout.splitlines() for path, _, line in [row.partition("\0")]]
        ranked = []
        for path, line in lines:
            held = sum(word in line.casefold() for word in asked)
            if held == len(asked) or not self.all_words:
                ranked.append((held, json.loads(line).get("timestamp", ""), path, line))
        ranked.sort(key=lambda row: row[:2], reverse=True)
        own = set(map(str, self.files[project]))
        found = tuple(Found(_plain(line), path in own) for _, _, path, line in ranked[:MOST])
        return Given(found, sum(estimate_tokens(row[3][:LINE_LETTERS]) for row in ranked[:MOST]))


def _plain(line: str) -> str:
    """A line with its JSON escapes undone, so that a passage in it is met as it was said."""
    return line.replace("\\n", "\n").replace('\\"', '"').replace('\\\\"', '"')
