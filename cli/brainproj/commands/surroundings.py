"""What a command finds around it: environment, home, settings, time; and the store, opened as gently as it needs.

This is the only place below which nobody reads the environment, the clock or the current folder.
"""

import os
import sqlite3
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ..config import Config, read_config
from ..errors import FolderGone, NotFound, StoreCorrupt, StoreNewer, StoreUnusable
from ..launcher import mend_launcher
from ..paths import Paths, find_paths, user_home
from ..store.database import open_store
from ..store.publish import unless_refused
from ..views import terminal

if TYPE_CHECKING:
    from ..core.catalogue import KnownProject
    from ..identity import Resolver


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Everything a verb is handed that is not its own argument."""

    environment: Mapping[str, str]
    paths: Paths
    config: Config
    now: datetime


def find_surroundings(*, tells_problems: bool = True) -> Surroundings:
    """The surroundings of this process; malformed settings are named on stderr, once a command."""
    environment = dict(os.environ)
    paths = find_paths(environment, user_home(environment))
    config = read_config(paths.config_path)
    mend_launcher(paths)
    for problem in config.problems if tells_problems else ():
        terminal.warn(problem)
    return Surroundings(environment, paths, config, datetime.now(UTC))


def current_time() -> datetime:
    """The time now, for what a person does long after the command began."""
    return datetime.now(UTC)


def open_for_reading(paths: Paths) -> sqlite3.Connection:
    """The store for a command that only wants to know something.

    It is made if need be, so that what was found out is remembered; where it cannot be written it is read as it is.
    Raises StoreUnusable for a store that is damaged or newer.
    """
    try:
        return open_store(paths.brain_db)
    except (StoreCorrupt, StoreNewer):
        raise
    except StoreUnusable as error:
        connection = open_store(paths.brain_db, write=False)
        terminal.note(f"what is found out now is not kept: {error.message}")
        return connection


def resolver_for(around: Surroundings, db: sqlite3.Connection) -> "Resolver":
    """A resolver over these surroundings."""
    from ..identity import Resolver
    from ..places import Places

    return Resolver(around.paths, around.config, db, around.now, places=Places(around.paths, around.config))


def folder_argument(path: str | None) -> str:
    """The folder a command is about, absolute: its argument, else the current one. Raises FolderGone."""
    if path is not None:
        expanded = os.path.expanduser(path)  # noqa: PTH111
        if not expanded or Path(expanded).is_absolute():
            return expanded
        return str(Path(current_folder()) / expanded) if expanded != "." else current_folder()
    return current_folder()


def current_folder() -> str:
    """The current folder. Raises FolderGone where it was deleted (cases/07)."""
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError as error:
        raise FolderGone(
            "the current folder does not exist any more", hint="change to another one, or name a folder"
        ) from error


def is_interactive() -> bool:
    """Whether a person sits at both ends."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()


def project_here(
    around: Surroundings,
    resolver: "Resolver",
    named: str | None,
    *,
    may_widen: bool = False,
    hint: str = "name one with `--project`",
) -> "KnownProject":
    """The project a reader stays in: the named one, else this folder's. Raises NotFound where the folder has none.

    Nothing falls back to everything: a reader in a folder without a project names some and lets the person choose.
    """
    if named:
        return resolver.catalogue.get(named)
    cwd = current_folder()
    resolution = resolver.resolve(cwd, around.environment)
    if resolution.identity is None:
        names = [project.key for project in resolver.catalogue.candidates("")]
        raise NotFound(
            f"{cwd} has no project",
            detail=f"Because {resolution.why}." + (f" Known projects: {', '.join(names)}." if names else ""),
            hint=hint + (", or add `--everywhere`" if may_widen else ""),
        )
    from ..core.catalogue import KnownProject

    known = resolver.catalogue.by_key(resolution.identity.key)
    identity = resolution.identity
    return known or KnownProject(identity.key, identity.name, identity.remote, identity.root, (), ())


def make_ready_again() -> None:
    """Bring what hooks look up to what config.toml says now, for all projects."""
    from ..recall import read_recall_settings
    from ..refresh import Refresh

    around = find_surroundings()
    db = open_for_reading(around.paths)
    resolver = resolver_for(around, db)
    resolver.settle()
    ready = resolver.places.open() if resolver.places else None
    if ready is not None:
        with unless_refused(around.paths.ready_db):
            settings = read_recall_settings(around.config, {})
            Refresh(around.paths, around.config, db, ready, resolver, settings, around.now).everything()
