"""Handing one marker to a kernel, and telling whether it has it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..errors import BrainUnavailable
from .client import Answer, BrainClient

PATH = "/marker"
HEADER = "X-Idempotency-Key"
AWAY = frozenset({502, 503, 504})
"""What is said of the brain, never of one marker: it comes back."""
MALFORMED = frozenset({400, 413, 422})
"""What is said of one marker, never of the brain: another one may be taken."""
TWIN = "already exists"
"""Two signals of one name within a second: the kernel takes the second a second later (formats/kernel.md 4)."""


class Fate(StrEnum):
    """What became of a marker that was sent."""

    DELIVERED = "delivered"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Sent:
    """What a kernel said of one marker. why: where it was not delivered. path: the vault's file it stands in."""

    fate: Fate
    why: str = ""
    path: str = ""


def send_marker(client: BrainClient, body: Mapping[str, Any], key: str) -> Sent:
    """Send one. Raises BrainUnavailable where nobody answers, or the token is refused: no marker's own fault.

    Delivered is only what was answered with this marker's own `ok`, under the key that was sent with it.
    """
    answer = client.ask(lambda: client.send("POST", PATH, body=body, headers={HEADER: key}))
    if answer.status in MALFORMED:
        if TWIN in answer.said:
            return Sent(Fate.FAILED, "a signal of the same name was written within the same second")
        return Sent(Fate.REFUSED, _why(answer))
    if answer.status in AWAY:
        raise BrainUnavailable(f"{client.brain.name} takes no markers now ({_why(answer)})")
    if answer.status >= 500:
        return Sent(Fate.FAILED, _why(answer))
    value = client.checked(answer, PATH)
    if value.get("ok") is True and value.get("idempotency_key") == key and value.get("marker_type") == body["type"]:
        path = value.get("vault_path")
        return Sent(Fate.DELIVERED, path=path if isinstance(path, str) else "")
    return Sent(Fate.FAILED, "the answer does not say that this marker was written")


def _why(answer: Answer) -> str:
    return f"{answer.status}: {answer.said}" if answer.said else str(answer.status)
