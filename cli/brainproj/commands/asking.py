"""How it stands with the brain, asked in the foreground by a command of a person."""

import sqlite3
from typing import TYPE_CHECKING

from ..brains import find_brain
from ..brainstate import BrainState, read_brain_state
from ..brainwork import BrainWork
from ..errors import BrainError
from ..persons import is_agents
from ..recall import read_recall_settings
from ..store import publish
from ..store.database import open_store
from ..views import terminal
from ..views.progress import waiting
from .surroundings import Surroundings, current_time

if TYPE_CHECKING:
    from ..core.catalogue import KnownProject
    from ..identity import Resolver

ASKED_AGAIN_S = 30
"""A brain that answered so lately is not asked again to see whether it does."""
LIMIT_S = 5.0
"""Seconds that a person waits for a brain that does not answer."""


def is_persons(around: Surroundings) -> bool:
    """Whether a person asks, and not an agent in its shell: an agent's environment may be anybody's."""
    return not is_agents(around.environment)


def look_at_brain(
    around: Surroundings, db: sqlite3.Connection, resolver: "Resolver", project: "KnownProject | None" = None
) -> BrainState:
    """Ask the brain for its feed, and of a project, if there is one; and say how it stands."""
    setting = find_brain(around.config, around.environment)
    ready = resolver.places.open() if setting.brain and resolver.places else None
    if ready is not None:
        from ..refresh import Refresh

        settings = read_recall_settings(around.config, {})
        refresh = Refresh(around.paths, around.config, db, ready, resolver, settings, around.now)
        work = BrainWork(
            setting, refresh, around.environment, is_persons=is_persons(around), limit_s=LIMIT_S, waiting=waiting
        )
        try:
            with publish.unless_refused(around.paths.ready_db):
                work.ask([project] if project else [], feed_due_after_s=ASKED_AGAIN_S)
        except BrainError as error:
            terminal.warn(error.message)
    return read_brain_state(around.paths, db, around.config, setting, current_time())


def brain_state_without_store(around: Surroundings) -> BrainState:
    """How it stands where the store cannot be read: the setting is all there is to tell."""
    empty = open_store(around.paths.brain_db.with_name("none"), write=False)
    setting = find_brain(around.config, around.environment)
    return read_brain_state(around.paths, empty, around.config, setting, around.now)
