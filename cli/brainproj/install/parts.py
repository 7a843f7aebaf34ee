"""The files that we have a part in, and what our part in each is: hooks, the skill, lines of git's exclude file.

A part turns the text of its file into the one with our part and back. It knows nothing of disks.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ..agents import hookfile
from ..agents.claude import statusline
from ..agents.claude.environment import drop_variable, read_variable, set_variable
from ..agents.hookfile import Own
from ..agents.integration import Integration
from ..core import jsontext
from ..core.lines import add_lines, remove_lines
from ..cursor_rule import MADE_BY
from ..foreign.channels import VARIABLE
from ..launcher import launcher_command, read_call
from .ledger import Kind, Note, digest

SKILL_PATH = Path(__file__).parent / "skill.md"


class NotOurs(ValueError):
    """The file holds something that is not ours to change; the message says what."""


class Part(Protocol):
    """Our part in one file."""

    @property
    def path(self) -> Path:
        """The file."""

    @property
    def kind(self) -> Kind:
        """What it is."""

    @property
    def agents(self) -> tuple[str, ...]:
        """For which agents."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that are ours, of an exclude file."""

    def put(self, text: str | None, note: Note | None) -> str | None:
        """The text with our part; None: there is no file. Raises NotJson, NotOurs."""

    def take(self, text: str, note: Note | None) -> str | None:
        """The text without it; None where the file was made for it and holds nothing else. Raises NotJson, NotOurs."""


@dataclass(frozen=True, slots=True)
class Launchers:
    """The launcher that settings are to name, all those that are ours, and the person's home folder."""

    current: Path
    known: tuple[Path, ...]
    home: Path

    def judge_for(self, agent: str) -> hookfile.Judge:
        """What a command in the settings of an agent is to us."""

        def judge(event: str, command: str) -> Own:
            call = read_call(command, self.known, self.home)
            if call is None:
                return Own.FOREIGN
            is_good = call.is_sound and call.launcher == self.current and call.arguments[:2] == (agent, event)
            return Own.GOOD if is_good else Own.STALE

        return judge


@dataclass(frozen=True, slots=True)
class HookPart:
    """Our entries in an agent's hook file. with_status: the status line too.

    channels: those that agentihooks is to give to Claude Code's sessions, without the brain's.
    """

    path: Path
    integration: Integration
    launchers: Launchers
    with_status: bool = False
    channels: str | None = None
    kind: Kind = Kind.HOOKS
    lines: tuple[str, ...] = ()

    @property
    def agents(self) -> tuple[str, ...]:
        return (self.integration.agent,)

    def put(self, text: str | None, note: Note | None) -> str | None:
        if not _is_encodable(str(self.launchers.current)):
            raise NotOurs("no settings file can name our home: its path is not UTF-8")
        agent, judge = self.integration.agent, self.launchers.judge_for(self.integration.agent)
        wanted = {
            entry.event: self.integration.handler(entry, launcher_command(self.launchers.current, agent, entry.event))
            for entry in self.integration.entries
        }
        put = hookfile.put_hooks(text, self.integration.shape, wanted, judge)
        if self.with_status:
            put = statusline.put_status(put, self.launchers.current, self._is_status)
        return put if self.channels is None else set_variable(put, VARIABLE, self.channels)

    def take(self, text: str, note: Note | None) -> str | None:
        if not text.strip(jsontext.BLANKS + jsontext.MARK):
            return text
        judge = self.launchers.judge_for(self.integration.agent)
        left = hookfile.take_hooks(text, self.integration.shape, judge, note.members if note else None)
        if self.integration.agent == "claude":
            left = statusline.take_status(left, self._is_status)
            left = self._give_channels_back(left, note.channels if note else ())
        is_made = note is not None and note.is_made
        return None if is_made and self.is_empty(left) else left

    def channels_before(self, text: str) -> tuple[str, ...]:
        """What the ledger keeps so that the channels can be given back."""
        if self.channels is None:
            return ()
        before = read_variable(text, VARIABLE) if text.strip() else None
        return (self.channels,) if before is None else (self.channels, before)

    def _give_channels_back(self, text: str, channels: tuple[str, ...]) -> str:
        if not channels or read_variable(text, VARIABLE) != channels[0]:
            return text  # never taken, or somebody has set them since
        return set_variable(text, VARIABLE, channels[1]) if len(channels) > 1 else drop_variable(text, VARIABLE)

    def _is_status(self, command: str) -> tuple[str, ...] | None:
        """The arguments of a status line's command that is ours."""
        call = read_call(command, self.launchers.known, self.launchers.home)
        return call.arguments if call and call.arguments[1:2] == (statusline.EVENT,) else None

    def members_before(self, text: str) -> tuple[str, ...]:
        """What of the file's own frame is not there yet, or holds ours alone, and so is made for us."""
        value: dict[str, Any] = {}
        if text.strip(jsontext.BLANKS + jsontext.MARK):
            judge = self.launchers.judge_for(self.integration.agent)
            value = jsontext.parse_json(hookfile.take_hooks(text, self.integration.shape, judge)).value
        hooks = value.get("hooks")
        made = ["version"] if self.integration.shape.version is not None and "version" not in value else []
        made += ["hooks"] if hooks is None else []
        return (*made, *(f"hooks.{one.event}" for one in self.integration.entries if one.event not in (hooks or {})))

    def is_empty(self, text: str) -> bool:
        """Whether nothing is in the file but its frame."""
        value = jsontext.parse_json(text).value
        version = self.integration.shape.version
        return value in ({}, {"version": version})


@dataclass(frozen=True, slots=True)
class SkillPart:
    """The skill's file, the same bytes for every agent; one that somebody changed is theirs."""

    path: Path
    agents: tuple[str, ...]
    kind: Kind = Kind.SKILL
    lines: tuple[str, ...] = ()

    def put(self, text: str | None, note: Note | None) -> str | None:
        if text is not None and not self._is_ours(text, note):
            raise NotOurs("somebody wrote or changed it")
        return skill_text()

    def take(self, text: str, note: Note | None) -> str | None:
        if not self._is_ours(text, note):
            raise NotOurs("somebody changed it since it was written")
        return None

    def _is_ours(self, text: str, note: Note | None) -> bool:
        return text == skill_text() or (note is not None and digest(text.encode()) == note.after)


@dataclass(frozen=True, slots=True)
class ExcludePart:
    """Lines of a repository's `info/exclude`, for the files that we put into its checkouts."""

    path: Path
    agents: tuple[str, ...]
    lines: tuple[str, ...]
    kind: Kind = Kind.EXCLUDE

    def put(self, text: str | None, note: Note | None) -> str | None:
        return add_lines(text or "", self.lines)

    def take(self, text: str, note: Note | None) -> str | None:
        left = remove_lines(text, self.lines)
        return None if note is not None and note.is_made and not left else left


@dataclass(frozen=True, slots=True)
class RulePart:
    """A rule file that Cursor's hooks made in a checkout; it is only ever taken out here."""

    path: Path
    agents: tuple[str, ...] = ("cursor",)
    kind: Kind = Kind.RULE
    lines: tuple[str, ...] = ()

    def put(self, text: str | None, note: Note | None) -> str | None:
        return text

    def take(self, text: str, note: Note | None) -> str | None:
        if MADE_BY not in text:
            raise NotOurs("somebody else wrote it")
        return None


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def skill_text() -> str:
    """What the skill says."""
    return SKILL_PATH.read_text("utf-8")
