"""Failures for people: what was tried, what it said, what helped; the newest last, where the eye is."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ..core.ages import render_age
from ..core.attempts import command_key
from ..core.text import one_line

if TYPE_CHECKING:
    from rich.console import Group
    from rich.text import Text

    from ..attempts import Attempt


def render_attempts(attempts: "Sequence[Attempt]", now: datetime) -> "Group":
    """Four lines each at most: what, the telling line, where and how often, and what came of it."""
    from rich.console import Group
    from rich.text import Text

    parts: list[Text] = []
    for attempt in reversed(attempts):
        parts += [*_lines(attempt, now), Text("")]
    return Group(*parts[:-1])


def _lines(attempt: "Attempt", now: datetime) -> "list[Text]":
    from rich.text import Text

    what = command_key(attempt.command) if attempt.command else " ".join([attempt.tool or "a tool", *attempt.files])
    since = f" since {attempt.first_at:%Y-%m-%d}" if attempt.first_at else ""
    often = f", {attempt.count:,} times{since}" if attempt.count > 1 else ""
    when = f"{render_age(attempt.at, now)} ago{often}" if attempt.at else f"at no known time{often}"
    head = Text.assemble((attempt.citation, "cyan"), f"  {attempt.agent}  {when}")
    lines = [head, Text(f"  {one_line(what)}", no_wrap=True, overflow="ellipsis")]
    lines.append(Text.assemble("  ", (one_line(attempt.line), "red"), no_wrap=True, overflow="ellipsis"))
    found = attempt.resolution
    if found is None:
        lines.append(Text("  no later success was seen", style="dim"))
    else:
        by = "the same command" if found.by == "command" else "a call on the same files"
        lines.append(Text.assemble("  ", (f"later {by} went well: ", "green"), (found.citation, "cyan")))
    return lines
