"""Writing to the two streams: the answer to stdout, everything else to stderr.

Rich is imported only for what needs it; a plain text goes out without it. Whatever comes from the store has been made
printable by the view that shows it.
"""

import contextlib
import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from ..core.text import CONTROLS
from ..errors import BrainError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


class ReaderGone(Exception):
    """Whoever read our output has closed the pipe: it has what it wanted. Not an OSError, which Typer would answer."""


PIPE_WIDTH = 10_000
"""Columns where the stream is no terminal: Rich would assume 80 and clip ids."""


def prepare_streams() -> None:
    """Make both streams take any text: UTF-8 in a pipe, and on a terminal whatever it can show."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if stream is None or reconfigure is None:
            continue
        if stream.isatty():
            reconfigure(errors="replace")
        else:
            reconfigure(encoding="utf-8", errors="replace")


def answer(value: "str | RenderableType") -> None:
    """Print the answer. A text is written as it is, with a newline at its end."""
    if sys.stdout is None:
        return
    with _open_pipe():
        if isinstance(value, str):
            sys.stdout.write(value if value.endswith("\n") else value + "\n")
        else:
            _print(sys.stdout, value)
        sys.stdout.flush()


def answer_wrapped(text: str) -> None:
    """Print a text; on a terminal with its lines broken between words."""
    if sys.stdout is not None:
        answer(_wrapped(text, sys.stdout))


def answer_raw(text: str) -> None:
    """Write a stored text exactly as it is, without a newline of ours."""
    if sys.stdout is not None:
        with _open_pipe():
            sys.stdout.write(text)
            sys.stdout.flush()


def answer_json(value: object) -> None:
    """Print one JSON document: readable, valid UTF-8, control characters escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    answer(re.sub(CONTROLS.pattern + "|[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text))


def aside(value: "str | RenderableType") -> None:
    """Print something beside the answer: a heading, counts, reasons."""
    if sys.stderr is None:
        return
    with _open_pipe():
        if sys.stdout is not None:
            sys.stdout.flush()
        if isinstance(value, str):
            sys.stderr.write(_wrapped(value, sys.stderr) + "\n")
        else:
            _print(sys.stderr, value)
        sys.stderr.flush()


def _wrapped(text: str, stream: TextIO) -> str:
    """On a terminal, lines broken between words: a command that is cut in two cannot be copied."""
    if not stream.isatty():
        return text
    width = max(shutil.get_terminal_size().columns, 40)
    lines = []
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()))
        lines += (
            textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
            if len(line) > width
            else [line]
        )
    return "\n".join(lines)


@contextlib.contextmanager
def _open_pipe() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderGone from error


def _print(stream: TextIO, value: "RenderableType") -> None:
    """Print through Rich; in a pipe without the blanks that fill a table's last column."""
    console = console_for(stream)
    if stream.isatty():
        console.print(value)
        return
    with console.capture() as captured:
        console.print(value)
    stream.write("".join(line.rstrip() + "\n" for line in captured.get().splitlines()))


def note(text: str) -> None:
    """A line worth knowing."""
    aside(f"note: {text}")


def warn(text: str) -> None:
    """A line about something that was passed over."""
    aside(f"warning: {text}")


def show_error(error: BrainError) -> None:
    """What happened, why or what it cost, what to do next."""
    from ..core.text import printable

    aside(printable(f"error: {error.message}"))
    if error.detail:
        aside("\n".join("  " + line for line in printable(error.detail).splitlines()))
    if error.hint:
        aside(printable(f"hint: {error.hint}"))


def console_for(stream: TextIO) -> "Console":
    """A Rich console that leaves stored text alone: no markup, no emoji, no highlighting."""
    from rich.console import Console

    on_terminal = stream.isatty()
    return Console(
        file=stream,
        markup=False,
        emoji=False,
        highlight=False,
        soft_wrap=False,
        width=None if on_terminal else PIPE_WIDTH,
        no_color=not colour_wanted(stream),
        force_terminal=None if on_terminal else False,
    )


def colour_wanted(stream: TextIO) -> bool:
    """Whether this stream gets colour: a terminal that can, and nobody said no."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
