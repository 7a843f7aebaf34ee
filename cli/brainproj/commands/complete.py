"""Live values for shell completion: projects, sessions, agents, scopes. Quick, and silent where anything fails."""

import sqlite3

AGENTS = ("claude", "codex", "cursor")
SCOPES = ("strict", "rank", "off")
MOST = 50
"""Values offered; a shell shows no more in a useful way."""


def agent_names(incomplete: str) -> list[str]:
    """The agents we know."""
    return [name for name in AGENTS if name.startswith(incomplete)]


def scope_names(incomplete: str) -> list[str]:
    """The scopes."""
    return [name for name in SCOPES if name.startswith(incomplete)]


def project_names(incomplete: str) -> list[str]:
    """Names and keys of known projects."""
    rows = _rows("SELECT name, key FROM projects WHERE merged_into IS NULL ORDER BY id DESC")
    values = dict.fromkeys([row[0] for row in rows] + [row[1] for row in rows])
    return [value for value in values if value.startswith(incomplete) and value.isprintable()][:MOST]


def session_ids(incomplete: str) -> list[str]:
    """Ids of the sessions of this folder's project, the latest first; none where it has none."""
    project = _project_here()
    mine = f"project IN ({','.join('?' * len(project))})"
    rows = _rows(f"SELECT session_id FROM sessions WHERE listed AND {mine} ORDER BY last_at DESC LIMIT 1000", project)  # noqa: S608
    return [row[0] for row in rows if row[0].startswith(incomplete) and row[0].isprintable()][:MOST]


def person_names(incomplete: str) -> list[str]:
    """Names of the persons with a session in this folder's project."""
    project = _project_here()
    mine = f"project IN ({','.join('?' * len(project))})"
    rows = _rows(f"SELECT name FROM persons WHERE id IN (SELECT person FROM sessions WHERE {mine})", project)  # noqa: S608
    return [row[0] for row in rows if row[0] and row[0].startswith(incomplete) and row[0].isprintable()][:MOST]


def kind_names(incomplete: str) -> list[str]:
    """Kinds of what is found."""
    from ..store.codes import ALL_KINDS

    return [name for name in ALL_KINDS if name.startswith(incomplete)]


def speaker_names(incomplete: str) -> list[str]:
    """Who may speak."""
    from ..store.codes import SPEAKER_NAMES

    return [name for name in SPEAKER_NAMES.values() if name.startswith(incomplete)]


def task_names(incomplete: str) -> list[str]:
    """Ids of the open tasks of this folder's project, the latest first."""
    project = _project_here()
    mine = f"project IN ({','.join('?' * len(project))})"
    rows = _rows(f"SELECT slug FROM tasks WHERE status = 'open' AND {mine} ORDER BY id DESC", project)  # noqa: S608
    return [row[0] for row in rows if row[0].startswith(incomplete)][:MOST]


def _project_here() -> tuple[int, ...]:
    """The numbers of the current folder's project; empty where it has none or that cannot be told."""
    from ..errors import BrainError
    from ..identity import Resolver
    from .surroundings import current_folder, find_surroundings

    try:
        around = find_surroundings(tells_problems=False)
        from ..store.database import open_store

        db = open_store(around.paths.brain_db, write=False)
        resolver = Resolver(around.paths, around.config, db, around.now)
        identity = resolver.resolve(current_folder(), around.environment).identity
        known = resolver.catalogue.by_key(identity.key) if identity else None
    except (BrainError, OSError, sqlite3.Error):
        return ()
    return known.ids if known else ()


def _rows(sql: str, values: tuple[int, ...] = ()) -> list[tuple[str, ...]]:
    import os

    from ..errors import BrainError
    from ..paths import find_paths, user_home
    from ..store.database import open_store

    try:
        db = open_store(find_paths(os.environ, user_home(os.environ)).brain_db, write=False)
        return db.execute(sql, values).fetchall()
    except (BrainError, OSError, sqlite3.Error):
        return []
