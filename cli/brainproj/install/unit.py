"""The file by which the system starts `watch` at login: a systemd user unit, or a launchd agent.

Formats: systemd.service(5) and systemd.exec(5); launchd.plist(5).
"""

import plistlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..paths import Paths
from .ledger import Kind, Note, digest
from .parts import NotOurs

NAME = "brainproj-watch"
LABEL = "brainproj.watch"
MARK = "brainproj: follows the agents' transcripts"
KEPT = ("BRAINPROJ_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "CURSOR_CONFIG_DIR", "AGENTIHOOKS_HOME")
"""What an environment says of where things are: at login nobody says it."""


@dataclass(frozen=True, slots=True)
class UnitPart:
    """The file for one kind of system."""

    path: Path
    content: str
    agents: tuple[str, ...] = ()
    kind: Kind = Kind.UNIT
    lines: tuple[str, ...] = ()

    def put(self, text: str | None, note: Note | None) -> str | None:
        """Our file, in the place of none or of an earlier one of ours."""
        if text is not None and not self._is_ours(text, note):
            raise NotOurs("somebody else wrote it")
        return self.content

    def take(self, text: str, note: Note | None) -> str | None:
        """No file."""
        if not self._is_ours(text, note):
            raise NotOurs("somebody changed it since it was written")
        return None

    def _is_ours(self, text: str, note: Note | None) -> bool:
        return text == self.content or (note is not None and digest(text.encode()) == note.after)


def unit_part(paths: Paths, environment: Mapping[str, str], platform: str = sys.platform) -> UnitPart:
    """The file that this kind of system wants."""
    command = [sys.executable, "-m", "brainproj", "watch", "--quiet"]
    kept = {name: environment[name] for name in KEPT if environment.get(name)}
    if platform == "darwin":
        folder = paths.user_home / "Library" / "LaunchAgents"
        return UnitPart(folder / f"{LABEL}.plist", _launchd(command, kept))
    config = Path(environment.get("XDG_CONFIG_HOME") or paths.user_home / ".config")
    return UnitPart(config / "systemd" / "user" / f"{NAME}.service", _systemd(command, kept))


def start_command(part: UnitPart) -> str:
    """What starts it now, and at each login."""
    if part.path.suffix == ".plist":
        return f"launchctl bootstrap gui/$(id -u) '{part.path}'"
    return f"systemctl --user daemon-reload && systemctl --user enable --now {NAME}"


def stop_command(part: UnitPart) -> str:
    """What stops it, while the file is still there."""
    if part.path.suffix == ".plist":
        return f"launchctl bootout gui/$(id -u)/{LABEL}"
    return f"systemctl --user disable --now {NAME}"


def _systemd(command: list[str], environment: Mapping[str, str]) -> str:
    settings = "".join(f"Environment={_word(f'{name}={value}')}\n" for name, value in environment.items())
    return (
        f"[Unit]\nDescription={MARK}\n\n"
        f"[Service]\nExecStart={' '.join(_word(one) for one in command)}\n{settings}"
        "Restart=on-failure\nRestartSec=30\nNice=10\n\n"
        "[Install]\nWantedBy=default.target\n"
    )


def _word(text: str) -> str:
    """A word of a unit file that means exactly this text."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"' if set(escaped) & set(" \t'\";") or escaped != text else escaped


def _launchd(command: list[str], environment: Mapping[str, str]) -> str:
    value = {
        "Label": LABEL,
        "ProgramArguments": command,
        "EnvironmentVariables": dict(environment),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ProcessType": "Background",
    }
    return plistlib.dumps(value).decode()
