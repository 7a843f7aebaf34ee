"""The wire shape: what a Codex line may hold, where a member of another type than expected counts as absent.

Every member of a line is read through these three, so that nothing a line holds can make the reader raise.
"""

import json
from collections.abc import Mapping
from typing import Any

NOTHING: Mapping[str, Any] = {}


def as_text(value: object) -> str | None:
    """`value` if it is a string with something in it."""
    return value if isinstance(value, str) and value else None


def as_object(value: object) -> Mapping[str, Any]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else NOTHING


def as_list(value: object) -> list[Any]:
    """`value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def join_texts(blocks: object, separator: str = "\n") -> str:
    """The `text` of every block of a list, and a string as it is; images and encrypted blocks have none."""
    if isinstance(blocks, str):
        return blocks
    texts = (block if isinstance(block, str) else as_object(block).get("text") for block in as_list(blocks))
    return separator.join(text for text in texts if isinstance(text, str) and text)


def render_json(value: object) -> str:
    """`value` as JSON for a reader; empty where it is nested too deeply to be written."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        return ""
