"""The top of the command line: a Typer group that imports a command only when it is run.

Importing all commands would cost each of them more than its own work (design 10: `resolve` and `scope` within 1.3 times
a bare Typer command).
"""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from .registry import COMMANDS

EPILOG = "Everywhere: --json for programs, --debug for the traceback of an error, --no-color."


class LazyGroup(TyperGroup):
    """Knows the names and help lines of all commands, and loads one at a time."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the registry."""
        return [entry.name for entry in COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name, loaded now, or None."""
        if cmd_name not in self.commands:
            entry = next((entry for entry in COMMANDS if entry.name == cmd_name), None)
            if entry is None:
                return None
            module = import_module(f"brainproj.commands.{entry.module}")
            command = typer.main.get_command(module.app)
            command.name = cmd_name
            self.commands[cmd_name] = command
        return self.commands[cmd_name]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of commands, from the registry alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(entry.name, entry.help) for entry in COMMANDS])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As Typer does it, but a mistyped name is compared with all commands, loaded or not."""
        try:
            return self._click_resolve_command(ctx, args)
        except TyperException as error:
            from difflib import get_close_matches

            near = get_close_matches(args[0], [entry.name for entry in COMMANDS])
            if near:
                error.message = f"{error.message.rstrip('.')}. Did you mean {' or '.join(near)}?"
            raise
