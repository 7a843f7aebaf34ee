"""From a person's words to a full-text expression, and from a stored text to what is indexed.

What is typed is text to look for, never a query language (cases/14): every word must occur, a word with punctuation in
it (a path, a version) is a phrase, and words in quotes are one too. Scripts without spaces between words are indexed
letter by letter and looked for as a phrase, so that any part of a run is found.
"""

import re

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"  # Chinese, Japanese
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"  # Korean; compatibility forms
)
UNSPACED_LETTER = re.compile(f"([{UNSPACED}])")
"""Letters up to U+FFFF alone: with one beyond, the class is searched range by range, five times as slowly."""
NEWER_SYMBOL = re.compile(
    "[\u058d-\u058e\u061d\u07fe-\u07ff\u0888\u09fd\u0a76\u0c77\u0c84\u0d4f\u1b7d-\u1b7e\u20ba-\u20c0\u218a-\u218b"
    "\u23f4-\u23ff\u2700\u2b4d-\u2b4f\u2b5a-\u2b73\u2b76-\u2b95\u2b97-\u2bff\u2e3c-\u2e5d\u32ff\ua8fc\uab5b"
    "\uab6a-\uab6b\ufbc2\ufd40-\ufd4f\ufdcf\ufdfe-\ufdff]"
)
"""Symbols and punctuation that SQLite 3.40 takes for letters, found by asking it; agents write some (U+23FA)."""
ASTRAL = re.compile("[\U00010000-\U0010ffff]")
TOKENS = re.compile(r"[^\W_]+(?:[\u0300-\u036f][^\W_]*)*")
"""What the tokenizer takes for words: letters and digits of any script."""
QUOTED = re.compile(r'"([^"]+)"|(\S+)')
SHORTEST_BEGINNING = 2
"""Letters before a `*`: one would fit half of all words."""
MOST_TERMS = 32
"""Words of a query that count; a pasted page would otherwise take seconds."""

MARKERS = re.compile(r"<!--\s*@/?[\w-]+[^<>]{0,200}-->")
"""What makes a record of a passage says nothing to whoever reads it."""


def index_text(text: str) -> str:
    """`text` as the index gets it: letters of scripts without spaces, and all beyond U+FFFF, stand apart.

    Newer symbols are blanks: the tokenizer's tables of Unicode are older than Python's and take them for letters.
    """
    if text.isascii():
        return text
    if NEWER_SYMBOL.search(text):
        text = NEWER_SYMBOL.sub(" ", text)
    if ASTRAL.search(text):
        text = ASTRAL.sub(_apart, text)
    return " ".join(UNSPACED_LETTER.split(text)) if UNSPACED_LETTER.search(text) else text


def _apart(found: re.Match[str]) -> str:
    return f" {found[0]} " if found[0].isalnum() else " "


def query_terms(query: str) -> list[list[str]]:
    """The phrases a person looks for, each a list of words; a plain word is a phrase of one."""
    return [words for words, _ in _phrases(query)]


def _phrases(query: str) -> list[tuple[list[str], bool]]:
    """(words, whether the last one is a beginning): `time*` looks for every word that begins so."""
    phrases = []
    for quoted, word in QUOTED.findall(query):
        words = TOKENS.findall(index_text(quoted or word))[:MOST_TERMS]
        if words:
            is_beginning = not quoted and word.endswith("*") and len(words[-1]) >= SHORTEST_BEGINNING
            phrases.append((words, is_beginning))
    return phrases[:MOST_TERMS]


def quoted_signs(query: str) -> list[str]:
    """The quoted parts that hold more than words, as `"C++"` does: the index knows no signs, so the text is asked."""
    signs = (folded(quoted) for quoted, _ in QUOTED.findall(query) if re.search(r"[^\w\s]", quoted))
    return list(dict.fromkeys(signs))[:MOST_TERMS]


def folded(text: str) -> str:
    """A text without regard to case and line breaks."""
    return " ".join(text.casefold().split())


def match_expression(query: str) -> str | None:
    """The FTS5 expression for a person's words, or None where there is nothing to look for.

    Quoting leaves no character with a meaning of its own: https://sqlite.org/fts5.html#fts5_strings
    """
    phrases = _phrases(query)
    said = ('"' + " ".join(words) + '"' + (" *" if is_beginning else "") for words, is_beginning in phrases)
    return " AND ".join(dict.fromkeys(said)) if phrases else None  # a word said twice is walked through once


def find_hit(text: str, query: str, start: int = 0) -> tuple[int, int] | None:
    """Where the longest of the looked-for phrases stands from `start` on (code points, half open), or None."""
    for words in sorted(query_terms(query), key=lambda words: -sum(map(len, words))):
        found = re.compile(r"[\W_]*".join(map(re.escape, words)), re.IGNORECASE).search(text, start)
        if found:
            return found.span()
    return None


def excerpt(text: str, query: str, width: int, near: int = 0) -> str:
    """About `width` characters of a text with the hit in view; an ellipsis where something was left out.

    near: where the passage begins, in a text that has more than one.
    """
    hit = find_hit(text, query, near) or find_hit(text, query)
    start = 0 if hit is None else max(0, min(hit[0] - width // 3, len(text) - width))
    if start and (blank := text.find(" ", start, start + 20)) > 0 and (hit is None or blank < hit[0]):
        start = blank + 1
    end = min(len(text), start + width)
    return ("…" if start else "") + text[start:end].strip() + ("…" if end < len(text) else "")
