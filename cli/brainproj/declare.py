"""What a person says of projects: declare a folder, give an alias, merge two, and take the last change back.

All of it stands in config.toml (`[projects."KEY"]`) and moves no event; the store only remembers the changes.
"""

import os
import sqlite3
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from .config import Config, ProjectTable, Scope, write_project
from .core.catalogue import Catalogue, KnownProject
from .core.times import to_micros
from .errors import FolderGone, NotFound, Refused
from .store import projects as rows


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one table in config.toml, and a sentence on what is true now."""

    table: ProjectTable
    says: str


@dataclass(frozen=True, slots=True)
class Declarations:
    """Makes changes to `[projects]`, each checked against what is known and written down for `undo`."""

    config: Config
    config_path: Path
    catalogue: Catalogue
    db: sqlite3.Connection
    now: datetime

    def add(self, folder: str, name: str | None) -> Change:
        """Declare a folder as a project. Raises FolderGone, Refused."""
        real = os.path.realpath(folder)
        if not Path(real).is_dir():
            raise FolderGone(f"{folder} is not a folder")
        key = name or Path(real).name
        if not key:
            raise Refused("this folder has no name of its own", hint="give one with `--name`")
        for other in self.config.projects.values():
            if other.key != key and other.path and os.path.realpath(os.path.expanduser(other.path)) == real:  # noqa: PTH111
                raise Refused(
                    f"{folder} is declared already, as {other.key}",
                    hint=f"give it one more name: `brainproj projects alias {other.key} {key}`",
                )
        before = self.config.projects.get(key)
        if before and before.path and os.path.realpath(before.path) != real:
            raise Refused(f"{key} is declared already, for {before.path}", hint="give another name with `--name`")
        return self._write(
            "add", replace(before or ProjectTable(key), path=real, name=name), f"{real} is the project {key}"
        )

    def alias(self, project: str, alias: str) -> Change:
        """Let a project answer to one more name. Raises NotFound, Ambiguous, Refused."""
        if not alias.strip():
            raise Refused("an alias needs a letter at least")
        known = self.catalogue.get(project)
        others = [other for other in self.catalogue.find(alias) if other.key != known.key]
        if any(other.key == alias for other in others):
            raise Refused(
                f"{alias} is a project itself",
                hint=f"to read it as {known.name}: `brainproj projects merge {alias} {known.key}`",
            )
        if others:
            raise Refused(
                f"{alias} already means {others[0].key}",
                detail="A name that means two projects is an error wherever it is used.",
            )
        table = self._table(known)
        aliases = tuple(dict.fromkeys((*table.aliases, alias)))
        return self._write("alias", replace(table, aliases=aliases), f"{known.name} is also called {alias}")

    def merge(self, project: str, into: str) -> Change:
        """Read one project as part of another. Raises NotFound, Ambiguous, Refused."""
        source, target = self.catalogue.get(project), self.catalogue.get(into)
        if source.key == target.key:
            raise Refused(f"{project} and {into} are one project already")
        table = self._table(target)
        aliases = tuple(dict.fromkeys((*table.aliases, source.key, *source.aliases)))
        return self._write("merge", replace(table, aliases=aliases), f"{source.key} is read as {target.key}")

    def undo(self) -> Change:
        """Take the last change back. Raises NotFound, Refused where config.toml was edited since."""
        act = rows.last_act(self.db)
        if act is None:
            raise NotFound("there is no change of projects to undo")
        current = self.config.projects.get(act.key, ProjectTable(act.key))
        if _plain(current) != act.after:
            raise Refused(
                f"config.toml says something else of {act.key} by now",
                detail="It was edited after that change; it was left as it is.",
                hint=f'edit [projects."{act.key}"] in {self.config_path} by hand',
            )
        table = _from_plain(act.key, act.before)
        write_project(self.config_path, table)
        rows.mark_undone(self.db, act, self._micros())
        return Change(table, f"taken back: {act.what} of {act.key}")

    def _table(self, project: KnownProject) -> ProjectTable:
        return self.config.projects.get(project.key, ProjectTable(project.key))

    def _write(self, what: str, table: ProjectTable, says: str) -> Change:
        before = self.config.projects.get(table.key, ProjectTable(table.key))
        write_project(self.config_path, table)
        rows.write_act(self.db, what, table.key, _plain(before), _plain(table), self._micros())
        return Change(table, says)

    def _micros(self) -> int:
        return to_micros(self.now) or 0


def _plain(table: ProjectTable) -> dict[str, object]:
    return {
        "path": table.path,
        "name": table.name,
        "aliases": list(table.aliases),
        "scope": table.scope.value if table.scope else None,
    }


def _from_plain(key: str, plain: dict[str, object]) -> ProjectTable:
    aliases, scope = plain["aliases"], plain["scope"]
    return ProjectTable(
        key=key,
        path=str(plain["path"]) if plain["path"] else None,
        name=str(plain["name"]) if plain["name"] else None,
        aliases=tuple(aliases) if isinstance(aliases, list) else (),
        scope=Scope(str(scope)) if scope else None,
    )
