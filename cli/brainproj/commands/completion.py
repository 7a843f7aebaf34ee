"""`brainproj completion`: the script that gives a shell our commands, flags and live values."""

from typing import Annotated

import typer

from ..errors import UsageProblem
from ..views import terminal

app = typer.Typer(rich_markup_mode=None, add_completion=False)
SHELLS = ("bash", "zsh", "fish")


@app.command()
def completion(
    shell: Annotated[
        str,
        typer.Argument(
            help="bash, zsh or fish.", autocompletion=lambda incomplete: [s for s in SHELLS if s.startswith(incomplete)]
        ),
    ],
) -> None:
    """Print the completion script of a shell.

    Examples:

      brainproj completion bash > ~/.local/share/bash-completion/completions/brainproj

      brainproj completion fish > ~/.config/fish/completions/brainproj.fish
    """
    if shell not in SHELLS:
        raise UsageProblem(f"there is no script for {shell}", hint=f"one of {', '.join(SHELLS)}")
    terminal.answer(completion_script(shell))


def completion_script(shell: str) -> str:
    """The script for one shell, as Typer makes it."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    return get_completion_script(prog_name="brainproj", complete_var="_BRAINPROJ_COMPLETE", shell=shell).strip() + "\n"
