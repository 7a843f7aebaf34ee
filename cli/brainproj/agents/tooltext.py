"""A tool call's input as text a person can read and search: `name: value`, values as they are, not as JSON.

JSON would write line ends as `\\n`, which glues an `n` to the next word, so that it could not be found.
"""

import json
from typing import Any


def render_input(value: Any) -> str:
    """The input of a tool call, one member a line; nested members follow their name."""
    if isinstance(value, str):
        return value
    lines: list[str] = []
    _render(value, "", lines, 0)
    return "\n".join(lines)


DEEPEST = 20
"""Nesting that is followed; what lies deeper is written as JSON."""


def _render(value: Any, name: str, lines: list[str], depth: int) -> None:
    label = f"{name}: " if name else ""
    if isinstance(value, dict) and depth < DEEPEST:
        for key, member in value.items():
            _render(member, str(key), lines, depth + 1)
    elif isinstance(value, list) and depth < DEEPEST:
        if any(isinstance(member, (dict, list)) for member in value):
            for member in value:
                _render(member, name, lines, depth + 1)
        else:
            lines.append(label + " ".join(map(str, value)))
    elif isinstance(value, str):
        lines.append(label + value)
    else:
        try:
            lines.append(label + json.dumps(value, ensure_ascii=False))
        except (ValueError, RecursionError):
            lines.append(label + "…")
