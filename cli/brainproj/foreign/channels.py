"""What agentihooks is set to on this machine: whether sessions get its brain's whole feed, and who sends markers.

Format: `AGENTIHOOKS_BASE_CHANNELS`, comma separated, `*` for all (formats/agentihooks.md 2.5 and 6). A process's own
environment wins, which Claude Code's settings can set; then `.env` and the other `*.env` files of the agentihooks home.
"""

import re
from pathlib import Path

from ..core.jsontext import NotJson, parse_json
from ..files import read_text_or_none
from ..paths import Paths
from .agentihooks import publishes_feed

VARIABLE = "AGENTIHOOKS_BASE_CHANNELS"
BRAIN = "brain"
ALL = "*"
WRITER = "BRAIN_WRITER_ENABLED"
YES = frozenset({"true", "1", "yes"})
"""What agentihooks takes for true; `on` is not (formats/agentihooks.md 1.1)."""
LINE = re.compile(r"""^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*("[^"]*"|'[^']*'|[^#\n]*)""")


def injects_feed(paths: Paths) -> bool:
    """Whether agentihooks gives the brain's whole feed to sessions: it is taken to where nothing names its channels."""
    if not publishes_feed(paths.broadcast_path):
        return False
    channels = read_channels(paths)
    return channels is None or bool({BRAIN, ALL} & set(channels))


def read_channels(paths: Paths) -> list[str] | None:
    """The channels that Claude Code's sessions get; None where neither its settings nor agentihooks' files say."""
    value = read_variable(paths, VARIABLE)
    return None if value is None else list(dict.fromkeys(one.strip() for one in value.split(",") if one.strip()))


def writes_markers(paths: Paths) -> bool:
    """Whether agentihooks' own writer sends markers to a brain: then we send none (formats/agentihooks.md 2.5).

    Of later versions it does wherever they know a brain's address, unless somebody says no.
    """
    version = _version(paths.agentihooks_home / "state.json")
    if version is None:
        return False
    said = read_variable(paths, WRITER)
    if said is not None and said.strip():
        return said.strip().lower() in YES
    return version.startswith("2.") and bool((read_variable(paths, "BRAIN_URL") or "").strip())


def _version(state: Path) -> str | None:
    """The version that is installed; None where none is."""
    try:
        value = parse_json(read_text_or_none(state) or "").value
    except NotJson:
        return None
    found = value.get("version") if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def read_variable(paths: Paths, name: str) -> str | None:
    """What a variable is for agentihooks in Claude Code's sessions; None where neither settings nor its files say."""
    value = _of_settings(paths.claude_home / "settings.json", name)
    return _of_files(paths.agentihooks_home, name) if value is None else value


def _of_settings(path: Path, name: str) -> str | None:
    try:
        value = parse_json(read_text_or_none(path) or "").value
    except NotJson:
        return None
    environment = value.get("env") if isinstance(value, dict) else None
    found = environment.get(name) if isinstance(environment, dict) else None
    return found if isinstance(found, str) else None


def _of_files(home: Path, name: str) -> str | None:
    files = [home / ".env", *sorted(path for path in home.glob("*.env") if path.name != ".env")]
    for path in files:
        for line in (read_text_or_none(path) or "").splitlines():
            found = LINE.match(line)
            if found and found[1] == name:
                return found[2].strip().strip("\"'")
    return None
