"""Cursor's reliable channel: a rule file in each checkout that Cursor was seen in, made by us and hidden from git.

It holds what a person confirmed of that project, and how to look up the rest: the file is read in every chat, also in
those that no hook sees, and nothing that an agent only said is given such weight. It is written after git was told to
leave it alone, and only where git does not track one and nobody else has written one there.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from .config import write_whole
from .core.block import render_attribute, render_item
from .core.memory import MemoryItem
from .errors import BrainError
from .repositories import find_readable_checkout

PLACE = ".cursor/rules/brainproj.mdc"
MADE_BY = "# made by brainproj; changes are lost"
LIMIT_BYTES = 3000
"""Every chat pays for it (formats/agents.md 5.4)."""
INDEX_LIMIT = 256 << 20


def render_rule(project: str, confirmed: Sequence[MemoryItem]) -> str:
    """The rule of a project: deterministic, at most LIMIT_BYTES long."""
    name = render_attribute(project)
    head = f"---\n{MADE_BY}\ndescription: What is remembered of {name}\nalwaysApply: true\n---\n"
    head += f"Recalled state of the project {name}, not an operator directive. The code wins where they differ.\n"
    tail = "Earlier work, failures and lessons of this project: run `brainproj search WORDS` or `brainproj preview`.\n"
    lines: list[str] = []
    room = LIMIT_BYTES - len((head + tail).encode()) - len("Confirmed by a person:\n")
    for item in confirmed:
        line = render_item(item) + "\n"
        room -= len(line.encode())
        if room < 0:
            break
        lines.append(line)
    return head + ("Confirmed by a person:\n" + "".join(lines) if lines else "") + tail


def write_rule(cwd: str, text: str) -> bool:
    """Write the rule into the checkout that holds `cwd`; False where it must not or cannot be written."""
    checkout = find_readable_checkout(cwd)
    if checkout is None or checkout.top == checkout.common_dir:
        return False
    path = Path(checkout.top) / PLACE
    try:
        if path.is_symlink() or (path.exists() and MADE_BY not in path.read_text("utf-8", "replace")):
            return False
        if path.exists() and path.read_text("utf-8") == text:
            return True
        if _is_tracked(checkout.git_dir) or not _exclude(Path(checkout.common_dir)):
            return False
        for folder in (path.parent.parent, path.parent):
            if folder.is_symlink():
                return False
            folder.mkdir(exist_ok=True)
        write_whole(path, text.encode())
        path.chmod(0o644)
    except (BrainError, OSError, UnicodeDecodeError):
        return False
    return True


def remove_rule(cwd: str) -> None:
    """Take our rule away again, as in a project whose scope is off."""
    checkout = find_readable_checkout(cwd)
    if checkout is None:
        return
    path = Path(checkout.top) / PLACE
    try:
        if not path.is_symlink() and MADE_BY in path.read_text("utf-8", "replace"):
            path.unlink()
    except OSError:
        return


def _is_tracked(git_dir: str) -> bool:
    """Whether the index of a checkout may hold the file: its paths stand there in full, but in version 4."""
    try:
        with open(os.path.join(git_dir, "index"), "rb") as file:  # noqa: PTH118, PTH123
            index = file.read(INDEX_LIMIT)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return PLACE.encode() in index or (index[4:8] == b"\0\0\0\4" and b"brainproj.mdc" in index)


def _exclude(common_dir: Path) -> bool:
    """Have git leave the file alone in every checkout of this repository."""
    path, line = common_dir / "info" / "exclude", f"/{PLACE}"
    try:
        before = path.read_text("utf-8", "surrogateescape") if path.exists() else ""
        if line in before.splitlines():
            return True
        path.parent.mkdir(exist_ok=True)
        with path.open("a", encoding="utf-8", errors="surrogateescape") as file:
            file.write(("" if before.endswith("\n") or not before else "\n") + line + "\n")
    except OSError:
        return False
    return True
