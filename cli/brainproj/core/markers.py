"""Markers: the notes an agent writes into its reply to have them recorded, as `<!-- @lesson -->text<!-- @/lesson -->`.

`find_markers` is handed what the assistant itself said and hands on the markers it meant; `neutralise_markers` is for
the way back, so that what we recall can form none. A newcomer's mistake: one regular expression for a pair of tags. It
takes examples for real (cases/30) and is quadratic. What is only shown is no marker: in code by the rules of
CommonMark 0.31, in a quoted line (with its own `>`), or in a memory block that the agent repeats.
Syntax: formats/agentihooks.md 3.1. What differs on purpose: an open tag without its close swallows no other marker.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto


class MarkerKind(StrEnum):
    """What a marker records. Other words (`edge`, `inject`, `hot`, `todo`) are the kernel's and none of ours."""

    LESSON = "lesson"
    DECISION = "decision"
    SIGNAL = "signal"
    MILESTONE = "milestone"


WORDS = frozenset(kind.value for kind in MarkerKind)


@dataclass(frozen=True, slots=True)
class Marker:
    """One marker. `start` and `end` are code points of the text it was found in, tags included, half open.

    attributes: (name, value) as written and in that order; the value is None where it is empty quotes.
    """

    kind: MarkerKind
    text: str
    attributes: tuple[tuple[str, str | None], ...]
    start: int
    end: int


ATTRIBUTE = r'\s++(\w++)=(?:"([^"]*+)"|(?!")((?:(?!-->)[^\s>])++))'
ATTRIBUTES = re.compile(ATTRIBUTE)
TAG = re.compile(rf"<!--\s*+@(/?)(\w++)(?:((?:{ATTRIBUTE})*+)\s*+(-->))?")
"""A tag, or the beginning of a malformed one: then the last group is None. Possessive, so that no text is quadratic."""
MARKER_OPENING = re.compile(r"<!--(?=\s*@)")
MEMORY_TAG = re.compile(r"<(/?)project-memory(?=[\s>])", re.IGNORECASE)

LINE = re.compile(r"([^\r\n]*)(?:\r\n?|\n|\Z)")
LIST_ITEM = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|\Z)")
FENCE = re.compile(r"`{3,}(?=[^`]*\Z)|~{3,}")
ALONE = re.compile(r"<!--|#{1,6}(?:[ \t]|\Z)|(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
"""A comment, a heading, a rule: a line that belongs to no paragraph."""
UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*\Z")
BACKTICKS = re.compile(r"`+")
INLINE = re.compile(r"\\[!-/:-@\[-`{-~]|`+|<!--")
TAB_COLUMNS = 4
DEEPEST_LIST = 32
"""More items on one line would be read again and again; nobody writes them."""


def find_markers(text: str) -> list[Marker]:
    """The markers of an assistant's reply, in their order. Linear in the length of `text`.

    A tag pairs with the first close of the same word behind it, in the same case, unless the same word is opened again
    before. What stands inside a pair is its content, other markers too. A malformed tag and a blank content are none.
    """
    if not MARKER_OPENING.search(text):
        return []
    hidden = _find_hidden(text)
    pairs: list[tuple[re.Match[str], re.Match[str]]] = []
    opened: dict[str, re.Match[str]] = {}
    for tag in TAG.finditer(text):
        is_close, word, attributes, is_whole = tag[1], tag[2], tag[3], tag[7]
        if hidden[tag.start()] or hidden[tag.end() - 1] or (is_close and (attributes or not is_whole)):
            continue
        before = opened.pop(word, None)
        if is_close and before:
            pairs.append((before, tag))
        elif is_whole and not is_close:
            opened[word] = tag
    return _read_pairs(text, sorted(pairs, key=lambda pair: pair[0].start()))


def neutralise_markers(text: str) -> str:
    """`text` with a blank in `<!--` wherever a marker's tag could begin, so that it stays readable and is no marker.

    To be applied last: what takes characters out afterwards could join a tag again. Twice is the same as once.
    """
    return MARKER_OPENING.sub("<! --", text)


def _read_pairs(text: str, pairs: list[tuple[re.Match[str], re.Match[str]]]) -> list[Marker]:
    """The markers of pairs of tags, sorted by their start; a pair that begins inside another is part of its content."""
    markers: list[Marker] = []
    end = 0
    for opening, closing in pairs:
        if opening.start() < end:
            continue
        end = closing.end()
        content = text[opening.end() : closing.start()].strip()
        word = opening[2].lower()
        if content and word in WORDS:
            attributes = tuple((name, quoted or bare or None) for name, quoted, bare in ATTRIBUTES.findall(opening[3]))
            markers.append(Marker(MarkerKind(word), content, attributes, opening.start(), end))
    return markers


def _find_hidden(text: str) -> bytearray:
    """For each character of `text` 1 where a marker is only shown, else 0."""
    hidden = bytearray(len(text))
    blocks = _Blocks()
    paragraphs: list[tuple[int, int]] = []
    for line in LINE.finditer(text):
        start, end = line.span()
        match blocks.read(line[1]):
            case _Role.HIDDEN:
                hidden[start:end] = b"\1" * (end - start)
            case _Role.NEXT:
                paragraphs[-1] = paragraphs[-1][0], end
            case _Role.FIRST:
                paragraphs.append((start, end))
    for start, end in paragraphs:
        _hide_inline_code(text, start, end, hidden)
    begin: int | None = None
    for tag in MEMORY_TAG.finditer(text):  # a block that begins within a line
        if tag[1] and begin is not None:
            hidden[begin : tag.end()] = b"\1" * (tag.end() - begin)
            begin = None
        elif not tag[1] and begin is None and not hidden[tag.start()]:
            begin = tag.start()
    return hidden


def _hide_inline_code(text: str, start: int, end: int, hidden: bytearray) -> None:
    """Mark the inline code of one paragraph: n backticks, closed by the next run of exactly n."""
    runs: dict[int, list[int]] = {}
    for run in BACKTICKS.finditer(text, start, end):
        runs.setdefault(len(run[0]), []).append(run.start())
    last_comment_end = text.rfind("-->", start, end)
    position = start
    while token := INLINE.search(text, position, end):
        position = token.end()
        if token[0] == "<!--" and position <= last_comment_end:
            position = text.index("-->", position) + 3  # backticks in an attribute are no code
        elif token[0][0] == "`":
            closes = runs.get(len(token[0]), [])
            index = bisect_left(closes, position)
            if index < len(closes):
                position = closes[index] + len(token[0])
                hidden[token.start() : position] = b"\1" * (position - token.start())


class _Role(Enum):
    """What a line is to its neighbours: the first of a paragraph, the next of one, or no text that is meant."""

    HIDDEN = auto()
    FIRST = auto()
    NEXT = auto()


@dataclass(slots=True)
class _Blocks:
    """Where we are in the blocks of a Markdown text while it is read line by line.

    containers: the column at which the content of each open list item begins. fence: its mark, its length and the
    column of its container. in_memory: between the tags of a memory block.
    """

    containers: list[int] = field(default_factory=list)
    fence: tuple[str, int, int] | None = None
    in_paragraph: bool = False
    in_memory: bool = False
    is_item_empty: bool = False

    def read(self, line: str) -> _Role:
        """What `line`, without its end, is; the next call is for the line behind it."""
        column, rest = _split_indent(line, 0)
        if self.in_memory:
            self.in_memory = not _closes_memory(line)
            return _Role.HIDDEN
        if not rest:
            self.in_paragraph = False
            if self.is_item_empty:
                self.containers.pop()  # a second empty line ends it
            self.is_item_empty = False
            return _Role.HIDDEN
        if self.fence and column >= self.fence[2]:
            mark, length, container = self.fence
            run = rest.rstrip(" \t")
            if column - container < TAB_COLUMNS and len(run) >= length and not run.strip(mark):
                self.fence = None
            return _Role.HIDDEN
        self.fence = None  # the list item it stood in has ended
        containers = self.containers
        self.containers = [inside for inside in containers if inside <= column]
        is_outside = len(self.containers) < len(containers)
        column, rest, is_item = self._enter_items(column, rest, is_outside)
        self.is_item_empty = is_item and not rest
        role = self._read_content(column, rest, is_item)
        if role is _Role.NEXT:
            self.containers = containers
        return role

    def _enter_items(self, column: int, rest: str, is_outside: bool) -> tuple[int, str, bool]:
        """Go into the list items that begin on a line: the column and the text in the last one, and if there is one.

        In a paragraph only an item that has a text, and the number 1 if it has one, begins a list.
        """
        is_item = False
        in_paragraph = self.in_paragraph and not is_outside
        while column - self._container < TAB_COLUMNS and (item := LIST_ITEM.match(rest)):
            content = rest[item.end() :]
            is_text = in_paragraph and (not content.strip() or item[1] not in (None, "1"))
            if is_text or ALONE.match(rest) or len(self.containers) == DEEPEST_LIST:
                break
            is_item, in_paragraph = True, False
            inside = column + item.end()
            column, rest = _split_indent(content, inside)
            is_code = column - inside > TAB_COLUMNS or not rest
            self.containers.append(inside + 1 if is_code else column)
        return column, rest, is_item

    def _read_content(self, column: int, rest: str, is_item: bool) -> _Role:
        was_in_paragraph = self.in_paragraph and not is_item
        self.in_paragraph = False
        if column - self._container >= TAB_COLUMNS and not was_in_paragraph:
            return _Role.HIDDEN
        if column - self._container < TAB_COLUMNS:
            tag = MEMORY_TAG.match(rest)
            if tag and not tag[1]:
                self.in_memory = not _closes_memory(rest)
                return _Role.HIDDEN
            if fence := FENCE.match(rest):
                self.fence = rest[0], len(fence[0]), self._container
                return _Role.HIDDEN
            if rest.startswith(">"):
                return _Role.HIDDEN
            if ALONE.match(rest) or (was_in_paragraph and UNDERLINE.match(rest)):
                return _Role.FIRST
        self.in_paragraph = bool(rest)
        return _Role.NEXT if was_in_paragraph else _Role.FIRST

    @property
    def _container(self) -> int:
        return self.containers[-1] if self.containers else 0


def _closes_memory(line: str) -> bool:
    return any(tag[1] for tag in MEMORY_TAG.finditer(line))


def _split_indent(text: str, column: int) -> tuple[int, str]:
    """The column at which `text`, itself beginning at `column`, has its first character, and the text from there."""
    rest = text.lstrip(" \t")
    for character in text[: len(text) - len(rest)]:
        column += TAB_COLUMNS - column % TAB_COLUMNS if character == "\t" else 1
    return column, rest
