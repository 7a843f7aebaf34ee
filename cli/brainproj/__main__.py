"""The door: runs the command line, shows errors, and is the only place that exits.

Exit codes: 0 answered, 1 not found or the like, 2 malformed command line, 3 config.toml malformed, 4 store unusable,
130 Ctrl-C; a closed pipe is 0, since the reader has what it wanted.
"""

import gc
import os
import sys
from collections.abc import Sequence

from . import __version__
from .errors import BrainError, UsageProblem
from .views import terminal

EVERYWHERE = ("--debug", "--no-color")
"""Flags that mean the same before and after a command."""
INTERRUPTED = 130
GARBAGE_THRESHOLD = 100_000
"""Objects made before Python looks for cycles: at its own 700, a look at 10,000 transcripts takes 12 ms longer."""


def main() -> None:
    """Run the command line of this process."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command line; the exit code comes back."""
    terminal.prepare_streams()
    gc.set_threshold(GARBAGE_THRESHOLD)
    debug = "--debug" in arguments
    if "--no-color" in arguments:
        os.environ["NO_COLOR"] = "1"
    try:
        return _run([argument for argument in arguments if argument not in EVERYWHERE])
    except BrainError as error:
        if debug:
            raise
        terminal.show_error(error)
        return error.exit_code
    except (terminal.ReaderGone, BrokenPipeError):
        _leave_pipe()
        return 0
    except KeyboardInterrupt:
        if sys.stderr is not None and sys.stderr.isatty():
            terminal.aside("")  # the shell's prompt begins a line of its own
        return INTERRUPTED
    except Exception as error:
        if debug:
            raise
        known = _of_the_store(error)
        if known is not None:
            terminal.show_error(known)
            return known.exit_code
        _show_unforeseen(error)
        return 1
    finally:
        _flush()


def _run(arguments: list[str]) -> int:
    """Let Typer find the command and run it."""
    import typer

    from .commands.group import EPILOG, LazyGroup

    app = typer.Typer(
        cls=LazyGroup,
        name="brainproj",
        rich_markup_mode=None,
        add_completion=False,
        epilog=EPILOG,
        help="The memory of the project a coding agent works in, and nothing else.",
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback(invoke_without_command=True)
    def top(
        context: typer.Context, version: bool = typer.Option(False, "--version", help="Print the version.")
    ) -> None:
        if version:
            terminal.answer(f"brainproj {__version__}")
            raise typer.Exit(0)
        if context.invoked_subcommand is None:
            from .commands.status import status

            status()

    from typer.exceptions import TyperException

    if "_BRAINPROJ_COMPLETE" in os.environ:
        from typer.completion import completion_init  # type: ignore[attr-defined]

        completion_init()
    try:
        result = typer.main.get_command(app).main(args=arguments, prog_name="brainproj", standalone_mode=False)
    except TyperException as error:
        raise _usage_problem(error) from error
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    return result if isinstance(result, int) else 0


def _usage_problem(error: Exception) -> UsageProblem:
    """What Typer says of a malformed command line, in our three parts."""
    message = getattr(error, "format_message", lambda: str(error))().rstrip(".")
    message = message[:1].lower() + message[1:]
    context = getattr(error, "ctx", None)
    path = getattr(context, "command_path", "brainproj")
    return UsageProblem(message, hint=f"see `{path} --help`")


def _of_the_store(error: Exception) -> BrainError | None:
    """What an error of SQLite means, wherever it came from; a full disk wherever it was met."""
    import errno

    if type(error).__module__ != "sqlite3" and getattr(error, "errno", None) not in (errno.ENOSPC, errno.EDQUOT):
        return None
    from .paths import find_paths, user_home
    from .store.database import explained

    try:
        with explained(find_paths(os.environ, user_home(os.environ)).brain_db):
            raise error
    except BrainError as known:
        return known
    except Exception:
        return None


def _show_unforeseen(error: Exception) -> None:
    """One line for a failure nobody foresaw; the traceback goes to the log."""
    from .log import write_traceback
    from .paths import find_paths, user_home

    path = find_paths(os.environ, user_home(os.environ)).log_path
    where = f"; the traceback is in {path}" if write_traceback(path, error) else ""
    terminal.aside(f"error: brainproj failed: {type(error).__name__}{where}")
    terminal.aside("hint: run it again with `--debug` to see where")


def _leave_pipe() -> None:
    """Point stdout elsewhere, so that nothing is written to the closed pipe at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            if stream is sys.stdout:
                _leave_pipe()


if __name__ == "__main__":
    main()
