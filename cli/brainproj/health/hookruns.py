"""Each installed hook, run once as its agent would run it, with a payload that we made up.

It runs on a copy of ready.db in a folder of its own: nothing of ours changes, and no worker is started.
"""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from ..agents import hookfile
from ..agents.hookfile import Own
from ..agentstates import AgentState
from ..core.text import counted
from ..install.ledger import read_ledger
from ..install.plan import find_launchers
from ..paths import Paths
from ..store import publish
from ..store.seen import claim
from .findings import Finding, Severity

LIMIT_S = 10.0
SLOW_MS = 300
"""A hook that takes longer is felt (formats/agents.md 2)."""
SESSION = "brainproj-doctor"


@dataclass(frozen=True, slots=True)
class HookRun:
    """One run. says: what it printed, or what went wrong."""

    agent: str
    event: str
    elapsed_ms: float
    size_bytes: int
    says: str
    is_well: bool

    def value(self) -> dict[str, object]:
        """As JSON."""
        return {
            "agent": self.agent,
            "event": self.event,
            "elapsed_ms": round(self.elapsed_ms, 1),
            "bytes": self.size_bytes,
            "says": self.says,
            "ok": self.is_well,
        }


def run_hooks(
    paths: Paths, environment: Mapping[str, str], states: Sequence[AgentState], folder: str
) -> tuple[list[HookRun], list[Finding]]:
    """Every installed hook's run, and what is wrong with them."""
    runs: list[HookRun] = []
    if not paths.launcher.exists():  # a finding of its own
        return runs, []
    with _copied_home(paths) as home:
        clean = {
            name: value for name, value in environment.items() if not name.startswith(("CLAUDE", "CODEX", "CURSOR"))
        }
        for state in states:
            for event, command in _own_commands(paths, state):
                runs.append(_run(state.agent, event, command, folder, {**clean, "BRAINPROJ_HOME": str(home)}))
    return runs, _findings(paths, runs)


def _own_commands(paths: Paths, state: AgentState) -> list[tuple[str, str]]:
    """(event, command) of the entries that are as they should be."""
    if not state.installed or state.broken:
        return []
    judge = find_launchers(paths, read_ledger(paths.ledger_path)).judge_for(state.agent)
    found = hookfile.list_commands(state.hook_file.read_text("utf-8"), state.integration.shape, judge)
    return [(event, command) for event, _, _, command, _ in found if judge(event, command) is Own.GOOD]


@contextlib.contextmanager
def _copied_home(paths: Paths) -> Iterator[Path]:
    """A home with what hooks look up, whose worker is taken to be at work."""
    with tempfile.TemporaryDirectory(prefix="brainproj-doctor-", ignore_cleanup_errors=True) as name:
        home = Path(name)
        with contextlib.suppress(OSError):
            shutil.copy2(paths.config_path, home / "config.toml")  # with its time: what is ready counts by it
        with (
            contextlib.suppress(sqlite3.Error),
            contextlib.closing(sqlite3.connect(f"{paths.ready_db.absolute().as_uri()}?mode=ro", uri=True)) as source,
            contextlib.closing(sqlite3.connect(home / "ready.db")) as copy,
        ):
            source.backup(copy)
        copy_or_new = publish.open_ready(home / "ready.db")  # made anew where there is none that hooks can use
        if copy_or_new is not None:
            claim(copy_or_new, "worker", time.time_ns() // 1000)
            copy_or_new.close()
        yield home


def _payload(agent: str, event: str, folder: str) -> bytes:
    if agent == "cursor":
        payload: dict[str, object] = {"cursor_version": "0", "conversation_id": SESSION, "workspace_roots": [folder]}
    else:
        payload = {"session_id": SESSION, "cwd": folder}
        if event == "SessionStart":
            payload["source"] = "startup"
        if event.startswith("Subagent"):
            payload["agent_id"] = SESSION
    return json.dumps({**payload, "hook_event_name": event}).encode()


def _run(agent: str, event: str, command: str, folder: str, environment: dict[str, str]) -> HookRun:
    """One hook as its agent runs it: by the login shell in Codex, by `sh` elsewhere."""
    login = environment.get("SHELL") or "/bin/sh"
    shell = [login, "-lc", command] if agent == "codex" and os.access(login, os.X_OK) else ["/bin/sh", "-c", command]
    began = time.monotonic()
    try:
        done = subprocess.run(  # noqa: S603
            shell, input=_payload(agent, event, folder), capture_output=True, cwd=folder, env=environment,
            timeout=LIMIT_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return HookRun(agent, event, LIMIT_S * 1000, 0, "it did not end", False)
    except OSError as error:
        return HookRun(agent, event, 0, 0, f"it could not be started: {error.strerror}", False)
    elapsed_ms = (time.monotonic() - began) * 1000
    says, is_well = _judge(done.returncode, done.stdout, done.stderr)
    return HookRun(agent, event, elapsed_ms, len(done.stdout), says, is_well)


def _judge(code: int, out: bytes, err: bytes) -> tuple[str, bool]:
    if code:
        return f"it ended with status {code}: {err.decode('utf-8', 'replace').strip() or '(no words)'}", False
    if not out.strip():
        return "", True
    try:
        value = json.loads(out)
    except ValueError:
        return f"printed what is no JSON: {out[:80].decode('utf-8', 'replace')!r}", False
    found = value.get("hookSpecificOutput", value) if isinstance(value, dict) else {}
    text = found.get("additionalContext") or found.get("additional_context")
    return (str(text).splitlines()[0] if text else json.dumps(value)), True


def _findings(paths: Paths, runs: Sequence[HookRun]) -> list[Finding]:
    """What is wrong with them: one finding for all hooks of an agent that fail alike."""
    found: dict[tuple[str, str], list[HookRun]] = {}
    for run in runs:
        if not run.is_well:
            kind = "shell-prints" if run.agent == "codex" and run.says.startswith("printed") else "hook-fails"
            found.setdefault((kind, run.agent), []).append(run)
        elif run.elapsed_ms > SLOW_MS:
            found.setdefault(("hook-slow", run.agent), []).append(run)
    return [_finding(paths, kind, some) for (kind, _), some in found.items()]


def _finding(paths: Paths, kind: str, runs: Sequence[HookRun]) -> Finding:
    first = max(runs, key=lambda run: run.elapsed_ms) if kind == "hook-slow" else runs[0]
    which = f"{counted(len(runs), 'hook')} of {first.agent}, {'the slowest' if kind == 'hook-slow' else 'the first'}"
    if kind == "hook-slow":
        what = f"slow: {which} at {first.event} with {first.elapsed_ms:,.0f} ms"
        remedy = f"time {quote(str(paths.launcher))} {first.agent} {first.event} < /dev/null"
        return Finding(kind, Severity.WARNING, what, remedy)
    what = f"not well: {which} at {first.event}: {first.says}"
    if kind == "shell-prints":
        what += "; codex starts hooks by a login shell, whose profile prints what it must not"
        return Finding(kind, Severity.ERROR, what, "$SHELL -lc true")
    return Finding(kind, Severity.ERROR, what, "brainproj doctor --fix")
