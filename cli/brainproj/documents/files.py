"""Files: text of at most a megabyte, kept as it was when somebody added it."""

import os
import stat
from pathlib import Path

from ..errors import NotFound, Refused
from .source import TEXT_BYTES, Material

kind = "file"


def takes(given: str, folder: str) -> bool:
    """Whether something lies there."""
    try:
        return _path(given, folder).exists()
    except (OSError, ValueError, RuntimeError):  # `~somebody` is nobody
        return False


def read(given: str, folder: str, root: str | None) -> Material:
    """The file's text; its address is its path within the project, else the whole one."""
    path = _path(given, folder)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a FIFO would wait for ever
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Refused(f"{given} is no file", hint="name a file with text")
            raw = file.read(TEXT_BYTES + 1)
    except OSError as error:
        raise NotFound(f"cannot read {given}: {error.strerror}") from error
    if len(raw) > TEXT_BYTES:
        raise Refused(f"{given} is longer than {TEXT_BYTES >> 20} MB", detail="Nothing was kept.")
    if b"\0" in raw:
        raise Refused(f"{given} is no text", detail="Nothing was kept.")
    text = raw.decode("utf-8", "replace")
    if not text.strip():
        raise Refused(f"{given} is empty", detail="Nothing was kept.")
    return Material(kind, _address(path, root), path.name, text, fetched=True)


def _path(given: str, folder: str) -> Path:
    path = Path(given).expanduser()
    return Path(os.path.normpath(path if path.is_absolute() else Path(folder) / path))


def _address(path: Path, root: str | None) -> str:
    real = Path(os.path.realpath(path.parent)) / path.name
    for base in (root, os.path.realpath(root) if root else None):
        if base and real.is_relative_to(base):
            return str(real.relative_to(base))
    return str(path)
