"""The checkouts that Cursor works in, and the rule of each as it is to be now."""

import sqlite3

from .config import Config, Scope, scope_in_force
from .core.memory import MemoryItem
from .core.times import from_micros
from .cursor_rule import remove_rule, render_rule, write_rule
from .errors import StoreUnusable
from .identity import Resolver
from .paths import Paths
from .store import ready
from .store.database import open_store
from .store.listing import list_agent_folders
from .store.projects import list_place_paths
from .store.records import list_records
from .store.seen import list_seen


def keep_rule(folder: str, db: sqlite3.Connection, config: Config, resolver: Resolver) -> None:
    """Write the rule of the checkout that holds a folder, or take it away: without a project, or with its scope off."""
    identity = resolver.resolve(folder).identity
    project = resolver.catalogue.by_key(identity.key) if identity else None
    scope = scope_in_force(config, {}, (project.key, *project.aliases) if project else ()).effective
    if project is None or scope is Scope.OFF:
        remove_rule(folder)
        return
    confirmed = [
        MemoryItem(record.citation, record.text, from_micros(record.since))
        for record in list_records(db, project.ids)
        if record.kind == "decision" and record.status == "current" and record.confirmed_by
    ]
    write_rule(folder, render_rule(project.name, confirmed))


def list_cursor_folders(paths: Paths) -> list[str]:
    """Every folder in which Cursor may have a rule of ours: where it was seen, and every checkout that is known."""
    folders: dict[str, None] = {}
    try:
        db = ready.connect(str(paths.ready_db))
        folders |= dict.fromkeys(row.cwd for row in list_seen(db) if row.agent == "cursor" and row.cwd)
        db.close()
    except (ready.ReadyUnusable, sqlite3.Error):
        pass
    try:
        store = open_store(paths.brain_db, write=False)
        folders |= dict.fromkeys([*list_agent_folders(store, "cursor"), *list_place_paths(store)])
        store.close()
    except (StoreUnusable, sqlite3.Error):
        pass
    return list(folders)
