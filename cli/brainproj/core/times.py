"""Moments: what agents write as a time, read to an aware UTC datetime and written back as ISO 8601 with `Z`.

A time without a zone is UTC. What cannot be understood is no time: it sorts last and never expires anything (cases/31).
On disk a moment is an integer, microseconds since 1970.
"""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECONDS_FROM = 100_000_000_000
"""A number at or above this is milliseconds: as seconds it would be after the year 5138."""
MICROSECOND = timedelta(microseconds=1)


def parse_time(value: object) -> datetime | None:
    """The moment that `value` means, or None: an ISO string, or seconds or milliseconds since 1970."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        if moment.tzinfo is None:
            return moment.replace(tzinfo=UTC)
        try:
            return moment.astimezone(UTC)
        except OverflowError:
            return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            seconds = value / 1000 if abs(value) >= MILLISECONDS_FROM else value
            return EPOCH + timedelta(seconds=seconds)
        except (OverflowError, ValueError):
            return None
    return None


def to_micros(moment: datetime | None) -> int | None:
    """Microseconds since 1970."""
    return None if moment is None else (moment - EPOCH) // MICROSECOND


def from_micros(micros: int | None) -> datetime | None:
    """The moment of so many microseconds since 1970."""
    return None if micros is None else EPOCH + timedelta(microseconds=micros)


def render_time(moment: datetime | None) -> str | None:
    """ISO 8601 in UTC with `Z`; as many digits of a second as it takes."""
    if moment is None:
        return None
    digits = "seconds" if not moment.microsecond else "microseconds" if moment.microsecond % 1000 else "milliseconds"
    return moment.astimezone(UTC).isoformat(timespec=digits).replace("+00:00", "Z")
