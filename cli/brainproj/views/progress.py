"""What is shown on stderr while something long goes on. Nothing where that is no terminal."""

import contextlib
import sys
from collections.abc import Callable, Iterator

from .terminal import console_for


@contextlib.contextmanager
def bar(title: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar with share, bytes and time left: a function that is called with what is done and what there is in all."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"), BarColumn(bar_width=30), TaskProgressColumn(), DownloadColumn(),
        TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console_for(sys.stderr), transient=True) as progress:
        task = progress.add_task(title, total=None)

        def advance(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        yield advance


@contextlib.contextmanager
def waiting(text: str) -> Iterator[None]:
    """A line that says what is waited for, gone when it is there."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    with console_for(sys.stderr).status(text):
        yield
