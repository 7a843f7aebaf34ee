"""What git says of a checkout's commits and files: bounded processes, told to run nothing of the repository's own.

GIT_* of the environment is taken out, which GitPython cannot do; hooks, file system monitors, signatures and diff
programs are off (design 11), and nothing is asked for which filters would run. Whatever is wrong (no git, no
repository, too slow) is no answer, and None. Commands and servers alone use it; hooks and reading start no process.
"""

import os
import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path

from .gitdir import GitUnreadable, find_checkout

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


class Git:
    """git in the checkout that holds a folder; of one whose .git leads nowhere, in none: no repository above is asked.

    After one answer that did not come in time nothing more is asked.
    """

    def __init__(self, folder: str, environment: Mapping[str, str]) -> None:
        try:
            checkout = find_checkout(folder)
        except (GitUnreadable, OSError, ValueError):
            checkout = None
        self.top = checkout.top if checkout else None
        self.environment = environment

    def list_commits(self, since: datetime | None = None, limit: int = COMMITS_AT_MOST) -> list[Commit] | None:
        """The latest commits of what is checked out, the newest first; None where git does not answer."""
        wanted = [f"--since={since.isoformat()}"] if since else []
        said = self.run(["log", f"-n{limit}", "--name-only", "--no-ext-diff", FORMAT, *wanted, "--"])
        return None if said is None else [one for part in said.split(RECORD)[1:] if (one := _commit(part)) is not None]

    def find_commit(self, name: str) -> Commit | None:
        """The commit whose hash begins so; None where there is none."""
        if not HASH.fullmatch(name):
            return None
        said = self.run(["log", "-n1", "--name-only", "--no-ext-diff", FORMAT, f"{name}^{{commit}}", "--"])
        return _commit(said.split(RECORD, 1)[1]) if said and RECORD in said else None

    def list_written(self, since: datetime) -> list[str] | None:
        """The files, tracked or new, that were written after a time; None where git does not answer.

        Told by their times alone: to compare what is in them, git would run the filters that the repository names.
        """
        said = self.run(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        if said is None or self.top is None:
            return None
        top = Path(self.top)
        written = (name for name in said.split("\0") if name and _is_newer(top / name, since))
        return list(islice(written, FILES_AT_MOST))

    def run(self, arguments: Sequence[str]) -> str | None:
        """What git prints in the checkout; None where it fails, or does not answer in time."""
        if self.top is None:
            return None
        try:
            return run_git(self.top, self.environment, arguments)
        except TimeoutError:
            self.top = None
            return None


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
    """What git prints, at most `OUTPUT_LIMIT` bytes of it; None where it fails. Raises TimeoutError."""
    clean = {name: value for name, value in environment.items() if not name.startswith("GIT_")}
    clean |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
    clean["GIT_CEILING_DIRECTORIES"] = os.path.dirname(folder)  # noqa: PTH120
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
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(TIMEOUT_S, stop)
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
    if late.is_set():
        raise TimeoutError(folder)
    return os.fsdecode(raw).encode("utf-8", "replace").decode() if is_cut or status == 0 else None
