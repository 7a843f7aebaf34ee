"""The known projects and how much there is of each, as plain values for the view and JSON."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime

from .core.catalogue import Catalogue
from .core.times import from_micros, render_time
from .store import listing
from .store import projects as project_rows


@dataclass(frozen=True, slots=True)
class ProjectSummary:
    """A known project and how much there is of it. `proposals`: what a person may want to do about it."""

    key: str
    name: str
    remote: str | None
    root: str | None
    sessions: int
    events: int
    records: int
    last_active_at: datetime | None
    aliases: tuple[str, ...]
    proposals: tuple[dict[str, str], ...]

    def value(self) -> dict[str, object]:
        """One entry of `projects --json`."""
        return {
            "key": self.key,
            "name": self.name,
            "remote": self.remote,
            "root": self.root,
            "worktree": None,
            "branch": None,
            "sessions": self.sessions,
            "events": self.events,
            "records": self.records,
            "last_active_at": render_time(self.last_active_at),
            "aliases": list(self.aliases),
            "proposals": [dict(proposal) for proposal in self.proposals],
        }


def list_projects(db: sqlite3.Connection, catalogue: Catalogue) -> list[ProjectSummary]:
    """Every known project, the one used last at the end."""
    counts = listing.project_counts(db)
    records = listing.record_counts(db)
    proposals = _proposals(db, catalogue)
    found = []
    for project in catalogue.projects:
        own = [counts[number] for number in project.ids if number in counts]
        last = max((at for _, _, at in own if at is not None), default=None)
        found.append(
            ProjectSummary(
                key=project.key,
                name=project.name,
                remote=project.remote,
                root=project.root,
                sessions=sum(sessions for sessions, _, _ in own),
                events=sum(events for _, events, _ in own),
                records=sum(records.get(number, 0) for number in project.ids),
                last_active_at=from_micros(last),
                aliases=project.aliases,
                proposals=tuple(proposals.get(project.key, ())),
            )
        )
    return sorted(found, key=lambda project: (render_time(project.last_active_at) or "", project.key))


def _proposals(db: sqlite3.Connection, catalogue: Catalogue) -> dict[str, list[dict[str, str]]]:
    """A repository that lost or changed its remote: perhaps its old project should be read as the new one's."""
    found: dict[str, list[dict[str, str]]] = {}
    for now, before in project_rows.former_projects(db):
        new, old = catalogue.by_id(now), catalogue.by_id(before)
        if new and old and new.key != old.key:
            found.setdefault(new.key, []).append(
                {
                    "what": "merge",
                    "with": old.key,
                    "why": f"a repository of {new.name} was {old.key} before its remote changed",
                    "command": f"brainproj projects merge {old.key} {new.key}",
                }
            )
    return found
