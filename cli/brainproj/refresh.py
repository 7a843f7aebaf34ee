"""Fetch, render, decide for each scope, write ready: what hooks then only look up.

Refreshing a project makes its block, its new records and its signals; refreshing the fleet, the entries of the feeds.
The same memory gives the same items on the same day, whoever refreshes.
"""

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b

from .attribution import Attribution
from .brains import brain_in_use
from .config import Config, scope_in_force
from .core.block import Block, render_attribute, render_item, safe_text
from .core.catalogue import KnownProject
from .core.entries import ALERTS, Entry, render_entry
from .core.memory import MemoryItem
from .core.redact import Redactor
from .core.remote import Piece
from .core.scope import EVERYBODY, Named, Verdict, is_memory, judge, of_nobody, of_one
from .core.signals import Signal, signals_in_force
from .core.times import from_micros, to_micros
from .feeds import OWN_SOURCE, read_feeds
from .foreign.swarms import scopes_itself, swarm_overview
from .gitdir import stamps_of
from .identity import Resolver
from .paths import Paths
from .recall import RecallSettings, recall_block, recall_memory, told_memory
from .store import items as ready_items
from .store.brain import FEED, disown, list_entries, list_pieces
from .store.database import transaction
from .store.items import Item, ReadyProject
from .store.publish import seen_projects, swarms_of, write_meta
from .store.records import StoredRecord, list_records, read_links, shared_codes

NEWS_AT_MOST = 50
"""Records of a project that may still be new to a running session."""
HEADINGS = {"decision": "Decisions:", "lesson": "Lessons:"}
SIGNAL_PRIORITY = 8
"""As the kernel gives its own list of signals (formats/kernel.md 3)."""


@dataclass(frozen=True, slots=True)
class Refresh:
    """Makes ready what one store and the feeds hold. `settings`: the person's, not those of a session's environment."""

    paths: Paths
    config: Config
    db: sqlite3.Connection
    ready: sqlite3.Connection
    resolver: Resolver
    settings: RecallSettings
    now: datetime

    def everything(self) -> None:
        """All projects, the fleet, and the keys under which sessions were seen."""
        self.rename()
        for project in self.resolver.catalogue.projects:
            self.project(project)
        self.fleet()

    def rename(self) -> None:
        """Let sessions that were seen under a key of before go on under their project's key of now."""
        catalogue = self.resolver.catalogue
        keys = seen_projects(self.ready)
        known = {key: project.key for key in keys if (project := catalogue.by_key(key))}
        ready_items.rename_projects(self.ready, known)

    def project(self, project: KnownProject, swarm: str = "") -> Block:
        """One project; the block of its sessions comes back, or of those in a swarm."""
        redact = self._redact()
        brain = brain_in_use(self.db, self.config, self.now)
        told = told_memory(brain, project, self._told_pieces(brain, project))
        memory = recall_memory(self.db, project, told, self.settings.arcs_at_most, self.now)
        block = recall_block(memory, self.settings, self.now)
        records = list_records(self.db, project.ids)
        shared = shared_codes(self.db)
        blocks = {"": block}
        for slug in swarms_of(self.ready, project.key):
            if overview := swarm_overview(self.paths.ledgers, slug):
                blocks[slug] = recall_block(replace(memory, overview=redact(overview)), self.settings, self.now)
        is_given = not scopes_itself(self.paths.agentihooks_home)
        items = [_block_item(project, one, slug, is_given=is_given) for slug, one in blocks.items()]
        news = _news(records)
        links = read_links(self.db, [record.id for record in news])
        in_force = {record.id for record in records if record.status == "current"}
        items += [
            self._news_item(project, record, place, links[record.id].ended(in_force))
            for place, record in enumerate(news)
        ]
        own = [signal for signal in self._signals(records) if signal.code not in shared]
        items += [self._signal_item(signal, project.key, f"project {project.name}") for signal in own]
        for place, entry in enumerate(self._told_entries(brain, project)):
            verdict = of_one(project.key, project.name, is_alert=entry.is_alert)
            items.append(replace(self._entry_item(entry, verdict, place), project=project.key))
        scope = scope_in_force(self.config, {}, (project.key, *project.aliases))
        row = ReadyProject(project.key, render_attribute(project.name), scope.effective.value, self._micros())
        ready_items.write_project(self.ready, row, items)
        return blocks.get(swarm, block)

    def again(self, project: KnownProject | None) -> None:
        """A project and the fleet, after somebody made them ready in another way."""
        if project is not None:
            self.project(project)
        self.fleet()

    def fleet(self) -> list[Item]:
        """The entries of the feeds, and the signals that a person shared."""
        projects = [_named(project) for project in self.resolver.catalogue.projects]
        feeds = stamps_of([str(self.paths.feed_dir), str(self.paths.brain_feed)])
        redact = self._redact()
        brain = brain_in_use(self.db, self.config, self.now)
        told = self._told_entries(brain)
        entries = [
            replace(entry, title=redact(entry.title), content=redact(entry.content))
            for entry in read_feeds(self.paths, self.now, told)
        ]
        whose = Attribution(self.db, None, self.resolver)
        items = [self._entry_item(one, _judge(one, projects, whose), place) for place, one in enumerate(entries)]
        shared = shared_codes(self.db)
        if shared:
            for project in self.resolver.catalogue.projects:
                signals = self._signals(list_records(self.db, project.ids))
                items += [self._signal_item(signal, None, OWN_SOURCE) for signal in signals if signal.code in shared]
        ready_items.write_fleet(self.ready, items)
        write_meta(self.ready, {"feeds": feeds, "brain": brain or ""})
        return items

    # items ----------------------------------------------------------------------------------------------------------

    def _signals(self, records: Iterable[StoredRecord]) -> list[Signal]:
        found = [
            Signal(
                record.code,
                f"rec:{record.id}",
                record.text,
                from_micros(record.at),
                record.session_id or "",
                json.loads(record.attributes),
            )
            for record in records
            if record.kind == "signal" and record.status == "current"
        ]
        return signals_in_force(found, self.now, self.settings.stale_signal_days)

    def _signal_item(self, signal: Signal, project: str | None, source: str) -> Item:
        line = render_item(MemoryItem(signal.address, signal.text, signal.at))
        text = f"[signal · {safe_text(signal.severity)}] {line[2:]}"
        who = project or EVERYBODY
        return Item(
            hash=_digest("signal", None, text),  # the same before and after it was shared
            id=signal.address,
            kind="entry",
            project=project,
            title=safe_text(signal.text)[:120],
            text=text,
            source=render_attribute(source),
            severity=signal.severity,
            is_alert=signal.severity in ALERTS,
            origin=signal.session_id,
            strict=who,
            ranked=who,
            off=who,
            place=_place(SIGNAL_PRIORITY, 0),
            at=to_micros(signal.at) or 0,
            why="a signal of this project's agents" if project else "a person shared this signal with every session",
        )

    def _told_pieces(self, brain: str | None, project: KnownProject) -> list[Piece]:
        """What the brain in use told of a project, and what is still told to be that project's."""
        told = list_pieces(self.db, brain, project.ids) if brain else []
        if not told or brain is None:
            return told
        whose = Attribution(self.db, self.ready, self.resolver)
        own = [piece for piece in told if whose.is_still_of(piece, project)]
        if len(own) < len(told):
            with contextlib.suppress(sqlite3.Error), transaction(self.db):
                for number in project.ids:
                    disown(self.db, brain, number, own if number == project.ids[0] else ())
        return own

    def _told_entries(self, brain: str | None, project: KnownProject | None = None) -> list[Entry]:
        """What the brain in use said to the fleet, or to one project alone."""
        what = FEED if project is None else str(project.ids[0]) if project.ids else ""
        return list_entries(self.db, brain, what) if brain else []

    def _entry_item(self, entry: Entry, verdict: Verdict, place: int) -> Item:
        text = render_entry(entry, self.settings.budget_bytes if self.settings.budget_bytes > 0 else 4096)
        return Item(
            hash=_digest("entry", None, text),
            id=entry.id,
            kind="entry",
            project=None,
            title=safe_text(entry.title)[:120],
            text=text,
            source=render_attribute(entry.source),
            severity=entry.severity,
            is_memory=verdict.strict != EVERYBODY and not verdict.is_said,
            is_alert=entry.is_alert,
            strict=verdict.strict,
            ranked=verdict.ranked,
            off=verdict.off,
            place=_place(entry.priority, place),
            at=self._micros(),
            expires_at=to_micros(entry.expires_at),
            why=verdict.why,
        )

    def _news_item(self, project: KnownProject, record: StoredRecord, place: int, replaced: list[str]) -> Item:
        text = render_item(MemoryItem(record.citation, record.text, from_micros(record.since)))
        if replaced:
            text += f" in place of {', '.join(replaced)}"
        return Item(
            hash=_digest("record", project.key, text),
            id=f"rec:{record.id}",
            kind="record",
            project=project.key,
            title=safe_text(record.text)[:120],
            text=text,
            heading=HEADINGS[record.kind],
            origin=record.session_id or "",
            strict=project.key,
            ranked=project.key,
            place=place,
            at=min(record.since or 0, self._micros()),  # a clock that was ahead makes nothing new for ever
            ready_at=self._micros(),
            why=f"recorded in {project.name} by another session since this one was told",
        )

    def _redact(self) -> Callable[[str], str]:
        return Redactor(self.config.hide, self.config.keep).redact

    def _micros(self) -> int:
        return to_micros(self.now) or 0


def _place(priority: int, number: int) -> int:
    return (1000 - max(-1000, min(priority, 1000))) * 100_000 + number


def _judge(entry: Entry, projects: list[Named], whose: Attribution) -> Verdict:
    """Who may have an entry: by the project that its brain says it is of, else by what it is."""
    label = [entry.metadata.get(name, "") for name in ("project", "key", "remote")]
    if not any(label):
        return judge(entry.id, f"{entry.title}\n{entry.content}", projects)
    is_alert = entry.is_alert and not is_memory(entry.id)
    owner = whose.of_label(*label)
    if owner is None:
        return of_nobody(next(one for one in label if one), is_alert=is_alert)
    return of_one(owner.key, owner.name, is_alert=is_alert)


def _named(project: KnownProject) -> Named:
    parts = project.key.split("/")
    return Named(project.key, (project.name, *project.aliases), "/".join(parts[-2:]) if len(parts) >= 3 else None)


def _digest(kind: str, project: str | None, text: str) -> str:
    return blake2b(f"{kind}\0{project or ''}\0{text}".encode(), digest_size=12).hexdigest()


def _block_item(project: KnownProject, block: Block, swarm: str, *, is_given: bool) -> Item:
    """The block; of a swarm's sessions, if one is named. Which records are in it decides whether a resumed session
    gets it once more.
    """
    held = "\n".join(f"{item.address} {item.title}" for item in block.items if item.kind != "arc")
    return Item(
        hash=_digest("block", project.key, block.text),
        id="block",
        kind="block",
        project=project.key,
        title=f"the memory of {project.name}",
        text=block.text,
        heading=swarm,
        records=blake2b(held.encode(), digest_size=8).hexdigest(),
        strict=project.key if is_given else None,
        ranked=project.key if is_given else None,
        why=f"of {project.name}" if is_given else "agentihooks gives its sessions their project's memory itself",
    )


def _news(records: Iterable[StoredRecord]) -> list[StoredRecord]:
    """The newest records that may stand in a block."""
    return [record for record in records if record.kind in HEADINGS and record.status == "current"][:NEWS_AT_MOST]
