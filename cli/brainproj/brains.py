"""Which brain there is: by the environment of this process, else by config.toml; and which one's memory counts.

A brain is asked by whoever knows its address. What it told counts for every session on this machine, also for those
whose environment does not name it, until a day after it was named last: one session's setting must not decide for
another, and what nobody names any more goes by itself.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from .config import Config, SetBy
from .core.brain import Brain, NoBrain, origin_of, parse_brain
from .core.times import from_micros, to_micros
from .files import read_text_or_none
from .store.brain import drop_brains, read_named, write_named
from .store.database import transaction

TIMEOUT_S = 3.0
KEPT = timedelta(days=1)
NAMED_AGAIN = timedelta(hours=1)
NO = frozenset({"false", "0", "no", "off"})


@dataclass(frozen=True, slots=True)
class BrainSetting:
    """The brain to ask, who named it, and what is wrong with it. brain None: there is none, or `problem` says why."""

    brain: Brain | None
    set_by: SetBy
    problem: str | None = None
    is_off: bool = False

    @property
    def url(self) -> str | None:
        """Its address; None for none."""
        return self.brain.url if self.brain else None


def find_brain(config: Config, environment: Mapping[str, str], *, for_sessions: bool = False) -> BrainSetting:
    """The brain by its existing names (design 9): `BRAIN_URL`, `BRAIN_HTTP_TOKEN` else `KB_ROUTER_TOKEN`.

    for_sessions: config.toml comes first, as with all that hooks give; else the environment does, as for any command.
    """
    table = config.brain
    if not table.is_enabled or environment.get("BRAIN_ENABLED", "").strip().lower() in NO:
        return BrainSetting(None, SetBy.CONFIG, is_off=True)
    named = [
        (environment.get("BRAIN_URL", "").strip(), SetBy.ENVIRONMENT, "BRAIN_URL"),
        (table.url or "", SetBy.CONFIG, "brain.url"),
    ]
    if for_sessions:
        named.reverse()
    url, set_by, name = next((one for one in named if one[0]), ("", SetBy.DEFAULT, ""))
    if not url:
        return BrainSetting(None, SetBy.DEFAULT)
    timeout_s, problem = _timeout(table.timeout_s, environment)
    if table.token_file and read_text_or_none(Path(table.token_file).expanduser()) is None:
        problem = f"brain.token_file is {table.token_file}, which cannot be read"
    try:
        return BrainSetting(parse_brain(url, _token(config, environment, url, set_by), timeout_s), set_by, problem)
    except NoBrain as error:
        return BrainSetting(None, set_by, f"{name} {error}")


def _token(config: Config, environment: Mapping[str, str], url: str, set_by: SetBy) -> str:
    """The token for this brain: one that was given with another address is never sent to it."""
    table = config.brain
    spoken = environment.get("BRAIN_HTTP_TOKEN") or environment.get("KB_ROUTER_TOKEN") or ""
    kept = read_text_or_none(Path(table.token_file).expanduser()) if table.token_file else None
    tokens = {
        SetBy.ENVIRONMENT: (spoken, environment.get("BRAIN_URL", "").strip()),
        SetBy.CONFIG: ((kept or "").strip(), table.url or ""),
    }
    first = tokens.pop(set_by)[0]
    other, other_url = next(iter(tokens.values()))
    return first or (other if not other_url or origin_of(other_url) == origin_of(url) else "")


def _timeout(configured: float | None, environment: Mapping[str, str]) -> tuple[float, str | None]:
    default = configured or TIMEOUT_S
    text = environment.get("BRAIN_HTTP_TIMEOUT", "").strip()
    try:
        value = float(text) if text else default
    except ValueError:
        value = 0.0
    if 0 < value <= 600:
        return value, None
    return default, f"BRAIN_HTTP_TIMEOUT is {text!r} and must be a number of seconds; {default:g} is used"


def brain_in_use(db: sqlite3.Connection, config: Config, now: datetime) -> str | None:
    """The address of the brain whose memory counts here: config.toml's, else the one that was named last."""
    if not config.brain.is_enabled:
        return None
    if config.brain.url:
        try:
            return parse_brain(config.brain.url).url
        except NoBrain:
            return None
    named, at = read_named(db)
    named_at = from_micros(at)
    return named if named and named_at and now - named_at < KEPT else None


def name_brain(db: sqlite3.Connection, brain: Brain, now: datetime) -> None:
    """Note that this process knows a brain: it is the one in use, whatever was asked before. Once an hour is enough."""
    named, at = read_named(db)
    noted_at = from_micros(at)
    if named == brain.url and noted_at and timedelta(0) <= now - noted_at < NAMED_AGAIN:
        return
    with transaction(db):
        write_named(db, brain.url, to_micros(now) or 0)
        drop_brains(db, to_micros(now - KEPT) or 0)
