"""How long ago something was, short enough for a column."""

from datetime import datetime

STEPS = ((60, "s", 1), (3600, "m", 60), (86_400, "h", 3600), (86_400 * 1000, "d", 86_400))


def render_age(moment: datetime | None, now: datetime) -> str | None:
    """`12m`, `5h`, `2d`; None where the time is not known. What lies ahead is `0s`."""
    return None if moment is None else render_seconds(max(int((now - moment).total_seconds()), 0))


def render_seconds(seconds: int) -> str:
    """So many seconds in the same words."""
    for limit, letter, size in STEPS:
        if seconds < limit:
            return f"{seconds // size}{letter}"
    return f"{seconds // (86_400 * 365)}y"
