"""What would change in files of others, for people: a diff of settings, a line for what is new and ours alone."""

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.redact import redact
from ..core.text import counted, printable
from ..install.ledger import Kind
from .projects import short_path

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..install.changes import Change, Plan

CONTEXT_LINES = 2
DONE = {"create": "created", "change": "changed", "remove": "removed"}
STYLES = {"+": "green", "-": "red", "@": "dim"}


def render_plan(plan: "Plan", home: str) -> "RenderableType":
    """Each file with what changes in it; the skill, the same for everybody, in one line."""
    from rich.text import Text

    text = Text(overflow="fold")
    for change in plan.changes:
        text.append(f"{change.action:<7} {_shown(change, home)}\n", style="bold")
        if change.part.kind is Kind.SKILL:
            continue
        for line in diff_lines(change.before, change.after):
            text.append(line + "\n", style=STYLES.get(line[:1], ""))
    text.rstrip()
    return text


def diff_lines(before: bytes | None, after: bytes | None) -> list[str]:
    """The lines that differ, with a few around them; known shapes of secrets are not shown, even in those."""
    old, new = (printable((one or b"").decode("utf-8", "replace")).splitlines() for one in (before, after))
    found = difflib.unified_diff(old, new, lineterm="", n=CONTEXT_LINES)
    return [redact(line) for line in list(found)[2:]]


def _shown(change: "Change", home: str) -> str:
    size = len(change.after or b"")
    path = short_path(printable(str(change.part.path)), home)
    return f"{path} ({counted(size, 'byte')}: tells agents how to use the memory)" if _is_new_skill(change) else path


def _is_new_skill(change: "Change") -> bool:
    return change.part.kind is Kind.SKILL and change.after is not None


def render_done(changes: "Sequence[Change]", home: str) -> str:
    """A line for each file that was changed."""
    return "\n".join(f"{DONE[one.action]} {short_path(printable(str(one.part.path)), home)}" for one in changes)


def render_steps(steps: Sequence[tuple[str, str]]) -> str:
    """What the person still has to do, a line each."""
    return "\n".join(["Still to do, by you:", *(f"  {agent}: {step}" for agent, step in steps)])
