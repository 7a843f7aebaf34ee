"""Where a hook leaves what it could not do: a line in the log for people, a line in the spool for the worker.

Neither ever holds a word of a payload's text. Both are capped, and where neither can be written nothing is.
"""

import json
import os
import time

APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
LOG_LIMIT = 1_000_000
"""Bytes; a larger log is moved to `.1` first."""
SPOOL_LIMIT = 8_000_000
"""Bytes: some twenty thousand lines. Beyond, a lost line costs a late entry in the list of sessions."""


def log(home: str, what: str, error: BaseException | None = None) -> None:
    """One line: when, what, and where in our code, without the words of an error, which may hold any."""
    place = ""
    if error is not None:
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        line = f" {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""
        place = f" {type(error).__name__}{line}"
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    path = home + "/logs/hook.log"
    try:
        if not os.path.isdir(home + "/logs"):
            os.mkdir(home + "/logs", 0o700)  # and never the home itself, which somebody may just have taken away
        if os.path.exists(path) and os.path.getsize(path) > LOG_LIMIT:
            os.replace(path, path + ".1")
        append(path, f"{stamp} {what}{place}\n")
    except OSError:
        pass


def spool(home: str, line: dict[str, object]) -> bool:
    """Keep what could not be written to ready.db, for whoever can; False where that is not possible either."""
    import fcntl

    path = home + "/spool.jsonl"
    data = (json.dumps(line) + "\n").encode()
    for _ in range(5):
        try:
            descriptor = os.open(path, APPEND, 0o600)
        except OSError:
            return False
        try:
            # the worker takes the file away and then locks it: what was taken away is not written to any more
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            mine = os.fstat(descriptor)
            if mine.st_size > SPOOL_LIMIT:
                return False
            if mine.st_ino == os.stat(path).st_ino:
                os.write(descriptor, data)
                return True
        except FileNotFoundError:
            continue
        except OSError:
            return False
        finally:
            os.close(descriptor)
    return False


def append(path: str, text: str) -> None:
    """One write to the end of a file of ours, so that lines of several processes do not mix."""
    descriptor = os.open(path, APPEND, 0o600)
    try:
        os.write(descriptor, text.encode("utf-8", "backslashreplace"))
    finally:
        os.close(descriptor)
