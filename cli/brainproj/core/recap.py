"""The recap: what a session itself had before its compaction, within a few hundred bytes. Pure; whole lines only."""

from collections.abc import Sequence

from .block import safe_text
from .text import clip

GOAL_LETTERS = 240
COMMAND_LETTERS = 60
LINE_LETTERS = 120
FILE_LETTERS = 60


def render_recap(
    goal: tuple[str, str] | None, failed: Sequence[tuple[str, str, str]], files: Sequence[str], budget_bytes: int
) -> str:
    """The lines that fit; empty where there is nothing to say.

    goal: text and citation. failed: what was tried, the line that tells of the failure, citation; the most telling
    first, as in `files`. A line is kept whole or left out, in the order goal, a failure, files, more failures.
    """
    lines = [f"Goal: {clip(safe_text(goal[0]), GOAL_LETTERS)} [{goal[1]}]"] if goal else []
    attempts = [
        f"Failed: {clip(safe_text(what), COMMAND_LETTERS)}: {clip(safe_text(line), LINE_LETTERS)} [{citation}]"
        for what, line, citation in failed
    ]
    named = ", ".join(clip(safe_text(path), FILE_LETTERS) for path in files)
    edited = [f"Edited: {named}"] if named else []
    kept: list[str] = []
    for line in [*lines, *attempts[:1], *edited, *attempts[1:]]:
        if len("\n".join([*kept, line]).encode()) <= budget_bytes:
            kept.append(line)
    return "\n".join(sorted(kept, key=lambda line: (line in edited, line in attempts)))
