"""Decisions and handoffs: an agent proposes, a person makes official. Each change is one transaction.

What makes something official takes an `Act`, which only `persons.require_person` gives, so nothing that agents are
offered can come here. A decision in force is told by its status, never by what a search finds.
"""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from .core.catalogue import KnownProject
from .core.ids import event_number
from .core.neighbours import Neighbours
from .core.people import Identity
from .core.records import LINKS_AT_MOST, TEXT_LETTERS, Act, Deed, LinkKind, Links, Status, clean_place
from .core.text import encodable
from .core.times import to_micros
from .errors import NotFound, Refused
from .locks import writing
from .owners import store_person
from .paths import Paths
from .store import codes
from .store import records as rows
from .store.records import StoredRecord


@dataclass(frozen=True, slots=True)
class Wording:
    """What a decision or handoff says, and what it is tied to. task: the number of one of the project's."""

    text: str
    links: Links = field(default_factory=Links)
    task: int | None = None


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions and handoffs of one project. `redact` is applied to every text before it is stored."""

    paths: Paths
    db: sqlite3.Connection
    project: KnownProject
    redact: Callable[[str], str]
    now: datetime

    def list(self, kind: str | None = None, status: Status | None = None) -> list[StoredRecord]:
        """Those of this project, the one that changed last first."""
        return [
            record
            for record in rows.list_records(self.db, self.project.ids)
            if record.kind in codes.RULED and (kind is None or record.kind == kind)
            if status is None or record.status == status
        ]

    def get(self, address: str, kinds: Sequence[str] = codes.RULED) -> StoredRecord:
        """The one at an address. Raises NotFound for what is none of this project, Refused for another kind."""
        number = address.strip().strip("[]").removeprefix("rec:")
        is_number = number.isascii() and number.isdigit() and len(number) < 15
        found = rows.list_records(self.db, self.project.ids, int(number)) if is_number else []
        if not found:
            raise NotFound(
                f"there is no record {address} in {self.project.name}", hint="list them with `brainproj records`"
            )
        if found[0].kind not in kinds:
            raise Refused(f"{found[0].citation} is a {found[0].kind}, no {' or '.join(kinds)}")
        return found[0]

    # what an agent may do --------------------------------------------------------------------------------------------

    def propose(
        self, kind: str, wording: Wording, by: str, author: Identity | None = None
    ) -> tuple[StoredRecord, bool]:
        """A proposal, and whether it is new: the same words for the same task are proposed once. Raises Refused.

        Proposing them again changes nothing, so what a person looks at is what they decide.

        author: the person whose words it is; None: an agent's.
        """
        wording = self.clean(kind, wording)
        code = event_number("proposal", self.project.key, kind, str(wording.task or ""), wording.text)
        with writing(self.paths, self.db):
            if rows.is_forgotten(self.db, code):
                raise Refused(f"this {kind} was forgotten, and stays so")
            known = rows.find_by_code(self.db, code)
            person = store_person(self.db, author, self.redact, self.now) if author and known is None else None
            new = rows.NewRecord(
                code, kind, Status.PROPOSED, self.project.ids[0], wording.text, self._micros(), person, wording.task,
                attributes={"by": by}, links=wording.links,
            )  # fmt: skip
            number = known or rows.add_record(self.db, new)
        return self._again(number), known is None

    # what only a person may do ---------------------------------------------------------------------------------------

    def record(
        self, kind: str, wording: Wording, author: Identity, act: Act, replaced: Sequence[StoredRecord] = ()
    ) -> StoredRecord:
        """A new one, in force at once; those it replaces are superseded with it. Raises Refused."""
        wording = self.clean(kind, wording)
        code = event_number("recorded", self.project.key, kind, wording.text, self._micros())
        with writing(self.paths, self.db):
            for record in self.list(kind, Status.CURRENT):
                is_same = record.text == wording.text and record.task == wording.task
                if is_same and all(record.id != one.id for one in replaced):
                    raise Refused(f"this is in force already, as {record.citation}")
            person = store_person(self.db, author, self.redact, self.now)
            new = rows.NewRecord(
                code, kind, Status.PROPOSED, self.project.ids[0], wording.text, self._micros(), person, wording.task,
                links=wording.links,
            )  # fmt: skip
            number = rows.add_record(self.db, new)
            rows.set_status(self.db, number, Status.CURRENT, Deed.RECORDED, act, self._micros())
            self._supersede(self._again(number), replaced, act)
        return self._again(number)

    def confirm(
        self,
        record: StoredRecord,
        act: Act,
        replaced: Sequence[StoredRecord] = (),
        wording: Wording | None = None,
    ) -> StoredRecord:
        """Put one in force, perhaps in other words; those it replaces are superseded with it. Raises Refused."""
        with writing(self.paths, self.db):
            self._check_unchanged(record)
            if record.status == Status.CURRENT and not replaced and wording is None:
                raise Refused(f"{record.citation} is in force already")
            if wording is not None:
                self._reword(record, self.clean(record.kind, wording), act)
            if record.status != Status.CURRENT:
                rows.set_status(self.db, record.id, Status.CURRENT, Deed.CONFIRMED, act, self._micros())
            self._supersede(self._again(record.id), replaced, act)
        return self._again(record.id)

    def reject(self, record: StoredRecord, act: Act) -> StoredRecord:
        """Turn a proposal down; it stays, as rejected. Raises Refused."""
        return self._end(record, Status.PROPOSED, Status.REJECTED, Deed.REJECTED, act)

    def retire(self, record: StoredRecord, act: Act) -> StoredRecord:
        """Put one out of force, with nothing in its place; it stays, as retired. Raises Refused."""
        return self._end(record, Status.CURRENT, Status.RETIRED, Deed.RETIRED, act)

    def _end(self, record: StoredRecord, before: Status, after: Status, deed: Deed, act: Act) -> StoredRecord:
        with writing(self.paths, self.db):
            self._check_unchanged(record)
            if record.status != before:
                raise Refused(f"{record.citation} is {record.status}, not {before}")
            rows.set_status(self.db, record.id, after, deed, act, self._micros())
        return self._again(record.id)

    def _supersede(self, record: StoredRecord, replaced: Sequence[StoredRecord], act: Act) -> None:
        """Let a record in force take the place of others; of handoffs, of what its task has and of older drafts."""
        for other in [*replaced, *self._former(record, replaced)]:
            self._check_unchanged(other)
            if other.id == record.id:
                raise Refused(f"{record.citation} cannot replace itself")
            self.check_replaceable(record.kind, other)
            rows.set_status(self.db, other.id, Status.SUPERSEDED, Deed.SUPERSEDED, act, self._micros(), record.id)
            rows.add_links(self.db, record.id, Links(replaces=(other.id,)))

    def check_replaceable(self, kind: str, other: StoredRecord) -> None:
        """Raise Refused for one whose place nothing of this kind can take."""
        if other.kind != kind:
            raise Refused(f"a {kind} cannot replace {other.citation}, a {other.kind}")
        if other.status not in (Status.CURRENT, Status.PROPOSED):
            raise Refused(f"{other.citation} is {other.status}: there is nothing to replace")

    def beside(self, records: Sequence[StoredRecord]) -> dict[int, Sequence[StoredRecord]]:
        """What is in force about the same as each of these: named by it, on its place, in like words; its task's."""
        current = {one.id: one for one in self.list(status=Status.CURRENT)}
        links = rows.read_links(self.db, [*current, *(one.id for one in records if one.id not in current)])
        decisions = [one for one in current.values() if one.kind == "decision"]
        neighbours = Neighbours((one.id, one.text, links[one.id].applies_to) for one in decisions)
        found: dict[int, Sequence[StoredRecord]] = {}
        for record in records:
            own = links[record.id]
            if record.kind == "handoff":
                same = [one.id for one in current.values() if one.kind == "handoff" and one.task == record.task]
            else:
                near = neighbours.find(record.id, record.text, own.applies_to)
                by_weight = sorted(near, key=lambda one: (not near[one][1], -near[one][0]))
                same = [*(one for one in own.replaces if one in current), *by_weight]
            found[record.id] = [current[one] for one in dict.fromkeys(same) if one != record.id]
        return found

    def _former(self, record: StoredRecord, named: Sequence[StoredRecord]) -> Sequence[StoredRecord]:
        if record.kind != "handoff":
            return ()
        known = {record.id, *(one.id for one in named)}
        own = [one for one in self.list("handoff") if one.task == record.task and one.id not in known]
        return [one for one in own if one.status == Status.CURRENT or self._is_overtaken(one, record)]

    def _is_overtaken(self, draft: StoredRecord, record: StoredRecord) -> bool:
        """Whether a draft is older than the handoff that is approved now."""
        return draft.status == Status.PROPOSED and (draft.at or 0) <= (record.at or 0)

    def _reword(self, record: StoredRecord, wording: Wording, act: Act) -> None:
        if wording.text != record.text:
            rows.set_text(self.db, record.id, wording.text, self._micros(), "a person edited it")
            rows.keep_act(self.db, record.id, Status(record.status), Deed.EDITED, act, self._micros())
        if wording.task is not None and wording.task != record.task:
            rows.set_task(self.db, record.id, wording.task)
        for what in (LinkKind.APPLIES_TO, LinkKind.CITES):
            rows.drop_links(self.db, record.id, what)
        rows.add_links(self.db, record.id, wording.links)

    def _check_unchanged(self, record: StoredRecord) -> None:
        """Raise Refused where another terminal was quicker."""
        now = rows.list_records(self.db, self.project.ids, record.id)
        if not now or (now[0].status, now[0].revision) != (record.status, record.revision):
            raise Refused(
                f"{record.citation} was changed meanwhile", hint=f"look at it again: `brainproj show {record.citation}`"
            )

    def clean(self, kind: str, wording: Wording) -> Wording:
        """The wording as it is stored. Raises Refused for one that says nothing, or too much."""
        text = self.redact(encodable(wording.text)).strip()
        if not text:
            raise Refused(f"a {kind} needs words")
        if len(text) > TEXT_LETTERS:
            raise Refused(f"a {kind} has {TEXT_LETTERS:,} characters at most", detail="Nothing was kept.")
        cleaned = (clean_place(self.redact(encodable(place))) for place in wording.links.applies_to)
        places = list(dict.fromkeys(place for place in cleaned if place))
        if len(places) > LINKS_AT_MOST:
            raise Refused(f"{len(places)} places are too many", detail=f"Name {LINKS_AT_MOST} at most, or a folder.")
        return replace(wording, text=text, links=replace(wording.links, applies_to=tuple(places)))

    def _again(self, number: int) -> StoredRecord:
        return rows.list_records(self.db, self.project.ids, number)[0]

    def _micros(self) -> int:
        return to_micros(self.now) or 0
