"""What identity decided, written down for hooks: `places` in ready.db, each row with the files it rests on.

Only `identity.Resolver` hands on what is written here. A hook must come to the answer that `resolve` gives, so a row
says no more than was decided, and counts only while its files are as they were (`hooks/place.py` reads it; one test
asks both for the whole identity table). Where ready.db cannot be written nothing is, and hooks do without.
"""

import os
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from . import gitdir
from .config import Config, scope_in_force
from .core.catalogue import Catalogue
from .core.project import Resolution, Rule
from .paths import Paths
from .repositories import is_checkout_of
from .store import publish
from .store.projects import Place
from .store.publish import PlaceRow

UNDECLARED = {"declared": "undeclared"}
"""A folder that was declared once tells where something lay, and counts as declared only while it is."""
NEVER = "\0never"
"""A stamp that does not hold: the row tells where a folder lay, and its project is to be asked again."""


@dataclass(slots=True)
class Places:
    """Writes rows as answers come. One for each command; it opens ready.db when the first answer comes."""

    paths: Paths
    config: Config
    _db: sqlite3.Connection | None = None
    _is_tried: bool = False
    _written: set[PlaceRow] = field(default_factory=set)

    def open(self) -> sqlite3.Connection | None:
        """ready.db, or None where it cannot be used."""
        if not self._is_tried:
            self._is_tried = True
            self._db = publish.open_ready(self.paths.ready_db)
        return self._db

    def is_current(self) -> bool:
        """Whether what is written there was decided with config.toml as it is now."""
        db = self.open()
        with publish.unless_refused(self.paths.ready_db):
            return db is None or publish.read_meta(db).get("config") == gitdir.stamp_of(str(self.paths.config_path))
        return True

    def begin(self, scratch_root: str, catalogue: Catalogue, known: Iterable[Place]) -> list[str]:
        """Start anew after config.toml changed, or in a new ready.db; the folders whose answer is to be asked again.

        `known` are the folders that the store has seen.
        """
        with publish.unless_refused(self.paths.ready_db):
            return self._begin(scratch_root, catalogue, known)
        return []

    def _begin(self, scratch_root: str, catalogue: Catalogue, known: Iterable[Place]) -> list[str]:
        db = self.open()
        if db is None:
            return []
        before = publish.list_places(db)
        places = list(known)
        stored = {place.path for place in places if place.kind == "declared"}
        declared = []
        for key, table in self.config.projects.items():
            if table.path:
                path = os.path.realpath(os.path.expanduser(table.path))  # noqa: PTH111
                declared.append(PlaceRow(path, "declared" if path in stored else "listed", key, ""))
        seen = {
            place.path: PlaceRow(place.path, UNDECLARED.get(place.kind, place.kind), project.key, NEVER)
            for place in places
            if (project := catalogue.by_id(place.project))
        }
        meta = {
            "config": gitdir.stamp_of(str(self.paths.config_path)),
            "scratch": scratch_root,
            "declared": "1" if declared else "0",
            "scope": (self.config.scope.value if self.config.scope else "strict"),
            **publish.numbers(self.config.numbers),
        }
        from .store.items import write_scopes

        publish.begin(db, [*seen.values(), *declared], meta)
        scopes: dict[str, str | None] = {
            project.key: scope_in_force(self.config, {}, (project.key, *project.aliases)).effective.value
            for project in catalogue.projects
        }
        write_scopes(db, scopes)
        self._written.clear()
        return [row.path for row in (*seen.values(), *before) if row.kind in ("checkout", "worktree")]

    def doubt(self, changed: Catalogue | None) -> None:
        """A folder was seen for the first time; or projects changed, and are now as in `changed`.

        What rests on names, or on what was not known, is to be asked again; the rest goes by the keys of now.
        """
        db = self.open()
        if db is None:
            return
        with publish.unless_refused(self.paths.ready_db):
            if changed is None:
                publish.drop_places(db, ("gone",))
            else:
                publish.drop_places(db, ("gone", "unreadable", "scratch", "env", "swarm"))
                keys = {key: known.key for key in publish.place_keys(db) if (known := changed.by_key(key))}
                publish.rename_places(db, keys)
        self._written.clear()

    # answers --------------------------------------------------------------------------------------------------------

    def remember_named(self, text: str, key: str | None) -> None:
        """What a name in `BRAINPROJ_PROJECT` means."""
        self._write([PlaceRow(f"env:{text}", "env", key or "", "")])

    def remember_swarm(self, slug: str, resolution: Resolution | None, read: list[str]) -> None:
        """Which project a swarm works on, by the files that were `read`."""
        key = resolution.identity.key if resolution and resolution.identity else ""
        self._write([PlaceRow(f"swarm:{slug}", "swarm", key, gitdir.stamps_of(read))])

    def remember_folder(
        self, real: str, resolution: Resolution, checkout: gitdir.Checkout | None, read: list[str], scratch: str | None
    ) -> None:
        """The answer for a folder that is there. `read`: the files of its repository that decided."""
        key = resolution.identity.key if resolution.identity else ""
        stamp = gitdir.stamps_of(read)
        rule = resolution.rule
        rows = []
        if any(table.path for table in self.config.projects.values()) and checkout and checkout.linked:
            rows.append(PlaceRow(f"exactly:{real}", "exactly", key, stamp))
        if rule is Rule.SCRATCH:
            if checkout is not None:
                rows.append(PlaceRow(f"scratchrepo:{checkout.top}", "scratch", key, stamp))
            else:
                rows.append(PlaceRow(f"scratch:{scratch}", "scratch", key, ""))
            if key:
                rows.append(PlaceRow(real, "folder", key, ""))
        elif checkout is not None and rule is not Rule.DECLARED:
            rows.append(PlaceRow(checkout.top, "worktree" if checkout.linked else "checkout", key, stamp))
            if rule is Rule.GIT:
                rows.append(PlaceRow(f"common:{checkout.common_dir}", "common", key, stamp))
                root = resolution.identity.root if resolution.identity else None
                if root and root != checkout.top and is_checkout_of(root, checkout) and not self._knows(root, key):
                    rows.append(PlaceRow(root, "checkout", key, NEVER))  # for the time when it is gone
        self._write(rows)

    def remember_declared(self, real: str, key: str) -> None:
        """A declared folder that was seen: from now on it also tells where something lay, when it is gone."""
        self._write([PlaceRow(real, "declared", key, "")])

    def remember_vanished(self, real: str, resolution: Resolution) -> None:
        """The answer for a folder that is gone."""
        self._write([PlaceRow(f"gone:{real}", "gone", resolution.identity.key if resolution.identity else "", "")])

    def remember_unreadable(self, real: str, resolution: Resolution) -> None:
        """The answer for a folder whose repository cannot be read."""
        key = resolution.identity.key if resolution.identity else ""
        self._write([PlaceRow(f"unreadable:{real}", "unreadable", key, "")])

    def _knows(self, path: str, key: str) -> bool:
        """Whether a folder stands there with this project."""
        db = self.open()
        with publish.unless_refused(self.paths.ready_db):
            return db is None or publish.project_at(db, path) == key
        return True

    def _write(self, rows: list[PlaceRow]) -> None:
        db = self.open()
        fresh = [row for row in rows if row not in self._written]
        if db is None or not fresh:
            return
        with publish.unless_refused(self.paths.ready_db):
            publish.write_places(db, fresh)
        self._written = {row for row in self._written if row.path not in {one.path for one in fresh}} | set(fresh)


def environment_of(named: str | None, swarm: str | None) -> Mapping[str, str]:
    """The environment that a session had, as far as identity asks for it."""
    pairs = (("BRAINPROJ_PROJECT", named), ("AGENTIHOOKS_SWARM", swarm))
    return {name: value for name, value in pairs if value}
