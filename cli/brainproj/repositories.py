"""A repository and the project it is bound to: what its files ask for, corrected by what was decided before.

A common dir stays with its project while the bound key is among its remotes under any name, so a fork by
`git remote rename` changes nothing; it takes a new key when its first remote appears, and is a new project when the
bound remote is gone. Moved without a remote, it is recognised by its birth mark (`gitdir.birth_of`).
"""

import os
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

from . import gitdir
from .core.catalogue import ProjectRow
from .core.remotes import LocalPath, Remote, choose_remote, parse_remote
from .store import projects as rows

PATH_HOPS = 3
"""How many path remotes are followed from clone to clone."""


class Repository(NamedTuple):
    """What a checkout says of itself. `keys` are those that all its remotes spell; `remote` is None without one."""

    checkout: gitdir.Checkout
    key: str
    name: str
    remote: str | None
    keys: frozenset[str]
    root: str | None
    worktree: str | None
    branch: str | None


class Claim(NamedTuple):
    """The project a repository belongs to, and why."""

    key: str
    name: str
    remote: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Repositories:
    """Reads repositories on disk against the bindings in the store. `hosts` maps ssh aliases to hosts."""

    db: sqlite3.Connection
    hosts: Mapping[str, str]

    def describe(self, checkout: gitdir.Checkout, hops: int = PATH_HOPS) -> Repository:
        """What a checkout's files say. Raises gitdir.GitUnreadable."""
        settings = gitdir.read_config(checkout)
        remotes = gitdir.remotes_of(settings)
        chosen = choose_remote(remotes)
        target = self._target(chosen, checkout, hops) if chosen else None
        name = gitdir.repository_name(checkout)
        digest = blake2b(os.fsencode(checkout.common_dir), digest_size=6).hexdigest()
        claim = target or Claim(f"local/{name.lower()}-{digest}", name, None, "")
        return Repository(
            checkout=checkout,
            key=claim.key,
            name=claim.name,
            remote=claim.remote,
            keys=frozenset(found.key for url in remotes.values() if (found := self._target(url, checkout, hops))),
            root=gitdir.main_root(checkout, settings),
            worktree=os.path.basename(checkout.top) if checkout.linked else None,
            branch=gitdir.branch_of(checkout),
        )

    def _target(self, url: str, checkout: gitdir.Checkout, hops: int) -> Claim | None:
        """What a remote's address leads to: a server's repository, or the project of a repository on this machine."""
        parsed = parse_remote(url, self.hosts)
        if isinstance(parsed, Remote):
            return Claim(parsed.key, parsed.name, parsed.shown, "")
        if parsed is None or hops <= 0:
            return None
        return self._local_target(parsed, checkout, hops)

    def _local_target(self, remote: LocalPath, checkout: gitdir.Checkout, hops: int) -> Claim | None:
        if "\0" in remote.path:
            return None
        path = os.path.realpath(os.path.join(checkout.top, os.path.expanduser(remote.path)))
        for candidate in (path, path + ".git"):
            try:
                other = gitdir.checkout_at(candidate) if os.path.isdir(candidate) else None
                if other is not None and other.common_dir != checkout.common_dir:
                    return self.claim(self.describe(other, hops - 1))
            except gitdir.GitUnreadable:
                return None
        return None

    def claim(self, repository: Repository) -> Claim:
        """The project of a repository: its binding while that still holds, else what it asks for."""
        common_dir = repository.checkout.common_dir
        place = f"its remote is {repository.remote}" if repository.remote else f"it is the repository {common_dir}"
        asked = Claim(repository.key, repository.name, repository.remote, place)
        bound = rows.bound_project(self.db, common_dir)
        if bound is not None and not repository.remote and self._is_reborn(common_dir):
            bound = None
        if bound is None and not repository.remote:
            bound = self._moved(repository)
            place = f"it is the repository {common_dir}, which was moved there"
        if bound is None:
            return self._fresh(repository, asked)
        if bound.key == repository.key:
            return asked
        if bound.key in repository.keys:
            first = bound.remote or bound.key
            return Claim(
                bound.key, bound.name, bound.remote, f"its remotes still name {first}, as which it was first seen"
            )
        if bound.key.startswith("local/"):
            if repository.remote is None:
                return Claim(bound.key, bound.name, None, place)
            return Claim(asked.key, asked.name, asked.remote, f"{place}; before it had one it was {bound.key}")
        gone = bound.remote or bound.key
        fresh = self._fresh(repository, asked)
        return Claim(fresh.key, fresh.name, fresh.remote, f"{place}; {gone} is no longer among its remotes")

    def _is_reborn(self, common_dir: str) -> bool:
        """Whether the repository that was bound at this place is gone and another one lies there."""
        then, now = rows.birth_then(self.db, common_dir), gitdir.birth_of(common_dir)
        return then is not None and now is not None and gitdir.is_reborn(common_dir, then, now)

    def _fresh(self, repository: Repository, asked: Claim) -> Claim:
        """What a repository asks for that nothing is known of; its key may be another's, which lay there before."""
        common_dir = repository.checkout.common_dir
        if repository.remote or not rows.key_is_spent(self.db, asked.key, common_dir):
            return asked
        mark = f"{common_dir}\0{gitdir.birth_of(common_dir)}"
        digest = blake2b(os.fsencode(mark), digest_size=6).hexdigest()
        return Claim(f"local/{repository.name.lower()}-{digest}", asked.name, None, asked.why)

    def _moved(self, repository: Repository) -> ProjectRow | None:
        """The project of a repository without a remote that lay elsewhere before: same birth mark, old place gone."""
        birth = gitdir.birth_of(repository.checkout.common_dir)
        if birth is None:
            return None
        former = {
            row.id: row
            for path, is_bound, row in rows.bindings_by_birth(self.db, birth)
            if not is_bound or not os.path.exists(path)
        }
        found = list(former.values())
        return found[0] if len(found) == 1 and found[0].key.startswith("local/") else None

    def evidence(self, checkout: gitdir.Checkout | None, hops: int = PATH_HOPS) -> list[str]:
        """The files that say which project a checkout is, those of repositories its path remotes lead to too."""
        if checkout is None:
            return []
        paths = [*gitdir.config_paths(checkout), checkout.common_dir + "/description"]
        for url in gitdir.remotes_of(gitdir.read_config(checkout)).values():
            parsed = parse_remote(url, self.hosts)
            if not isinstance(parsed, LocalPath) or hops <= 0 or "\0" in parsed.path:
                continue
            target = os.path.realpath(os.path.join(checkout.top, os.path.expanduser(parsed.path)))
            for folder in (target, target + ".git"):
                paths += [folder + "/config", folder + "/.git", folder + "/.git/config"]
                try:
                    other = gitdir.checkout_at(folder) if os.path.isdir(folder) else None
                    paths += self.evidence(other, hops - 1)
                except gitdir.GitUnreadable:
                    continue
        return list(dict.fromkeys(paths))

    # memory ---------------------------------------------------------------------------------------------------------

    def is_remembered(self, repository: Repository, claim: Claim) -> bool:
        """Whether the store holds the binding and the places of a checkout just so."""
        checkout = repository.checkout
        bound = rows.bound_project(self.db, checkout.common_dir)
        if bound is None or (bound.key, bound.remote) != (claim.key, claim.remote):
            return False
        if repository.root is not None and bound.root is None:
            return False
        if rows.birth_then(self.db, checkout.common_dir) != gitdir.birth_of(checkout.common_dir):
            return False
        place = rows.place_at(self.db, checkout.top)
        kind = "worktree" if checkout.linked else "checkout"
        return place is not None and (place.kind, place.project, place.worktree) == (
            kind,
            bound.id,
            repository.worktree,
        )

    def remember(self, repository: Repository, claim: Claim, now: int) -> None:
        """Keep the binding and the places of a checkout. Call it inside a write transaction."""
        checkout = repository.checkout
        bound = rows.bound_project(self.db, checkout.common_dir)
        number = rows.ensure_project(self.db, claim.key, claim.name, claim.remote, repository.root, now)
        if bound and bound.id != number and bound.key.startswith("local/") and claim.remote:
            rows.merge_project(self.db, bound.id, number)
        birth = gitdir.birth_of(checkout.common_dir)
        if bound is None and birth:
            for path, is_bound, row in rows.bindings_by_birth(self.db, birth):
                gone = is_bound and path != checkout.common_dir and not os.path.exists(path)
                if gone and row.id == number:
                    rows.unbind(self.db, path, now)
        rows.bind(self.db, checkout.common_dir, number, birth, now)
        kind = "worktree" if checkout.linked else "checkout"
        rows.write_place(self.db, checkout.top, number, kind, repository.worktree, now)
        if repository.root and repository.root != checkout.top and is_checkout_of(repository.root, checkout):
            rows.write_place(self.db, repository.root, number, "checkout", None, now)


def is_checkout_of(folder: str, checkout: gitdir.Checkout) -> bool:
    """Whether `folder` is a checkout of the same repository: its configuration alone can name any folder."""
    try:
        found = gitdir.checkout_at(folder)
    except gitdir.GitUnreadable:
        return False
    return found is not None and found.common_dir == checkout.common_dir


def find_readable_checkout(folder: str) -> gitdir.Checkout | None:
    """The checkout that holds a folder; None where there is none, or none that can be read."""
    try:
        real = os.path.realpath(folder) if os.path.isabs(folder) and "\0" not in folder else ""
        return gitdir.find_checkout(real) if real and os.path.isdir(real) else None
    except gitdir.GitUnreadable:
        return None
