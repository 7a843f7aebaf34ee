"""How our part stands in each agent: which hooks are there, whether the agent runs them, when one was called last."""

import os
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from .agents import hookfile
from .agents.codex.trust import Trust, hooks_are_off, read_trust
from .agents.hookfile import Entry, Judge, Own
from .agents.integration import Integration
from .agents.integrations import INTEGRATIONS
from .agents.registry import agent_home
from .core.jsontext import NotJson, parse_json
from .core.times import from_micros
from .errors import BrainError
from .files import read_or_none, read_text_or_none
from .install.ledger import Ledger, digest, read_ledger
from .install.parts import NotOurs, Part, skill_text
from .install.plan import SKILL_FILE, find_agents, find_launchers, server_part
from .paths import Paths
from .repositories import find_readable_checkout
from .store import ready
from .store.seen import list_seen

MANAGED = (
    Path("/etc/claude-code/managed-settings.json"),
    Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
)
"""Claude Code's settings of an administrator (code.claude.com/docs, settings)."""


@dataclass(frozen=True, slots=True)
class AgentState:
    """One agent. installed: events of its hook file that call us, of `wanted`. extra: entries beyond one an event.

    broken: why the file cannot be read; unread: why the agent passes it by; off: what turns its hooks off. trust: of
    each of our events, where the agent asks for it. skill: `ok`, `missing`, `older`, `changed`. checkout: for which one
    alone it was put in, None for all. server: `ok`, or `missing`, in the settings that name our MCP server; None: there
    are none.
    """

    integration: Integration
    is_here: bool
    hook_file: Path
    installed: int
    wanted: int
    extra: int
    broken: str | None
    unread: str | None
    off: str | None
    trust: Mapping[str, Trust] | None
    skill: str
    skill_file: Path
    server: str | None
    checkout: str | None
    has_launcher: bool
    called_at: datetime | None

    @property
    def agent(self) -> str:
        """Its name."""
        return self.integration.agent

    @property
    def word(self) -> str:
        """Its state in a word or two, as `status` shows it."""
        if self.broken:
            return "unreadable"
        if not self.installed:
            return "not installed"
        if not self.has_launcher:
            return "launcher gone"
        if self.off or self.unread:
            return "off"
        if self.trust is not None and any(one is not Trust.TRUSTED for one in self.trust.values()):
            worst = {Trust.UNTRUSTED: "not trusted", Trust.MODIFIED: "trust it again", Trust.DISABLED: "off"}
            return next(worst[one] for one in Trust if one in worst and one in self.trust.values())
        return f"{self.installed} of {self.wanted}" + (" here" if self.checkout else "")

    @property
    def is_well(self) -> bool:
        """Whether its sessions get their memory by all that can be seen from here."""
        return self.word.removesuffix(" here") == f"{self.wanted} of {self.wanted}"


def read_agent_states(paths: Paths, environment: Mapping[str, str], folder: str | None = None) -> list[AgentState]:
    """All agents, also those that are not on this machine. `folder`: whose own settings count too."""
    ledger = read_ledger(paths.ledger_path)
    here = find_agents(paths, environment)
    called = _last_calls(paths)
    return [_state(paths, ledger, one, one.agent in here, called.get(one.agent), folder) for one in INTEGRATIONS]


def _state(
    paths: Paths, ledger: Ledger, one: Integration, is_here: bool, called_at: datetime | None, folder: str | None
) -> AgentState:
    home = agent_home(paths, one.agent)
    launchers = find_launchers(paths, ledger)
    judge = launchers.judge_for(one.agent)
    path = home / one.hook_file
    text, broken, entries = _entries(path, one, judge)
    checkout = find_readable_checkout(folder) if folder and not entries and not broken else None
    if checkout is not None:
        own_path = Path(checkout.top) / one.project_hook_file
        own_text, _, own_entries = _entries(own_path, one, judge)
        if own_entries:
            path, text, entries = own_path, own_text, own_entries
    wanted = {entry.event for entry in one.entries}
    good = {event for event, _, _, command, _ in entries if event in wanted and judge(event, command) is Own.GOOD}
    trust = None
    if one.shape.keeps_places and entries:
        trust = read_trust(path, home / "config.toml", one.shape, judge)
    skills = home / "skills" if one.has_own_skills else paths.user_home / one.project_skills
    is_own = path != home / one.hook_file
    if checkout is not None and is_own:
        skills = Path(checkout.top) / one.project_skills
    skill_file = skills / SKILL_FILE
    return AgentState(
        integration=one,
        is_here=is_here,
        hook_file=path,
        installed=len(good),
        wanted=len(wanted),
        extra=len(entries) - len({event for event, *_ in entries}) + sum(event not in wanted for event, *_ in entries),
        broken=broken,
        unread=one.unread_for(text) if text and entries else None,
        off=_what_turns_off(one, home, text, folder),
        trust=trust,
        skill=_skill_state(skill_file, ledger),
        skill_file=skill_file,
        server=_server_state(server_part(paths, launchers, one.agent, checkout if is_own else None)),
        checkout=checkout.top if checkout is not None and is_own else None,
        has_launcher=os.access(paths.launcher, os.X_OK),
        called_at=called_at,
    )


def _entries(path: Path, one: Integration, judge: Judge) -> tuple[str | None, str | None, list[Entry]]:
    """(text, why it cannot be read, our entries) of a hook file."""
    text, broken = _read(path)
    if text is None:
        return None, broken, []
    try:
        return text, None, hookfile.list_commands(text, one.shape, judge)
    except NotJson as error:
        return text, f"it is no JSON: {error}", []


def _read(path: Path) -> tuple[str | None, str | None]:
    """(text, why there is none)."""
    try:
        raw = read_or_none(path)
        return None if raw is None else raw.decode("utf-8"), None
    except BrainError as error:
        return None, f"it cannot be read: {error.detail or error.message}"
    except UnicodeDecodeError:
        return None, "it is not UTF-8"


def _what_turns_off(one: Integration, home: Path, text: str | None, folder: str | None) -> str | None:
    """The setting that turns all hooks of an agent off, with its file."""
    if one.agent == "codex":
        config = home / "config.toml"
        return f"[features] hooks = false in {config}" if hooks_are_off(config) else None
    if one.agent != "claude":
        return None
    own = home / one.hook_file
    local = [Path(folder) / ".claude" / name for name in ("settings.local.json", "settings.json")] if folder else []
    for path in (*MANAGED, *local, own):
        value = _settings(text if path == own else _read(path)[0])
        for name in ("allowManagedHooksOnly", "disableAllHooks"):
            if value.get(name) is True and (name != "allowManagedHooksOnly" or path in MANAGED):
                return f'"{name}": true in {path}'
        if value.get("disableAllHooks") is False:
            return None  # it wins over what stands further out
    return None


def _settings(text: str | None) -> dict[str, Any]:
    try:
        value = parse_json(text or "").value
    except NotJson:
        return {}
    return value if isinstance(value, dict) else {}


def _skill_state(path: Path, ledger: Ledger) -> str:
    text, broken = _read(path)
    if text is None:
        return "changed" if broken else "missing"
    if text == skill_text():
        return "ok"
    note = ledger.files.get(str(path))
    return "older" if note is not None and digest(text.encode()) == note.after else "changed"


def _server_state(part: Part | None) -> str | None:
    if part is None:
        return None
    text = read_text_or_none(part.path)
    try:
        return "ok" if text is not None and part.put(text, None) == text else "missing"
    except (NotJson, NotOurs):
        return "missing"


def _last_calls(paths: Paths) -> dict[str, datetime]:
    """When a hook of each agent was called last."""
    found: dict[str, datetime] = {}
    try:
        db = ready.connect(str(paths.ready_db), 1.0)
        for row in list_seen(db):
            if at := from_micros(row.last_at):
                found[row.agent] = max(at, found.get(row.agent, at))
        db.close()
    except (ready.ReadyUnusable, sqlite3.Error):
        pass
    return found
