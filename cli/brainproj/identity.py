"""Folder and environment → the project, and the rule that decided (design 5).

`Resolver` reads `.git` on disk and the store, starts no process, and guesses nothing: what no rule covers has no
project. It remembers what it decided (which repository is bound to which project, which folders were seen), so that a
vanished folder, a moved repository and a fork keep their project. When the store cannot be written the answer is the
same, and `notes` says that it was not remembered.
"""

import os
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from . import gitdir
from .config import Config
from .core.catalogue import Catalogue, Declared, KnownProject
from .core.ids import ProjectKey
from .core.project import ProjectIdentity, Resolution, Rule
from .core.text import encodable
from .core.times import to_micros
from .foreign.swarms import swarm_repository, swarm_snapshot
from .paths import Paths
from .places import Places
from .repositories import Repositories, find_readable_checkout
from .scratch import find_scratch_root, is_inside, scratch_name
from .store import projects as rows
from .store.database import transaction


@dataclass(slots=True)
class Resolver:
    """Resolves folders. One for each command; it keeps what it found out about a folder while it lives."""

    paths: Paths
    config: Config
    db: sqlite3.Connection
    now: datetime
    notes: list[str] = field(default_factory=list)
    places: Places | None = None
    """Where answers are written down for hooks; None: nowhere."""
    _is_settled: bool = False
    _catalogue: Catalogue | None = None
    _seen: dict[str, Resolution] = field(default_factory=dict)

    # the question ---------------------------------------------------------------------------------------------------

    def resolve(
        self, cwd: str, environment: Mapping[str, str] | None = None, explicit: str | None = None
    ) -> Resolution:
        """The project of `cwd` for a session with this environment. Raises NotFound or Ambiguous for explicit names."""
        environment = environment or {}
        self.settle()
        if explicit:
            return self.named(explicit, cwd, "--project")
        if named := environment.get("BRAINPROJ_PROJECT"):
            return self._named_by_environment(named, cwd)
        if swarm := environment.get("AGENTIHOOKS_SWARM"):
            found = None
            for _ in range(3):  # what is new to either may change the other
                before = rows.count_projects(self.db)
                found = self._swarm(swarm, cwd) or self._folder(cwd)
                if rows.count_projects(self.db) == before:
                    break
            return found or self._folder(cwd)
        if cwd not in self._seen:
            self._seen[cwd] = self._folder(cwd)
        return self._seen[cwd]

    def named(self, text: str, cwd: str, source: str) -> Resolution:
        """The project that a key, name or alias means. Raises NotFound, Ambiguous."""
        return _resolved(self._identity(self.catalogue.get(text), cwd, Rule.EXPLICIT, f"{source} names it: {text}"))

    def _named_by_environment(self, text: str, cwd: str) -> Resolution:
        found = None
        try:
            found = self.named(text, cwd, "BRAINPROJ_PROJECT")
            return found
        finally:
            if self.places:
                self.places.remember_named(text, found.identity.key if found and found.identity else None)

    def settle(self) -> None:
        """Bring what hooks look up to the settings of now, in a new ready.db or when config.toml changed."""
        if self.places is None or self._is_settled:
            return
        self._is_settled = True
        if not self.places.is_current():
            for folder in self.places.begin(self._scratch_root, self.catalogue, rows.list_places(self.db)):
                self._folder(folder)

    def look_again(self) -> None:
        """Forget which folders had no project: a checkout that was seen since may be what they lay in."""
        self._seen = {cwd: found for cwd, found in self._seen.items() if found.identity is not None}

    @property
    def _scratch_root(self) -> str:
        return find_scratch_root(self.config, self.paths)

    @property
    def _repositories(self) -> Repositories:
        return Repositories(self.db, self.config.hosts)

    @property
    def catalogue(self) -> Catalogue:
        """The known projects."""
        if self._catalogue is None:
            declared = {
                key: Declared(key, table.path, table.name, table.aliases) for key, table in self.config.projects.items()
            }
            self._catalogue = Catalogue(rows.list_projects(self.db), declared)
        return self._catalogue

    # the rules ------------------------------------------------------------------------------------------------------

    def _swarm(self, slug: str, cwd: str) -> Resolution | None:
        """Rule 2: the project of the swarm's repository."""
        repository, source = self.config.swarms.get(slug), "[swarms] in config.toml"
        snapshot = swarm_snapshot(self.paths.agentihooks_home, slug)
        if repository is None:
            repository, source = swarm_repository(snapshot), "its snapshot"
        folder = os.path.expanduser(repository) if repository else ""
        found = self._folder(folder) if folder else None
        if self.places:
            read = self._repositories.evidence(find_readable_checkout(folder)) or [folder, folder + "/.git"]
            self.places.remember_swarm(slug, found, [str(snapshot or ""), *read])
        if found is None or found.identity is None:
            return None
        here = self._folder(cwd).identity
        same = here is not None and here.key == found.identity.key
        why = f"the swarm {slug} works on it: {source} says {repository}"
        return _resolved(
            ProjectIdentity(
                key=found.identity.key,
                name=found.identity.name,
                remote=found.identity.remote,
                root=found.identity.root,
                cwd=cwd,
                worktree=here.worktree if here and same else None,
                branch=here.branch if here and same else None,
                rule=Rule.SWARM,
                why=why,
            )
        )

    def _folder(self, cwd: str) -> Resolution:
        """Rules 3 to 5, for a folder as it is on disk, else as it was."""
        if not cwd:
            return Resolution(cwd, None, Rule.NONE, "no folder was given")
        if "\0" in cwd:
            return Resolution(cwd, None, Rule.NONE, "no folder can have this name")
        if not os.path.isabs(cwd):
            return Resolution(cwd, None, Rule.NONE, "it is not the whole path of a folder on this machine")
        try:
            return self._real_folder(cwd)
        except UnicodeEncodeError:  # of the folder or its repository: SQLite keeps texts
            return Resolution(encodable(cwd), None, Rule.NONE, "its name is not UTF-8, so it cannot be kept")

    def _real_folder(self, cwd: str) -> Resolution:
        cwd.encode()
        real = os.path.realpath(cwd)
        real.encode()
        if not os.path.isdir(real):
            resolution = self._vanished(cwd, real)
            if self.places:
                self.places.remember_vanished(real, resolution)
            return resolution
        try:
            checkout = gitdir.find_checkout(real, ignored_top=os.path.realpath(self.paths.user_home))
            resolution = self._existing(cwd, real, checkout)
        except gitdir.GitUnreadable as error:
            resolution = self._unreadable(cwd, real, error)
            if self.places:
                self.places.remember_unreadable(real, resolution)
            return resolution
        if self.places:
            scratch = scratch_name(real, self._scratch_root)
            self.places.remember_folder(real, resolution, checkout, self._repositories.evidence(checkout), scratch)
        return resolution

    def _existing(self, cwd: str, real: str, checkout: gitdir.Checkout | None) -> Resolution:
        """Rules 3 to 5 for a folder that is there. Raises gitdir.GitUnreadable."""
        home = os.path.realpath(self.paths.user_home)
        declared = self._declared(real, checkout)
        if declared and (checkout is None or len(declared[1]) >= len(checkout.top)):
            return self._decide_declared(cwd, declared[0], checkout)
        if checkout is not None and not self._is_scratch_repository(real, checkout):
            return self._decide_git(cwd, checkout)
        scratch = scratch_name(real, self._scratch_root)
        if scratch:
            return self._decide_scratch(cwd, real, scratch)
        if real == home:
            return Resolution(cwd, None, Rule.NONE, "it is your home folder")
        if checkout_at_home(real, home):
            why = "the only repository above it is your home folder, which does not count"
            return Resolution(cwd, None, Rule.NONE, why)
        return Resolution(cwd, None, Rule.NONE, "it is in no repository, declared folder or scratch folder")

    def _unreadable(self, cwd: str, real: str, error: gitdir.GitUnreadable) -> Resolution:
        """A repository that cannot be read is the one the store knows there, or none; never one further up."""
        known = self._known_place(os.path.dirname(str(error.args[0])))
        if known:
            project, _, worktree = known
            why = f"{error.args[0]} cannot be read ({error.args[1]}), but this checkout was seen before"
            return _resolved(self._identity(project, cwd, Rule.KNOWN, why, worktree=worktree))
        return Resolution(cwd, None, Rule.NONE, f"{error.args[0]} cannot be read: {error.args[1]}")

    def _declared(self, real: str, checkout: gitdir.Checkout | None) -> tuple[KnownProject, str] | None:
        """The deepest declared folder that holds `real`, and that folder as seen from here.

        In a linked worktree a package declared in the main checkout is found at the same place below.
        """
        if not any(project.path for project in self.catalogue.projects):
            return None
        views = [(real, "", "")]
        if checkout and checkout.linked:
            root = gitdir.main_root(checkout, gitdir.read_config(checkout))
            if root:
                views.append((root + real[len(checkout.top) :], root, checkout.top))
        best: tuple[KnownProject, str] | None = None
        for project in self.catalogue.projects:
            if not project.path:
                continue
            path = os.path.realpath(os.path.expanduser(project.path))
            for view, root, top in views:
                if is_inside(view, path):
                    seen = top + path[len(root) :] if root and is_inside(path, root) else path
                    if best is None or len(seen) > len(best[1]):
                        best = (project, seen)
        return best

    def _decide_declared(self, cwd: str, project: KnownProject, checkout: gitdir.Checkout | None) -> Resolution:
        why = f"{project.path} is declared as {project.key} in config.toml"
        worktree = os.path.basename(checkout.top) if checkout and checkout.linked else None
        branch = gitdir.branch_of(checkout) if checkout else None
        identity = self._identity(project, cwd, Rule.DECLARED, why, worktree=worktree, branch=branch)
        declared = os.path.realpath(os.path.expanduser(project.path or cwd))
        self._remember(identity, declared, "declared")
        if self.places:
            self.places.remember_declared(declared, identity.key)
        return _resolved(identity)

    def _decide_git(self, cwd: str, checkout: gitdir.Checkout) -> Resolution:
        """Rule 3, a checkout: what it asks for, corrected by what it is bound to."""
        repository = self._repositories.describe(checkout)
        claim = self._repositories.claim(repository)
        if not self._repositories.is_remembered(repository, claim):
            self._write(lambda: self._repositories.remember(repository, claim, self._micros()))
        known = self.catalogue.by_key(claim.key)
        why = (
            claim.why if known is None or known.key == claim.key else f"{claim.why}; {claim.key} is read as {known.key}"
        )
        return _resolved(
            ProjectIdentity(
                key=known.key if known else ProjectKey(claim.key),
                name=known.name if known else claim.name,
                remote=known.remote if known and known.key != claim.key else claim.remote,
                root=repository.root,
                cwd=cwd,
                worktree=repository.worktree,
                branch=repository.branch,
                rule=Rule.GIT,
                why=why,
            )
        )

    def _decide_scratch(self, cwd: str, real: str, name: str) -> Resolution:
        """Rule 4: the one known project of the scratch folder's name."""
        key = f"scratch/{name}".lower()
        found = [project for project in self.catalogue.find(name) if project.key != key]
        if len(found) > 1:
            keys = tuple(project.key for project in found)
            why = f"the scratch folder {name} may belong to {' or '.join(keys)}"
            return Resolution(cwd, None, Rule.SCRATCH, why, candidates=keys)
        if found:
            identity = self._identity(
                found[0], cwd, Rule.SCRATCH, f"it is a scratch folder of {found[0].name}", root=None
            )
            self._remember(identity, real, "folder")
            own = next((row for row in rows.list_projects(self.db) if row.key == key), None)
            if own and own.merged_into is None and found[0].ids:
                self._write(lambda: rows.merge_project(self.db, own.id, found[0].ids[0]))
            return _resolved(identity)
        why = f"it is a scratch folder of {name}, which no known project is called yet"
        identity = ProjectIdentity(ProjectKey(key), name, None, None, cwd, None, None, Rule.SCRATCH, why)
        self._remember(identity, real, "folder")
        return _resolved(identity)

    def _vanished(self, cwd: str, real: str) -> Resolution:
        """A folder that is gone: what the store knows of it or of the checkout it lay in, or nothing."""
        state = "is not a folder" if os.path.lexists(real) else "is gone"
        found = self._known_place(real)
        if found:
            project, place, worktree = found
            why = f"it {state}, but {place} was seen before"
            return _resolved(self._identity(project, cwd, Rule.KNOWN, why, worktree=worktree))
        return Resolution(cwd, None, Rule.NONE, f"it {state} and was never seen")

    def _known_place(self, real: str) -> tuple[KnownProject, str, str | None] | None:
        """The project of the nearest stored checkout or declared folder that `real` lay in, or of `real` itself."""
        path = real
        while True:
            place = rows.place_at(self.db, path)
            if place and (place.kind != "folder" or path == real):
                project = self.catalogue.by_id(place.project)
                return (project, path, place.worktree) if project else None
            parent = os.path.dirname(path)
            if parent == path:
                return None
            path = parent

    # scratch --------------------------------------------------------------------------------------------------------

    def _is_scratch_repository(self, real: str, checkout: gitdir.Checkout) -> bool:
        """Whether the checkout is a scratch folder that somebody ran `git init` in: no remote, and it lies there."""
        if scratch_name(real, self._scratch_root) is None or not is_inside(checkout.top, self._scratch_root):
            return False
        return not checkout.linked and self._repositories.describe(checkout).remote is None

    # answers and memory -----------------------------------------------------------------------------------------------

    def _identity(
        self,
        project: KnownProject,
        cwd: str,
        rule: Rule,
        why: str,
        *,
        worktree: str | None = None,
        branch: str | None = None,
        root: str | None = "",
    ) -> ProjectIdentity:
        return ProjectIdentity(
            key=project.key,
            name=project.name,
            remote=project.remote,
            root=project.root if root == "" else root,
            cwd=cwd,
            worktree=worktree,
            branch=branch,
            rule=rule,
            why=why,
        )

    def project_number(self, identity: ProjectIdentity) -> int:
        """The store's number for a project, its row made if there is none. Call it inside a write transaction."""
        known = self.catalogue.by_key(identity.key)
        if known and known.ids:
            return known.ids[0]
        number = rows.ensure_project(
            self.db, identity.key, identity.name, identity.remote, identity.root, self._micros()
        )
        self._catalogue = None
        return number

    def _remember(self, identity: ProjectIdentity, path: str, kind: str) -> None:
        known = self.catalogue.by_key(identity.key)
        if known and known.ids and rows.place_is_known(self.db, path, known.ids[0], kind, identity.worktree):
            return

        def write() -> None:
            number = self.project_number(identity)
            rows.write_place(self.db, path, number, kind, identity.worktree, self._micros())

        self._write(write)

    def _write(self, change: Callable[[], None]) -> None:
        """Run a small change in a transaction (ours, or the caller's); the answer does not depend on it."""
        before = rows.count_projects(self.db)
        try:
            if self.db.in_transaction:
                change()
            else:
                with transaction(self.db):
                    change()
        except sqlite3.Error as error:
            note = f"not remembered: {error}"
            if note not in self.notes:
                self.notes.append(note)
        self._catalogue = None
        if self.places:
            self.places.doubt(self.catalogue if rows.count_projects(self.db) != before else None)

    def _micros(self) -> int:
        return to_micros(self.now) or 0


def checkout_at_home(real: str, home: str) -> bool:
    """Whether the home folder is itself a repository and holds `real`."""
    try:
        return is_inside(real, home) and gitdir.checkout_at(home) is not None
    except gitdir.GitUnreadable:
        return False


def _resolved(identity: ProjectIdentity) -> Resolution:
    return Resolution(identity.cwd, identity, identity.rule, identity.why)
