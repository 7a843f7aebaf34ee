"""`brainproj scope`: how far a session's memory reaches, shown or set."""

from typing import Annotated

import typer

from ..config import Scope, ScopeSetting, scope_in_force, set_scope
from ..core.catalogue import KnownProject
from ..errors import UsageProblem
from ..views import terminal
from .complete import scope_names
from .options import JSON, PROJECT
from .surroundings import Surroundings, find_surroundings, make_ready_again, open_for_reading, resolver_for

app = typer.Typer(rich_markup_mode=None, add_completion=False)
MEANING = {
    Scope.STRICT: "a session gets its own project's memory and nothing else",
    Scope.RANK: "a session gets its own project's memory first, then the fleet's, labelled",
    Scope.OFF: "a session gets the fleet's memory and no project's block",
}


@app.command()
def scope(
    value: Annotated[str | None, typer.Argument(help="strict, rank or off.", autocompletion=scope_names)] = None,
    project: PROJECT = None,
    json: JSON = False,
) -> None:
    """Show or set how far a session's memory reaches.

    Examples:

      brainproj scope

      brainproj scope rank --project shop
    """
    if value is not None and value not in list(Scope):
        raise UsageProblem(f"there is no scope {value}", hint="one of strict, rank, off")
    around = find_surroundings()
    known = _project(around, project)
    if value is not None:
        set_scope(around.paths.config_path, Scope(value), known.key if known and project else None)
        around = find_surroundings()
        make_ready_again()
    setting = scope_in_force(around.config, around.environment, (known.key, *known.aliases) if known else ())
    for problem in setting.problems:
        terminal.warn(problem)
    if json:
        terminal.answer_json(
            {
                "effective": setting.effective.value,
                "set_by": setting.set_by.value,
                "global": setting.everywhere.value if setting.everywhere else None,
                "project": setting.project.value if setting.project else None,
            }
        )
    else:
        terminal.answer(_sentence(setting, known))
        if value is not None:
            terminal.aside("Running sessions see the change at their next moment.")


def _project(around: Surroundings, named: str | None) -> KnownProject | None:
    """The named project, else this folder's; None where it has none."""
    from .surroundings import current_folder

    resolver = resolver_for(around, open_for_reading(around.paths))
    if named:
        return resolver.catalogue.get(named)
    identity = resolver.resolve(current_folder(), around.environment).identity
    return resolver.catalogue.by_key(identity.key) if identity else None


WHO = {
    "default": "by default",
    "config": "by config.toml",
    "project": "by the project's table in config.toml",
    "environment": "by BRAIN_PROJECT_SCOPE",
    "flag": "by --scope",
}


def _sentence(setting: ScopeSetting, known: KnownProject | None) -> str:
    where = f"in {known.name}" if known else "outside any project"
    lines = [f"{setting.effective} {where}, set {WHO[setting.set_by.value]}: {MEANING[setting.effective]}"]
    for name, value in (("config.toml", setting.everywhere), ("the project's table", setting.project)):
        if value is not None:
            lines.append(f"  {name} says {value}")
    return "\n".join(lines)
