"""The log file: what went wrong and was not shown in full. 1 MB, and one older file beside it; secrets redacted."""

import time
import traceback
from pathlib import Path

from .core.redact import redact

LOG_LIMIT = 1_000_000
"""Bytes; a larger log is moved to `.1` first."""


def write_traceback(path: Path, error: BaseException) -> bool:
    """Append the traceback of an error; False where the log cannot be written."""
    return write_log(path, "".join(traceback.format_exception(error)))


def write_log(path: Path, text: str) -> bool:
    """Append a text with the time; False where the log cannot be written."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        path.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # `mode` counts for the last folder alone
        path.parent.mkdir(mode=0o700, exist_ok=True)
        if path.exists() and path.stat().st_size > LOG_LIMIT:
            path.replace(path.with_name(path.name + ".1"))
        with path.open("a", encoding="utf-8", errors="replace") as file:
            path.chmod(0o600)
            file.write(f"{stamp} {redact(text).rstrip()}\n")
    except OSError:
        return False
    return True
