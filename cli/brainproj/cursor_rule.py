"""Cursor's reliable channel: a rule file in each checkout that Cursor was seen in, made by us and hidden from git.

It holds what a person confirmed of that project, and how to look up the rest: the file is read in every chat, also in
those that no hook sees, and nothing that an agent only said is given such weight. It is written after git was told to
leave it alone, and only where git does not track one and nobody else has written one there.
"""

from collections.abc import Sequence
from pathlib import Path

from .core.block import render_attribute, render_item
from .core.lines import add_lines
from .core.memory import MemoryItem
from .errors import BrainError
from .files import exchange, write_whole
from .gitexclude import exclude_path, is_tracked
from .repositories import find_readable_checkout

PLACE = ".cursor/rules/brainproj.mdc"
MADE_BY = "# made by brainproj; changes are lost"
LIMIT_BYTES = 3000
"""Every chat pays for it (formats/agents.md 5.4)."""


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
        if is_tracked(checkout.git_dir, PLACE) or not _exclude(checkout.common_dir):
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


def _exclude(common_dir: str) -> bool:
    """Have git leave the file alone in every checkout of this repository."""
    path = exclude_path(common_dir)
    try:
        before = path.read_bytes() if path.exists() else None
        text = (before or b"").decode("utf-8", "surrogateescape")
        after = add_lines(text, (f"/{PLACE}",)).encode("utf-8", "surrogateescape")
        if after != before:
            exchange(path, before, after)
    except (BrainError, OSError):
        return False
    return True
