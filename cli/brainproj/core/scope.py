"""Who may have an entry of a feed: one verdict for each scope, with the reason (design 7, S4).

Decided by where an entry comes from (its id), never by what it says, with one exception: the operator's intent passes
in strict scope to the one project that it names.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

EVERYBODY = "*"
INTENT_IDS = frozenset({"operator-intent", "intent"})
MEMORY_PREFIXES = ("hot-arcs", "lessons")
MEMORY_ENDINGS = ("-hot-arcs", "-lessons")
"""An entry without an id goes by its title: `Active Hot Arcs`, `Recent Lessons`."""
NO_WORD = re.compile(r"[^a-z0-9]+")
SHORT = 4
"""Letters; a name with fewer is a word of every text."""
COMMON = frozenset(
    """
    agent agents api app apps backend base bench brain build cache client code common config core data demo
    deploy docs engine example examples frontend gateway home infra kernel library main memory mobile model
    models monorepo notes parser platform playground plugin project projects repo runtime sample sandbox schema
    script scripts search server service services shared site source store system template test tests tool tools
    utils vault website web worker workspace
    """.split()  # noqa: SIM905  (read as what it is, a list of words)
)
"""Names that are ordinary words: they name a project only as `owner/name`."""


@dataclass(frozen=True, slots=True)
class Named:
    """A project as a text may name it. owner_name: the last two parts of its key, where it has them."""

    key: str
    names: tuple[str, ...]
    owner_name: str | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Who gets an entry in each scope: None nobody, EVERYBODY, or the key of one project; and why, for strict."""

    strict: str | None
    ranked: str | None
    off: str | None
    why: str
    is_said: bool = False
    """It is said to those it is for, and no memory of the fleet that happens to name them."""


def is_memory(entry_id: str) -> bool:
    """Whether an entry is memory of the whole fleet: its arcs, its lessons, one guess at what the operator does."""
    words = NO_WORD.sub("-", entry_id.lower()).strip("-")
    return words in INTENT_IDS or words.startswith(MEMORY_PREFIXES) or words.endswith(MEMORY_ENDINGS)


def judge(entry_id: str, content: str, projects: Sequence[Named]) -> Verdict:
    """The verdict on an entry."""
    if not is_memory(entry_id):
        return Verdict(EVERYBODY, EVERYBODY, EVERYBODY, "what is addressed to the fleet reaches every session")
    if NO_WORD.sub("-", entry_id.lower()).strip("-") not in INTENT_IDS:
        return Verdict(None, EVERYBODY, EVERYBODY, "fleet memory, and this session has a project")
    named = [project for project in projects if names_project(content, project)]
    if len(named) == 1:
        return Verdict(named[0].key, EVERYBODY, EVERYBODY, f"it names {named[0].names[0]} and no other known project")
    why = "it names several projects" if named else "it names no known project"
    return Verdict(None, EVERYBODY, EVERYBODY, why)


ALERT = "an alert reaches every session"


def of_one(key: str, name: str, *, is_alert: bool) -> Verdict:
    """The verdict on an entry that its brain says is one known project's."""
    if is_alert:
        return Verdict(EVERYBODY, EVERYBODY, EVERYBODY, ALERT)
    return Verdict(key, EVERYBODY, EVERYBODY, f"its brain says that it is of {name}", is_said=True)


def of_nobody(label: str, *, is_alert: bool) -> Verdict:
    """The verdict on an entry that its brain says is of a project that nobody knows here, or of two."""
    if is_alert:
        return Verdict(EVERYBODY, EVERYBODY, EVERYBODY, ALERT)
    return Verdict(None, EVERYBODY, EVERYBODY, f"its brain says that it is of {label}, which is no one project here")


def names_project(text: str, project: Named) -> bool:
    """Whether a text names a project: by a whole word, or as `owner/name` where the name alone would say nothing."""
    if project.owner_name and _holds_word(text, project.owner_name):
        return True
    return any(_holds_word(text, name) for name in project.names if len(name) >= SHORT and name.lower() not in COMMON)


def _holds_word(text: str, word: str) -> bool:
    """A path holds its folders' names; a file's name with an ending is another word."""
    return re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w-]|\.\w)", text, re.IGNORECASE) is not None
