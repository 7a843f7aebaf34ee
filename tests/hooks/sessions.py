"""Running the launcher as an agent does: a process, a payload on stdin, an answer on stdout."""

import contextlib
import json
import os
import subprocess
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from brainproj.config import read_config
from brainproj.identity import Resolver
from brainproj.ingest import Ingest, Wanted
from brainproj.paths import find_paths
from brainproj.places import Places
from brainproj.store import publish
from brainproj.store.database import open_store
from brainproj.worker import work

from ..repositories import make_repository
from ..transcripts import Line, prompt, reply, session_id, write_claude

WORDS = {"alpha": "axolotl", "beta": "bandicoot"}
EVENTS: dict[str, tuple[str, dict[str, object]]] = {
    "start": ("SessionStart", {"source": "startup"}),
    "resume": ("SessionStart", {"source": "resume"}),
    "clear": ("SessionStart", {"source": "clear"}),
    "compact": ("SessionStart", {"source": "compact"}),
    "fork": ("SessionStart", {"source": "fork"}),
    "prompt": ("UserPromptSubmit", {"prompt": "go on"}),
    "tool": ("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "x"}}),
    "tool_failed": ("PostToolUseFailure", {"tool_name": "Bash", "error": "Exit code 1"}),
    "subagent_start": ("SubagentStart", {"agent_id": "sub-1", "agent_type": "explore"}),
    "subagent_stop": ("SubagentStop", {"agent_id": "sub-1", "agent_type": "explore"}),
    "stop": ("Stop", {"stop_hook_active": False}),
    "before_compact": ("PreCompact", {"trigger": "auto"}),
    "end": ("SessionEnd", {"reason": "other"}),
}
"""Moment → the event by which Claude Code and Codex tell of it, and what its payload has beside the common members."""


@dataclass(frozen=True)
class Answer:
    """What a hook left behind."""

    code: int
    out: bytes
    err: str

    @property
    def value(self) -> Any:
        """stdout as the one JSON object it must be; None for nothing."""
        return json.loads(self.out) if self.out else None

    @property
    def context(self) -> str:
        """The text that reaches the model."""
        value = self.value or {}
        return str(value.get("additional_context") or value.get("hookSpecificOutput", {}).get("additionalContext", ""))


@dataclass
class Fleet:
    """A home with two projects, each with words of its own, and everything made ready."""

    home: Path
    place: Path

    @property
    def base(self) -> Path:
        """Our own home."""
        return self.home / ".brainproj"

    def make(self) -> "Fleet":
        for number, (name, word) in enumerate(WORDS.items()):
            folder = make_repository(self.place / name, f"https://git.example.com/acme/{name}.git")
            self.write(number, folder, [f"Feed the {word}"], lesson=f"The {word} eats at night.")
        self.read()
        return self

    def folder(self, name: str) -> Path:
        return self.place / name

    def write(self, number: int, folder: Path, prompts: list[str], **markers: str) -> str:
        """A session with these prompts, whose assistant records these markers; its id."""
        sid = session_id(number)
        marks = "".join(f"<!-- @{kind} -->{text}<!-- @/{kind.split()[0]} -->" for kind, text in markers.items())
        lines: list[Line] = [prompt(sid, folder, text, minute) for minute, text in enumerate(prompts)]
        lines.append(reply(sid, folder, f"Done. {marks}", 50))
        for line in lines:
            line["timestamp"] = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        write_claude(self.home, sid, lines, f"-{folder.name}")
        return sid

    def read(self) -> None:
        """Read what is new, and make the launcher as every reading does."""
        paths = find_paths({}, self.home)
        config, db, now = read_config(paths.config_path), open_store(paths.brain_db), datetime.now(UTC)
        places = Places(paths, config)
        Ingest(paths, config, db, Resolver(paths, config, db, now, places=places), now).run(Wanted())
        db.close()

    def configure(self, text: str) -> None:
        """Write config.toml, and let the next command see it, as any does."""
        (self.base / "config.toml").write_text(text)
        paths = find_paths({}, self.home)
        config, db, now = read_config(paths.config_path), open_store(paths.brain_db), datetime.now(UTC)
        resolver = Resolver(paths, config, db, now, places=Places(paths, config))
        resolver.resolve(str(self.home))
        db.close()

    def work(self) -> None:
        """Do what hooks left to be done, here and now."""
        work(str(self.base))

    def ready(self) -> Any:
        db = publish.open_ready(self.base / "ready.db")
        assert db is not None
        return db

    def payload(self, moment: str, session: str, folder: Path | str, **members: object) -> dict[str, object]:
        event, own = EVENTS[moment]
        transcript = self.home / ".claude" / "projects" / "-x" / f"{session}.jsonl"
        common = {
            "session_id": session,
            "transcript_path": str(transcript),
            "cwd": str(folder),
            "hook_event_name": event,
        }
        return {**common, **own, **members}

    def hook(
        self,
        moment: str,
        session: str,
        folder: Path | str,
        agent: str = "claude",
        environment: dict[str, str] | None = None,
        **members: object,
    ) -> Answer:
        """One call of the launcher at a moment."""
        payload = json.dumps(self.payload(moment, session, folder, **members)).encode()
        return self.send(payload, agent, EVENTS[moment][0], environment)

    def send(
        self, payload: bytes, agent: str, event: str, environment: dict[str, str] | None = None, **options: Any
    ) -> Answer:
        """One call of the launcher with these bytes. The worker is not started: its claim is taken."""
        with self.ready_or_none() as db:
            if db is not None:
                db.execute("INSERT OR REPLACE INTO claims VALUES('worker', ?)", (time.time_ns() // 1000,))
        done = subprocess.run(
            [str(self.base / "hook"), agent, event],
            input=payload,
            capture_output=True,
            env={**os.environ, **(environment or {})},
            timeout=20,
            check=False,
            **options,
        )
        return Answer(done.returncode, done.stdout, done.stderr.decode())

    def ready_or_none(self) -> Any:
        db = publish.open_ready(self.base / "ready.db") if (self.base / "ready.db").exists() else None
        return contextlib.closing(db) if db else contextlib.nullcontext()
