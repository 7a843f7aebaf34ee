"""How it stands with a brain: which source its memory is from, how old that is, what was left out, what waits to go."""

import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from .brains import BrainSetting, brain_in_use
from .config import Config, whole_number
from .core.ages import render_seconds
from .core.brain import parse_brain
from .core.catalogue import KnownProject
from .core.times import from_micros, render_time
from .foreign.channels import writes_markers
from .paths import Paths
from .store import outbox
from .store.brain import FEED, KERNEL, OUTBOX, VAULT, Ask, list_asks, read_ask
from .store.outbox import Counts


@dataclass(frozen=True, slots=True)
class SourceState:
    """Where memory is from. name: local, vault, kernel; brain while it is not known which. why: it failed last."""

    name: str
    state: str
    age_s: int | None
    why: str | None = None

    @property
    def sentence(self) -> str:
        """What went wrong, and what that means."""
        age = render_seconds(self.age_s) if self.age_s is not None else ""
        return f"{self.why}; " + (f"what it told {age} ago still counts" if age else "it told nothing yet")

    def value(self) -> dict[str, object]:
        """As JSON."""
        return {"name": self.name, "state": self.state, "age_s": self.age_s}


def source_state(
    db: sqlite3.Connection,
    config: Config,
    project: KnownProject | None,
    now: datetime,
    environment: Mapping[str, str] | None = None,
) -> SourceState | None:
    """How it stands with what the brain in use told, of a project or (None) of all; None where there is no brain."""
    brain = brain_in_use(db, config, now)
    if brain is None:
        return None
    feed, vault = read_ask(db, brain, FEED), read_ask(db, brain, VAULT)
    own = read_ask(db, brain, str(project.ids[0]) if project and project.ids else "")
    scoped = [one for one in list_asks(db) if one.brain == brain and one.source == KERNEL]
    ask = feed if project is None else own if own.source == KERNEL else vault
    name = ask.source or (KERNEL if scoped and project is None else vault.source) or "brain"
    answered_at = from_micros(ask.answered_at)
    age_s = max(int((now - answered_at).total_seconds()), 0) if answered_at else None
    asks = [ask, feed] if project is not None else [one for one in list_asks(db) if one.brain == brain]
    failed = next((one for one in asks if one.failures and one.what != OUTBOX), None)
    if failed:
        return SourceState(name, "failed", age_s, failed.why)
    if age_s is None:
        return SourceState(name, "never", None)
    ttl_s = whole_number(config, environment or {}, "project_memory_ttl", [])
    return SourceState(name, "fresh" if age_s < max(ttl_s, 1) else "stale", age_s)


@dataclass(frozen=True, slots=True)
class BrainState:
    """All of it. url: of the brain in use, or of the one that cannot be asked. markers: why none are sent, or None."""

    setting: BrainSetting
    url: str | None
    source: SourceState | None
    answered_at: datetime | None
    left_out: Mapping[str, int]
    markers_off: str | None
    outbox: Counts
    outbox_why: str | None

    @property
    def name(self) -> str:
        """The brain's host; empty for none."""
        return parse_brain(self.url).name if self.url else ""

    def value(self) -> dict[str, object]:
        """As JSON."""
        source = self.source
        return {
            "url": self.url,
            "set_by": self.setting.set_by.value,
            "problem": self.setting.problem,
            "source": source.name if source else None,
            "state": source.state if source else None,
            "age_s": source.age_s if source else None,
            "why": source.why if source else None,
            "answered_at": render_time(self.answered_at),
            "left_out": dict(self.left_out),
            "markers": {
                "off": self.markers_off,
                "waiting": self.outbox.waiting,
                "delivered": self.outbox.delivered,
                "refused": self.outbox.refused,
                "withheld": self.outbox.withheld,
                "oldest_at": render_time(from_micros(self.outbox.oldest_at)),
                "why": self.outbox_why,
            },
        }


def read_brain_state(
    paths: Paths, db: sqlite3.Connection, config: Config, setting: BrainSetting, now: datetime
) -> BrainState:
    """How it stands, as the store has it."""
    url = brain_in_use(db, config, now) or setting.url
    asks = [one for one in list_asks(db) if one.brain == url]
    answered = max((one.answered_at for one in asks if one.answered_at is not None), default=None)
    left_out: Counter[str] = Counter()
    for ask in asks:
        left_out.update(ask.left_out or {})
    sending = next((one for one in asks if one.what == OUTBOX), Ask("", OUTBOX))
    return BrainState(
        setting=setting,
        url=url,
        source=source_state(db, config, None, now),
        answered_at=from_micros(answered),
        left_out=left_out,
        markers_off=_why_off(paths, config, setting, url),
        outbox=outbox.count(db),
        outbox_why=sending.why if sending.failures else None,
    )


def _why_off(paths: Paths, config: Config, setting: BrainSetting, url: str | None) -> str | None:
    if setting.is_off:
        return "the brain is turned off"
    if not config.brain.sends_markers:
        return "markers = false in config.toml"
    if writes_markers(paths):
        return "agentihooks' own writer sends them"
    return None if url else "there is no brain"
