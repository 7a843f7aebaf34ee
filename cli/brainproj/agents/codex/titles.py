"""Names of Codex threads, from `session_index.jsonl` in the Codex home.

The file is only ever appended to: a thread that was renamed has several lines, and the last one counts. It names few of
the threads; a rollout may tell its name itself (`thread_name_updated`).
"""

from pathlib import Path

from ..lines import parse_objects
from .rollouts import INDEX_NAME
from .wire import as_text


def read_thread_names(codex_home: Path) -> dict[str, str]:
    """The name of each thread that has one, by thread id; empty where there is no index or it cannot be read."""
    names: dict[str, str] = {}
    try:
        with (codex_home / INDEX_NAME).open("rb") as index:
            for line in index:
                for entry in parse_objects(line):
                    thread_id, name = as_text(entry.get("id")), as_text(entry.get("thread_name"))
                    if thread_id and name and name.strip():
                        names[thread_id] = name.strip()
    except OSError:
        return names
    return names
