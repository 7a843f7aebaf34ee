"""Secrets taken out of a text before it is stored: known shapes, and values after a name that says they are secret.

Handed a text, hands the same text back with `[redacted]` in the place of each secret; words, names and JSON around it
stay. A word such as "token" in a sentence, a number, a commit id or an expression in code is no secret (cases/17).

Written for speed (design.md 10): each pattern begins at a character that is rare, and only there more is asked. Shapes
are searched in the text's Latin-1 bytes, where a character is a byte and offsets are the text's; prefixes and names in
those bytes *folded*: lower case and backwards, so that a pattern begins at a separator and runs back over the name.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .rules import rules_version
from .secret_shapes import (
    AFTER,
    BARE,
    BARE_PASSWORD,
    BETWEEN_WORDS,
    BOT_TOKEN,
    COMMON,
    COOKIE,
    CREDENTIALS,
    EXPRESSION,
    FOLD,
    JSON_STRING_ENDS,
    KIND,
    LOOKS,
    LOOKS_PATTERNS,
    MARKS,
    NAME,
    NAME_QUOTE,
    NAMED,
    NEEDS,
    NEVER,
    NUMBER,
    OPERATOR,
    OUTSIDE,
    PEM_LINE,
    PEM_REST,
    PREFIXED,
    PREFIXED_BACKWARDS,
    SCHEME,
    SESSION,
    SHAPES,
    SPACED,
    TO_THE_END,
    TRAILING,
    XML_VALUE,
)

HIDDEN = "[redacted]"
"""No rule takes a value that begins with a bracket, and JSON needs no escape for it."""
LONGEST = 128
"""Characters by which a value is judged, so that one long line full of names costs no more than its length."""

NO_END = (1 << 63) - 1

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Name:
    """What is known of a value before it is read."""

    kind: str
    """Of LOOKS, or `cookie` or `authorization`."""
    style: str
    """Of STYLES, or what the value must decide: after an `option`, `tight` to its =, `alone` in a line, `compared`."""
    quote: tuple[str, str] | None = None
    """The backslashes and the quote after the name; None where it stands without."""


class Redactor:
    """The built-in rules and a person's own; made once, used for every text."""

    version: str
    """Changes when the built-in rules, `hide` or `keep` do."""

    def __init__(self, hide: Sequence[str] = (), keep: Sequence[str] = ()) -> None:
        """`hide` and `keep` are regular expressions: of what else is secret, and of what is none whatever a rule says.

        `keep` must match the whole of what a built-in rule found. Raises ValueError, with the pattern, for a bad one.
        """
        self._hide = [_compiled(pattern) for pattern in hide]
        self._keep = [_compiled(pattern) for pattern in keep]
        self._find = self._find_by_all if hide or keep else _find_secrets
        self.version = rules_version(hide, keep)

    def redact(self, text: str) -> str:
        """`text` with every secret replaced; the same when applied again. Takes time in proportion to the length."""
        while spans := self._find(text):
            text = _replaced(text, spans)  # until nothing is found, so that the answer is a fixed point
        return text

    def _find_by_all(self, text: str) -> list[Span]:
        built_in = _find_secrets(text)
        spans = [span for span in built_in if not any(keep.fullmatch(text[slice(*span)]) for keep in self._keep)]
        return _merged(spans + [span for pattern in self._hide for span in _find_hidden(text, pattern)])


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"not a regular expression: {pattern} ({error})") from error


def _merged(spans: list[Span]) -> list[Span]:
    """The same characters in as few spans as possible, in order."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _replaced(text: str, spans: list[Span]) -> str:
    pieces, kept = [], 0
    for start, end in spans:
        pieces += [text[kept:start], HIDDEN]
        kept = end
    return "".join([*pieces, text[kept:]])


def _find_hidden(text: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    """What a person's own pattern matches, grown over markers it cuts, without what is markers already."""
    reach = len(HIDDEN) - 1
    for match in pattern.finditer(text):
        start, end = match.span()
        if (marker := text.find(HIDDEN, max(start - reach, 0), start + reach)) >= 0:
            start = marker
        if (marker := text.find(HIDDEN, max(end - reach, 0), end + reach)) >= 0:
            end = marker + len(HIDDEN)
        if text[start:end].replace(HIDDEN, ""):
            yield start, end


def _find_secrets(text: str) -> list[Span]:
    """Where the built-in rules see a secret: in order, apart from each other."""
    raw = text.encode("latin-1", "replace")
    folded = raw.translate(FOLD)[::-1]
    spans: list[Span] = []
    for anchor, search, find in FINDERS:
        if anchor in text and (first := search(raw)):
            spans += find(text, raw, _all_from(first))
    if first := PREFIXED_BACKWARDS.search(folded):
        spans += _find_prefixed(text, _forwards(first))
    if first := NAMED.search(folded):
        spans += _find_named(text, _forwards(first))
    return _merged(spans) if spans else spans


def _all_from(first: re.Match[bytes]) -> Iterator[re.Match[bytes]]:
    """`first` and all later matches: a search that fails is much faster than a finditer, and few succeed."""
    yield first
    yield from first.re.finditer(first.string, first.end())


def _forwards(first: re.Match[bytes]) -> Iterator[Span]:
    """Where in the text the matches in the folded text are, in the text's order."""
    size = len(first.string)
    for match in reversed(list(_all_from(first))):
        yield size - match.end(), size - match.start()


def _find_shapes(text: str, raw: bytes, matches: Iterator[re.Match[bytes]]) -> Iterator[Span]:
    for match in matches:
        kinds = {group: kind for kind, group in match.re.groupindex.items()}
        for group in range(1, (match.lastindex or 0) + 1) if match.re.groups else (0,):
            start, end = match.span(group)
            if start < end and (group not in kinds or _is_secret(text[start:end], kinds[group], "given")):
                yield start, end


def _find_spaced(text: str, raw: bytes, matches: Iterator[re.Match[bytes]]) -> Iterator[Span]:
    for match in matches:
        kind, start = match.lastgroup or "", match.start()
        if kind == "pem":
            yield from _find_private_key(raw, start - len("----"), match.end())
        elif kind not in NEEDS or NEEDS[kind].search(text[max(start - 300, 0) : start]):
            name = Name("any", "given") if kind in NEEDS else Name(kind, "option")
            yield from _find_value(text, match.end(), name)


def _find_private_key(raw: bytes, start: int, end: int) -> Iterator[Span]:
    """The block whose first line goes from `start` to `end`."""
    if rest := PEM_REST.match(raw, end):
        if b'"' in rest[0] or b"'" in rest[0]:  # lines in quotes, which must stay: the text may be JSON
            yield from (line.span(1) for line in PEM_LINE.finditer(raw, *rest.span()) if line[1])
        else:
            yield start, rest.end()


def _find_prefixed(text: str, prefixes: Iterator[Span]) -> Iterator[Span]:
    done = 0
    for start, _ in prefixes:
        if start >= done and (token := PREFIXED.match(text, start)):
            done = token.end()
            yield token.span()


def _find_named(text: str, names: Iterator[Span]) -> Iterator[Span]:
    """Values after a name that says they are secret and a separator."""
    done = 0
    for start, end in names:
        if start >= done and not NUMBER.match(text, end):
            for span in _find_after(text, start, end):
                done = span[1]
                yield span


def _find_after(text: str, start: int, end: int) -> Iterator[Span]:
    """The secrets after the name that begins at `start` and the separator that ends at `end`."""
    head, before = text[start:end], text[start - 1 : start] if start else ""
    label, operator = _match(NAME, head, 0)[0], _match(OPERATOR, text, end - 1)[0]
    if before == "\\" and label[0] in "nrt" and KIND.search(label[1:].lower()):  # a line break, as JSON writes it
        label, before = label[1:], "\n"
    kind, quote, at = KIND.search(label.lower()), NAME_QUOTE.search(head), end - 1 + len(operator)
    if kind is None or kind.lastgroup is None:
        yield from (token.span() for token in [BOT_TOKEN.match(text, end)] if token)
    elif operator == ">":
        if kind.lastgroup in LOOKS and (before == "<" or quote) and (inner := XML_VALUE.match(text, at)):
            yield from _judged(text, inner.span(), kind.lastgroup, "quoted")
    elif operator in (":", "=", ":=", "=>", "==", "===") and label not in ("PASS", "Pass"):  # of a test run
        tight = operator == "=" and head[-2] not in " \t" and text[at : at + 1] not in (" ", "\t")
        style = "compared" if operator[:2] == "==" else _style(label, before, operator, tight=tight)
        yield from _find_of_kind(text, at, Name(kind.lastgroup, style, quote and (quote[1], quote[2])))


def _style(label: str, before: str, operator: str, *, tight: bool) -> str:
    """Of the name's value; `tight` where nothing stands around the equals sign."""
    if tight and (label.isupper() or label.startswith("-") or before in ("?", "&")):
        return "given"
    if tight and before in ("", "\n", " ", "\t", ";"):
        return "tight"
    header_or_environment = label[0].isupper() and ("-" in label or label.isupper())
    return "alone" if operator == ":" and header_or_environment else "plain"


def _find_of_kind(text: str, at: int, name: Name) -> Iterator[Span]:
    after = _match(AFTER, text, at)
    if name.kind == "cookie":
        if after["quote"] or text[at - 1] == ":":
            yield from _find_cookies(text, after.end())
    elif name.kind != "authorization":
        yield from _find_value(text, at, name)
    elif scheme := SCHEME.match(text, after.end()):
        if credentials := CREDENTIALS.match(text, scheme.end()):
            yield from _judged(text, credentials.span(), "any", "given")
    else:
        yield from _find_value(text, at, Name("secret", name.style, name.quote))


def _find_value(text: str, at: int, name: Name) -> Iterator[Span]:
    after = _match(AFTER, text, at)
    start, opening = after.end(), (after["slashes"], after["quote"])
    if after["quote"] is None:
        yield from _find_bare(text, start, name)
        return
    end = _closing(text, start, *opening)
    value = text[start:end]
    if name.quote != opening and OUTSIDE.match(value):
        return
    if ("f" in after["lead"].lower() and "{" in value) or (name.style != "given" and _is_prose(value)):
        return
    style = {"given": "given", "option": "given", "compared": "plain"}.get(name.style, "quoted")
    yield from _judged(text, (start, end), name.kind, style)


def _closing(text: str, start: int, slashes: str, quote: str) -> int:
    """Where the value ends whose opening quote, after `slashes`, is before `start`; if it is cut off, what is safe.

    Each level of quoting doubles the backslashes before a quote and adds one, so a quote of a lower level ends the
    string that all this is in, and so does one that JSON would go on after.
    """
    level = len(slashes)
    for mark in MARKS.finditer(text, start, start + 64 * LONGEST):
        run = len(mark[1])
        if mark[2] == quote and run % (2 * level + 2) == level:
            return mark.end() - 1 - level
        if mark[2] == "\n" or (mark[2] == quote and run < level):
            break
        if mark[2] == '"' and JSON_STRING_ENDS.match(text, mark.end()):
            break
    rest = TO_THE_END.match(text, start) or BARE.match(text, start, start + LONGEST)
    return rest.end() if rest else start


def _find_bare(text: str, at: int, name: Name) -> Iterator[Span]:
    """The value at `at`, which stands without quotes."""
    narrow = BARE.match(text, at, at + LONGEST)
    if narrow is None or name.style == "compared":
        return
    pattern = BARE_PASSWORD if name.kind in ("password", "any") else BARE
    value = _match(pattern, text, at, at + LONGEST)[0].rstrip(TRAILING)
    following = text[narrow.end() : narrow.end() + 2]
    style = _style_of_bare(value, following, name)
    if _is_secret(value.rstrip("!?"), name.kind, style) and not _is_code(narrow[0].rstrip(".,:;"), following, style):
        yield at, at + len(_match(pattern, text, at)[0].rstrip(TRAILING))


def _style_of_bare(value: str, following: str, name: Name) -> str:
    if name.style == "option":  # in prose a word goes on: "use --token when it is"
        return "plain" if value.isalpha() and value.islower() and following != " -" else "given"
    if name.style in ("tight", "alone"):
        ends = following[:1] in ("", "\n", "\r", "\\", '"', "'") or (name.style == "tight" and following[0] in " \t;&")
        word = value.islower() or value.isupper() or "." in value or (value.isalpha() and len(value) < 12)
        named = EXPRESSION.fullmatch(value) and word  # a variable, a constant, a type
        return "given" if ends and (name.kind == "password" or not named) else "plain"
    return name.style


def _is_code(value: str, following: str, style: str) -> bool:
    """Whether a value without quotes is a call or, where it stands plainly, an attribute, an arrow, a numbered name."""
    expression = EXPRESSION.fullmatch(value)
    if expression and following[:1] in ("(", "[", "{"):
        return True
    return style == "plain" and (
        (expression is not None and len(value) < 40 and ("." in value or ":" in value))
        or (value.endswith("-") and following[:1] == ">")
        or _is_common(value.rstrip("0123456789"))
    )


def _find_cookies(text: str, at: int) -> Iterator[Span]:
    """Values in a Cookie or Set-Cookie header whose name, or whose look, says that they are a session's."""
    for _ in range(50):  # cookies that a browser keeps for a site, RFC 6265, 6.1
        if not (pair := COOKIE.match(text, at)):
            return
        if len(pair[2]) >= 8 and pair[1].lower() not in ("expires", "path", "domain"):
            yield from _judged(text, pair.span(2), "any" if SESSION.search(pair[1]) else "key", "given")
        if not pair[3]:
            return
        at = pair.end()


def _judged(text: str, span: Span, kind: str, style: str) -> Iterator[Span]:
    if _is_secret(text[slice(*span)], kind, style):
        yield span


def _is_secret(value: str, kind: str, style: str) -> bool:
    """Whether `value` looks like a secret of this kind: by LOOKS, and not by NEVER and COMMON."""
    value = value[:LONGEST]
    return bool(
        LOOKS_PATTERNS[kind, style].fullmatch(value)
        and HIDDEN not in value
        and not NEVER.fullmatch(value)
        and not _is_common(value)
    )


def _is_common(value: str) -> bool:
    return all(word.lower() in COMMON for word in BETWEEN_WORDS.split(value) if word)


def _is_prose(value: str) -> bool:
    """Whether `value` is a sentence about a secret, such as a label or a description."""
    words = value.split()
    return len(words) > 1 and (value.rstrip()[-1:] in ".?!:…" or any(word.lower() in COMMON for word in words))


def _match(pattern: re.Pattern[str], text: str, start: int, end: int = NO_END) -> re.Match[str]:
    """The match of a pattern that cannot fail there."""
    match = pattern.match(text, start, end)
    assert match is not None
    return match


FINDERS = [
    (anchor, re.compile(pattern).search, find)
    for patterns, find in ((SHAPES, _find_shapes), (SPACED, _find_spaced))
    for anchor, pattern in patterns.items()
]
redact = Redactor().redact
"""A text without secrets, by the built-in rules alone."""
