"""What a hook writes: that a session was seen, what it was given, what work it leaves; and the worker it starts.

All of it is one transaction. Where that cannot be had the same goes to the spool as one line.
"""

import json
import os
import sqlite3
import sys

from .. import gitdir
from ..agents.call import Call
from ..store import ready
from . import reply, trouble

TYPE_CHECKING = False  # typing itself is too dear for a hook
if TYPE_CHECKING:
    from typing import Any

PIPE_BYTES = 16_384
"""What a pipe holds everywhere before somebody reads from it."""
STARTS = ("start", "resume", "clear", "compact", "fork", "subagent_start")
NEW_EPOCH = ("compact", "clear")
TWICE_S = 5
"""No agent compacts again within this time; two hooks of one compaction come within a tenth of a second."""
READ_AFTER = ("prompt", "stop", "subagent_stop", "before_compact", "end")
"""Moments after which the transcript has something new."""
FLEET = (
    ("swarm", "AGENTIHOOKS_SWARM"),
    ("task", "AGENTIHOOKS_SWARM_TASK"),
    ("lane", "AGENTIHOOKS_SWARM_LANE"),
    ("agent_name", "AGENTIHOOKS_AGENT_NAME"),
    ("named", "BRAINPROJ_PROJECT"),
)
"""What an environment says of a session (formats/agentihooks.md 5.2)."""
KEPT = ("BRAIN_URL", "BRAIN_HTTP_TOKEN")
"""Settings of a session's environment that the worker keeps: no session's setting decides for another."""
OWN = ("BRAIN", "AGENTIHOOKS", "BROADCAST_FILE", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "CURSOR_CONFIG_DIR")
"""Beginnings of settings that are one session's own: the worker serves all."""
SHELLS = ("sh", "bash", "dash", "zsh", "fish", "ksh", "hook", "env")


def _key(call: Call) -> tuple[str, str, str]:
    return call.agent, call.session_id, call.agent_id or ""


def project_of(db: sqlite3.Connection, call: Call, environment: dict[str, str]) -> str | None:
    """The project that this session, or the one it is part of, had at its start; None where that is not known.

    Another name or swarm in the environment is another question.
    """
    for agent_id in dict.fromkeys((call.agent_id or "", "")):
        row = db.execute(
            "SELECT project, named, swarm FROM seen WHERE agent = ? AND session_id = ? AND agent_id = ?",
            (call.agent, call.session_id, agent_id),
        ).fetchone()
        if row and row[0] is not None:
            asked = (environment.get("BRAINPROJ_PROJECT") or None, environment.get("AGENTIHOOKS_SWARM") or None)
            return row[0] if row[1:] == asked else None
    return None


def look(db: sqlite3.Connection, call: Call, now: int) -> tuple[reply.Told, bool]:
    """(what is known of the session, whether news are due), without writing.

    Settings may name the hook twice: the same moment again within a few seconds is the same compaction.
    """
    row = db.execute(
        "SELECT epoch, told_at, told, calls, moment, last_at FROM seen"
        " WHERE agent = ? AND session_id = ? AND agent_id = ?",
        _key(call),
    ).fetchone()
    epoch, told_at, told, calls, moment, last_at = row or (0, None, None, 0, "", 0)
    is_twice = moment == call.moment and 0 <= now - last_at < TWICE_S * 1_000_000
    if call.moment in NEW_EPOCH and row and not is_twice:
        epoch, told_at, told = epoch + 1, None, None
    return reply.Told(*_key(call), epoch, told_at, told), (calls + 1) % _every(db) == 0


def _every(db: sqlite3.Connection) -> int:
    row = db.execute("SELECT value FROM meta WHERE name = 'tool_calls'").fetchone()
    return max(int(row[0]), 1) if row and row[0].isdigit() else 20


def note(
    db: sqlite3.Connection, call: Call, project: str | None, environment: dict[str, str], now: int
) -> tuple[reply.Told, bool]:
    """Write down that the session was seen; what `look` gives, as it is now. Call it inside a write transaction."""
    told, is_due = look(db, call, now)
    fleet = [environment.get(variable) or None for _, variable in FLEET]
    pid, pid_start = _agent_process() if call.moment in STARTS else (None, None)
    db.execute(
        "INSERT INTO seen(agent, session_id, agent_id, project, cwd, transcript, moment, epoch, calls, started_at,"
        " last_at, ended_at, pid, pid_start, swarm, task, lane, agent_name, named)"
        " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
        " ON CONFLICT(agent, session_id, agent_id) DO UPDATE SET project = coalesce(seen.project, excluded.project),"
        " cwd = coalesce(seen.cwd, excluded.cwd), transcript = coalesce(excluded.transcript, seen.transcript),"
        " moment = excluded.moment, epoch = excluded.epoch, calls = seen.calls + excluded.calls,"
        " told_at = CASE WHEN excluded.epoch > seen.epoch THEN NULL ELSE told_at END,"
        " told = CASE WHEN excluded.epoch > seen.epoch THEN NULL ELSE told END, last_at = excluded.last_at,"
        " ended_at = excluded.ended_at, pid = coalesce(excluded.pid, seen.pid),"
        " pid_start = coalesce(excluded.pid_start, seen.pid_start)",
        (
            *_key(call),
            project,
            call.cwd,
            call.transcripts[0] if call.transcripts else None,
            call.moment,
            told.epoch,
            int(call.moment in ("tool", "tool_failed")),
            now,
            now,
            now if call.moment == "end" or (call.moment == "subagent_stop" and call.agent_id) else None,
            pid,
            pid_start,
            *fleet,
        ),
    )
    return told, is_due


def note_scope(db: sqlite3.Connection, told: reply.Told, scope: str) -> None:
    """Write down the scope that counted, for `sessions`."""
    db.execute(
        "UPDATE seen SET scope = ? WHERE agent = ? AND session_id = ? AND agent_id = ? AND scope IS NOT ?",
        (scope, told.agent, told.session_id, told.agent_id, scope),
    )


def claim_items(db: sqlite3.Connection, told: reply.Told, given: reply.Reply, moment: str, now: int) -> list[str]:
    """Write down what is given; the hashes of what somebody else gave this session meanwhile."""
    lost = []
    for item in ([given.block] if given.block else []) + given.items:
        added = db.execute(
            "INSERT OR IGNORE INTO delivered VALUES(?,?,?,?,?,?,?)",
            (told.agent, told.session_id, told.agent_id, told.epoch, item[reply.HASH], now, moment),
        )
        if added.rowcount == 0:
            lost.append(item[reply.HASH])
    if given.block and given.block[reply.HASH] not in lost:
        db.execute(
            "UPDATE seen SET told_at = ?, told = ? WHERE agent = ? AND session_id = ? AND agent_id = ?",
            (now, given.block[reply.RECORDS], told.agent, told.session_id, told.agent_id),
        )
    return lost


def note_work(
    db: sqlite3.Connection,
    home: str,
    call: Call,
    project: str | None,
    environment: dict[str, str],
    now: int,
    is_due: bool,
) -> bool:
    """Write down what is to be done; whether this hook is to start the worker, as nobody else works."""
    wants = []
    if project is None:
        asked = [call.cwd, environment.get("BRAINPROJ_PROJECT") or None, environment.get("AGENTIHOOKS_SWARM") or None]
        wants.append(("folder", "", json.dumps(asked)))
    elif project and (call.moment in STARTS or (call.moment == "tool" and is_due)) and _is_stale(db, project, now):
        wants.append(("project", "", project))
    meta = dict(db.execute("SELECT name, value FROM meta WHERE name IN ('feeds', 'brain')"))
    if "feeds" in meta and not gitdir.stamps_hold(meta["feeds"]):
        wants.append(("fleet", "", ""))
    elif (meta.get("brain") or environment.get("BRAIN_URL")) and (call.moment in STARTS or is_due):
        wants.append(("fleet", "", ""))  # a brain is asked beside the agent, if that is due
    if call.moment in READ_AFTER:
        wants += [("transcript", call.agent, path) for path in call.transcripts]
    if call.agent == "cursor" and call.cwd and call.moment in ("start", "stop", "end"):
        wants.append(("rule", "cursor", call.cwd))
    for what, agent, value in wants:
        db.execute("INSERT OR IGNORE INTO wanted VALUES(?,?,?,?)", (what, agent, value, now))
    if not wants and not os.path.exists(home + "/spool.jsonl"):
        return False
    row = db.execute("SELECT at FROM claims WHERE name = 'worker'").fetchone()
    if row and 0 <= now - row[0] < ready.CLAIM_S * 1_000_000:
        return False
    db.execute("INSERT OR REPLACE INTO claims VALUES('worker', ?)", (now,))
    return True


def _is_stale(db: sqlite3.Connection, project: str, now: int) -> bool:
    row = db.execute("SELECT rendered_at FROM projects WHERE key = ?", (project,)).fetchone()
    ttl = db.execute("SELECT value FROM meta WHERE name = 'memory_ttl_s'").fetchone()
    limit_s = int(ttl[0]) if ttl and ttl[0].isdigit() else 600
    return row is None or not 0 <= now - row[0] < limit_s * 1_000_000


def spooled(call: Call, environment: dict[str, str], now: int, given: list[str]) -> dict[str, object]:
    """What would have been written, as one line: ids, folder, file and times, never a text."""
    return {
        "agent": call.agent,
        "session_id": call.session_id,
        "agent_id": call.agent_id,
        "moment": call.moment,
        "cwd": call.cwd,
        "transcripts": call.transcripts,
        "environment": {name: environment.get(name) for _, name in FLEET if environment.get(name)},
        "given": list(given),
        "at": now,
    }


def given_unwritten(home: str, call: Call) -> list[str]:
    """Hashes of what the session was given while ready.db could not be written, and no worker has written down yet.

    A compaction begins anew: there they count for nothing.
    """
    given: list[str] = []
    if call.moment in NEW_EPOCH:
        return given
    for path in (home + "/spool.jsonl", home + "/spool.jsonl.taken"):
        try:
            with open(path, "rb") as file:
                lines = file.read(trouble.SPOOL_LIMIT).split(b"\n")
        except OSError:
            continue
        session = json.dumps(call.session_id).encode()
        for line in lines:
            try:
                one = json.loads(line) if session in line else {}
                if (one.get("agent"), one.get("session_id"), one.get("agent_id") or "") == _key(call):
                    given += one["given"]
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                continue
    return given


def take(db: sqlite3.Connection, call: Call, environment: dict[str, str], at: int, given: list[str]) -> None:
    """Write down what a spooled line tells, unless more is known by now. Call it inside a write transaction."""
    row = db.execute(
        "SELECT last_at FROM seen WHERE agent = ? AND session_id = ? AND agent_id = ?", _key(call)
    ).fetchone()
    if row is None or row[0] <= at:
        told, _ = note(db, call, None, environment, at)
    else:  # more is known by now, of the epoch that this may have begun
        told, _ = look(db, call, at)
        if told.epoch > (row_epoch := _epoch(db, call)):
            db.execute(
                "UPDATE seen SET epoch = ?, told_at = NULL, told = NULL"
                " WHERE agent = ? AND session_id = ? AND agent_id = ?",
                (row_epoch + 1, *_key(call)),
            )
    for item_hash in given:
        found = db.execute("SELECT kind, records FROM items WHERE hash = ?", (item_hash,)).fetchone()
        db.execute(
            "INSERT OR IGNORE INTO delivered VALUES(?,?,?,?,?,?,?)",
            (told.agent, told.session_id, told.agent_id, told.epoch, item_hash, at, call.moment),
        )
        if found and found[0] == "block":
            db.execute(
                "UPDATE seen SET told_at = ?, told = ? WHERE agent = ? AND session_id = ? AND agent_id = ?",
                (at, found[1], told.agent, told.session_id, told.agent_id),
            )
    if call.cwd is not None:
        asked = [call.cwd, environment.get("BRAINPROJ_PROJECT"), environment.get("AGENTIHOOKS_SWARM")]
        db.execute("INSERT OR IGNORE INTO wanted VALUES('folder', '', ?, ?)", (json.dumps(asked), at))
    if call.moment in READ_AFTER:
        for path in call.transcripts:
            db.execute("INSERT OR IGNORE INTO wanted VALUES('transcript', ?, ?, ?)", (call.agent, path, at))


def _epoch(db: sqlite3.Connection, call: Call) -> int:
    row = db.execute(
        "SELECT epoch FROM seen WHERE agent = ? AND session_id = ? AND agent_id = ?", _key(call)
    ).fetchone()
    return int(row[0]) if row else 0


def claim_by_file(home: str, now: int) -> bool:
    """The worker's claim where there is no ready.db to hold it."""
    path = home + "/worker.claim"
    try:
        if 0 <= now - os.stat(path).st_mtime_ns // 1000 < ready.CLAIM_S * 1_000_000:
            return False
        os.unlink(path)
    except OSError:
        pass
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except OSError:
        return False
    return True


def start_worker(home: str, environment: dict[str, str]) -> None:
    """Start the worker in a session of its own, its streams closed; it outlives the hook and the agent."""
    _start(home, environment, "--work", (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0))


def hand_on(home: str, environment: dict[str, str], raw: bytes) -> None:
    """Give a payload to a reader beside the agent, through memory: it is redacted before anything of it is stored."""
    if not os.path.exists(home + "/brain.db"):
        return
    if hasattr(os, "memfd_create"):
        source = os.memfd_create("payload")
        os.write(source, raw)
        os.lseek(source, 0, os.SEEK_SET)
    elif len(raw) <= PIPE_BYTES:
        source, end = os.pipe()
        os.write(end, raw)
        os.close(end)
    else:
        return
    _start(home, environment, "--tool-result", (os.POSIX_SPAWN_DUP2, source, 0))
    os.close(source)


def _start(home: str, environment: dict[str, str], what: str, stdin: "tuple[Any, ...]") -> None:
    kept = {name: value for name, value in environment.items() if not name.startswith(OWN) or name in KEPT}
    kept["BRAINPROJ_HOME"] = home
    os.chdir("/")
    streams = [stdin, *((os.POSIX_SPAWN_OPEN, descriptor, "/dev/null", os.O_WRONLY, 0) for descriptor in (1, 2))]
    start = os.path.join(os.path.dirname(os.path.abspath(__file__)), "start.py")
    os.posix_spawn(sys.executable, [sys.executable, "-I", start, home, what], kept, file_actions=streams, setsid=True)


def _agent_process() -> tuple[int | None, str | None]:
    """(pid, start) of the process that runs this hook for its agent: the nearest ancestor that is no shell."""
    pid = os.getppid()
    for _ in range(6):
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                stat = file.read(4096)
        except OSError:
            return None, None
        name = stat[stat.index(b"(") + 1 : stat.rindex(b")")].decode("utf-8", "replace")
        fields = stat[stat.rindex(b")") + 2 :].split()
        if name not in SHELLS:
            return pid, fields[19].decode()
        pid = int(fields[1])
    return None, None
