"""The line that Claude Code shows below its prompt: project, scope, block and its age. Looked up, as a hook does it.

`HOME claude StatusLine [COMMAND]`: a command that stood in the settings before is run with the same input, and what it
prints stands above ours. Whatever is missing costs its part of the line, never the line of the other command.

Format of the input: https://code.claude.com/docs/en/statusline
"""

import _signal  # type: ignore[import-not-found]
import json
import os
import sqlite3
import time

from ..agents.call import Call
from ..agents.claude import payload as claude
from ..store import ready
from . import hook, trouble

OTHER_LIMIT_S = 2.0
"""How long the other command may take before ours stands alone."""
OTHER_LIMIT_BYTES = 1 << 20
POLL_S = 0.005
AGES = ((60, 1, "s"), (3600, 60, "m"), (86_400, 3600, "h"))


def run(arguments: list[str]) -> None:
    """Print the lines; ends the process with status 0."""
    _signal.setitimer(_signal.ITIMER_REAL, hook.HARD_STOP_S)
    hook.fill_standard_streams()
    raw = hook.read_stdin()
    other = _start_other(arguments[3], raw) if len(arguments) > 3 else None
    line = ""
    try:
        line = render_line(arguments[0], raw, dict(os.environ))
    except Exception as error:
        trouble.log(arguments[0], "the status line gave up:", error)
    above = b"" if other is None else _read_other(other)
    if above and not above.endswith(b"\n"):
        above += b"\n"
    hook.write_out(above + ((line + "\n").encode("utf-8", "replace") if line else b""))
    os._exit(0)


def render_line(home: str, raw: bytes, environment: dict[str, str]) -> str:
    """The line for a session, whose JSON Claude Code sends; "" where hooks are switched off."""
    if environment.get("BRAINPROJ_HOOK_DISABLE") == "1":
        return ""
    try:
        payload = json.loads(raw)
    except (ValueError, RecursionError):
        payload = None
    payload = payload if isinstance(payload, dict) else {}
    workspace = payload.get("workspace")
    folder = workspace.get("current_dir") if isinstance(workspace, dict) else None
    call = claude.read({**payload, "cwd": payload.get("cwd") or folder}, "StatusLine")
    try:
        db = ready.connect(home + "/ready.db")
    except (ready.ReadyUnusable, sqlite3.Error):
        return "brainproj: nothing is ready yet"
    try:
        return _line(db, home, call, environment)
    except sqlite3.DatabaseError:
        return "brainproj: ready.db cannot be read"
    finally:
        db.close()


def _line(db: sqlite3.Connection, home: str, call: Call, environment: dict[str, str]) -> str:
    project = hook.find_project(db, home, call, environment)
    if project is None:
        return "brainproj: this folder is not looked up yet"
    if not project:
        return "no project"
    scope = hook.scope_of(db, project, environment)
    row = db.execute("SELECT shown, rendered_at FROM projects WHERE key = ?", (project,)).fetchone()
    shown = row[0] if row else project
    if scope == "off":
        return f"{shown} · off"
    block = db.execute(
        "SELECT text FROM items WHERE project = ? AND kind = 'block' AND heading = ''", (project,)
    ).fetchone()
    if row is None or block is None:
        return f"{shown} · {scope} · no block yet"
    size = len(block[0].encode())
    return f"{shown} · {scope} · block {size / 1000:.1f} KB, {_age(row[1])} old"


def _age(micros: int) -> str:
    seconds = max(time.time_ns() // 1000 - micros, 0) // 1_000_000
    for limit, size, letter in AGES:
        if seconds < limit:
            return f"{seconds // size}{letter}"
    return f"{seconds // 86_400}d"


def _start_other(command: str, raw: bytes) -> int | None:
    """A descriptor from which the other command's words can be read; it gets the same input. None: it cannot start."""
    source = _holding(raw)
    words, end = os.pipe()
    try:
        actions = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, end, 1)]
        os.posix_spawn("/bin/sh", ["/bin/sh", "-c", command], dict(os.environ), file_actions=actions)
        return words
    except OSError:
        return None
    finally:
        os.close(source)
        os.close(end)


def _holding(raw: bytes) -> int:
    """A descriptor from which these bytes can be read, without a file that has a name."""
    if hasattr(os, "memfd_create"):
        source = os.memfd_create("status")
        os.write(source, raw)
        os.lseek(source, 0, os.SEEK_SET)
        return source
    source, end = os.pipe()
    os.set_blocking(end, False)
    try:
        os.write(end, raw)
    except BlockingIOError:
        pass
    os.close(end)
    return source


def _read_other(words: int) -> bytes:
    """What the other command prints within its time."""
    os.set_blocking(words, False)
    said = b""
    deadline = time.monotonic() + OTHER_LIMIT_S
    while time.monotonic() < deadline and len(said) < OTHER_LIMIT_BYTES:
        try:
            piece = os.read(words, 65_536)
        except BlockingIOError:
            time.sleep(POLL_S)
            continue
        except OSError:
            break
        if not piece:
            break
        said += piece
    return said
