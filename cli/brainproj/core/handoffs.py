"""A handoff: what a task is to reach, what was done, what failed, what remains, what is in the way; and its text.

The text is what is stored, searched and edited: a heading with its colon, under it an item a line behind a dash. It is
read generously, since a person writes it: any case, with or without dashes, headings in any order.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

HEADINGS = {
    "goal": "Goal",
    "done": "Done",
    "failed": "Failed approaches",
    "remaining": "Remaining",
    "blockers": "Blockers",
    "evidence": "Evidence",
}
"""The parts in their order, and how each is headed."""
BY_WORD = {
    "goal": "goal",
    "done": "done",
    "failed": "failed",
    "failed approaches": "failed",
    "remaining": "remaining",
    "blockers": "blockers",
    "blocker": "blockers",
    "evidence": "evidence",
}
HEADING = re.compile(r"^(?:#{1,6}\s*)?(?P<word>[A-Za-z]+(?: [A-Za-z]+)?)\s*(?::(?P<rest>.*)|(?P<bare>))$")
ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Handoff:
    """What is handed on. evidence: citations."""

    goal: str = ""
    done: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing."""
        return not (self.goal or self.done or self.failed or self.remaining or self.blockers)


def render_handoff(handoff: Handoff, evidence: Sequence[str] = ()) -> str:
    """Its text; what is empty is left out. evidence: citations that stand under their heading too."""
    goal = " ".join(handoff.goal.split())
    lines = [f"Goal: {goal}"] if goal else []
    for name in ("done", "failed", "remaining", "blockers"):
        lines += _part(HEADINGS[name], getattr(handoff, name))
    return "\n".join([*lines, *_part(HEADINGS["evidence"], evidence)])


def render_template(goal: str) -> str:
    """An empty one to be filled in."""
    headings = [f"{HEADINGS[name]}:\n- " for name in ("done", "failed", "remaining", "blockers", "evidence")]
    return "\n".join([f"Goal: {goal}", *headings])


def parse_handoff(text: str) -> Handoff:
    """What a text says; what stands before any heading is the goal."""
    parts: dict[str, list[str]] = {name: [] for name in HEADINGS}
    name = "goal"
    for line in text.splitlines():
        heading = HEADING.match(line.strip())
        word = BY_WORD.get(heading["word"].casefold()) if heading else None
        if heading and word and (heading["rest"] is not None or line.lstrip().startswith("#")):
            name = word
            line = heading["rest"] or ""
        _take(parts[name], line, is_goal=name == "goal")
    items = {one: tuple(_filled(parts[one])) for one in parts}
    return Handoff(" ".join(items.pop("goal")), **items)


def _take(items: list[str], line: str, *, is_goal: bool) -> None:
    """A line is a new item behind a dash, else it goes on with the one before."""
    marked = ITEM.match(line)
    content = line[marked.end() :].strip() if marked else "" if re.fullmatch(r"\s*[-*+]\s*", line) else line.strip()
    if marked or not items or is_goal or not line[:1].isspace():
        items.append(content)
    else:
        items[-1] = f"{items[-1]} {content}".strip()


def _filled(items: Iterable[str]) -> list[str]:
    return [plain for one in items if (plain := " ".join(one.split()))]


def _part(heading: str, items: Sequence[str]) -> list[str]:
    return [f"{heading}:", *(f"- {' '.join(one.split())}" for one in items if one.strip())] if items else []
