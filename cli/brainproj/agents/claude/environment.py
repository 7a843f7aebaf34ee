"""One variable of the environment that Claude Code's settings give to a session: set, and put back.

Format: `"env": {NAME: VALUE}` in settings.json (code.claude.com/docs, settings).
"""

from ...core import jsontext
from ...core.jsontext import NotJson, parse_json

MEMBER = "env"


def set_variable(text: str, name: str, value: str) -> str:
    """The settings with the variable. Raises NotJson."""
    root = parse_json(text)
    holder = root.member(MEMBER)
    if holder is None:
        return jsontext.append(text, root, {name: value}, MEMBER)
    if not isinstance(holder.value, dict):
        raise NotJson(f"{MEMBER} is no object")
    found = holder.member(name)
    if found is None:
        return jsontext.append(text, holder, value, name)
    return text if found.value == value else jsontext.replace(text, found, value)


def read_variable(text: str, name: str) -> str | None:
    """Its value in the settings; None where they do not set it. Raises NotJson."""
    holder = parse_json(text).member(MEMBER)
    found = holder.member(name) if holder is not None else None
    return found.value if found is not None and isinstance(found.value, str) else None


def drop_variable(text: str, name: str) -> str:
    """The settings without the variable, and without an `env` that held nothing else. Raises NotJson."""
    root = parse_json(text)
    holder = root.member(MEMBER)
    found = holder.member(name) if holder is not None else None
    if holder is None or found is None:
        return text
    if len(holder.children) == 1:
        return jsontext.remove(text, root, root.children.index(holder))
    return jsontext.remove(text, holder, holder.children.index(found))
