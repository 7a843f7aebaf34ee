"""What there is to know of putting our hooks into one agent: files, events, what the person has to do.

The values stand in `agents/<agent>/settings.py`; the merge that they are handed to is `hookfile.py`.
"""

from dataclasses import dataclass

from ..core.jsontext import MARK, has_comments
from .hookfile import Shape


@dataclass(frozen=True, slots=True)
class HookEntry:
    """One event that we want to be told of. `status`: what the agent shows while the hook runs."""

    event: str
    timeout_s: int
    status: str = ""


@dataclass(frozen=True, slots=True)
class Integration:
    """One agent. Files are relative: `hook_file` to the agent's home, the project's ones to the checkout.

    has_own_skills: skills lie in the agent's own home (and `.claude`), not in `.agents`, which several agents read.
    steps: what a person still has to do, a line each; project_steps: where it is for one checkout. unreadable: what
    makes the agent pass by a whole hook file without a word, as seen in real runs: "comments", "mark" (of byte order).
    """

    agent: str
    shown: str
    programs: tuple[str, ...]
    hook_file: str
    project_hook_file: str
    shape: Shape
    entries: tuple[HookEntry, ...]
    has_own_skills: bool
    steps: tuple[str, ...]
    project_steps: tuple[str, ...]
    unreadable: tuple[str, ...] = ()

    @property
    def project_skills(self) -> str:
        """Where a checkout keeps skills for this agent."""
        return ".claude/skills" if self.has_own_skills else ".agents/skills"

    def unread_for(self, text: str) -> str | None:
        """Why the agent passes by a file with this text, or None."""
        if "comments" in self.unreadable and has_comments(text):
            return f"it has comments, and {self.shown} passes by a whole file with comments"
        if "mark" in self.unreadable and text.startswith(MARK):
            return f"it begins with a byte order mark, and {self.shown} passes by a whole file with one"
        return None

    def handler(self, entry: HookEntry, command: str) -> dict[str, object]:
        """The handler that the agent's file holds for an event."""
        typed: dict[str, object] = {"type": "command"} if self.shape.is_grouped else {}
        status = {"statusMessage": entry.status} if entry.status else {}
        return {**typed, "command": command, "timeout": entry.timeout_s, **status}
