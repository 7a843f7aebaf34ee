"""The small numbers that stand for words in brain.db. They are written on disk: a number is never given again."""

from ..core.events import Kind, Outcome, Speaker

KINDS = {
    Kind.PROMPT: 0, Kind.REPLY: 1, Kind.THINKING: 2, Kind.TOOL_CALL: 3, Kind.TOOL_RESULT: 4, Kind.COMPACTION: 5,
}  # fmt: skip
SPEAKERS = {Speaker.PERSON: 0, Speaker.ASSISTANT: 1, Speaker.TOOL: 2, Speaker.HARNESS: 3}
OUTCOMES = {Outcome.OK: 0, Outcome.FAILED: 1, Outcome.DENIED: 2, Outcome.CANCELLED: 3, Outcome.UNKNOWN: 4}
KIND_NAMES = {number: kind.value for kind, number in KINDS.items()}
SPEAKER_NAMES = {number: speaker.value for speaker, number in SPEAKERS.items()}
OUTCOME_NAMES = {number: outcome.value for outcome, number in OUTCOMES.items()}

RECORD_KINDS = {"lesson": 8, "decision": 9, "signal": 10, "milestone": 11, "fact": 12, "handoff": 13, "note": 14}
RULED = ("decision", "handoff")
"""Kinds of records that wait for a person."""
ARC_KIND, TASK_KIND, DOCUMENT_KIND = 24, 25, 26
OTHER_KINDS = {"arc": ARC_KIND, "task": TASK_KIND, "document": DOCUMENT_KIND}
ALL_KINDS = {**{kind.value: number for kind, number in KINDS.items()}, **RECORD_KINDS, **OTHER_KINDS}
KIND_OF_NUMBER = {number: kind for kind, number in ALL_KINDS.items()}

SPEAKER_SHIFT = 5
FAILED = 1 << 7
HIDDEN = 1 << 8
"""Echoes, harness text and thinking: stored and indexed, found only when asked for."""

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
ID_BITS = 60


def body_class(kind: int, speaker: int, *, failed: bool, hidden: bool) -> int:
    """The class of a text: what a search can ask of it beside its words."""
    return kind | speaker << SPEAKER_SHIFT | (FAILED if failed else 0) | (HIDDEN if hidden else 0)


def tags_of(project: int, number: int) -> str:
    """The words of the index's second column for a text of this project and class."""
    tags = f"p{project} k{number & 31} s{number >> SPEAKER_SHIFT & 3}"
    if number & FAILED:
        tags += " f"
    return tags + " h" if number & HIDDEN else tags


def id_number(event_id: str) -> int:
    """An event id's letters as a number of 60 bits."""
    number = 0
    for letter in event_id:
        number = number << 5 | ALPHABET.index(letter)
    return number


def id_letters(number: int) -> str:
    """The event id of a number."""
    return "".join(ALPHABET[number >> shift & 31] for shift in range(ID_BITS - 5, -1, -5))


def id_range(beginning: str) -> tuple[int, int] | None:
    """The lowest and highest number whose letters begin so; None where a letter is none of an id."""
    if len(beginning) > 12 or any(letter not in ALPHABET for letter in beginning):
        return None
    rest = 5 * (12 - len(beginning))
    low = id_number(beginning) << rest
    return low, low + (1 << rest) - 1
