"""The lines of a transcript, as bytes with their places, however long, torn or packed the file is.

Only whole lines are given. A last line without its newline is given too when it is a whole JSON object: an object ends
with its last brace, so nothing of it can be missing (cases/09). A line over `LINE_LIMIT` is passed by in pieces.
"""

import json
import os
import stat
from collections.abc import Iterator
from typing import IO, Any, NamedTuple, cast

import orjson

from ..core.text import encodable
from ..errors import TranscriptUnreadable

LINE_LIMIT = 32 << 20
"""Bytes; a longer line is no line of a conversation, and reading it whole would need several times its size."""
READ_SIZE = 1 << 20
DECODER = json.JSONDecoder()


class Line(NamedTuple):
    """One line: where it starts, its bytes without the newline, and its whole length on disk.

    `raw` is empty and `too_long` True for a line that was passed by. `has_end` is False for a last line whose newline
    has not been written; when it comes it is read as a line of nothing else.
    """

    offset: int
    raw: bytes
    length: int
    too_long: bool = False
    has_end: bool = True


def open_transcript(path: str) -> IO[bytes]:
    """The plain bytes of a transcript; `.zst` is unpacked on the way. Raises TranscriptUnreadable.

    What is no regular file is not opened for reading: a pipe would let us wait for ever, a device has no end.
    """
    try:
        source = open(path, "rb", buffering=READ_SIZE, opener=_open_at_once)  # noqa: SIM115  (the caller's)
        if not stat.S_ISREG(os.fstat(source.fileno()).st_mode):
            source.close()
            raise TranscriptUnreadable(f"cannot read {path}", detail="It is no regular file")
        if path.endswith(".zst"):
            import io

            import zstandard

            unpacked = zstandard.ZstdDecompressor().stream_reader(source, read_across_frames=True, closefd=True)
            return cast("IO[bytes]", io.BufferedReader(cast("Any", unpacked), READ_SIZE))
        return source
    except OSError as error:
        raise TranscriptUnreadable(f"cannot read {path}", detail=error.strerror) from error


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def iter_lines(file: IO[bytes], path: str, start: int = 0) -> Iterator[Line]:
    """Yield the whole lines of an open transcript from byte `start`. Raises TranscriptUnreadable."""
    offset = start
    try:
        if start:
            if path.endswith(".zst"):
                _pass_by(file, start)
            else:
                file.seek(start)
        while raw := file.readline(LINE_LIMIT + 1):
            length = len(raw)
            if raw.endswith(b"\n"):
                yield Line(offset, raw[:-1], length)
            elif length <= LINE_LIMIT:
                if is_whole_object(raw):
                    yield Line(offset, raw, length, has_end=False)
                return
            else:
                rest, ended = _pass_line(file)
                if not ended:
                    return
                length += rest
                yield Line(offset, b"", length, too_long=True)
            offset += length
    except (OSError, EOFError) as error:
        raise TranscriptUnreadable(f"cannot read {path}", detail=str(error)) from error
    except Exception as error:
        if type(error).__name__ == "ZstdError":
            raise TranscriptUnreadable(f"cannot unpack {path}", detail=str(error)) from error
        raise


def _pass_by(file: IO[bytes], count: int) -> None:
    while count > 0:
        piece = file.read(min(count, READ_SIZE))
        if not piece:
            return
        count -= len(piece)


def _pass_line(file: IO[bytes]) -> tuple[int, bool]:
    """How many bytes were left of a line, and whether its newline has come."""
    count = 0
    while piece := file.readline(READ_SIZE):
        count += len(piece)
        if piece.endswith(b"\n"):
            return count, True
    return count, False


def is_whole_object(raw: bytes) -> bool:
    """Whether `raw` is exactly one JSON object."""
    raw = raw.strip()
    return raw.startswith(b"{") and raw.endswith(b"}") and len(parse_objects(raw)) == 1


def parse_objects(raw: bytes) -> list[dict[str, Any]]:
    """The JSON objects of one line: one as a rule, several where a newline was lost, none where it is no object.

    Bytes that are not UTF-8, and halves of a surrogate pair, become U+FFFD (cases/10).
    """
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:  # also for what it is stricter about: NaN, lone surrogates, bytes that are not UTF-8
        return _parse_text(raw.decode("utf-8", "replace"))
    return [value] if isinstance(value, dict) else []


def _parse_text(text: str) -> list[dict[str, Any]]:
    objects: list[dict[str, Any]] = []
    text = text.strip(" \t\r\n\0")
    position = 0
    while position < len(text):
        try:
            value, position = DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict):
            return []
        objects.append(_encodable(value))
        while position < len(text) and text[position] in " \t\r":
            position += 1
    return objects


def _encodable(value: Any) -> Any:
    """A JSON value every text of which can be encoded. Raises nothing: what is nested too deep was refused before."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    if isinstance(value, dict):
        return {encodable(name): _encodable(item) for name, item in value.items()}
    return value
