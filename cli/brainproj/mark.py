"""Markers on their way to a brain: every one of a session that hooks saw, once, in the order in which they were said.

Queued in the store after each reading, so a kill, a full disk or a brain that is away for a week lose none; sent one at
a time, since a kernel loses what comes at once (formats/kernel.md 4). What is delivered is told by the answer to that
one marker; what the kernel refuses is set aside with its reason, and those behind it go on.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from .asking import wait_s
from .core.brain import Brain
from .core.catalogue import Catalogue
from .core.marking import Origin, idempotency_key, make_body
from .core.records import Status
from .core.text import clip
from .core.times import from_micros, render_time, to_micros
from .errors import BrainUnavailable, StoreLocked
from .locks import locked
from .paths import Paths
from .store import database, outbox
from .store.brain import OUTBOX, Ask, read_ask, write_ask
from .store.outbox import Waiting
from .store.seen import list_seen

if TYPE_CHECKING:
    from .brain.client import BrainClient

BEFORE = timedelta(hours=1)
"""A session that went on so shortly before a brain was first known here is not an old one."""
TRIES = 8
"""After so many answers that are no answer to one marker it is set aside: it must not hold up the others for ever."""
RUN_S = 10.0
"""Seconds that one run sends for; the rest goes the next time."""
RUN_REQUESTS = 500
WHY_LETTERS = 300
FIRST_WAIT_S = 5
"""As often as `watch` looks."""


@dataclass(slots=True)
class Outbox:
    """The outbox of one store. ready: what hooks saw. clock: time passes while a brain answers."""

    paths: Paths
    db: sqlite3.Connection
    ready: sqlite3.Connection | None
    catalogue: Catalogue
    redact: Callable[[str], str]
    with_paths: bool
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    _names: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def gather(self) -> None:
        """Queue the markers of the sessions that hooks saw since a brain is known here."""
        found = outbox.list_unqueued(self.db, self._sessions())
        now = self._micros()
        if found:
            with self._writing():
                outbox.drop_orphans(self.db)
                for one in found:
                    key = idempotency_key(one.session_id, one.kind, one.text)
                    state, why = self._first_state(one.kind, json.loads(one.attributes), key)
                    outbox.add(self.db, one.code, key, state, now, why)

    def deliver(self, brain: Brain) -> None:
        """Send what waits, until nothing does, the brain fails, or RUN_S are over.

        Another process that sends already is left to it.
        """
        if outbox.next_waiting(self.db) is None or not self._is_due(brain):
            return
        from .brain.client import BrainClient

        try:
            limit_s = RUN_S + 2 * brain.timeout_s  # for the last one too
            with locked(self.paths.outbox_lock, 0.0), BrainClient(brain, limit_s, RUN_REQUESTS) as client:
                self._deliver_all(client, brain)
        except StoreLocked:
            pass
        except BrainUnavailable as error:
            self._note(brain, error.message)

    def _deliver_all(self, client: "BrainClient", brain: Brain) -> None:
        """Send one after the other. Raises BrainUnavailable.

        One that the brain failed to take again and again holds up the others no longer: the next is tried, and where it
        is taken the fault was the first one's own.
        """
        suspect: Waiting | None = None
        deadline = time.monotonic() + RUN_S
        while time.monotonic() < deadline:
            one = outbox.next_waiting(self.db, after=suspect.id if suspect else 0)
            if one is None:
                break
            why = self._send(client, brain, one)
            if why is None:
                if suspect is not None:
                    self._finish(suspect, outbox.REFUSED, brain, suspect.why)
                    suspect = None
                continue
            with self._writing():
                outbox.count_try(self.db, one.id, why)
            if suspect is not None or one.tries + 1 < TRIES:
                self._note(brain, why)
                return
            suspect = replace(one, why=why)
        self._note(brain, suspect.why if suspect else None)

    # one marker -----------------------------------------------------------------------------------------------------

    def _send(self, client: "BrainClient", brain: Brain, one: Waiting) -> str | None:
        """Send one; None when it is done with, else why it is not. Raises BrainUnavailable."""
        from .brain.markers import Fate, send_marker

        if one.status in (Status.REJECTED, Status.RETIRED):
            self._finish(one, outbox.WITHHELD, brain, f"a person {one.status} it before it was sent")
            return None
        sent = send_marker(client, self._body(one), one.key)
        why = clip(self.redact(sent.why), WHY_LETTERS)
        match sent.fate:
            case Fate.DELIVERED:
                self._finish(one, outbox.DELIVERED, brain, None, clip(self.redact(sent.path), WHY_LETTERS))
            case Fate.REFUSED:
                self._finish(one, outbox.REFUSED, brain, why)
            case Fate.FAILED:
                return why
        return None

    def _body(self, one: Waiting) -> dict[str, object]:
        project = self.catalogue.by_id(one.project)
        origin = Origin(
            session_id=one.session_id,
            agent_id=one.agent_id,
            agent=one.agent,
            source=self._source(one),
            project=project.name if project else None,
            project_key=project.key if project else None,
            remote=project.remote if project else None,
            worktree=one.worktree,
            branch=one.branch,
            cwd=one.cwd,
            said_at=render_time(from_micros(one.at)),
        )
        body = make_body(one.kind, one.text, json.loads(one.attributes), origin, with_paths=self.with_paths)
        attributes = body["attrs"]
        assert isinstance(attributes, dict)
        clean = {name: self.redact(str(value)) for name, value in attributes.items()}
        return {**body, "content": self.redact(str(body["content"])), "attrs": clean}

    def _first_state(self, kind: str, attributes: Mapping[str, object], key: str) -> tuple[str, str | None]:
        """(state, why) of a marker that is new."""
        if outbox.has_key(self.db, key):
            return outbox.WITHHELD, "the same was said before in this session"
        if kind == "signal" and str(attributes.get("severity")).lower() == "resolved":
            return outbox.WITHHELD, "a kernel would make a new warning of a signal that is resolved"
        return outbox.WAITING, None

    def _finish(self, one: Waiting, state: str, brain: Brain, why: str | None, path: str = "") -> None:
        with self._writing():
            outbox.finish(self.db, one.id, state, self._micros(), brain.url, why, path)

    # when and whose -------------------------------------------------------------------------------------------------

    def _is_due(self, brain: Brain) -> bool:
        ask = read_ask(self.db, brain.url, OUTBOX)
        if not ask.failures or ask.asked_at is None:
            return True
        return not 0 <= self._micros() - ask.asked_at < wait_s(ask.failures, FIRST_WAIT_S) * 1_000_000

    def _note(self, brain: Brain, why: str | None) -> None:
        """How sending went, for the next wait."""
        before = read_ask(self.db, brain.url, OUTBOX)
        now = self._micros()
        failures = 0 if why is None else before.failures + 1
        answered_at = now if why is None else before.answered_at
        with self._writing():
            said = self.redact(why) if why else None
            write_ask(self.db, Ask(brain.url, OUTBOX, "", None, now, answered_at, failures, said))

    def _sessions(self) -> set[tuple[str, str]]:
        """The sessions (agent, id) that went on since a brain is known here, as hooks saw or their transcripts tell.

        What was before is somebody else's to send: a history of years is no news to a fleet.
        """
        known_since = to_micros(self._since()) or 0
        since = known_since - BEFORE // timedelta(microseconds=1)
        seen = list_seen(self.ready) if self.ready is not None else []
        for one in seen:
            self._names[one.agent, one.session_id] = one.agent_name or self._names.get((one.agent, one.session_id))
        return {(one.agent, one.session_id) for one in seen if one.last_at >= since} | outbox.list_since(
            self.db, known_since
        )

    def _since(self) -> datetime:
        """Since when a brain is known here; from now on, if it was not."""
        now = self.clock()
        since = from_micros(outbox.read_since(self.db))
        if since is None or since > now:  # a clock that was ahead
            with self._writing():
                outbox.write_since(self.db, to_micros(now) or 0)
            return now
        return since

    def _source(self, one: Waiting) -> str | None:
        """The name that a fleet gave the agent."""
        if not self._names:
            self._sessions()
        return self._names.get((one.agent, one.session_id))

    def _micros(self) -> int:
        return to_micros(self.clock()) or 0

    def _writing(self) -> AbstractContextManager[None]:
        return database.short_transaction(self.paths.brain_db, self.db)
