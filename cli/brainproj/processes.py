"""Processes of this machine: which of them live, when each began, what they hold. Asked of the system, never of a file.

On Linux all answers come from /proc. Elsewhere (macOS) `ps` tells starts; locks and open files stay unknown, and then
the answer is None and not "nobody". A newcomer's mistake: taking a living pid for the process that a record means.
Numbers are used again, so a record counts only together with the start it names.
"""

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeGuard

from .core.times import EPOCH

PROC = Path("/proc")
PID_MAX = 1 << 22
"""Linux allows no larger one, macOS stops at 99,999; beyond, the system calls overflow."""
PROCESSES_MAX = 10_000
FILES_MAX = 1_024
"""Open files looked at in one process; an agent has a few dozen."""
PS = "/bin/ps"
PS_TIMEOUT_S = 2.0
"""`ps` answers in milliseconds; a machine where it does not is better told "unknown" than made to wait."""
LOCK_KINDS = frozenset({"FLOCK", "POSIX", "OFDLCK"})
LOCK_PLACE = re.compile(r"(-?\d+) ([\da-f]+):([\da-f]+):(\d+)")
"""In a row of /proc/locks: pid, device in two hexadecimal parts, inode."""


@dataclass(frozen=True, slots=True)
class Process:
    """A living process of this user. cwd: None where it is hidden. written: files it has open for writing, if seen."""

    pid: int
    cwd: str | None
    written: tuple[str, ...]


def is_pid(value: object) -> TypeGuard[int]:
    """Whether a member of a foreign record can be the number of a process."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= PID_MAX


def list_starts(pids: Iterable[object]) -> dict[int, str | None]:
    """The living ones of `pids`, each with its start as this system writes it; None where that cannot be read.

    Linux: clock ticks since boot, field 22 of /proc/<pid>/stat. Elsewhere: the date of `ps` in UTC,
    "Wed Jul  8 10:56:27 2026". A zombie does not live. What is no pid is left out.
    """
    wanted = sorted({pid for pid in pids if is_pid(pid)})
    if not (PROC / "self" / "stat").exists():
        dates = list_starts_by_ps(wanted)
        return {pid: None for pid in wanted if _exists(pid)} if dates is None else {**dates}
    starts: dict[int, str | None] = {}
    for pid in wanted:
        start = _read_start(pid)
        if start is not None:
            starts[pid] = start
    return starts


def list_starts_by_ps(pids: Iterable[int]) -> dict[int, str] | None:
    """The living ones of `pids` with the UTC dates of their starts; None if `ps` does not answer."""
    own = os.getpid()
    wanted = ",".join(map(str, sorted({*pids, own})))
    try:
        answer = subprocess.run(  # noqa: S603  (numbers only)
            [PS, "-o", "pid=", "-o", "stat=", "-o", "lstart=", "-p", wanted],
            env={"LC_ALL": "C", "TZ": "UTC"},
            capture_output=True,
            timeout=PS_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    rows = [line.split(None, 2) for line in answer.stdout.decode("ascii", "replace").splitlines()]
    states = {int(row[0]): (row[1], row[2].strip()) for row in rows if len(row) == 3 and row[0].isdecimal()}
    # an answer without the process that asked is no answer: this `ps` does not know the options
    if own not in states:
        return None
    return {pid: start for pid, (state, start) in states.items() if pid in pids and not state.startswith("Z")}


def is_start(recorded: object, start: str | None) -> bool | None:
    """Whether a record's start is the one that `list_starts` gave; None where the system did not tell it."""
    if isinstance(recorded, float) and recorded.is_integer():
        recorded = int(recorded)
    if isinstance(recorded, bool) or not isinstance(recorded, (str, int)):
        return False
    if start is None:
        return None
    return str(recorded).split() == start.split()


def parse_start(start: str | None) -> datetime | None:
    """The moment of a start that `list_starts` gave, to a second or so; None where it cannot be told."""
    if start is None:
        return None
    try:
        if start.isdecimal():
            booted = _find_in(PROC / "stat", r"^btime (\d+)")
            ticks_a_second = os.sysconf("SC_CLK_TCK")
            return None if booted is None else EPOCH + timedelta(seconds=int(booted) + int(start) / ticks_a_second)
        return datetime.strptime(start, "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def list_locked(files: Iterable[Path], program: str) -> dict[Path, int | None] | None:
    """Those of `files` that some process holds a lock on, flock or fcntl, with its pid; None if the system cannot say.

    Read from /proc/locks: to try the lock ourselves would refuse it, for that moment, to an agent that starts. The
    kernel lets go of a lock when its last holder dies, so a held one is a proof of life. The pid is that of the
    process that took it; None where it has handed the lock on and died, or lives in another pid namespace.
    """
    try:
        rows = [line.split() for line in (PROC / "locks").read_text(encoding="ascii").splitlines()]
    except (OSError, ValueError):
        return None
    holders: dict[int, list[tuple[int, int]]] = {}
    for row in rows:
        # a row with "->" is a process that waits for the lock
        if len(row) >= 6 and row[1] in LOCK_KINDS and (place := LOCK_PLACE.fullmatch(f"{row[4]} {row[5]}")):
            device = os.makedev(int(place[2], 16), int(place[3], 16))
            holders.setdefault(int(place[4]), []).append((device, int(place[1])))
    locked: dict[Path, int | None] = {}
    for file in files:
        try:
            stat = file.stat()
        except (OSError, ValueError):
            continue
        for device, pid in holders.get(stat.st_ino, ()):
            # btrfs shows programs another device than /proc/locks; there the holder's name stands in for it
            if device == stat.st_dev or _runs(PROC / str(pid), program):
                locked[file] = pid if is_pid(pid) and _read_start(pid) is not None else None
    return locked


def list_processes(program: str, suffix: str) -> list[Process] | None:
    """This user's processes that run `program`, with the files ending in `suffix` they write; None without /proc.

    A process runs `program` if its executable or the name it was called by is `program` or `program-<anything>`
    (codex-x86_64-unknown-linux-musl). A script's name is not looked at: `vim codex` is no agent. A process may hide
    its folder and its files even from its own user (PR_SET_DUMPABLE, as release builds of Codex do).
    """
    try:
        folders = [folder for folder in PROC.iterdir() if folder.name.isdecimal()][:PROCESSES_MAX]
    except OSError:
        return None
    return [
        Process(int(folder.name), _read_link(folder / "cwd"), tuple(_iter_written(folder, suffix)))
        for folder in folders
        if _runs(folder, program) and _is_own(folder)
    ]


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def _read_start(pid: int) -> str | None:
    """The start of a living process; None if there is none of this number."""
    try:
        stat = (PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    # the second field is the name in parentheses and may hold blanks and parentheses: count from its end
    fields = stat[stat.rfind(b")") + 1 :].split()
    if len(fields) < 20 or fields[0] in (b"Z", b"X", b"x"):
        return None
    return fields[19].decode("ascii", "replace")


def _read_link(link: Path) -> str | None:
    try:
        return str(link.readlink())
    except OSError:
        return None


def _iter_written(folder: Path, suffix: str) -> Iterator[str]:
    try:
        links = list(islice((folder / "fd").iterdir(), FILES_MAX))
    except OSError:
        return
    for link in links:
        target = _read_link(link)
        if target is None or not target.startswith("/") or not target.endswith(suffix):
            continue
        opened = _find_in(folder / "fdinfo" / link.name, r"^flags:\s+([0-7]+)")
        if opened and int(opened, 8) & os.O_ACCMODE != os.O_RDONLY:
            yield target


def _is_own(folder: Path) -> bool:
    # not the folder's owner: that of a process which hides its files is root
    return _find_in(folder / "status", r"^Uid:\s+(\d+)") == str(os.getuid())


def _find_in(file: Path, pattern: str) -> str | None:
    try:
        found = re.search(pattern, file.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    except OSError:
        return None
    return found[1] if found else None


def _runs(folder: Path, program: str) -> bool:
    try:
        with (folder / "cmdline").open("rb") as file:
            called = os.fsdecode(file.read(4_096).split(b"\0", 1)[0])
    except OSError:
        return False
    executable = (_read_link(folder / "exe") or "").removesuffix(" (deleted)")
    names = (Path(called).name, Path(executable).name)
    return any(name == program or name.startswith(f"{program}-") for name in names)


class Ancestor(NamedTuple):
    """A process above this one. program: its file, where that is told. words: the first of its call.

    variables: the names of its environment when it began; none where the system does not tell (macOS).
    """

    program: str
    words: tuple[str, ...]
    variables: frozenset[str]


def list_ancestors() -> list[Ancestor]:
    """The processes above this one, the nearest first. Without /proc (macOS) `ps` tells what they were called as."""
    if not (PROC / "self" / "stat").exists():
        return list_ancestors_by_ps()
    found: list[Ancestor] = []
    pid = os.getppid()
    while pid > 1 and len(found) < ANCESTORS_MAX:
        folder = PROC / str(pid)
        try:
            stat = (folder / "stat").read_bytes()
            words = (folder / "cmdline").read_bytes().split(b"\0")[:3]
        except OSError:
            break
        called = tuple(os.fsdecode(word) for word in words if word)
        found.append(Ancestor(_read_link(folder / "exe") or "", called, _read_variables(folder)))
        pid = int(stat[stat.rindex(b")") + 2 :].split()[1])
    return found


def _read_variables(folder: Path) -> frozenset[str]:
    try:
        environment = (folder / "environ").read_bytes()
    except OSError:
        return frozenset()
    return frozenset(os.fsdecode(one.partition(b"=")[0]) for one in environment.split(b"\0") if one)


def list_ancestors_by_ps() -> list[Ancestor]:
    """What `ps` says that each process above this one was called as, the nearest first."""
    try:
        answer = subprocess.run(  # noqa: S603  (no argument from outside)
            [PS, "-A", "-o", "pid=", "-o", "ppid=", "-o", "args="],
            env={"LC_ALL": "C"},
            capture_output=True,
            timeout=PS_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    rows = [line.split(None, 2) for line in os.fsdecode(answer.stdout).splitlines()]
    calls = {int(row[0]): (int(row[1]), row[2]) for row in rows if len(row) == 3 and row[1].isdecimal()}
    found: list[Ancestor] = []
    pid = os.getppid()
    while pid > 1 and pid in calls and len(found) < ANCESTORS_MAX:
        pid, call = calls[pid]
        found.append(Ancestor("", tuple(call.split()[:3]), frozenset()))
    return found


ANCESTORS_MAX = 64
