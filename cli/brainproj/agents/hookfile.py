"""Our entries in an agent's hook file: put in at the end, mended in place, taken out; nothing else is touched.

Three agents, two shapes: Claude Code and Codex list groups of handlers for an event, Cursor lists handlers. An entry is
ours only by its command. New ones are added behind what is there and never before, because Codex trusts a hook by its
place; for the same reason an emptied group of a Codex file stays unless it is the last (formats/agents.md 2 and 4.3).
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import Enum

from ..core import jsontext
from ..core.jsontext import Node, NotJson, parse_json

Handler = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Shape:
    """How an agent's file is built. `is_grouped`: handlers stand in groups. `keeps_places`: places mean trust.

    `version`: the member of that name that the agent wants to see.
    """

    is_grouped: bool = True
    keeps_places: bool = False
    version: int | None = None


class Own(Enum):
    """What a command is to us."""

    FOREIGN = 0
    STALE = 1
    """Ours, but it would not do what the entry is for: unquoted, of another home, of another event."""
    GOOD = 2


Judge = Callable[[str, str], Own]
"""(event, command) → what the command is to us."""
Entry = tuple[str, int, int, str, Mapping[str, object]]
"""An entry of ours: event, group, place in the group, command, the handler's value."""


def put_hooks(text: str | None, shape: Shape, wanted: Mapping[str, Handler], judge: Judge) -> str:
    """The file's text with one entry of ours for each event; the same text where they are there. Raises NotJson."""
    if text is None or not text.strip(jsontext.BLANKS + jsontext.MARK):
        text = (text or "").rstrip(jsontext.BLANKS) + "{}\n"
    root = _object(parse_json(text), "the file")
    if shape.version is not None and root.member("version") is None:
        text = jsontext.append(text, root, shape.version, "version")
        root = parse_json(text)
    if root.member("hooks") is None:
        entries = {event: [_entry(shape, handler)] for event, handler in wanted.items()}
        return jsontext.append(text, root, entries, "hooks")
    for event, handler in wanted.items():
        text = _put_one(text, shape, event, handler, judge)
    return text


def _put_one(text: str, shape: Shape, event: str, handler: Handler, judge: Judge) -> str:
    hooks = _hooks(text)
    found = hooks.member(event)
    if found is None:
        return jsontext.append(text, hooks, [_entry(shape, handler)], event)
    if not isinstance(found.value, list):
        raise NotJson(f"hooks.{event} is no list")
    own = _own_commands(text, shape, event, judge)
    if not own:
        return jsontext.append(text, found, _entry(shape, handler))
    best = next((place for place, (_, _, what) in enumerate(own) if what is Own.GOOD), 0)
    for place in reversed(range(len(own))):
        if place != best:
            text = _take_handler(text, shape, event, *own[place][:2])
    own = _own_commands(text, shape, event, judge)
    group, number, what = own[0]
    if what is Own.STALE:
        command = _handlers(_event(text, event), shape, group)[number].member("command")
        text = text if command is None else jsontext.replace(text, command, handler["command"])
    return text


def take_hooks(text: str, shape: Shape, judge: Judge, made: Collection[str] | None = None) -> str:
    """The file's text without any entry of ours, nor what was made to hold them and is empty now. Raises NotJson.

    made: `hooks`, `hooks.EVENT`, `version`, as far as they were made for us; None: whatever is empty now.
    """
    root = parse_json(text)
    hooks = root.member("hooks") if isinstance(root.value, dict) else None
    if hooks is None or not isinstance(hooks.value, dict):
        return text
    took = False
    for event in dict.fromkeys(child.key or "" for child in hooks.children):
        while own := _own_commands(text, shape, event, judge):
            took = True
            text = _take_handler(text, shape, event, *own[-1][:2])
            found = _hooks(text).member(event)
            if found is not None and not found.value and (made is None or f"hooks.{event}" in made):
                text = _take_member(text, "hooks", event)
    if took and not _hooks(text).value:
        if made is None or "hooks" in made:
            text = _take_member(text, None, "hooks")
        version = parse_json(text).member("version")
        if made is not None and "version" in made and version is not None and version.value == shape.version:
            text = _take_member(text, None, "version")
    return text


def list_commands(text: str, shape: Shape, judge: Judge) -> list[Entry]:
    """Every entry of ours, in order. Raises NotJson."""
    root = parse_json(text)
    hooks = root.member("hooks")
    if hooks is None or not isinstance(hooks.value, dict):
        return []
    found = []
    for event in dict.fromkeys(child.key or "" for child in hooks.children):
        for group, number, _ in _own_commands(text, shape, event, judge):
            value = _handlers(_event(text, event), shape, group)[number].value
            found.append((event, group, number, str(value["command"]), value))
    return found


def group_matcher(text: str, event: str, group: int) -> str | None:
    """The matcher of a group, which is part of what Codex trusts."""
    value = _event(text, event).children[group].value
    matcher = value.get("matcher") if isinstance(value, dict) else None
    return matcher if isinstance(matcher, str) else None


def _entry(shape: Shape, handler: Handler) -> Mapping[str, object]:
    return {"hooks": [dict(handler)]} if shape.is_grouped else dict(handler)


def _object(node: Node, what: str) -> Node:
    if not isinstance(node.value, dict):
        raise NotJson(f"{what} is no object")
    return node


def _hooks(text: str) -> Node:
    found = _object(parse_json(text), "the file").member("hooks")
    return _object(found, "hooks") if found is not None else Node(0, 0, {})


def _event(text: str, event: str) -> Node:
    found = _hooks(text).member(event)
    return found if found is not None else Node(0, 0, [])


def _handlers(event: Node, shape: Shape, group: int) -> tuple[Node, ...]:
    """The handlers of a group; of a file without groups all are of group 0."""
    if not shape.is_grouped:
        return event.children
    node = event.children[group]
    hooks = node.member("hooks") if isinstance(node.value, dict) else None
    return hooks.children if hooks is not None and isinstance(hooks.value, list) else ()


def _own_commands(text: str, shape: Shape, event: str, judge: Judge) -> list[tuple[int, int, Own]]:
    """(group, handler, what it is) of our entries for an event, in order."""
    node = _event(text, event)
    if not isinstance(node.value, list):
        return []
    found: list[tuple[int, int, Own]] = []
    for group in range(len(node.children) if shape.is_grouped else 1):
        for number, handler in enumerate(_handlers(node, shape, group)):
            command = handler.value.get("command") if isinstance(handler.value, dict) else None
            what = judge(event, command) if isinstance(command, str) else Own.FOREIGN
            if what is not Own.FOREIGN:
                found.append((group, number, what))
    return found


def _take_handler(text: str, shape: Shape, event: str, group: int, number: int) -> str:
    node = _event(text, event)
    if not shape.is_grouped:
        return jsontext.remove(text, node, number)
    holder = node.children[group].member("hooks")
    if holder is None:
        return text
    is_emptied, is_last = len(holder.children) == 1, group == len(node.children) - 1
    if is_emptied and (is_last or not shape.keeps_places):
        return jsontext.remove(text, node, group)
    return jsontext.remove(text, holder, number)


def _take_member(text: str, holder_key: str | None, key: str) -> str:
    root = parse_json(text)
    holder = root if holder_key is None else root.member(holder_key)
    if holder is None:
        return text
    places = [place for place, child in enumerate(holder.children) if child.key == key]
    return jsontext.remove(text, holder, places[-1]) if places else text
