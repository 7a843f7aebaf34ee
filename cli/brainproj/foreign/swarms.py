"""Which repository a swarm of agentihooks works on (formats/agentihooks.md 5.2)."""

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
