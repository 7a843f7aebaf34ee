"""Our MCP server in an agent's settings: one entry, in JSON or TOML; everything else in the file stays as it is.

It is started by the launcher (`<home>/hook mcp`), which no upgrade moves. An entry of our name that starts something
else is somebody else's, and is left. Claude Code rewrites its file all the time, so no backup of it is kept.
Formats: formats/agents.md 3.6, 4.6 and 5.7.
"""

import json
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core import jsontext
from .ledger import Kind, Note
from .parts import Launchers, NotOurs

NAME = "brainproj"
HOLDER = "mcpServers"
TABLE = "mcp_servers"
START_S = 30
"""Codex waits 10 s of itself; the server needs one, and on a busy machine many."""


def server_entry(launchers: Launchers, agent: str, *arguments: str) -> dict[str, object]:
    """The entry as JSON has it."""
    return {
        "type": "stdio",
        "command": str(launchers.current),
        "args": ["mcp", *arguments],
        "env": {"BRAINPROJ_AGENT": agent},
    }


def _is_ours(entry: object, launchers: Launchers) -> bool:
    command = entry.get("command") if isinstance(entry, dict) else None
    return isinstance(command, str) and Path(command) in launchers.known


@dataclass(frozen=True, slots=True)
class JsonServerPart:
    """The entry in a JSON file that holds `mcpServers`."""

    path: Path
    agents: tuple[str, ...]
    launchers: Launchers
    arguments: tuple[str, ...] = ()
    kind: Kind = Kind.SERVER
    lines: tuple[str, ...] = ()

    def put(self, text: str | None, note: Note | None) -> str | None:
        """The file with our entry."""
        wanted = server_entry(self.launchers, self.agents[0], *self.arguments)
        if text is None or not text.strip(jsontext.BLANKS + jsontext.MARK):
            text = (text or "").rstrip(jsontext.BLANKS) + "{}\n"
        root = jsontext.parse_json(text)
        holder = root.member(HOLDER) if isinstance(root.value, dict) else None
        if not isinstance(root.value, dict) or (holder is not None and not isinstance(holder.value, dict)):
            raise NotOurs(f"{HOLDER} is no object in it")
        if holder is None:
            return jsontext.append(text, root, {NAME: wanted}, HOLDER)
        found = holder.member(NAME)
        if found is None:
            return jsontext.append(text, holder, wanted, NAME)
        if not _is_ours(found.value, self.launchers):
            raise NotOurs(f"it has a server {NAME} that somebody else has put there")
        is_good = found.value["command"] == wanted["command"] and found.value.get("args") == wanted["args"]
        return text if is_good else jsontext.replace(text, found, wanted)

    def take(self, text: str, note: Note | None) -> str | None:
        """The file without our entry."""
        if not text.strip(jsontext.BLANKS + jsontext.MARK):
            return text
        root = jsontext.parse_json(text)
        holder = root.member(HOLDER) if isinstance(root.value, dict) else None
        found = holder.member(NAME) if holder is not None else None
        if holder is None or found is None or not _is_ours(found.value, self.launchers):
            return text
        made: Collection[str] | None = note.members if note else None
        if len(holder.children) == 1 and (made is None or HOLDER in made):
            text = jsontext.remove(text, root, root.children.index(holder))
        else:
            text = jsontext.remove(text, holder, holder.children.index(found))
        return None if note is not None and note.is_made and self.is_empty(text) else text

    def is_empty(self, text: str) -> bool:
        """Whether nothing is in the file."""
        return bool(jsontext.parse_json(text).value == {})

    def members_before(self, text: str) -> tuple[str, ...]:
        """Whether the holder of servers is made for us."""
        value = jsontext.parse_json(text).value if text.strip(jsontext.BLANKS + jsontext.MARK) else {}
        return () if HOLDER in value else (HOLDER,)


@dataclass(frozen=True, slots=True)
class TomlServerPart:
    """The entry in Codex' config.toml: a table at the end."""

    path: Path
    agents: tuple[str, ...]
    launchers: Launchers
    kind: Kind = Kind.SERVER
    lines: tuple[str, ...] = ()

    def put(self, text: str | None, note: Note | None) -> str | None:
        """The file with our table."""
        text = text or ""
        document = _parse(text)
        servers = document.get(TABLE, {})
        if isinstance(servers, dict) and NAME in servers:
            if not _is_ours(servers[NAME], self.launchers):
                raise NotOurs(f"it has a server {NAME} that somebody else has put there")
            if servers[NAME].get("command") == str(self.launchers.current):
                return text
            text = self.take(text, None) or ""
            document = _parse(text)
        is_open = bool(text) and not text.endswith("\n")  # its last line stays open, and then so does ours
        block = self._block()
        put = text + ("\n" if is_open else "") + ("\n" if text else "") + (block.rstrip("\n") if is_open else block)
        try:
            servers = tomllib.loads(put).get(TABLE, {})
        except tomllib.TOMLDecodeError as error:
            raise NotOurs(f"a table cannot be added to it: {error}") from error
        if {name: one for name, one in servers.items() if name != NAME} != document.get(TABLE, {}):
            raise NotOurs("a table cannot be added to it without a change to others")
        return put

    def take(self, text: str, note: Note | None) -> str | None:
        """The file without our table."""
        servers = _parse(text).get(TABLE, {})
        if not isinstance(servers, dict) or not _is_ours(servers.get(NAME), self.launchers):
            return text
        block = self._block()
        if text.endswith("\n\n" + block.rstrip("\n")):
            left = text[: -len("\n\n" + block.rstrip("\n"))]
        elif "\n\n" + block in text:
            left = text.replace("\n" + block, "", 1)
        elif text.startswith(block):
            left = text[len(block) :]
        else:
            left = _without_table(text)  # somebody has written it anew
        return None if note is not None and note.is_made and self.is_empty(left) else left

    def is_empty(self, text: str) -> bool:
        """Whether nothing is in the file."""
        return not text.strip()

    def _block(self) -> str:
        command, agent = json.dumps(str(self.launchers.current)), json.dumps(self.agents[0])
        return (
            f'[{TABLE}.{NAME}]\ncommand = {command}\nargs = ["mcp"]\nstartup_timeout_sec = {START_S}\n\n'
            f"[{TABLE}.{NAME}.env]\nBRAINPROJ_AGENT = {agent}\n"
        )


def _parse(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise NotOurs(f"it is no TOML that can be changed: {error}") from error


def _without_table(text: str) -> str:
    import tomlkit

    document = tomlkit.parse(text)
    servers: Any = document[TABLE]
    servers.pop(NAME)
    if not servers:
        document.pop(TABLE)
    return tomlkit.dumps(document)


ServerPart = JsonServerPart | TomlServerPart
