"""What an agent runs at each moment of a session: look up, print at most one JSON object, end well.

It decides nothing: the project, the block and who may have what were found out before (`identity`, `refresh`). It
writes down that the session was seen and what it was given, in one small transaction, and starts the worker where
there is work. Whatever goes wrong costs the session its memory at that moment and nothing else: the exit status is
always 0, and after 3 s the system ends it. Only the modules of tests/test_hook_imports are loaded.
"""

import _signal  # type: ignore[import-not-found]
import json
import os
import sqlite3
import time

from ..agents.call import Call
from ..agents.claude import payload as claude
from ..agents.codex import payload as codex
from ..agents.cursor import payload as cursor
from ..store import ready
from . import place, reply, seen, trouble

HARD_STOP_S = 3.0
PAYLOAD_LIMIT = 64 << 20
"""Bytes that are parsed; agents send a tool's whole output, which is seldom over 1 MB."""
AGENTS = {"claude": claude, "codex": codex, "cursor": cursor}
SCOPES = ("strict", "rank", "off")


def run(arguments: list[str]) -> None:
    """A hook's whole life: `HOME AGENT EVENT`, a payload on stdin. Ends the process with status 0."""
    _signal.setitimer(_signal.ITIMER_REAL, HARD_STOP_S)
    has_stdout = fill_standard_streams()
    home = arguments[0] if arguments else ""
    try:
        if os.environ.get("BRAINPROJ_HOOK_DISABLE") != "1" and os.path.isabs(home):
            _answer(home, arguments[1:], dict(os.environ), has_stdout)
    except BaseException as error:
        trouble.log(home, "the hook gave up:", error)
    os._exit(0)


def fill_standard_streams() -> bool:
    """Open what the caller closed of 0, 1 and 2, so that no file of ours gets its number. Whether there is a stdout."""
    has_stdout = True
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open("/dev/null", os.O_RDWR)
            has_stdout = has_stdout and descriptor != 1
    return has_stdout


def _answer(home: str, arguments: list[str], environment: dict[str, str], has_stdout: bool) -> None:
    raw = read_stdin()
    _signal.setitimer(_signal.ITIMER_REAL, HARD_STOP_S)  # what took long so far was the agent, or a busy machine
    call = _read_call(home, arguments, raw)
    if call is None:
        return
    context = ""
    if call.moment and call.session_id:
        context = _context(home, call, environment)
    elif call.moment:
        _say("a payload without a session's id was passed by")
        trouble.log(home, f"{call.agent} {call.moment}: no session id")
    value = AGENTS[call.agent].answer(call, context)
    if value is not None and has_stdout:
        write_out(json.dumps(value).encode())
    if call.agent == "cursor" and call.moment in ("tool", "tool_failed") and call.session_id:
        try:
            seen.hand_on(home, environment, raw)  # its transcripts hold no results
        except OSError as error:
            trouble.log(home, "a tool's result was not handed on:", error)


def _read_call(home: str, arguments: list[str], raw: bytes) -> Call | None:
    """The call in a payload; None for what is none."""
    agent = arguments[0] if arguments else ""
    event = arguments[1] if len(arguments) > 1 else ""
    try:
        payload = json.loads(raw) if len(raw) <= PAYLOAD_LIMIT else None
    except (ValueError, RecursionError):
        payload = None
    if not isinstance(payload, dict):
        _say("a payload that is no JSON object was passed by")
        trouble.log(
            home, f"{agent if agent in AGENTS else 'unknown agent'}: a payload of {len(raw)} bytes is no object"
        )
        return None
    if cursor.is_cursors(payload):
        agent = "cursor"
    if agent not in AGENTS:
        trouble.log(home, "the launcher was called for an agent nobody knows")
        return None
    call: Call = AGENTS[agent].read(payload, event)
    return call


def read_stdin() -> bytes:
    """All of stdin; of what is far too long only the beginning."""
    pieces: list[bytes] = []
    size = 0
    while True:
        piece = os.read(0, 1 << 20)
        if not piece:
            return b"".join(pieces)
        size += len(piece)
        if size <= PAYLOAD_LIMIT + 1:
            pieces.append(piece)


def _context(home: str, call: Call, environment: dict[str, str]) -> str:
    """What the session is given; all that was found out on the way is written down."""
    now = time.time_ns() // 1000
    if call.moment in AGENTS[call.agent].LOSING:
        return _note_only(home, call, environment, now)
    try:
        db = ready.connect(home + "/ready.db")
    except (ready.ReadyUnusable, sqlite3.Error) as error:
        return _without_ready(home, call, environment, now, error)
    try:
        return _reply(db, home, call, environment, now)
    except sqlite3.DatabaseError as error:
        return _without_ready(home, call, environment, now, error)
    finally:
        db.close()


def _without_ready(home: str, call: Call, environment: dict[str, str], now: int, error: Exception) -> str:
    """ready.db is missing, damaged or another version's: say so, and have the worker make it anew."""
    trouble.log(home, f"{call.agent} {call.moment}: ready.db cannot be used:", error)
    trouble.spool(home, seen.spooled(call, environment, now, []))
    if seen.claim_by_file(home, now):
        _start_worker(home, environment)
    return reply.NOT_PREPARED if call.moment in reply.WITH_BLOCK else ""


def _note_only(home: str, call: Call, environment: dict[str, str], now: int) -> str:
    """The agent drops what is said at this moment: the session is noted, and told at its next prompt."""
    try:
        db = ready.connect(home + "/ready.db")
        try:
            db.execute("BEGIN IMMEDIATE")
            seen.note(db, call, find_project(db, home, call, environment), environment, now)
            db.execute("COMMIT")
        finally:
            db.close()
    except (ready.ReadyUnusable, sqlite3.Error) as error:
        trouble.log(home, f"{call.agent} {call.moment}: not noted:", error)
        trouble.spool(home, seen.spooled(call, environment, now, []))
    return ""


def _reply(db: sqlite3.Connection, home: str, call: Call, environment: dict[str, str], now: int) -> str:
    """Look, write down, and only then speak: what another hook of this session gives now is not given twice."""
    is_noted = True
    try:
        db.execute("BEGIN IMMEDIATE")
        project = find_project(db, home, call, environment)
        told, is_due = seen.note(db, call, project, environment, now)
    except sqlite3.OperationalError as error:
        is_noted = False
        trouble.log(home, f"{call.agent} {call.moment}: not written down:", error)
        project = find_project(db, home, call, environment)
        told, is_due = seen.look(db, call, now)
    scope = scope_of(db, project, environment)
    swarm = environment.get("AGENTIHOOKS_SWARM", "")
    given = reply.choose(db, told, call.moment, project, scope, now, is_due, swarm)
    if given.block or given.items:
        given = given.without(seen.given_unwritten(home, call))
    starts = False
    if is_noted:
        try:
            claimed = given.without(seen.claim_items(db, told, given, call.moment, now))
            seen.note_scope(db, told, scope)
            starts = seen.note_work(db, home, call, project, environment, now, is_due)
            db.execute("COMMIT")
            given = claimed
        except sqlite3.OperationalError as error:  # a full disk
            is_noted = starts = False
            trouble.log(home, f"{call.agent} {call.moment}: not written down:", error)
            if db.in_transaction:
                db.execute("ROLLBACK")
    if starts:
        _start_worker(home, environment)
    if not is_noted:
        _say("the store was locked; what was to be written is kept for the next time")
        trouble.spool(home, seen.spooled(call, environment, now, [item[reply.HASH] for item in _all(given)]))
    return given.context()


def _start_worker(home: str, environment: dict[str, str]) -> None:
    """Start it if that is possible; what the session is given does not depend on it."""
    try:
        seen.start_worker(home, environment)
    except OSError as error:
        trouble.log(home, "the worker could not be started:", error)


def _all(given: reply.Reply) -> "list[reply.Row]":
    return [*([given.block] if given.block else []), *given.items]


def find_project(db: sqlite3.Connection, home: str, call: Call, environment: dict[str, str]) -> str | None:
    """The session's own project, as it was at its start; else that of the folder it is in."""
    known = seen.project_of(db, call, environment)
    if known is not None:
        return known
    return place.find_project(db, home, os.path.expanduser("~"), call.cwd, environment)


def scope_of(db: sqlite3.Connection, project: str | None, environment: dict[str, str]) -> str:
    """The session's scope: its environment's, its project's, that for all, strict."""
    spoken = environment.get("BRAIN_PROJECT_SCOPE")
    if spoken in SCOPES:
        return spoken
    own = db.execute("SELECT scope FROM projects WHERE key = ?", (project or "",)).fetchone()
    every = db.execute("SELECT value FROM meta WHERE name = 'scope'").fetchone()
    for row in (own, every):
        if row and row[0] in SCOPES:
            return str(row[0])
    return "strict"


def write_out(data: bytes) -> None:
    """Write to stdout, whether or not anybody reads it."""
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        pass


def _say(text: str) -> None:
    try:
        os.write(2, f"brainproj: {text}\n".encode())
    except OSError:
        pass
