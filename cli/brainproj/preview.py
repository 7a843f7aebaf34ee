"""What a session would be given, piece by piece with the reason: the verb behind `brainproj preview`.

It refreshes what is ready, in the foreground, and then asks the hook's own function what to reply, so the text is the
hook's by construction.
"""

import contextlib
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from .brainstate import SourceState, source_state
from .brainwork import BrainWork
from .config import Scope
from .core.block import Block, BlockItem
from .core.catalogue import KnownProject
from .core.project import Resolution
from .core.times import from_micros, render_time, to_micros
from .core.tokens import estimate_tokens
from .errors import StoreUnusable
from .hooks import reply
from .refresh import Refresh
from .store.items import Item, list_items
from .store.seen import SeenSession, list_delivered


class Moment(StrEnum):
    """When a hook runs."""

    START = "start"
    RESUME = "resume"
    CLEAR = "clear"
    COMPACT = "compact"
    FORK = "fork"
    PROMPT = "prompt"
    TOOL = "tool"
    TOOL_FAILED = "tool_failed"
    SUBAGENT_START = "subagent_start"
    STOP = "stop"
    SUBAGENT_STOP = "subagent_stop"
    BEFORE_COMPACT = "before_compact"
    END = "end"


@dataclass(frozen=True, slots=True)
class Reason:
    """A thing that was delivered or withheld, and why."""

    id: str
    kind: str
    title: str
    why: str

    def value(self) -> dict[str, str]:
        return {"id": self.id, "kind": self.kind, "title": self.title, "why": self.why}


@dataclass(frozen=True, slots=True)
class Given:
    """What a running session was given already."""

    at: datetime | None
    moment: str
    what: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The exact context of a session at a moment. `block` is None where none is given then."""

    resolution: Resolution
    project: KnownProject | None
    scope: Scope
    moment: Moment
    context: str
    block: Block | None
    delivered: tuple[Reason, ...]
    withheld: tuple[Reason, ...]
    given: tuple[Given, ...]
    sources: tuple[SourceState, ...]
    budget_bytes: int

    def value(self) -> dict[str, object]:
        """The document of `preview --json`."""
        identity = self.resolution.identity
        return {
            "project": identity.value() if identity else None,
            "scope": self.scope.value,
            "moment": self.moment.value,
            "context": self.context,
            "block": self.block.text if self.block else None,
            "bytes": len(self.context.encode("utf-8")),
            "tokens": estimate_tokens(self.context),
            "delivered": [reason.value() for reason in self.delivered],
            "withheld": [reason.value() for reason in self.withheld],
            "left_out": self.block.left_out if self.block else 0,
            "sources": [one.value() for one in self.sources],
            "given": [{"at": render_time(one.at), "moment": one.moment, "what": one.what} for one in self.given],
        }


@dataclass(frozen=True, slots=True)
class Asked:
    """Which session is asked about. session: one that hooks saw; None for one that would start in a folder."""

    resolution: Resolution
    project: KnownProject | None
    scope: Scope
    moment: Moment
    session: SeenSession | None = None
    swarm: str = ""


def preview(refresh: Refresh, asked: Asked, brain: BrainWork | None = None) -> Preview:
    """What the session would be given at the moment. brain: asked first, where that is due."""
    now = to_micros(refresh.now) or 0
    if brain is not None:
        with contextlib.suppress(StoreUnusable, sqlite3.Error):  # a store that cannot be written is shown as it is
            brain.ask([asked.project] if asked.project else [])
    block = refresh.project(asked.project, asked.swarm) if asked.project else None
    refresh.fleet()
    key = asked.project.key if asked.project else ""
    said = reply.choose(
        refresh.ready, _told(asked, now), asked.moment.value, key, asked.scope.value, now, swarm=asked.swarm
    )
    items = list_items(refresh.ready, key)
    is_given = said.block is not None
    delivered = (
        [_delivered(item, asked.project) for item in block.items] if block and is_given and asked.project else []
    )
    chosen = {item[reply.HASH] for item in said.items}
    recaps = [item for item in said.items if item[reply.KIND] == "recap"]
    delivered += [Reason("recap", "recap", "this session's own", item[reply.WHY]) for item in recaps]
    delivered += [_reason(item, _why_given(item, asked)) for item in items if item.hash in chosen]
    return Preview(
        resolution=asked.resolution,
        project=asked.project,
        scope=asked.scope,
        moment=asked.moment,
        context=said.context(),
        block=block if is_given else None,
        delivered=tuple(delivered),
        withheld=tuple(_withheld(asked, items, is_given)),
        given=_given(refresh.ready, asked.session),
        sources=_sources(refresh, asked.project, brain.environment if brain else {}),
        budget_bytes=refresh.settings.budget_bytes,
    )


def _why_given(item: Item, asked: Asked) -> str:
    """Why a session is given an entry: its own reason where strict would let it pass, else the scope's."""
    key = asked.project.key if asked.project else ""
    if item.kind != "entry" or item.strict in ("*", key):
        return item.why
    if not key:
        return "a session without a project is given the whole feed"
    return "in scope rank the fleet's memory follows the block" if asked.scope is Scope.RANK else "scope is off"


def _told(asked: Asked, now: int) -> reply.Told:
    """What the session had. One that is only imagined was told all that there is, when it started just now."""
    session = asked.session
    if session is not None:
        return reply.Told(
            session.agent, session.session_id, session.agent_id, session.epoch, session.told_at, session.told
        )
    return reply.Told("claude", "", told_at=None if asked.moment.value in (*reply.WITH_BLOCK, "resume") else now)


def _withheld(asked: Asked, items: list[Item], is_given: bool) -> list[Reason]:
    """What this session does not get in its scope, or at this moment."""
    found = []
    if asked.project is not None and not is_given:
        found.append(Reason("block", "block", f"the memory of {asked.project.name}", _why_no_block(asked, items)))
    key = asked.project.key if asked.project else ""
    for item in items:
        verdict = {"strict": item.strict, "rank": item.ranked, "off": item.off}[asked.scope.value if key else "off"]
        if item.kind == "entry" and verdict not in ("*", key):
            found.append(_reason(item, item.why))
    return found


def _why_no_block(asked: Asked, items: list[Item]) -> str:
    block = next((item for item in items if item.kind == "block"), None)
    if block is not None and block.strict is None:
        return block.why
    if asked.scope is Scope.OFF:
        return "scope is off: no session gets its project's block"
    if asked.session is not None and asked.session.told_at is not None:
        return "this session has it"
    return f"the block is given when a session starts, not at {asked.moment.value}"


def _given(ready: sqlite3.Connection, session: SeenSession | None) -> tuple[Given, ...]:
    if session is None:
        return ()
    rows = list_delivered(ready, session.agent, session.session_id)
    return tuple(
        Given(from_micros(row.at), row.moment, row.id or "something that is out of date by now") for row in rows
    )


def _sources(refresh: Refresh, project: KnownProject | None, environment: Mapping[str, str]) -> tuple[SourceState, ...]:
    """Where the memory is from: this store, and the brain in use."""
    local = SourceState("local", "fresh" if _has_transcripts(refresh.db) else "never", 0)
    told = source_state(refresh.db, refresh.config, project, datetime.now(UTC), environment)
    return (local, told) if told else (local,)


def _has_transcripts(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM transcripts LIMIT 1").fetchone() is not None


def _reason(item: Item, why: str) -> Reason:
    return Reason(item.id, _kind(item), item.title, why)


KINDS = (
    ("hot-arcs", "arcs"),
    ("lessons", "lessons"),
    ("intent", "intent"),
    ("operator-intent", "intent"),
    ("rec:", "signal"),
)
"""How the id of an entry begins, and what it is."""


def _kind(item: Item) -> str:
    """What a person calls it."""
    if item.kind == "record":
        return item.heading.rstrip("s:").lower()
    return next((kind for beginning, kind in KINDS if item.id.startswith(beginning)), item.kind)


def _delivered(item: BlockItem, project: KnownProject) -> Reason:
    return Reason(item.address, item.kind, item.title, f"of {project.name}, and it fits the budget")
