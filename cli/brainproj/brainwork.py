"""What is done with a brain beside the agent: ask for what is due, send what waits, make ready what changed.

One place for the worker, `watch` and the commands of a person, so that all keep to the same claims and waits.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .brains import BrainSetting, brain_in_use
from .config import whole_number
from .core.catalogue import KnownProject
from .core.times import to_micros
from .foreign.channels import writes_markers
from .store.seen import list_seen

if TYPE_CHECKING:
    from .refresh import Refresh

WORKED_IN_S = 3600
"""A session that a hook saw so lately works in its project: what a brain tells of it is kept fresh."""


@dataclass(slots=True)
class BrainWork:
    """The work with one brain. setting: the brain that this process knows; refresh: of the store it is done for."""

    setting: BrainSetting
    refresh: "Refresh"
    is_patient: bool = True
    limit_s: float | None = None
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    waiting: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext()

    def turn(self) -> None:
        """Send what waits, then ask for the projects that somebody works in. Raises StoreUnusable."""
        self.send()
        if self.setting.brain is None:
            return
        since = (to_micros(self.clock()) or 0) - WORKED_IN_S * 1_000_000
        keys = {one.project for one in list_seen(self.refresh.ready) if one.project and one.last_at >= since}
        catalogue = self.refresh.resolver.catalogue
        self.ask(project for key in sorted(keys) if (project := catalogue.by_key(key)))

    def ask(self, projects: Iterable[KnownProject], *, feed_due_after_s: int | None = None) -> None:
        """Ask for these projects and for the feed, as far as they are due, and make ready again what changed.

        Raises StoreUnusable.
        """
        if self.setting.brain is None:
            return
        from .asking import FEED_S, LIMIT_S, Asking

        refresh = self.refresh
        ttl_s = whole_number(refresh.config, {}, "project_memory_ttl", [])
        asking = Asking(
            refresh.paths, refresh.db, refresh.ready, refresh.resolver, self.setting.brain, refresh.settings,
            self._redact(), ttl_s, self.is_patient, self.limit_s or LIMIT_S, self.clock,
            self.waiting,
        )  # fmt: skip
        for project in projects:
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
        if self.setting.brain is None and brain_in_use(refresh.db, refresh.config, self.clock()) is None:
            return
        from .mark import Outbox

        outbox = Outbox(
            refresh.paths, refresh.db, refresh.ready, refresh.resolver.catalogue, self._redact(), table.sends_paths,
            self.clock,
        )  # fmt: skip
        outbox.gather()
        if self.setting.brain is not None:
            outbox.deliver(self.setting.brain)

    def _redact(self) -> Callable[[str], str]:
        from .core.redact import Redactor

        return Redactor(self.refresh.config.hide, self.refresh.config.keep).redact
