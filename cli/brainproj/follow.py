"""Following transcripts as they are written: file events at once, and a sweep every minute for what they miss.

Every reading is the one that `backfill` makes, of the files that changed: complete lines only, one writer, events and
position in one transaction. So a follower that is killed loses nothing, and one that starts first reads what was
written meanwhile. A file that was replaced, cut short, renamed or moved to an archive is what it is to any reading.
"""

import contextlib
import fcntl
import json
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from .agents.registry import ADAPTERS, agent_home
from .config import Config, read_config
from .core.times import render_time
from .errors import BrainError, ConfigMalformed, DiskFull, Refused, StoreLocked
from .files import write_whole
from .ingest import Ingest
from .paths import Paths
from .reports import Report, Wanted
from .store.database import open_store

SWEEP_S = 60.0
"""Events get lost (a full queue, a network folder), and new homes appear: so often everything is looked at."""
DEBOUNCE_MS = 400
"""At most so long are changes gathered; agents write a message in several lines."""
STEP_MS = 100
WAKE_MS = 1000
RETRY_S = 0.25
"""After so long what somebody else was reading is tried again."""
KEPT_LAGS = 200
STATE_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reading did. lag_s: from the last write to when it could be found; None for a sweep."""

    report: Report
    paths: tuple[str, ...]
    lag_s: float | None


@dataclass(slots=True)
class Follower:
    """Reads what grows until it is stopped. `tell`: called with every reading that found something."""

    paths: Paths
    stop: threading.Event
    tell: Callable[[Reading], None]
    warn: Callable[[str], None]
    pending: set[tuple[str, str]] = field(default_factory=set)
    lags: "deque[float]" = field(default_factory=lambda: deque(maxlen=KEPT_LAGS))
    readings: int = 0
    swept_at: float = 0.0
    _started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    _told_at: float = 0.0
    _config: Config = field(default_factory=Config)
    _warned: str = ""

    def run(self) -> None:
        """Follow until `stop` is set. Raises Refused where another one does, StoreUnusable for a newer store."""
        with _alone(self.paths):
            from .brainloop import BrainLoop  # dear to import, and `status` asks this module for less

            BrainLoop(self.paths, self.stop, self.warn).start()
            self._read(None)
            while not self.stop.is_set():
                folders = self.folders()
                self.swept_at = 0.0  # what was written until the watch began is found by the first look after it
                for changed in self._changes(folders):
                    self.pending |= {one for path in changed if (one := _transcript_at(path))}
                    while self.pending and not self.stop.is_set() and not self._read(set(self.pending)):
                        self.stop.wait(RETRY_S)
                    if time.monotonic() - self.swept_at > SWEEP_S:
                        self._read(None)
                        if self.folders() != folders:  # an agent was installed meanwhile
                            break
            self._write_state(is_last=True)

    def folders(self) -> list[Path]:
        """What is watched: every folder of transcripts that is there."""
        found = [
            folder
            for adapter in ADAPTERS
            if adapter.name not in self._config.exclude_agents
            for folder in adapter.watched_folders(agent_home(self.paths, adapter.name))
        ]
        return [folder for folder in found if folder.is_dir()]

    def _changes(self, folders: list[Path]) -> Iterator[list[str]]:
        """The paths that changed, again and again; empty lists where for a while nothing did."""
        from watchfiles import Change, watch

        if not folders:
            while not self.stop.wait(WAKE_MS / 1000):
                yield []
            return
        try:
            for changes in watch(
                *folders,
                watch_filter=None,
                debounce=DEBOUNCE_MS,
                step=STEP_MS,
                stop_event=self.stop,
                rust_timeout=WAKE_MS,
                yield_on_timeout=True,
                raise_interrupt=True,
                ignore_permission_denied=True,
            ):
                yield [path for change, path in changes if change is not Change.deleted]
        except (OSError, RuntimeError) as error:  # no more watches: the sweep goes on
            self._warn_once(f"files cannot be watched ({error}); they are looked at every {SWEEP_S:.0f} seconds")
            while not self.stop.wait(WAKE_MS / 1000):
                yield []

    def _read(self, wanted: set[tuple[str, str]] | None) -> bool:
        """Read these transcripts, or all that are new; False while somebody else reads."""
        if wanted is None:
            self.swept_at = time.monotonic()
        try:
            with contextlib.suppress(ConfigMalformed):  # what it said before counts until it is mended
                self._config = read_config(self.paths.config_path)
            asked = Wanted() if wanted is None else Wanted(transcripts=tuple(sorted(wanted)))
            with contextlib.closing(open_store(self.paths.brain_db)) as db:
                report = Ingest(self.paths, self._config, db, None, datetime.now(UTC), lock_wait_s=0.0).run(asked)
        except StoreLocked:
            if wanted is None:
                self.swept_at = 0.0
            return False
        except DiskFull as error:
            self._warn_once(error.message)
            self.pending -= wanted or set()
            return True
        self._warned = ""
        self._note(report, wanted)
        return True

    def _note(self, report: Report, wanted: set[tuple[str, str]] | None) -> None:
        lag = None
        if wanted is not None:
            self.pending -= wanted
            written = [at for _, path in wanted if (at := _written_at(path)) is not None]
            if report.events and written:
                lag = max(time.time() - max(written), 0.0)
                self.lags.append(lag)
        for problem in report.problems:
            self.warn(problem)
        if report.events or report.gaps or report.bad_lines:
            self.readings += 1
            self.tell(Reading(report, tuple(path for _, path in wanted or ()), lag))
        if time.monotonic() - self._told_at > STATE_EVERY_S:
            self._write_state()

    def _write_state(self, *, is_last: bool = False) -> None:
        self._told_at = time.monotonic()
        state = {
            "pid": None if is_last else os.getpid(),
            "started_at": render_time(self._started_at),
            "seen_at": render_time(datetime.now(UTC)),
            "readings": self.readings,
            "lag_s": {"p50": percentile(self.lags, 0.5), "p95": percentile(self.lags, 0.95), "of": len(self.lags)},
        }
        with contextlib.suppress(BrainError):
            write_whole(self.paths.watch_state, (json.dumps(state) + "\n").encode())

    def _warn_once(self, text: str) -> None:
        if text != self._warned:
            self._warned = text
            self.warn(text)


def _transcript_at(path: str) -> tuple[str, str] | None:
    """(agent, path) of a transcript; None for any other file."""
    for adapter in ADAPTERS:
        if adapter.find_transcript(path) is not None:
            return adapter.name, path
    return None


def _written_at(path: str) -> float | None:
    try:
        return Path(path).stat().st_mtime
    except OSError:
        return None


def percentile(values: Iterable[float], share: float) -> float | None:
    """The value that this share of them does not exceed; None of none."""
    ordered = sorted(values)
    return round(ordered[min(int(len(ordered) * share), len(ordered) - 1)], 3) if ordered else None


@contextlib.contextmanager
def _alone(paths: Paths) -> Iterator[None]:
    """Be the one follower. Raises Refused while another one runs."""
    paths.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(paths.watch_lock, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise Refused("another `brainproj watch` runs", hint="see `brainproj status`") from None
    try:
        yield
    finally:
        os.close(descriptor)


@dataclass(frozen=True, slots=True)
class FollowerState:
    """What a follower told of itself last. is_running: whether one holds the lock now."""

    is_running: bool
    seen_at: str | None
    readings: int
    lag_p50_s: float | None
    lag_p95_s: float | None

    def value(self) -> dict[str, object]:
        """As JSON."""
        return {
            "running": self.is_running,
            "seen_at": self.seen_at,
            "readings": self.readings,
            "lag_p50_s": self.lag_p50_s,
            "lag_p95_s": self.lag_p95_s,
        }


def read_follower_state(paths: Paths) -> FollowerState | None:
    """How the follower is; None where none ever ran here."""
    try:
        state = json.loads(paths.watch_state.read_bytes())
        lag = state["lag_s"]
        return FollowerState(
            _is_held(paths.watch_lock), state["seen_at"], int(state["readings"]), lag["p50"], lag["p95"]
        )
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def _is_held(lock: Path) -> bool:
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
