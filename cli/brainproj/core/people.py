"""Persons: who somebody is, by a git identity or an operating system's user; and what a person said belongs together.

No address is kept: a person's id holds a digest of it. Two identities of one name are two persons until somebody says
that they are one, in config.toml: `[persons."Ada"] aliases = ["ada@home.example", "os:ada"]`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

from ..errors import Ambiguous, NotFound
from .text import clip, one_line

DIGEST_BYTES = 6
"""48 bits: among a thousand persons, two alike once in half a billion stores."""
NAME_LETTERS = 120
ADDRESS = re.compile(r"\S@\S")
IMPORTED = "imported:"
"""Before the key of a person whom an import names: a file can say anything, so it is somebody else until a person says
that it is the same one."""
SHORTEST_ID = 3
"""Letters of an id's digest that name a person, where they name one alone."""


class PersonRow(NamedTuple):
    """A person as stored. key: `git:` or `os:` and a digest."""

    number: int
    key: str
    name: str | None


@dataclass(frozen=True, slots=True)
class Identity:
    """Who somebody is on this machine: a key, and the name that goes with it."""

    key: str
    name: str | None


def git_identity(name: str | None, address: str | None) -> Identity | None:
    """The identity of a git user; None without an address."""
    address = (address or "").strip()
    return Identity(f"git:{_digest(address.casefold())}", clean_name(name)) if address else None


def clean_name(name: str | None) -> str | None:
    """A name for people: one line that is no longer than a name, and holds no address; None where nothing is left."""
    name = clip(one_line(name or ""), NAME_LETTERS)
    return None if not name or ADDRESS.search(name) else name


def os_identity(login: str, machine: str) -> Identity:
    """The identity of a user of this machine; the same login elsewhere is somebody else."""
    return Identity(f"os:{_digest(f'{login}@{machine}')}", login)


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=DIGEST_BYTES).hexdigest()


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with all that is known to be theirs. keys: of the identities, the first one names the person."""

    name: str | None
    keys: tuple[str, ...]
    numbers: tuple[int, ...]

    @property
    def id(self) -> str:
        """What names the person exactly."""
        return self.keys[0]

    @property
    def label(self) -> str:
        """The name, for people; the id where there is none."""
        return self.name or self.id

    def value(self) -> dict[str, object]:
        """As JSON."""
        return {"id": self.id, "name": self.name}


class People:
    """All persons of a store. `tables`: name → aliases, from config.toml; `machine`: where `os:LOGIN` is meant."""

    def __init__(self, rows: Iterable[PersonRow], tables: Mapping[str, tuple[str, ...]], machine: str) -> None:
        self.machine = machine
        left = {row.key: row for row in rows}
        self.persons: list[Person] = []
        for name, aliases in tables.items():
            own = [left.pop(key) for alias in aliases if (key := self._key(alias)) in left]
            if own:
                self.persons.append(_person(name, own))
        self.persons += [_person(row.name, [row]) for row in left.values()]
        self._by_number = {number: person for person in self.persons for number in person.numbers}

    def by_number(self, number: int | None) -> Person | None:
        """The person that a row's number means."""
        return None if number is None else self._by_number.get(number)

    def find(self, text: str) -> list[Person]:
        """Everybody whom a text may mean: an id or its beginning, an address, `os:LOGIN`, a name or words of it."""
        key = self._key(text)
        exact = [person for person in self.persons if key in person.keys]
        if exact:
            return exact
        wanted = text.strip().casefold()
        named = [person for person in self.persons if person.name and person.name.casefold() == wanted]
        if named or not wanted:
            return named
        if len(wanted.rpartition(":")[2]) >= SHORTEST_ID and ":" in wanted:
            return [person for person in self.persons if any(one.startswith(wanted) for one in person.keys)]
        words = set(wanted.split())
        return [person for person in self.persons if person.name and words <= set(person.name.casefold().split())]

    def get(self, text: str) -> Person:
        """The one person whom a text means. Raises NotFound, Ambiguous."""
        found = self.find(text)
        if len(found) == 1:
            return found[0]
        if not found:
            raise NotFound(f"no person is called {text}", hint="`brainproj who` lists them")
        ids = ", ".join(f'"{person.id}"' for person in found)
        raise Ambiguous(
            f"{len(found)} persons are called {text}: {', '.join(person.id for person in found)}",
            hint=f'name one by its id, or say that they are one in config.toml: [persons."{text}"] aliases = [{ids}]',
        )

    def _key(self, text: str) -> str:
        """The key that an id, an address or `os:LOGIN` stands for."""
        kind, colon, rest = text.strip().partition(":")
        if colon and kind == "os" and not _is_digest(rest):
            return os_identity(rest, self.machine).key
        identity = git_identity(None, text) if "@" in text else None
        return identity.key if identity else text.strip()


def is_person_key(text: str) -> bool:
    """Whether a text has the form of a person's key."""
    kind, _, digest = text.removeprefix(IMPORTED).partition(":")
    return kind in ("git", "os") and _is_digest(digest)


def _is_digest(text: str) -> bool:
    return len(text) == 2 * DIGEST_BYTES and all(letter in "0123456789abcdef" for letter in text)


def _person(name: str | None, rows: list[PersonRow]) -> Person:
    return Person(name, tuple(row.key for row in rows), tuple(row.number for row in rows))
