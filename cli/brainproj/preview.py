"""What a session would be given, piece by piece with the reason: the verb behind `brainproj preview`."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from .config import Scope
from .core.block import Block, BlockItem
from .core.catalogue import KnownProject
from .core.project import Resolution
from .core.tokens import estimate_tokens
from .recall import LocalSource, RecallSettings, recall_block


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


WITH_BLOCK = frozenset((Moment.START, Moment.RESUME, Moment.CLEAR, Moment.COMPACT, Moment.FORK, Moment.SUBAGENT_START))
"""The moments at which a session that was told nothing yet gets the block (design 7)."""


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
class Preview:
    """The exact context of a session at a moment."""

    resolution: Resolution
    project: KnownProject | None
    scope: Scope
    moment: Moment
    block: Block | None
    delivered: tuple[Reason, ...]
    withheld: tuple[Reason, ...]
    source_state: str
    budget_bytes: int

    @property
    def context(self) -> str:
        """The string the session is given."""
        return self.block.text if self.block else ""

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
            "sources": [{"name": "local", "state": self.source_state, "age_s": 0}],
        }


def preview(
    db: sqlite3.Connection,
    resolution: Resolution,
    project: KnownProject | None,
    scope: Scope,
    moment: Moment,
    settings: RecallSettings,
    now: datetime,
) -> Preview:
    """What a session in this project would be given at this moment."""
    state = "fresh" if db.execute("SELECT 1 FROM transcripts LIMIT 1").fetchone() else "never"
    if project is None:
        return Preview(resolution, None, scope, moment, None, (), (), state, settings.budget_bytes)
    block = recall_block(LocalSource(db, settings.arcs_at_most), project, settings, now)
    why_not = _why_not(scope, moment)
    if why_not:
        withheld = (Reason("block", "block", f"the memory of {project.name}", why_not),)
        return Preview(resolution, project, scope, moment, None, (), withheld, state, settings.budget_bytes)
    delivered = tuple(_delivered(item, project) for item in block.items)
    return Preview(resolution, project, scope, moment, block, delivered, (), state, settings.budget_bytes)


def _why_not(scope: Scope, moment: Moment) -> str | None:
    if scope is Scope.OFF:
        return "scope is off: no session gets its project's block"
    if moment not in WITH_BLOCK:
        return f"the block is given when a session starts, not at {moment.value}"
    return None


def _delivered(item: BlockItem, project: KnownProject) -> Reason:
    return Reason(item.address, item.kind, item.title, f"of {project.name}, and it fits the budget")
