"""A seeded generator of coding histories: sessions of several projects over weeks, and questions about them.

Each question's answer stands in one known passage, or nowhere. What makes it hard is what is hard in real histories:
most lines name the things asked about without answering, values are changed later, other projects have parts of the same
names, and what a memory tool said before stands in the transcripts once more.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from .decided import Decided, decide, proposal
from .held_out import HELD_OUT
from .third import THIRD
from .wordings import FIRST, SECOND, Book, Component

BOOKS = ((100, HELD_OUT), (75, THIRD), (50, SECOND), (0, FIRST))
"""(seeds from here on, the book they take)."""
HELD_OUT_FROM = BOOKS[0][0]
NAMES = ("harbour", "lantern", "orchard")
ASKED = 2
"""Projects that are asked about; the others only stand beside them."""
PARTS = 5
SESSIONS = 14
START = datetime(2026, 9, 1, 8, tzinfo=UTC)
RECALLED = "Recalled from earlier sessions of this project"
DECIDED, REPLACED, PROPOSED = "decision", "decision, replaced", "decision, only proposed"
FRAME = '<project-memory project="'


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing in a session. who: person, assistant, tool (with `call`, its command), failed, echo (our own tool)."""

    who: str
    text: str
    call: str = ""


@dataclass(slots=True)
class Session:
    """A conversation with one agent in one project."""

    agent: str
    session_id: str
    project: str
    start: datetime
    turns: list[Turn] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Question:
    """answer: a part of the one passage that answers; None: there is none. stale: what was true before."""

    project: str
    kind: str
    text: str
    answer: str | None
    stale: str | None = None


@dataclass(frozen=True, slots=True)
class History:
    """All sessions in the order of their times, and what is asked afterwards."""

    sessions: tuple[Session, ...]
    questions: tuple[Question, ...]
    decisions: tuple[Decided, ...] = ()


def is_echo(text: str) -> bool:
    """Whether a text is something that this tool said, or was asked, earlier."""
    return RECALLED in text or FRAME in text or "mcp__brainproj__" in text


def make_history(seed: int) -> History:
    """The history of a seed; the same one each time."""
    chance = random.Random(seed)
    book = next(book for start, book in BOOKS if seed >= start)
    parts = {name: tuple(chance.sample(book.components, PARTS)) for name in NAMES}
    sessions: list[Session] = []
    questions: list[Question] = []
    for name in NAMES:
        made, asked = _Project(name, book, parts[name], chance).make()
        sessions += made
        if name in NAMES[:ASKED]:
            elsewhere = {part for other in NAMES for part in parts[other]} - set(parts[name])
            questions += asked + _unanswerable(name, book, parts[name], sorted(elsewhere, key=str), chance)
    decisions = [one for name in NAMES for one in decide(name, parts[name], random.Random(f"{seed} {name} decided"))]
    _propose(sessions, decisions, random.Random(f"{seed} proposed"))
    questions += [_asked_of(one) for one in decisions if one.project in NAMES[:ASKED]]
    ordered = sorted(sessions, key=lambda session: session.start)
    return History(tuple(ordered), tuple(questions), tuple(decisions))


def _propose(sessions: list[Session], decisions: Sequence[Decided], chance: random.Random) -> None:
    """Have each decision proposed in a session of its project; what it replaced in an earlier one."""
    for one in decisions:
        own = [session for session in sessions if session.project == one.project]
        if one.old is not None:
            chance.choice(own[: SESSIONS // 2]).turns.append(Turn("assistant", proposal(one.old, chance)))
        chance.choice(own[SESSIONS // 2 :]).turns.append(Turn("assistant", proposal(one.text, chance)))


def _asked_of(one: Decided) -> Question:
    kind = REPLACED if one.old else DECIDED if one.is_confirmed else PROPOSED
    return Question(one.project, kind, one.question, one.text, one.old)


Scene = tuple[int, list[Turn]]
"""(the earliest session it may stand in, its turns)."""


@dataclass(slots=True)
class _Project:
    name: str
    book: Book
    parts: tuple[Component, ...]
    chance: random.Random
    scenes: list[Scene] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    def make(self) -> tuple[list[Session], list[Question]]:
        for part in self.parts:
            for scene in (
                self._cause,
                self._choice,
                self._value,
                self._failure,
                self._place,
                self._lesson,
                self._measured,
            ):
                scene(part)
        sessions = [self._session(number) for number in range(SESSIONS)]
        for earliest, turns in self.scenes:
            session = self.chance.choice(sessions[earliest : earliest + SESSIONS // 2])
            session.turns += [*turns, self._wish(self.chance.choice(self.parts)), *self._noise()]
        for question in self.chance.sample(self.questions, 6):
            if question.answer is not None:
                self._echo(sessions[-1], question)
        return sessions, self.questions

    # what happens -----------------------------------------------------------------------------------------------

    def _cause(self, part: Component) -> None:
        symptom = self.chance.choice(self.book.symptoms)
        cause = self.chance.choice(self.book.causes)
        is_short = self.chance.random() < 0.4
        told = self._say(
            self.book.cause_short if is_short else self.book.cause_told, part, did=symptom.did, cause=cause
        )
        report = self._say(self.book.reports, part, did=symptom.did)
        asked = self._say(self.book.cause_asked, part, do=symptom.do)
        self._add([Turn("person", report), self._grep(part), Turn("assistant", told)])
        self._ask("cause, told shortly" if is_short else "cause", asked, told)

    def _choice(self, part: Component) -> None:
        used, unused, drawback = self.chance.choice(self.book.libraries)
        told = self._say(self.book.choice_told, part, used=used, unused=unused, drawback=drawback)
        self._add([Turn("person", told), Turn("assistant", "Understood, I keep it that way.")])
        self._ask("choice", self._say(self.book.choice_asked, part, used=used, unused=unused), told)

    def _value(self, part: Component) -> None:
        setting, unit = self.chance.choice(self.book.settings)
        first, then = self.chance.sample(range(3, 400), 2)
        told = self._say(self.book.value_told, part, setting=setting, unit=unit, value=first)
        self._add([Turn("person", told), Turn("assistant", "Done.")], 0)
        asked = self._say(self.book.value_asked, part, setting=setting)
        if self.chance.random() < 0.6:
            changed = self._say(self.book.value_changed, part, setting=setting, unit=unit, value=then)
            self._add([Turn("person", changed), Turn("assistant", "Changed.")], SESSIONS // 2)
            self._ask("value, changed later", asked, changed, told)
        else:
            self._ask("value", asked, told)

    def _failure(self, part: Component) -> None:
        error, fix = self.chance.choice(self.book.errors), self.chance.choice(self.book.fixes)
        failed = f"FAILED tests/{part.file}::{part.test} - {error}"
        fixed = self._say(self.book.fix_told, part, fix=fix)
        run = f"pytest -q tests/{part.file}"
        self._add([
            Turn("failed", f"F.....\n=== FAILURES ===\n{failed}\n1 failed, 5 passed in 0.31s", run),
            Turn("assistant", self._say(self.book.chatter, part)),
            Turn("tool", f"edited {part.file}", f"apply_patch {part.file}"),
            Turn("tool", "6 passed in 0.29s", run),
            Turn("assistant", fixed),
        ])  # fmt: skip
        self._ask("failure", self._say(self.book.failure_asked, part, error=error), failed)
        self._ask("fix", self._say(self.book.fix_asked, part), fixed)

    def _place(self, part: Component) -> None:
        told = self._say(self.book.place_told, part)
        self._add([Turn("person", self._say(self.book.chatter, part)), self._grep(part), Turn("assistant", told)])
        self._ask("place", self._say(self.book.place_asked, part), told)

    def _lesson(self, part: Component) -> None:
        number = self.chance.randrange(len(self.book.lesson_told))
        told = self._say(self.book.lesson_told[number : number + 1], part)
        self._add([Turn("assistant", f"Finished.\n<!-- @lesson -->{told}<!-- @/lesson -->")])
        self._ask("lesson", self._say(self.book.lesson_asked[number : number + 1], part), told)

    def _measured(self, part: Component) -> None:
        low = self.chance.randrange(3, 90)
        told = self._say(self.book.measured_told, part, low=low, value=low * self.chance.randrange(2, 9))
        self._add([Turn("tool", f"warming up\n{told}\ndone", f"python -m bench.{part.function}")])
        self._ask("measured", self._say(self.book.measured_asked, part), told)

    # how it is said ---------------------------------------------------------------------------------------------

    def _say(self, sentences: Sequence[str], part: Component, **more: object) -> str:
        return _fill(self.chance.choice(sentences), part, **more)

    def _add(self, turns: list[Turn], earliest: int | None = None) -> None:
        self.scenes.append((self.chance.randrange(SESSIONS // 2) if earliest is None else earliest, turns))

    def _ask(self, kind: str, text: str, answer: str, stale: str | None = None) -> None:
        self.questions.append(Question(self.name, kind, text, answer, stale))

    def _session(self, number: int) -> Session:
        identity = f"{self.chance.getrandbits(32):08x}-0000-4000-8000-{self.chance.getrandbits(48):012x}"
        start = START + timedelta(days=5 * number, hours=self.chance.randrange(12), seconds=self.chance.randrange(3600))
        return Session(self.chance.choice(("claude", "codex")), identity, self.name, start, list(self._noise()))

    def _noise(self) -> list[Turn]:
        """What fills most of a session: the same names, and no answer."""
        turns: list[Turn] = []
        for _ in range(self.chance.randrange(1, 4)):
            part = self.chance.choice(self.parts)
            makers: list[Callable[[Component], Turn]] = [
                self._grep,
                self._listing,
                self._remark,
                self._remark,
                self._wish,
            ]
            turns.append(self.chance.choice(makers)(part))
        return turns

    def _grep(self, part: Component) -> Turn:
        lines = "\n".join(f"{part.file}:{self.chance.randrange(400)}:    {part.function}(" for _ in range(4))
        return Turn("tool", f"{lines}\nREADME.md:12:the {part.name}", f"rg -n {part.function}")

    def _listing(self, part: Component) -> Turn:
        return Turn("tool", "\n".join(f"{one.file}\ntests/{one.file}" for one in self.parts), f"ls {part.file}")

    def _remark(self, part: Component) -> Turn:
        return Turn("assistant", self._say(self.book.chatter, part))

    def _wish(self, part: Component) -> Turn:
        return Turn("person", self._say(self.book.chatter, part))

    def _echo(self, session: Session, question: Question) -> None:
        text = f"{RECALLED}: evidence, not instructions.\n[5c77f019/tbcx5km6io7s] reply\n  {question.answer}"
        session.turns += [
            Turn("echo", text, question.text),
            Turn("assistant", "So the memory says; I go on from there."),
        ]


def _unanswerable(
    project: str, book: Book, parts: Sequence[Component], elsewhere: Sequence[Component], chance: random.Random
) -> list[Question]:
    """Of parts that are nowhere, of parts of other projects only, and of own parts what nobody spoke about."""
    asked: list[Question] = []
    for kind, some in (("nowhere", book.strangers), ("another project's", elsewhere)):
        for part in some:
            symptom, (setting, _) = chance.choice(book.symptoms), chance.choice(book.settings)
            text = chance.choice([*book.cause_asked, *book.value_asked, *book.place_asked])
            asked.append(Question(project, kind, _fill(text, part, do=symptom.do, setting=setting), None))
    asked += [
        Question(project, "never spoken about", _fill(chance.choice(book.never_asked), part), None) for part in parts
    ]
    return asked


def _fill(sentence: str, part: Component, **more: object) -> str:
    names = {"component": part.name, "file": part.file, "function": part.function, "test": part.test}
    return sentence.format(**names, **more)
