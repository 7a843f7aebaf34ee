"""Which channels agentihooks gives to the sessions on this machine: whether its brain's whole feed is among them.

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
LINE = re.compile(r"""^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*("[^"]*"|'[^']*'|[^#\n]*)""")


def injects_feed(paths: Paths) -> bool:
    """Whether agentihooks gives the brain's whole feed to sessions: it is taken to where nothing names its channels."""
    if not publishes_feed(paths.broadcast_path):
        return False
    channels = read_channels(paths)
    return channels is None or bool({BRAIN, ALL} & set(channels))


def read_channels(paths: Paths) -> list[str] | None:
    """The channels that Claude Code's sessions get; None where neither its settings nor agentihooks' files say."""
    value = _of_settings(paths.claude_home / "settings.json")
    if value is None:
        value = _of_files(paths.agentihooks_home)
    return None if value is None else list(dict.fromkeys(one.strip() for one in value.split(",") if one.strip()))


def _of_settings(path: Path) -> str | None:
    try:
        value = parse_json(read_text_or_none(path) or "").value
    except NotJson:
        return None
    environment = value.get("env") if isinstance(value, dict) else None
    found = environment.get(VARIABLE) if isinstance(environment, dict) else None
    return found if isinstance(found, str) else None


def _of_files(home: Path) -> str | None:
    files = [home / ".env", *sorted(path for path in home.glob("*.env") if path.name != ".env")]
    for path in files:
        for line in (read_text_or_none(path) or "").splitlines():
            found = LINE.match(line)
            if found and found[1] == VARIABLE:
                return found[2].strip().strip("\"'")
    return None
