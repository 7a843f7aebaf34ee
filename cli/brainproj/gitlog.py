"""What git says of a checkout's commits and changes: one bounded process, told to run nothing of the repository's own.

GIT_* of the environment is taken out, which GitPython cannot do; hooks, file system monitors, signatures and diff
programs are off (design 11). Whatever is wrong (no git, no repository, too slow) is no answer, and None. Commands and
servers alone use it; hooks and reading start no process.
"""

import os
import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

HARDENED = (
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false",
    "-c", "diff.external=", "--no-optional-locks", "--no-pager",
)  # fmt: skip
TIMEOUT_S = 5.0
OUTPUT_LIMIT = 1 << 20
"""Bytes that are read of one answer."""
FIELD = "\x1f"
RECORD = "\x1e"
FORMAT = f"--format={RECORD}%H{FIELD}%cI{FIELD}%an{FIELD}%s{FIELD}"
HASH = re.compile(r"[0-9a-f]{7,64}")
COMMITS_AT_MOST = 50
FILES_AT_MOST = 500


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit. files: what it changed, from the top of the checkout."""

    hash: str
    at: datetime
    author: str
    subject: str
    files: tuple[str, ...]


def list_commits(
    folder: str, environment: Mapping[str, str], since: datetime | None = None, limit: int = COMMITS_AT_MOST
) -> list[Commit] | None:
    """The latest commits of the branch that is checked out, the newest first; None where git does not answer."""
    wanted = [f"--since={since.isoformat()}"] if since else []
    said = run_git(folder, environment, ["log", f"-n{limit}", "--name-only", "--no-ext-diff", FORMAT, *wanted, "--"])
    return None if said is None else [one for part in said.split(RECORD)[1:] if (one := _commit(part)) is not None]


def find_commit(folder: str, environment: Mapping[str, str], name: str) -> Commit | None:
    """The commit whose hash begins so; None where there is none."""
    if not HASH.fullmatch(name):
        return None
    arguments = ["log", "-n1", "--name-only", "--no-ext-diff", FORMAT, f"{name}^{{commit}}", "--"]
    said = run_git(folder, environment, arguments)
    return _commit(said.split(RECORD, 1)[1]) if said and RECORD in said else None


def list_changed(folder: str, environment: Mapping[str, str], since: datetime) -> list[str] | None:
    """The files that are changed but not committed, and were written after a time; None where git does not answer."""
    said = run_git(folder, environment, ["status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=all"])
    top = run_git(folder, environment, ["rev-parse", "--show-toplevel"])
    if said is None or top is None:
        return None
    names = [row[3:] for row in said.split("\0") if len(row) > 3][:FILES_AT_MOST]
    return [name for name in names if _is_newer(Path(top.rstrip("\n")) / name, since)]


def _is_newer(path: Path, since: datetime) -> bool:
    """Whether a file was written after a time; one that is gone may have gone at any."""
    try:
        return path.lstat().st_mtime > since.timestamp()
    except (OSError, ValueError):
        return False


def _commit(part: str) -> Commit | None:
    fields = part.split(FIELD)
    if len(fields) != 5:
        return None
    try:
        at = datetime.fromisoformat(fields[1])
    except ValueError:
        return None
    files = tuple(line for line in fields[4].splitlines() if line)[:FILES_AT_MOST]
    return Commit(fields[0], at, fields[2], fields[3], files)


def run_git(folder: str, environment: Mapping[str, str], arguments: Sequence[str]) -> str | None:
    """What git prints, at most `OUTPUT_LIMIT` bytes of it; None where it fails or does not answer in time."""
    clean = {name: value for name, value in environment.items() if not name.startswith("GIT_")}
    clean |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        process = subprocess.Popen(  # noqa: S603  (our own arguments; a hash is checked)
            ["git", *HARDENED, *arguments],  # noqa: S607  (the git that the person has)
            cwd=folder,
            env=clean,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, ValueError):
        return None
    timer = threading.Timer(TIMEOUT_S, process.kill)
    timer.start()
    try:
        assert process.stdout is not None
        raw = process.stdout.read(OUTPUT_LIMIT)
        is_cut = len(raw) == OUTPUT_LIMIT
        if is_cut:
            process.kill()
        status = process.wait()
    finally:
        timer.cancel()
        if process.stdout is not None:
            process.stdout.close()
    return os.fsdecode(raw).encode("utf-8", "replace").decode() if is_cut or status == 0 else None
