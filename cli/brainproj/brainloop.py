"""Turning to the brain every few seconds while `watch` runs, in a thread of its own: a brain may take its time."""

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from .brains import find_brain
from .brainwork import BrainWork
from .config import read_config
from .errors import BrainError
from .identity import Resolver
from .paths import Paths
from .places import Places
from .recall import read_recall_settings
from .refresh import Refresh
from .store import publish
from .store.database import open_store

EVERY_S = 5.0


@dataclass(slots=True)
class BrainLoop:
    """Sends markers and asks for what is due until `stop` is set. warn: is told what went wrong, once."""

    paths: Paths
    stop: threading.Event
    warn: Callable[[str], None]
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    every_s: float = EVERY_S
    _warned: str = ""

    def start(self) -> None:
        """Begin, beside whoever calls."""
        threading.Thread(target=self._run, name="brain", daemon=True).start()

    def _run(self) -> None:
        while not self.stop.is_set():
            try:
                self.turn()
                self._warned = ""
            except (BrainError, sqlite3.Error) as error:
                if str(error) != self._warned:
                    self._warned = str(error)
                    self.warn(f"the brain was not turned to: {error}")
            self.stop.wait(self.every_s)

    def turn(self) -> None:
        """One turn. Raises BrainError, sqlite3.Error."""
        config = read_config(self.paths.config_path)
        setting = find_brain(config, self.environment, for_sessions=True)
        if setting.brain is None or not self.paths.brain_db.exists():
            return
        ready = publish.open_ready(self.paths.ready_db)
        if ready is None:
            return
        now = datetime.now(UTC)
        with contextlib.closing(ready), contextlib.closing(open_store(self.paths.brain_db)) as db:
            resolver = Resolver(self.paths, config, db, now, places=Places(self.paths, config))
            settings = read_recall_settings(config, {})
            BrainWork(setting, Refresh(self.paths, config, db, ready, resolver, settings, now)).turn()
