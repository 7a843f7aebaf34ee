"""Stored text made safe to show: no terminal codes, no lone surrogates, one line where one line is wanted.

What is stored stays as it was said; these functions are for the way out (screens, blocks, titles), except
`encodable`, which is for the way in: SQLite and pipes take no lone surrogates (cases/10).
"""

import re

TERMINAL_CODES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, screen
    r"|\x1b[\]PX^_].*?(?:\x1b\\|\x07|\x9c|$)"  # OSC, DCS, SOS, PM, APC: titles, links, clipboard
    r"|\x9b[0-?]*[ -/]*[@-~]|[\x9d\x90\x98\x9e\x9f].*?(?:\x1b\\|\x07|\x9c|$)"  # the same with C1 introducers
    r"|\x1b[ -/]*[0-~]",  # two- and three-letter sequences
    re.DOTALL,
)
CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
"""C0 but newline and tab, DEL, C1, the marks that change the direction of text, and letters that nobody sees."""
ESCAPED = re.compile(r"\\u([0-9A-Fa-f]{4})")
LINE_BREAKS = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
SURROGATES = re.compile(r"[\ud800-\udfff]")


def encodable(text: str) -> str:
    """`text` with every lone surrogate turned into U+FFFD, so that it can be encoded."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return SURROGATES.sub("\ufffd", text)
    return text


def readable(raw: bytes) -> str:
    """The text of a line nobody could parse, such as a person would read it: unescaped, whatever its encoding is.

    For redaction, whose rules know letters and not their escapes.
    """
    sample = raw[:4096]
    if sample.count(0) * 4 > len(sample):
        text = raw.decode("utf-16-be" if sample[:1] == b"\0" or sample[:2] == b"\xfe\xff" else "utf-16-le", "replace")
    else:
        text = raw.decode("utf-8", "replace")
    return encodable(ESCAPED.sub(lambda found: chr(int(found[1], 16)), text))


def printable(text: str) -> str:
    """`text` with terminal sequences and control characters taken out whole; newline and tab stay."""
    text = encodable(text)
    if "\x1b" in text or not text.isprintable():
        text = text.replace("\r\n", "\n")
        text = TERMINAL_CODES.sub("", text)
        text = re.sub(r"[\r\u2028\u2029]", "\n", text)
        text = CONTROLS.sub("", text)
    return text


def one_line(text: str) -> str:
    """`text` as one printable line, runs of white space folded to one blank."""
    return " ".join(LINE_BREAKS.sub(" ", printable(text)).split())


def counted(number: int, one: str, many: str = "") -> str:
    """`1 session`, `2 sessions`, `1,200 sessions`; `many` where an s does not do."""
    return f"{number:,} {one}" if number == 1 else f"{number:,} {many or one + 's'}"


def clip(text: str, limit: int) -> str:
    """`text` as it is, or cut to `limit` characters, the last of them an ellipsis."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"
