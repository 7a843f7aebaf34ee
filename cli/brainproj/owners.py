"""Whose sessions they are: a person's git identity in the session's folder, else the user whose transcript it is.

Told once, after a session was read: what somebody is called later changes nothing of what was. An imported session
has the person that its export names, or none.
"""

import os
import pwd
import sqlite3
from collections.abc import Callable
from datetime import datetime

from .config import Config
from .core.people import Identity, People, git_identity, os_identity
from .core.text import encodable
from .core.times import to_micros
from .gitdir import Checkout, GitUnreadable, find_checkout, read_config
from .gitinfo import read_user
from .paths import Paths
from .store import people as rows
from .store.database import transaction


def machine_name() -> str:
    """What this machine calls itself."""
    return os.uname().nodename or "localhost"


def read_people(db: sqlite3.Connection, config: Config) -> People:
    """Everybody in the store, as config.toml says who is who."""
    return People(rows.list_persons(db), config.persons, machine_name())


def own_identity(paths: Paths, folder: str) -> Identity:
    """Who runs this in a folder."""
    return _Owners(paths).of(folder, "")


def name_owners(db: sqlite3.Connection, paths: Paths, redact: Callable[[str], str], now: datetime) -> int:
    """Give every session of this machine that has no owner one; how many there were."""
    owners = _Owners(paths)
    found = [(session.number, owners.of(session.cwd, session.transcript)) for session in rows.list_ownerless(db)]
    with transaction(db):
        for session, identity in found:
            rows.set_owner(db, session, store_person(db, identity, redact, now))
    return len(found)


def store_person(db: sqlite3.Connection, identity: Identity, redact: Callable[[str], str], now: datetime) -> int:
    """The number of the person with this identity, who is stored if need be; the name redacted."""
    name = redact(encodable(identity.name)) if identity.name else None
    return rows.ensure_person(db, identity.key, name, to_micros(now) or 0)


class _Owners:
    """Identities, each folder asked once."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self._by_folder: dict[str | None, Identity | None] = {}

    def of(self, folder: str | None, transcript: str) -> Identity:
        """Who owns a session that began in this folder and is written to this file."""
        user = _user_of(transcript)
        if user != os.getuid():  # another's file: what git is told here says nothing of them
            return _login(user)
        if folder not in self._by_folder:
            self._by_folder[folder] = self._git_user(folder)
        return self._by_folder[folder] or _login(user)

    def _git_user(self, folder: str | None) -> Identity | None:
        """As git has it: what the repository says, then what the person says for all."""
        checkout, own = _checkout(folder)
        told = read_user(self.paths.git_configs, checkout, own)
        return git_identity(own.get("user.name") or told.get("name"), own.get("user.email") or told.get("email"))


def _checkout(folder: str | None) -> tuple[Checkout | None, dict[str, str]]:
    """The checkout that holds a folder, with what its configuration says; nothing where that cannot be read."""
    try:
        checkout = find_checkout(folder) if folder else None
        return checkout, read_config(checkout) if checkout else {}
    except (GitUnreadable, OSError, ValueError):
        return None, {}


def _user_of(transcript: str) -> int:
    """The user whose file it is; where it is gone, the one who runs this."""
    try:
        return os.stat(transcript).st_uid  # noqa: PTH116
    except (OSError, ValueError):
        return os.getuid()


def _login(number: int) -> Identity:
    try:
        login = pwd.getpwuid(number).pw_name
    except KeyError:
        login = f"uid{number}"
    return os_identity(login, machine_name())
