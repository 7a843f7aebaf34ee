"""The known projects, as one table: what the store has seen and what a person declared in config.toml.

Several rows of the store may be one project (a local repository that got a remote; an alias a person declared): each
`KnownProject` carries all their numbers, so reading a project means reading all of `ids`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..errors import Ambiguous, NotFound
from .ids import ProjectKey


class ProjectRow(NamedTuple):
    """A project as the store holds it. `merged_into` is the number of the row it now belongs to."""

    id: int
    key: str
    name: str
    remote: str | None = None
    root: str | None = None
    merged_into: int | None = None


class Declared(NamedTuple):
    """What config.toml says of a project (`[projects."KEY"]`)."""

    key: str
    path: str | None = None
    name: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownProject:
    """One project. `ids` are the store's rows, the main one first; empty while only config.toml knows it."""

    key: ProjectKey
    name: str
    remote: str | None
    root: str | None
    ids: tuple[int, ...]
    aliases: tuple[str, ...]
    path: str | None = None

    def value(self, worktree: str | None = None, branch: str | None = None) -> dict[str, str | None]:
        """The project value of the JSON contract."""
        return {
            "key": self.key,
            "name": self.name,
            "remote": self.remote,
            "root": self.root,
            "worktree": worktree,
            "branch": branch,
        }

    def answers_to(self, text: str) -> bool:
        """Whether `text` is its key, its name or an alias, in any case."""
        wanted = text.casefold()
        return any(wanted == known.casefold() for known in (self.key, self.name, *self.aliases))


class Catalogue:
    """All known projects, found by number, key, name or alias."""

    def __init__(self, rows: Iterable[ProjectRow], declared: Mapping[str, Declared]) -> None:
        by_id = {row.id: row for row in rows}
        by_key = {row.key: row for row in by_id.values()}
        owner = {alias: table.key for table in declared.values() for alias in table.aliases if alias in by_key}
        self.projects: list[KnownProject] = []
        self._by_id: dict[int, KnownProject] = {}
        self._by_key: dict[str, KnownProject] = {}
        groups: dict[str, list[ProjectRow]] = {key: [] for key in declared if key not in owner}
        for row in by_id.values():
            groups.setdefault(_final_key(row, by_id, owner), []).append(row)
        for key, members in groups.items():
            self._add(key, members, by_key.get(key), declared.get(key))

    def _add(self, key: str, members: list[ProjectRow], main: ProjectRow | None, table: Declared | None) -> None:
        members.sort(key=lambda row: (row.key != key, row.id))
        spoken = table.aliases if table else ()
        aliases = dict.fromkeys((*spoken, *(row.key for row in members if row.key != key)))
        own_name = main.name if main else key.rpartition("/")[2]
        project = KnownProject(
            key=ProjectKey(key),
            name=(table.name if table and table.name else own_name),
            remote=main.remote if main else None,
            root=main.root if main else (table.path if table else None),
            ids=tuple(row.id for row in members),
            aliases=tuple(aliases),
            path=table.path if table else None,
        )
        self.projects.append(project)
        self._by_key[key] = project
        for row in members:
            self._by_id[row.id] = project
            self._by_key.setdefault(row.key, project)

    def by_id(self, number: int | None) -> KnownProject | None:
        """The project that a row of the store belongs to."""
        return None if number is None else self._by_id.get(number)

    def by_key(self, key: str) -> KnownProject | None:
        """The project with this key, or of which this was a key once."""
        return self._by_key.get(key)

    def find(self, text: str) -> list[KnownProject]:
        """The projects that `text` may mean: the one with that key, else all with that name or alias."""
        exact = self._by_key.get(text) or self._by_key.get(text.lower())
        return [exact] if exact else [project for project in self.projects if project.answers_to(text)]

    def get(self, text: str) -> KnownProject:
        """The one project that `text` means. Raises NotFound, Ambiguous."""
        found = self.find(text)
        if len(found) == 1:
            return found[0]
        keys = ", ".join(project.key for project in found or self.candidates(text))
        if found:
            hint = "name one by its key"
            raise Ambiguous(f"{len(found)} projects are called {text}", detail=f"They are {keys}.", hint=hint)
        detail = f"Known: {keys}." if keys else None
        raise NotFound(f"no project is called {text}", detail=detail, hint="list them with `brainproj projects`")

    def candidates(self, text: str) -> list[KnownProject]:
        """Projects worth naming when `text` is none: those whose key or name holds it, else all; eight at most."""
        wanted = text.casefold()
        near = [project for project in self.projects if wanted in project.key.casefold()]
        return (near or self.projects)[:8]


def _final_key(row: ProjectRow, by_id: Mapping[int, ProjectRow], owner: Mapping[str, str]) -> str:
    """The key under which a row is read in the end: through merges and through declared aliases, without circles."""
    seen: set[str] = set()
    key = row.key
    while key not in seen:
        seen.add(key)
        if row.merged_into is not None and row.merged_into in by_id:
            row = by_id[row.merged_into]
            key = row.key
        elif key in owner:
            key = owner[key]
            row = next((other for other in by_id.values() if other.key == key), row)
            if row.key != key:
                return key
    return key
