"""Our own home: who may read it, on what kind of disk it lies, whether there is room, what the logs say."""

import re
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from shlex import quote

from ..core.text import counted
from ..core.times import parse_time, to_micros
from ..launcher import write_launcher
from ..locks import FREE_BYTES_NEEDED
from ..paths import Paths
from ..spool import take_spool
from ..store import publish, ready
from ..store.database import free_bytes
from .findings import Finding, Severity

NETWORK = frozenset({
    "nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afs", "ceph", "glusterfs", "lustre", "beegfs", "fuse.sshfs",
    "fuse.rclone", "9p", "drvfs", "afpfs", "webdav",
})  # fmt: skip
"""Kinds of file systems on which SQLite's write-ahead log does not work or is not safe (https://sqlite.org/wal.html)."""
MOUNTS = Path("/proc/self/mounts")
LOG_AGE = timedelta(days=7)
OLD_SPOOL = timedelta(hours=1)
TOO_OPEN = 0o077


def check_home(paths: Paths, now: datetime, *, is_installed: bool) -> list[Finding]:
    """Findings about our home; none where there is no home yet."""
    if not paths.home.is_dir():
        return _check_space(paths)
    return [
        *_check_access(paths),
        *_check_disk(paths, file_system_of(paths.home, _read_mounts())),
        *_check_space(paths),
        *_check_logs(paths, now),
        *_check_spool(paths, now),
        *_check_ready(paths, is_installed=is_installed),
        *(_check_launcher(paths) if is_installed else []),
    ]


def _check_access(paths: Paths) -> list[Finding]:
    try:
        mode = paths.home.stat().st_mode
    except OSError:
        return []
    if not mode & TOO_OPEN:
        return []
    what = f"others may look into {paths.home}, which holds what was said in your sessions"
    return [
        Finding(
            "home-open", Severity.WARNING, what, f"chmod 700 {quote(str(paths.home))}", lambda: paths.home.chmod(0o700)
        )
    ]


def _check_disk(paths: Paths, kind: str | None) -> list[Finding]:
    found = []
    home = quote(str(paths.home))
    if kind in NETWORK:
        what = f"{paths.home} lies on a network file system ({kind}), where SQLite cannot share its log safely"
        remedy = f"mv {home} /var/tmp/brainproj && export BRAINPROJ_HOME=/var/tmp/brainproj"
        found.append(Finding("network-file-system", Severity.ERROR, what, remedy))
    return found


def _check_space(paths: Paths) -> list[Finding]:
    free = free_bytes(paths.home)
    if free >= FREE_BYTES_NEEDED:
        return []
    what = f"only {free / 1e6:,.0f} MB are free where {paths.home} is; reading stops below 500 MB"
    return [Finding("little-space", Severity.ERROR, what, f"df -h {quote(str(paths.home.parent))}")]


def _read_mounts() -> str:
    try:
        return MOUNTS.read_text("utf-8", "replace")
    except OSError:
        return ""


def file_system_of(path: Path, mounts: str) -> str | None:
    """The kind of file system that a path lies on, by the lines of /proc/self/mounts; None where they do not say."""
    real, best, kind = str(path.resolve()), "", None
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), fields[1])
        if (real == point or real.startswith(point.rstrip("/") + "/")) and len(point) >= len(best):
            best, kind = point, fields[2]
    return kind


def _check_logs(paths: Paths, now: datetime) -> list[Finding]:
    found = []
    for log in (paths.log_path, paths.log_path.with_name("hook.log")):
        lines = recent_lines(log, now - LOG_AGE)
        if lines:
            what = f"{counted(len(lines), 'entry', 'entries')} of the last seven days in {log}, the last: {lines[-1]}"
            found.append(Finding("log-entries", Severity.NOTE, what, f"tail {quote(str(log))}"))
    return found


def recent_lines(log: Path, since: datetime) -> list[str]:
    """The lines of a log that begin with a time after `since`, without it."""
    try:
        text = log.read_text("utf-8", "replace")
    except OSError:
        return []
    lines = []
    for line in text.splitlines():
        stamp, _, said = line.partition(" ")
        at = parse_time(stamp) if stamp[:2] == "20" else None
        if at is not None and at >= since and said:
            lines.append(said)
    return lines


def _check_spool(paths: Paths, now: datetime) -> list[Finding]:
    try:
        at = datetime.fromtimestamp(paths.spool_path.stat().st_mtime, UTC)
    except OSError:
        return []
    if now - at < OLD_SPOOL:
        return []
    what = f"what hooks could not write down waits in {paths.spool_path} since {at:%Y-%m-%d %H:%M}"
    fix = partial(_take_spool, paths, to_micros(now) or 0)
    return [Finding("spool-waits", Severity.WARNING, what, "brainproj doctor --fix", fix)]


def _take_spool(paths: Paths, now: int) -> None:
    db = publish.open_ready(paths.ready_db)
    if db is not None:
        take_spool(paths.spool_path, db, now)
        db.close()


def _check_ready(paths: Paths, *, is_installed: bool) -> list[Finding]:
    if not (paths.ready_db.exists() or (is_installed and paths.brain_db.exists())):  # the first that needs it makes it
        return []
    try:
        ready.connect(str(paths.ready_db), 1.0).close()
    except ready.ReadyUnusable as error:
        what = f"what hooks look up cannot be used ({error}); each session gets a line instead of its memory"
        return [Finding("ready-unusable", Severity.ERROR, what, "brainproj doctor --fix", lambda: _make_ready(paths))]
    except Exception:  # locked just now
        return []
    return []


def _make_ready(paths: Paths) -> None:
    db = publish.open_ready(paths.ready_db)
    if db is not None:
        db.close()


def _check_launcher(paths: Paths) -> list[Finding]:
    if paths.launcher.exists() and paths.launcher.stat().st_mode & 0o100:
        return []
    what = f"the settings of agents call {paths.launcher}, and it is not there"
    return [Finding("launcher-gone", Severity.ERROR, what, "brainproj doctor --fix", lambda: _write_launcher(paths))]


def _write_launcher(paths: Paths) -> None:
    write_launcher(paths)
