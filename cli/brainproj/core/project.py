"""A project, and why a folder belongs to it.

`ProjectIdentity` is what `identity.resolve_project` gives for a folder. Two folders are of one project exactly when
their keys are equal; names are for people and may repeat.
"""

from dataclasses import dataclass
from enum import StrEnum

from .ids import ProjectKey


class Rule(StrEnum):
    """Which rule decided; in the order in which they are tried."""

    EXPLICIT = "explicit"
    SWARM = "swarm"
    DECLARED = "declared"
    GIT = "git"
    SCRATCH = "scratch"
    KNOWN = "known"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ProjectIdentity:
    """The project of a folder. `worktree` is None in the main checkout, `root` and `branch` where there is none."""

    key: ProjectKey
    name: str
    remote: str | None
    root: str | None
    cwd: str
    worktree: str | None
    branch: str | None
    rule: Rule
    why: str

    def value(self) -> dict[str, str | None]:
        """The project value of the JSON contract."""
        return {
            "key": self.key,
            "name": self.name,
            "remote": self.remote,
            "root": self.root,
            "worktree": self.worktree,
            "branch": self.branch,
        }


@dataclass(frozen=True, slots=True)
class Resolution:
    """The answer for one folder: an identity, or None, and in both cases the rule and the reason."""

    cwd: str
    identity: ProjectIdentity | None
    rule: Rule
    why: str
    candidates: tuple[str, ...] = ()
    """Keys to choose from where a name was ambiguous or unknown."""

    def value(self) -> dict[str, object]:
        """The document of `resolve --json`."""
        return {
            "cwd": self.cwd,
            "project": self.identity.value() if self.identity else None,
            "rule": self.rule.value,
            "why": self.why,
        }
