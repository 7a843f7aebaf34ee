"""Writing a file whole: a reader sees the old content or the new one, whenever the writer is killed."""

import contextlib
import glob
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from stat import S_ISREG

from .errors import BrainError

TEMPORARY = ".brainproj-"
"""In the name of a file that is being written; the process's number and `.tmp` follow."""


class ChangedMeanwhile(BrainError):
    """Somebody else wrote the file between our reading it and our writing it."""


def read_or_none(path: Path) -> bytes | None:
    """What a file holds; None where there is none. Raises BrainError for one that cannot be read."""
    try:
        if not S_ISREG(path.stat().st_mode):
            raise BrainError(f"{path} is no file")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BrainError(f"cannot read {path}", detail=f"{error.strerror}. It was left as it was.") from error


def read_text_or_none(path: Path) -> str | None:
    """The text of somebody's file; None where there is none that can be read: a missing one, a pipe, no UTF-8."""
    try:
        raw = read_or_none(path)
        return None if raw is None else raw.decode("utf-8")
    except (BrainError, UnicodeDecodeError):
        return None


def write_whole(path: Path, content: bytes) -> None:
    """Put `content` in the place of a file of ours (mode 0600, or the one it has). Raises BrainError."""
    _write(path, content, None)


def exchange(path: Path, before: bytes | None, after: bytes | None) -> None:
    """Change somebody's file from `before` to `after`; None stands for no file.

    A link stays one: the file at its end is changed. Mode and owner are kept. Raises ChangedMeanwhile where the file
    does not hold `before` any more, BrainError where it cannot be written.
    """
    target = Path(os.path.realpath(path))
    if after is not None:
        _write(target, after, lambda: _compare(path, before))
        return
    _compare(path, before)
    try:
        target.unlink(missing_ok=True)
    except OSError as error:
        raise BrainError(f"cannot remove {path}", detail=f"{error.strerror}. It was left as it was.") from error


def drop_leftovers(path: Path) -> None:
    """Take away what a process that was killed left beside a file."""
    target = Path(os.path.realpath(path))
    for left in target.parent.glob(f"{glob.escape(target.name)}*{TEMPORARY}*.tmp"):
        pid = left.name.rpartition(TEMPORARY)[2].partition("-")[0]
        with contextlib.suppress(OSError, ValueError):
            if not _is_running(int(pid)):
                left.unlink()


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _compare(path: Path, before: bytes | None) -> None:
    if read_or_none(path) != before:
        raise ChangedMeanwhile(f"{path} was changed by somebody else meanwhile", hint="run it again")


def _write(path: Path, content: bytes, check: Callable[[], None] | None) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        marked = f"{path.name}{TEMPORARY}{os.getpid()}-"
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=marked, suffix=".tmp")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            if path.exists():
                _keep_owner(path, temporary)
            if check is not None:
                check()
            os.replace(temporary, path)  # noqa: PTH105
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108
            raise
    except OSError as error:
        raise BrainError(f"cannot write {path}", detail=f"{error.strerror}. The file was left as it was.") from error


def _keep_owner(path: Path, temporary: str) -> None:
    """Give the new file the mode of the old one, and its owner where we may."""
    old = path.stat()
    mine = os.stat(temporary)  # noqa: PTH116
    if (old.st_uid, old.st_gid) != (mine.st_uid, mine.st_gid):
        with contextlib.suppress(OSError):
            os.chown(temporary, old.st_uid, old.st_gid)
    os.chmod(temporary, old.st_mode & 0o7777)  # noqa: PTH101
