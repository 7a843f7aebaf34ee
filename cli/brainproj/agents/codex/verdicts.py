"""How a call ended, as the front end was told: an event beside the call's output, or the item an event wraps.

It only counts where the output itself does not say (formats/transcripts.md 2.9): an output knows the exit code, and for
a search that found nothing the event says `failed` all the same.
"""

from collections.abc import Mapping
from typing import Any

from ...core.events import Outcome
from .outcomes import CANCELLATIONS, DENIALS
from .wire import as_object, as_text

STATUSES = {"declined": Outcome.DENIED, "failed": Outcome.FAILED}


def read_verdict(event: Mapping[str, Any]) -> Outcome | None:
    """What an event or turn item says of its call; None where it says nothing against it."""
    result = as_object(event.get("result"))
    error = as_text(result.get("Err")) or as_text(as_object(event.get("error")).get("message"))
    if error:
        if error.startswith(DENIALS):
            return Outcome.DENIED
        return Outcome.CANCELLED if error.startswith(CANCELLATIONS) else Outcome.FAILED
    status = as_text(event.get("status"))
    if status in STATUSES:
        return STATUSES[status]
    has_failed = event.get("success") is False or "Err" in result
    answer = as_object(result.get("Ok")) or result
    return Outcome.FAILED if has_failed or answer.get("isError") is True else None
