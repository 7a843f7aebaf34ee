"""What is done with a brain beside the agent: ask for what is due, send what waits, make ready what changed.

One place for the worker, `watch` and the commands of a person, so that all keep to the same claims and waits.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .brains import BrainSetting, brain_in_use, name_brain
from .config import SetBy, whole_number
from .core.brain import Brain
from .core.catalogue import KnownProject
from .core.times import to_micros
from .foreign.channels import writes_markers
from .store.database import explained
from .store.seen import list_seen

if TYPE_CHECKING:
    from .refresh import Refresh

TOKEN_LETTERS = 6
"""A shorter token may stand anywhere."""
TURN_S = 12.0
"""Seconds after which no further project is asked for in one turn: whoever waits for the worker waits no longer."""
WORKED_IN_S = 3600
"""A session that a hook saw so lately works in its project: what a brain tells of it is kept fresh."""


@dataclass(slots=True)
class BrainWork:
    """The work with one brain. setting: the brain that this process knows; refresh: of the store it is done for."""

    setting: BrainSetting
    refresh: "Refresh"
    environment: Mapping[str, str] = field(default_factory=dict)
    """Of a command; what is done for sessions goes by config.toml alone."""
    is_persons: bool = False
    """Whether a person asks, in no agent's shell: they need not wait after a failure, and may name another brain."""
    limit_s: float | None = None
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    waiting: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext()

    @property
    def brain(self) -> Brain | None:
        """The brain to talk to. A session's environment can name the first one, but no other in its place: that is for
        config.toml, and for a person's own command.
        """
        brain = self.setting.brain
        if brain is None or self.is_persons or self.setting.set_by is SetBy.CONFIG:
            return brain
        used = brain_in_use(self.refresh.db, self.refresh.config, self.clock())
        return brain if used is None or used == brain.url else None

    def turn(self) -> None:
        """Send what waits, then ask for the projects that somebody works in. Raises StoreUnusable."""
        self.send()
        if self.brain is None:
            return
        since = (to_micros(self.clock()) or 0) - WORKED_IN_S * 1_000_000
        keys = {one.project for one in list_seen(self.refresh.ready) if one.project and one.last_at >= since}
        catalogue = self.refresh.resolver.catalogue
        self.ask(project for key in sorted(keys) if (project := catalogue.by_key(key)))

    def ask(self, projects: Iterable[KnownProject], *, feed_due_after_s: int | None = None) -> None:
        """Ask for these projects and for the feed, as far as they are due, and make ready again what changed.

        Raises StoreUnusable.
        """
        brain = self.brain
        if brain is None:
            return
        self._name(brain)
        from .asking import FEED_S, LIMIT_S, Asking

        refresh = self.refresh
        ttl_s = whole_number(refresh.config, self.environment, "project_memory_ttl", [])
        asking = Asking(
            refresh.paths, refresh.db, refresh.ready, refresh.resolver, brain, refresh.settings,
            self._redact(), ttl_s, not self.is_persons, self.limit_s or LIMIT_S, self.clock,
            self.waiting,
        )  # fmt: skip
        deadline = time.monotonic() + TURN_S
        for project in projects:
            if time.monotonic() < deadline:  # the others have their turn the next time
                asking.project(project)
        asking.feed(FEED_S if feed_due_after_s is None else feed_due_after_s)
        for key in sorted(asking.changed - {"*"}):
            if changed := refresh.resolver.catalogue.by_key(key):
                refresh.project(changed)
        if asking.changed:
            refresh.fleet()

    def send(self) -> None:
        """Queue the markers that are new, and send those that wait. Raises StoreUnusable."""
        refresh = self.refresh
        table = refresh.config.brain
        if not table.sends_markers or self.setting.is_off or writes_markers(refresh.paths):
            return
        brain = self.brain
        if brain is None and brain_in_use(refresh.db, refresh.config, self.clock()) is None:
            return
        from .mark import Outbox

        outbox = Outbox(
            refresh.paths, refresh.db, refresh.ready, refresh.resolver.catalogue, self._redact(), table.sends_paths,
            self.clock,
        )  # fmt: skip
        if brain is not None:
            self._name(brain)
        outbox.gather()
        if brain is not None:
            outbox.deliver(brain)

    def _name(self, brain: Brain) -> None:
        with explained(self.refresh.paths.brain_db):
            name_brain(self.refresh.db, brain, self.clock())

    def _redact(self) -> Callable[[str], str]:
        from .core.redact import Redactor

        redact = Redactor(self.refresh.config.hide, self.refresh.config.keep).redact
        token = self.setting.brain.token if self.setting.brain else ""
        if len(token) < TOKEN_LETTERS:
            return redact
        return lambda text: redact(text.replace(token, "[our token]"))
