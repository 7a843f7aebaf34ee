"""What identity and delivery ask of agentihooks: a swarm's repository and ledger, and whether it scopes by itself."""

import json
from pathlib import Path

SLUG_LIMIT = 48
SNAPSHOT_LIMIT = 4 << 20
"""Bytes of a swarm's snapshot that are read."""


def swarm_snapshot(home: Path, slug: str) -> Path | None:
    """Where a swarm's snapshot would be; None for what is no swarm's name (formats/agentihooks.md 5.2)."""
    if not 0 < len(slug) <= SLUG_LIMIT:
        return None
    if not all(letter.isascii() and (letter.isalnum() or letter == "-") for letter in slug):
        return None
    return home / "swarm" / slug / "snapshot.json"


def swarm_repository(snapshot: Path | None) -> str | None:
    """`repo` in the snapshot that agentihooks keeps of a swarm."""
    if snapshot is None or not snapshot.is_file():
        return None
    try:
        with snapshot.open("rb") as file:
            found = json.loads(file.read(SNAPSHOT_LIMIT))
    except (OSError, ValueError, RecursionError):
        return None
    for holder in (found, found.get("config") if isinstance(found, dict) else None):
        if isinstance(holder, dict) and isinstance(holder.get("repo"), str) and holder["repo"]:
            return str(holder["repo"])
    return None


def swarm_overview(folder: Path, slug: str) -> str | None:
    """`overview` in a swarm's ledger: one text on what it is about; None where there is none."""
    if swarm_snapshot(folder, slug) is None:
        return None
    try:
        with (folder / f"{slug}.json").open("rb") as file:
            found = json.loads(file.read(SNAPSHOT_LIMIT))
    except (OSError, ValueError, RecursionError):
        return None
    overview = found.get("overview") if isinstance(found, dict) else None
    return overview.strip() or None if isinstance(overview, str) else None


def scopes_itself(home: Path) -> bool:
    """Whether this installation gives each session its project's block: then it gets none from us.

    Told by the file in which later versions keep the projects of sessions (formats/agentihooks.md, Appendix B).
    """
    return (home / "brain" / "project-sessions.jsonl").exists()
