"""Which signals of agents are in force: a later one of severity `resolved` retires them, and so does time."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal as an agent wrote it. attributes: of its marker. code: of its record."""

    code: int
    address: str
    text: str
    at: datetime | None
    session_id: str
    attributes: Mapping[str, str]

    @property
    def severity(self) -> str:
        """How urgent it is; info where its marker does not say."""
        return (self.attributes.get("severity") or "info").lower()


def signals_in_force(signals: Iterable[Signal], now: datetime, stale_days: int) -> list[Signal]:
    """The signals that are to be delivered, the newest first.

    A `resolved` one retires the earlier ones that have its title, or, where it has none, its source; with neither, the
    earlier ones of its own session. Itself it is delivered as any other until it is stale.
    """
    limit = now - timedelta(days=max(stale_days, 0))
    resolved: list[Signal] = []
    found = []
    for signal in sorted(signals, key=lambda one: (one.at or limit, one.code), reverse=True):
        if signal.at is None or signal.at < limit:
            continue
        if not any(_retires(later, signal) for later in resolved):
            found.append(signal)
        if signal.severity == "resolved":
            resolved.append(signal)
    return found


def _retires(later: Signal, signal: Signal) -> bool:
    if signal.severity == "resolved":
        return False
    for name in ("title", "source"):
        if later.attributes.get(name):
            return later.attributes[name] == signal.attributes.get(name)
    return later.session_id == signal.session_id
