"""What hooks could not write to ready.db, written down by whoever can: the worker, or `doctor --fix`."""

import contextlib
import fcntl
import json
import sqlite3
from pathlib import Path

from .agents.call import Call
from .hooks import seen as hooks_seen
from .store.seen import take_spooled


def take_spool(path: Path, ready: sqlite3.Connection, now: int) -> None:
    """Write down every line of the spool, and take it away. `now`: microseconds, for a line that does not say when."""
    taken = path.with_name(path.name + ".taken")
    with contextlib.suppress(FileNotFoundError):
        if not taken.exists():
            path.replace(taken)
        with taken.open("r", encoding="utf-8", errors="replace") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX)  # once no hook is writing to it any more
            for line in file:
                with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError, sqlite3.Error):
                    _take_line(ready, json.loads(line), now)
        taken.unlink()


def _take_line(ready: sqlite3.Connection, line: dict[str, object], now: int) -> None:
    paths = line["transcripts"] if isinstance(line["transcripts"], list) else []
    agent, moment = str(line["agent"]), str(line["moment"])
    call = Call(agent, "", moment, line["session_id"], line["agent_id"], line["cwd"], tuple(paths))
    said = line["environment"]
    environment = {str(name): str(value) for name, value in said.items()} if isinstance(said, dict) else {}
    at = line["at"] if isinstance(line["at"], int) else now
    given = [str(one) for one in line["given"]] if isinstance(line["given"], list) else []
    take_spooled(ready, lambda: hooks_seen.take(ready, call, environment, at, given))
