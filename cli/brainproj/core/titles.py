"""Titles: from the first thing a person typed to one line that names a session.

`clean_title` is handed the person's own text, without what the harness put around it (that is the adapters' work,
cases/13), or the title that the agent made itself. A newcomer's mistake: to take the first line as it is; it may be a
fence, a rule, a heading's mark or a wrapper.
"""

import re

from .text import clip, one_line

TITLE_CHARACTERS = 80
"""The column of `sessions` that shows a title has about so many; a block's line may be longer, but not by titles."""
SHORTEST_CUT = TITLE_CHARACTERS // 2
"""A title is cut at a blank, unless the last one is before this: then in the word."""
LINES = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
WRAPPER = re.compile(r"\s*+<([A-Za-z][\w-]*+)(?=[\s>])[^<>]*+>")
PREFIX = re.compile(r"#{1,6} |>+ ?|[-*+•] (?:\[[ xX]\] )?|\d{1,3}[.)] ")
"""The mark of a heading, a quote, a list or a task; `#123` and `-v` are words."""
FENCE = re.compile(r"(`{3,}(?=[^`]*\Z)|~{3,})(.*)")
QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "„": "“", "«": "»", "「": "」"}


def clean_title(text: str) -> str | None:
    """The first line of `text` that has a letter or a digit, cleaned; None where there is none.

    At most TITLE_CHARACTERS, the last an ellipsis if it was cut. A leading `<tag>…</tag>` is passed over if something
    follows it, and so is fenced code. A title comes out as it went in.
    """
    title = _find_title(text)
    while title is not None and (cleaner := _find_title(title)) != title:
        title = cleaner
    return title


def _find_title(text: str) -> str | None:
    starts = [0]
    while wrapper := WRAPPER.match(text, starts[-1]):
        closing = f"</{wrapper[1]}>"
        end = text.find(closing, wrapper.end())
        if end < 0:
            break
        starts.append(end + len(closing))
    return next((title for start in reversed(starts) if (title := _first_line(text, start))), None)


def _first_line(text: str, position: int) -> str | None:
    """The first line from `position` that says something and is in no fence."""
    fence: str | None = None
    for found in LINES.finditer(text, position):
        line = _strip_marks(one_line(found[0]))
        mark = FENCE.match(line)
        if fence:
            if mark and not mark[2] and mark[1].startswith(fence):
                fence = None
        elif mark:
            fence = mark[1]
        elif any(map(str.isalnum, line)):
            return _cut(line)
    return None


def _strip_marks(line: str) -> str:
    """`line` without what stands before and around its words."""
    before = None
    while line != before:
        before = line
        line = line[match.end() :] if (match := PREFIX.match(line)) else line
        closing = QUOTES.get(line[:1])
        if closing and len(line) > 1 and line.endswith(closing) and not {line[0], closing} & set(line[1:-1]):
            line = line[1:-1].strip()
    return line


def _cut(line: str) -> str:
    if len(line) <= TITLE_CHARACTERS:
        return line
    end = line.rfind(" ", SHORTEST_CUT, TITLE_CHARACTERS)
    return line[:end].rstrip(" ,;:–—-") + "…" if end >= 0 else clip(line, TITLE_CHARACTERS)
