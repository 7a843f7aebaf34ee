"""A JSON text with the places of its values, so that one entry can be put in or taken out and every other byte stays.

Settings are other people's files: comments, order, indentation and line ends are theirs. Nothing is written out anew
here; a change cuts or adds a piece of the text. Comments (`//`, `/* */`) count as blanks, as some agents have them.
What is otherwise no JSON is refused with its line, as a trailing comma, a second value or NaN.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

BLANKS = " \t\r\n"
PIECES = re.compile(r'"(?:[^"\\\r\n]|\\.)*"|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
MARK = "\ufeff"
"""A byte order mark, which some editors write and JSON does not know."""


class NotJson(ValueError):
    """The text is no JSON; the message says what is wrong and in which line."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands: `text[start:end]`. `children`: of an object or a list; `key` of a member of one.

    `at`: where the child begins, with its key.
    """

    start: int
    end: int
    value: Any
    children: "tuple[Node, ...]" = ()
    key: str | None = None
    at: int = 0

    def member(self, key: str) -> "Node | None":
        """The member of this name, the last one where it stands twice, as every reader takes it."""
        return next((child for child in reversed(self.children) if child.key == key), None)


@lru_cache(maxsize=4)
def parse_json(text: str) -> Node:
    """The value of a whole text. Raises NotJson."""
    plain = _without_comments(text)
    try:
        root = _value(plain, _skip(plain, 1 if text.startswith(MARK) else 0))
        end = _skip(plain, root.end)
    except (ValueError, RecursionError) as error:
        raise _explained(text, error) from error
    if end < len(plain):
        raise NotJson(f"line {_line(text, end)}: something stands after the value")
    return root


def _explained(text: str, error: Exception) -> NotJson:
    if isinstance(error, json.JSONDecodeError):
        what = error.msg[:1].lower() + error.msg[1:]
        return NotJson(f"line {_line(text, error.pos)}: {what}")
    return NotJson("it is nested too deeply" if isinstance(error, RecursionError) else str(error))


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _without_comments(text: str) -> str:
    """The text with its comments turned to blanks, every other character where it was."""
    return PIECES.sub(lambda found: found[0] if found[0][0] == '"' else re.sub(r"[^\r\n]", " ", found[0]), text)


def has_comments(text: str) -> bool:
    """Whether there is any comment in it."""
    return any(found[0][0] == "/" for found in PIECES.finditer(text))


def _skip(plain: str, place: int) -> int:
    while place < len(plain) and plain[place] in BLANKS:
        place += 1
    return place


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _value(plain: str, start: int) -> Node:
    """The value that begins at `start`; what is in it by the standard library's own decoder."""
    opening = plain[start : start + 1]
    if opening not in ("{", "["):
        value, end = DECODER.raw_decode(plain, start)
        return Node(start, end, value)
    closing = "}" if opening == "{" else "]"
    children: list[Node] = []
    place = _skip(plain, start + 1)
    while plain[place : place + 1] != closing:
        if children:
            if plain[place : place + 1] != ",":
                raise json.JSONDecodeError("a comma is missing", plain, place)
            place = _skip(plain, place + 1)
        children.append(_member(plain, place) if opening == "{" else _element(plain, place))
        place = _skip(plain, children[-1].end)
    value = {child.key: child.value for child in children} if opening == "{" else [child.value for child in children]
    return Node(start, place + 1, value, tuple(children))


def _member(plain: str, at: int) -> Node:
    if plain[at : at + 1] != '"':
        raise json.JSONDecodeError("a name in double quotes is missing", plain, at)
    key, end = DECODER.raw_decode(plain, at)
    colon = _skip(plain, end)
    if plain[colon : colon + 1] != ":":
        raise json.JSONDecodeError("a colon is missing", plain, colon)
    found = _value(plain, _skip(plain, colon + 1))
    return Node(found.start, found.end, found.value, found.children, key, at)


def _element(plain: str, at: int) -> Node:
    found = _value(plain, at)
    return Node(found.start, found.end, found.value, found.children, None, at)


# changes -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Style:
    """How a text is laid out. `unit`: one step of indentation, "" for a text on one line."""

    unit: str
    line_end: str
    colon: str
    comma: str


def style_of(text: str) -> Style:
    """The layout that a text has already."""
    line_end = "\r\n" if "\r\n" in text else "\n"
    plain = _without_comments(text)
    indents = re.findall(r"\n([ \t]+)[^ \t\r\n]", plain)
    is_multiline = "\n" in plain.strip() or not plain.strip(BLANKS + MARK + "{}")
    unit = (min(indents, key=len) if indents else "  ") if is_multiline else ""
    is_listed_wide = re.search(r",[ \t]", plain) is not None or "," not in plain
    spaced = re.search(r'":\s', plain) is not None or ('":' not in plain and is_listed_wide)
    listed = is_listed_wide and (spaced or "," in plain)
    return Style(unit, line_end, ": " if spaced else ":", ", " if listed or is_multiline else ",")


def render_json(value: object, style: Style, indent: str) -> str:
    """A value in this layout: the members of an object a line each, indented by `indent` more; a list on one line."""
    if not style.unit or not isinstance(value, dict) or not value:
        return render_line(value, style)
    inner = indent + style.unit
    members = (f"{inner}{render_line(key, style)}: {render_json(one, style, inner)}" for key, one in value.items())
    return "{" + style.line_end + ("," + style.line_end).join(members) + style.line_end + indent + "}"


def render_line(value: object, style: Style) -> str:
    """A value on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(style.comma, style.colon))


def append(text: str, holder: Node, value: object, key: str | None = None) -> str:
    """The text with a value added at the end of a list (in one line), or with a member at the end of an object."""
    style = style_of(text)
    render = render_json if key is not None else lambda value, style, indent: render_line(value, style)
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + style.colon
    if not holder.children:
        own = _indent_at(text, holder.start)
        inside = text[holder.start + 1 : holder.end - 1]
        if not style.unit:
            added = name + render(value, style, "")
            return text[: holder.start + 1] + inside.rstrip(BLANKS) + added + text[holder.end - 1 :]
        line = style.line_end + own + style.unit
        added = line + name + render(value, style, own + style.unit)
        return text[: holder.start + 1] + inside.rstrip(BLANKS) + added + style.line_end + own + text[holder.end - 1 :]
    last = holder.children[-1]
    if not _begins_line(text, last.at):
        added = style.comma + name + render(value, style, _indent_at(text, last.at))
        return text[: last.end] + added + text[last.end :]
    indent = _indent_at(text, last.at)
    rest = _after_comments(text, last.end, holder.end - 1)
    added = style.line_end + indent + name + render(value, style, indent)
    return text[: last.end] + "," + text[last.end : rest] + added + text[rest:]


def remove(text: str, holder: Node, place: int) -> str:
    """The text without a child of a list or object: its comma and the blanks before it go with it, comments stay."""
    child, plain = holder.children[place], _without_comments(text)
    if place + 1 < len(holder.children):
        comma = plain.index(",", child.end)
        rest = _skip(text, comma + 1)
        return text[: child.at] + text[child.end : comma] + text[rest:]
    start = _blanks_start(text, child)
    if place:
        comma = plain.index(",", holder.children[place - 1].end)
        return text[:comma] + text[comma + 1 : max(start, comma + 1)] + text[child.end :]
    if not text[holder.start + 1 : child.at].strip(BLANKS) and not text[child.end : holder.end - 1].strip(BLANKS):
        return text[: holder.start + 1] + text[holder.end - 1 :]
    return text[:start] + text[child.end :]


def replace(text: str, node: Node, value: object) -> str:
    """The text with another value in a value's place."""
    return text[: node.start] + render_json(value, style_of(text), _indent_at(text, node.start)) + text[node.end :]


def _begins_line(text: str, place: int) -> bool:
    return not text[text.rfind("\n", 0, place) + 1 : place].strip(BLANKS) and "\n" in text[:place]


def _indent_at(text: str, place: int) -> str:
    """The indentation of the line in which something stands."""
    start = text.rfind("\n", 0, place) + 1
    end = start
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return text[start:end]


def _blanks_start(text: str, child: Node) -> int:
    """Where the blanks before a last child begin; a line comment there keeps the line break that it ends at."""
    start = child.at
    while text[start - 1] in BLANKS:
        start -= 1
    line = text.rfind("\n", 0, start) + 1
    is_open = any(found[0].startswith("//") for found in PIECES.finditer(text, line, start))
    if is_open and not re.match(r"[ \t]*\r?\n", text[child.end : child.end + 200]):
        return text.index("\n", start) + 1
    return start


def _after_comments(text: str, place: int, limit: int) -> int:
    """Where the comments end that stand behind a value in its own line."""
    end = place
    for found in _comments(text, place, limit):
        if "\n" in text[end : found.start()] or text[end : found.start()].strip(BLANKS):
            break
        end = found.end()
    return end


def _comments(text: str, place: int, limit: int) -> Iterator[re.Match[str]]:
    return (found for found in PIECES.finditer(text, place, limit) if found[0][0] == "/")
