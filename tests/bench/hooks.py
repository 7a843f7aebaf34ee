"""How long a hook takes, through the launcher, in the situations that matter. Run it with `just bench-hooks`.

Whole processes, wall time, run in turn with a reference in each round, so that the drift of a machine does not enter:
the reference is a bare interpreter that imports json and sqlite3 and reads one row, the least such a hook must do.
Prints a Markdown table: median, 99th percentile, and both as ratios to the reference's median.
"""

import argparse
import contextlib
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from brainproj.demo import build_demo

REFERENCE = (
    "import sys, json, sqlite3; e = json.load(sys.stdin); d = sqlite3.connect('file:%s?mode=ro' % sys.argv[1], uri=True);"
    "r = d.execute('select text from items limit 1').fetchone();"
    "json.dump({'hookSpecificOutput': {'hookEventName': e['hook_event_name'], 'additionalContext': r[0]}}, sys.stdout)"
)
EVENTS: dict[str, tuple[str, dict[str, object]]] = {
    "start": ("SessionStart", {"source": "startup"}),
    "prompt": ("UserPromptSubmit", {"prompt": "Go on with the retry of the worker"}),
    "tool": (
        "PostToolUse",
        {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "12 passed"}},
    ),
}


class Bench:
    """One home with two projects, and what is done to it between measurements."""

    def __init__(self, home: Path) -> None:
        self.home, self.base = home, home / ".brainproj"
        self.folder = home / "dev" / "worktrees" / "tides"
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("BRAIN", "CLAUDE", "CODEX", "PYTHON"))
        }
        self.environment = clean | {"HOME": str(home)}
        self.number = 0
        build_demo(home, datetime.now(UTC))
        subprocess.run(
            [sys.executable, "-m", "brainproj", "backfill", "--quiet"],
            env=self.environment,
            check=True,
            capture_output=True,
        )

    def ready(self) -> sqlite3.Connection:
        return sqlite3.connect(self.base / "ready.db", isolation_level=None)

    def payload(self, moment: str, session: str, folder: Path | None = None) -> bytes:
        event, own = EVENTS[moment]
        common = {
            "session_id": session,
            "cwd": str(folder or self.folder),
            "hook_event_name": event,
            "transcript_path": None,
        }
        return json.dumps({**common, **own}).encode()

    def new_session(self) -> str:
        self.number += 1
        return f"bench-{self.number}"

    def time_hook(self, moment: str, session: str, folder: Path | None = None) -> float:
        return self._time([str(self.base / "hook"), "claude", EVENTS[moment][0]], self.payload(moment, session, folder))

    def time_status(self, session: str) -> float:
        return self._time([str(self.base / "hook"), "claude", "StatusLine"], self.payload("prompt", session))

    def time_reference(self) -> float:
        return self._time(
            [sys.executable, "-I", "-S", "-c", REFERENCE, str(self.base / "ready.db")],
            self.payload("start", "reference"),
        )

    def _time(self, command: list[str], payload: bytes) -> float:
        began = time.perf_counter()
        done = subprocess.run(command, input=payload, capture_output=True, env=self.environment, check=False)
        took = (time.perf_counter() - began) * 1000
        assert done.returncode == 0, done.stderr
        return took


def measure(bench: Bench, runs: int, call: Callable[[], float]) -> tuple[list[float], list[float]]:
    """(times of the hook, times of the reference), in turn."""
    hook, reference = [], []
    for number in range(runs + 2):
        pair = (call(), bench.time_reference())
        if number > 1:
            hook.append(pair[0])
            reference.append(pair[1])
    return hook, reference


def forget_pages(bench: Bench) -> None:
    """Have the system drop what it holds of our files and of the interpreter's, as after a long pause."""
    import json as json_package

    folders = (
        Path(__file__).parent.parent.parent / "cli",
        Path(json_package.__file__).parent.parent / "json",
        bench.base,
    )
    for folder in folders:
        for file in folder.rglob("*"):
            if file.is_file():
                with contextlib.suppress(OSError), file.open("rb") as opened:
                    os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--runs", type=int, default=60)
    runs = arguments.parse_args().runs
    rows: list[tuple[str, list[float], list[float]]] = []
    with tempfile.TemporaryDirectory(prefix="brainproj-bench-") as folder:
        bench = Bench(Path(folder).resolve())

        def add(name: str, call: Callable[[], float]) -> None:
            rows.append((name, *measure(bench, runs, call)))
            print(".", end="", file=sys.stderr, flush=True)

        told = bench.new_session()
        bench.time_hook("start", told)
        add("start of a session", lambda: bench.time_hook("start", bench.new_session()))
        add("prompt", lambda: bench.time_hook("prompt", told))
        add("tool", lambda: bench.time_hook("tool", told))
        add("status line", lambda: bench.time_status(told))

        def cold() -> float:
            forget_pages(bench)
            return bench.time_hook("start", bench.new_session())

        add("start, files not in memory", cold)
        outside = bench.home / "outside"
        outside.mkdir()
        add("start outside any repository", lambda: bench.time_hook("start", bench.new_session(), outside))
        holder = bench.ready()
        holder.execute("BEGIN IMMEDIATE")
        add("start, store locked", lambda: bench.time_hook("start", bench.new_session()))
        holder.execute("ROLLBACK")
        holder.close()
        (bench.base / "spool.jsonl").unlink(missing_ok=True)
        with contextlib.closing(bench.ready()) as db:
            now = time.time_ns() // 1000
            db.execute("BEGIN")
            for number in range(200):
                db.execute(
                    "INSERT INTO seen(agent, session_id, agent_id, moment, started_at, last_at) VALUES('claude', ?, '', 'start', ?, ?)",
                    (f"old-{number}", now, now),
                )
            db.execute("COMMIT")
        add("start, 200 sessions registered", lambda: bench.time_hook("start", bench.new_session()))
        with contextlib.closing(sqlite3.connect(bench.base / "brain.db", isolation_level=None)) as db:
            db.execute("BEGIN")
            db.executemany(
                "INSERT INTO events(code, session, source, place, kind, speaker, flags) VALUES(?, 1, 1, ?, 1, 1, 0)",
                ((number, number) for number in range(1_000_000)),
            )
            db.execute("COMMIT")
        add("start, a million events stored", lambda: bench.time_hook("start", bench.new_session()))
        with contextlib.closing(bench.ready()) as db:
            db.execute("BEGIN")
            for number in range(10_000):
                db.execute(
                    "INSERT INTO items(hash, id, kind, title, text, source, strict, ranked, off, place) VALUES(?,?,'entry','t',?,'feed','*','*','*',?)",
                    (f"h{number}", f"e{number}", f"[e{number}] entry {number} " + "words " * 20, number),
                )
            db.execute("COMMIT")
        add("start, 10,000 feed entries", lambda: bench.time_hook("start", bench.new_session()))
        full = bench.new_session()
        for _ in range(20):
            bench.time_hook("prompt", full)
        add("tool, 10,000 feed entries", lambda: bench.time_hook("tool", full))
        for file in bench.base.glob("ready.db*"):
            file.unlink()
        (bench.base / "worker.claim").touch()
        os.utime(bench.base / "worker.claim", (time.time() + 20, time.time() + 20))

        def missing() -> float:
            (bench.base / "worker.claim").touch()
            return bench.time_hook("start", bench.new_session())

        took = [missing() for _ in range(runs)]
        rows.append(("start, ready.db missing", took, rows[0][2]))
    print(file=sys.stderr)
    print("| hook | median ms | p99 ms | median, to the reference | p99, to its median |\n|---|---|---|---|---|")
    for name, hook, reference in rows:
        base = statistics.median(reference)
        middle, late = statistics.median(hook), statistics.quantiles(hook, n=100)[98]
        print(f"| {name} | {middle:.1f} | {late:.1f} | {middle / base:.2f} | {late / base:.2f} |")


if __name__ == "__main__":
    main()
