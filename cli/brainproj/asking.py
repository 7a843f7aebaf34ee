"""Asking a brain: its feed for everybody, its memory for the projects on this machine; kept until it answers again.

Which source it is shows in its answer: a kernel that knows projects says whose feed it gives (KernelSource); one that
does not gives everybody's, and then its vault is read, once for all projects (VaultSource). Whatever fails, or comes
in half, leaves what was kept as it was, with its age. Only refresh asks, never a hook; one asks, the others do without.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .core.brain import Brain
from .core.catalogue import KnownProject
from .core.entries import Entry
from .core.remote import Piece
from .core.times import to_micros
from .errors import BrainUnavailable
from .paths import Paths
from .recall import RecallSettings
from .store import brain as rows
from .store import database
from .store.brain import FEED, KERNEL, VAULT, Ask, clean_entry, clean_piece, entry_without
from .store.gathering import Forgotten

if TYPE_CHECKING:
    from .attribution import Attribution
    from .brain.client import BrainClient
    from .core.feedanswer import FeedAnswer
    from .identity import Resolver
    from .sources import Told

FEED_S = 45
"""The kernel itself answers with what it read up to 30 s ago (formats/kernel.md 3)."""
CLAIM_S = 30
"""A claim older than this was left by one that was killed."""
LIMIT_S = 12.0
"""Seconds for one fetch, all its requests together; they are asked for beside the agent."""
FIRST_WAIT_S, LONGEST_WAIT_S = 15, 600
REQUESTS = 35
OLD_INTENT_S = 86_400
"""A tick without a model leaves the last intent where it is, for ever."""


def wait_s(failures: int, first_s: int = FIRST_WAIT_S) -> int:
    """How long nobody asks after so many failures in a row."""
    return min(first_s << min(failures - 1, 10), LONGEST_WAIT_S) if failures else 0


@dataclass(slots=True)
class Asking:
    """Asks one brain for what is due. ttl_s: of a project's memory. is_patient: whether it waits after a failure; a
    person who asks does not. clock: time passes while it answers.
    """

    paths: Paths
    db: sqlite3.Connection
    ready: sqlite3.Connection | None
    resolver: "Resolver"
    brain: Brain
    settings: RecallSettings
    redact: Callable[[str], str]
    ttl_s: int
    is_patient: bool = True
    limit_s: float = LIMIT_S
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    waiting: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext()
    """Shows a person what is waited for."""
    changed: set[str] = field(default_factory=set)
    """The keys of the projects of which the brain told something else than before; `*` for its feed."""
    has_failed: bool = False
    """Once it did not answer, nobody waits for it again here."""

    def feed(self, due_after_s: int = FEED_S) -> None:
        """Ask for the feed if that is due. How it went stands in the store. Raises StoreUnusable."""
        if not self.has_failed and self._is_due(self._ask(FEED), due_after_s) and self._claim(FEED):
            self._try(FEED, self._fetch_feed)

    def project(self, project: KnownProject) -> None:
        """Ask for a project's memory if that is due. How it went stands in the store. Raises StoreUnusable."""
        if self.has_failed or not project.ids or self._is_excluded(project):
            return
        own, feed = self._ask(str(project.ids[0])), self._ask(FEED)
        ask = own if own.source == KERNEL else self._ask(VAULT)
        is_other = ask.source != KERNEL and feed.answered_at is not None and ask.digest != feed.digest
        if self._is_due(ask, 0 if is_other else self.ttl_s) and self._claim(ask.what):
            self._try(ask.what, lambda client: self._fetch_project(client, project, ask.what))

    # when -------------------------------------------------------------------------------------------------------------

    def _micros(self) -> int:
        return to_micros(self.clock()) or 0

    def _ask(self, what: str) -> Ask:
        return rows.read_ask(self.db, self.brain.url, what)

    def _is_due(self, ask: Ask, ttl_s: int) -> bool:
        if ask.failures:
            return not (self.is_patient and self._is_within(ask.asked_at, wait_s(ask.failures)))
        return not self._is_within(ask.answered_at, ttl_s)

    def _is_within(self, at: int | None, seconds: int) -> bool:
        return at is not None and 0 <= self._micros() - at < seconds * 1_000_000

    def _claim(self, what: str) -> bool:
        with self._writing():
            return rows.claim(self.db, self.brain.url, what, self._micros(), CLAIM_S)
        return False  # never comes to this, but a context manager might swallow an error

    def _writing(self) -> AbstractContextManager[None]:
        return database.short_transaction(self.paths.brain_db, self.db)

    def _try(self, what: str, fetch: "Callable[[BrainClient], None]") -> None:
        from .brain.client import BrainClient

        try:
            shown = self.waiting(f"Asking {self.brain.source}")
            with shown, BrainClient(self.brain, self.limit_s, REQUESTS) as client:
                fetch(client)
        except BrainUnavailable as error:
            self.has_failed = True
            ask, why = self._ask(what), self.redact(error.message)
            failed = replace(ask, claimed_at=None, asked_at=self._micros(), failures=ask.failures + 1, why=why)
            with self._writing():
                rows.write_ask(self.db, failed)

    # what -------------------------------------------------------------------------------------------------------------

    def _fetch_feed(self, client: "BrainClient") -> None:
        from .brain.feed import read_feed

        self._keep_feed(client, read_feed(client, self.clock()).entries)

    def _keep_feed(self, client: "BrainClient", entries: Sequence[Entry]) -> str:
        """Keep the fleet's feed, with the alert that is in force; the digest of what is in it.

        It is made ready again even where nothing changed: how long each entry counts did.
        """
        from .brain.feed import read_signal
        from .core.feedanswer import FeedAnswer

        now = self.clock()
        alert = read_signal(client, now)
        found = [*([alert] if alert else []), *(one for one in entries if alert is None or one.id != alert.id)]
        digest = FeedAnswer(tuple(entries), "", "").digest
        with self._writing():
            rows.write_entries(self.db, self.brain.url, FEED, self._clean_entries(found, now))
            rows.write_ask(self.db, self._good(FEED, "", digest, {}))
        self.changed.add("*")
        return digest

    def _fetch_project(self, client: "BrainClient", project: KnownProject, what: str) -> None:
        from .attribution import Attribution
        from .brain.feed import read_feed
        from .sources import KernelSource

        now = self.clock()
        answer = read_feed(client, now, (project.name, project.key))
        attribution = Attribution(self.db, self.ready, self.resolver)
        if answer.is_scoped:
            self._keep_own(project, KernelSource(client, answer, attribution, project).tell(now), answer.digest)
            self._keep_feed(client, read_feed(client, now).entries)
        else:
            self._keep_vault(client, project, answer, attribution)
        with self._writing():
            rows.write_ask(self.db, replace(self._ask(what), claimed_at=None))

    def _keep_own(self, project: KnownProject, told: "Told", digest: str) -> None:
        """Keep what a kernel that knows projects told of one."""
        number = str(project.ids[0])
        self._keep({project.key: told.pieces.get(project.key, [])})
        self.changed.add(project.key)
        with self._writing():
            rows.write_entries(self.db, self.brain.url, number, self._clean_entries(told.entries, self.clock()))
            rows.write_ask(self.db, self._good(number, KERNEL, digest, told.left_out))

    def _keep_vault(
        self, client: "BrainClient", project: KnownProject, feed: "FeedAnswer", attribution: "Attribution"
    ) -> None:
        """Keep what the vault tells of all projects, but for those of which the kernel told itself."""
        from .sources import VaultSource

        with self._writing():  # what the kernel said of this project alone, when it still knew it
            rows.write_entries(self.db, self.brain.url, str(project.ids[0]), ())
            rows.write_ask(self.db, Ask(self.brain.url, str(project.ids[0])))
        digest = self._keep_feed(client, feed.entries)
        told = VaultSource(client, feed, attribution, self.settings).tell(self.clock())
        known = [one for one in self.resolver.catalogue.projects if one.ids]
        known = [one for one in known if self._ask(str(one.ids[0])).source != KERNEL]
        self._keep({one.key: told.pieces.get(one.key, []) for one in known})
        with self._writing():
            rows.write_ask(self.db, self._good(VAULT, VAULT, digest, told.left_out))

    def _good(self, what: str, source: str, digest: str, left_out: Mapping[str, int]) -> Ask:
        now = self._micros()
        return Ask(self.brain.url, what, source, None, now, now, 0, None, digest, left_out)

    def _keep(self, told: Mapping[str, Sequence[Piece]]) -> None:
        """Keep the pieces of these projects in the place of those from before."""
        from .sources import limit_pieces

        for key, pieces in told.items():
            project = self.resolver.catalogue.by_key(key)
            if project is None or self._is_excluded(project):
                continue
            clean = {one.letters: clean_piece(one, self.redact) for one in limit_pieces(pieces, self.clock())}
            with self._writing():
                forgotten = Forgotten(self.db)
                own = [one for _, one in sorted(clean.items()) if not forgotten.holds_piece(one)]
                kept = [replace(one, text=forgotten.told.without(one.text)) for one in own]
                if kept == rows.list_pieces(self.db, self.brain.url, project.ids):
                    continue
                self.changed.add(key)
                for number in project.ids[1:]:
                    rows.write_pieces(self.db, self.brain.url, number, ())
                rows.write_pieces(self.db, self.brain.url, project.ids[0], kept)

    def _is_excluded(self, project: KnownProject) -> bool:
        return any(project.answers_to(name) for name in self.resolver.config.exclude_projects)

    def _clean_entries(self, entries: Sequence[Entry], now: datetime) -> list[Entry]:
        """The entries without secrets, without what was forgotten, and without an intent of long ago."""
        from .core.scope import INTENT_IDS
        from .sources import stamp_of

        forgotten = Forgotten(self.db)
        found = []
        for entry in entries:
            stamp = stamp_of(entry.content) if entry.id.lower() in INTENT_IDS else None
            if stamp is not None and (now - stamp).total_seconds() > OLD_INTENT_S:
                continue
            clean = entry_without(clean_entry(entry, self.redact), forgotten.pieces, forgotten.told)
            found += [clean] if clean else []
        return found
