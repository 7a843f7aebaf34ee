"""What the reader of a rollout remembers between two lines, and how that is written down and taken up again.

All of it is plain JSON, small whatever the length of the rollout, and free of anything that was said: of a pending call
only the tool's name is kept, since this is stored beside the transcript's position without passing through redaction.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ...core.events import Outcome, SessionFacts
from ..factstate import facts_from_state, facts_to_state

PENDING_KEPT = 512
"""Calls without a result that are remembered. A turn makes dozens at once; what never ended must not pile up."""


@dataclass(slots=True)
class PendingCall:
    """A call whose result has not come yet. verdict: how it ended, as an event said before the result came."""

    tool: str
    is_search: bool = False
    is_echo: bool = False
    verdict: str | None = None


@dataclass(slots=True)
class Progress:
    """Where the reader is.

    own_id: this thread's id. is_copied: the lines so far were copied from the thread this one was forked from; the
    three members after it serve to see where that ends (`history.begins_own_part`). is_imported: in a turn that was
    imported from another agent. cwd: the latest folder. moved_to: a folder no event has told of yet.
    is_abort_told: the item that tells of an interruption has been read, its event not yet.
    """

    lines: int = 0
    own_id: str | None = None
    agent_path: str | None = None
    is_copied: bool = False
    own_from_ordinal: int | None = None
    has_turn_ids: bool = False
    forked_at: str | None = None
    is_imported: bool = False
    cwd: str | None = None
    moved_to: str | None = None
    is_abort_told: bool = False
    pending: dict[str, PendingCall] = field(default_factory=dict)

    def await_result(self, call_id: str, call: PendingCall) -> None:
        """Remember a call until its result comes; the oldest is forgotten when there are too many."""
        self.pending[call_id] = call
        if len(self.pending) > PENDING_KEPT:
            del self.pending[next(iter(self.pending))]

    def judge(self, call_id: object, verdict: Outcome | None) -> None:
        """Note what an event says of how a pending call ended."""
        if verdict is not None and isinstance(call_id, str) and call_id in self.pending:
            self.pending[call_id].verdict = verdict.value


def dump_state(progress: Progress, facts: SessionFacts) -> dict[str, Any]:
    """Both as plain JSON."""
    return {"progress": asdict(progress), "facts": facts_to_state(facts)}


def load_state(state: Mapping[str, Any]) -> tuple[Progress, SessionFacts]:
    """What `dump_state` wrote."""
    progress = Progress(**state["progress"])
    progress.pending = {call_id: PendingCall(**call) for call_id, call in state["progress"]["pending"].items()}
    return progress, facts_from_state(state["facts"])
