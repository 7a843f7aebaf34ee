"""What a transcript says, in one shape for all agents.

An adapter (`agents/<agent>/transcript.py`) reads the native lines of one transcript in order and gives, for each line,
the `Event`s in it, a `Gap` for a complete line it does not know, or nothing for bookkeeping. Beside that it gathers
`SessionFacts`. A newcomer's mistake: taking the native role for the speaker. Role `user` only means "sent to the model
as user"; who spoke is decided by content (formats/transcripts.md 1.5, 2.6, 3.3).
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import IntFlag, StrEnum


class Kind(StrEnum):
    """What happened."""

    PROMPT = "prompt"
    REPLY = "reply"
    THINKING = "thinking"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    COMPACTION = "compaction"


class Speaker(StrEnum):
    """Who it came from."""

    PERSON = "person"
    ASSISTANT = "assistant"
    TOOL = "tool"
    HARNESS = "harness"


class Outcome(StrEnum):
    """How a tool call ended. A refusal (`denied`) or a stop (`cancelled`) is no failure of the code."""

    OK = "ok"
    FAILED = "failed"
    DENIED = "denied"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


class Flag(IntFlag):
    """What is particular about an event."""

    ECHO = 1
    """It only repeats what brainproj said earlier."""
    QUEUED = 2
    """A prompt typed while the agent was working."""
    COMMAND = 4
    """A slash command a person typed; the text is the command and its words."""
    SHELL = 8
    """A shell command a person ran from the agent's prompt (`!cmd`)."""
    FEEDBACK = 16
    """A person's words given with a refusal."""
    ANSWER = 32
    """A person's answer to a question the agent asked."""
    PLAN = 64
    """A plan that a person accepted, as the agent then got it."""
    API_ERROR = 128
    """The agent's own error message in place of a reply."""
    PROGRAM = 256
    """A prompt that a program sent (an SDK, a schedule), not a person."""


NO_FLAG = Flag(0)
NOT_A_PROMPT = Flag.COMMAND | Flag.SHELL | Flag.FEEDBACK | Flag.ANSWER | Flag.PLAN
"""A person's words, but not what `prompts` counts (fixtures/transcripts/README.md, `human_messages`)."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    native_id: what the agent itself calls the thing, unique within the agent; None where the line has no id of its own,
    and then the place in the transcript identifies the event.
    part: tells the events of one native id apart.
    at: None where the line has no time. tool: the tool's name; None in a result whose call was not seen.
    call_id: pairs a tool call with its result. outcome: of a tool result only.
    cwd: the folder at this moment, where the line says it. agent_id: the sub-agent it belongs to, None for the root.
    """

    kind: Kind
    speaker: Speaker
    text: str
    native_id: str | None = None
    part: str = ""
    at: datetime | None = None
    tool: str | None = None
    call_id: str | None = None
    outcome: Outcome | None = None
    cwd: str | None = None
    flags: Flag = NO_FLAG
    agent_id: str | None = None

    @property
    def is_prompt(self) -> bool:
        """Whether a person typed it as a prompt to this session (the `prompts` of the contract)."""
        if self.kind is not Kind.PROMPT or self.speaker is not Speaker.PERSON:
            return False
        return self.flags == 0 or not self.flags & NOT_A_PROMPT


@dataclass(frozen=True, slots=True)
class Gap:
    """A complete line that the adapter does not know; kept as it is, given to no speaker."""

    reason: str


class PromptedBy(StrEnum):
    """Who drives a session."""

    PERSON = "person"
    PROGRAM = "program"
    ASSISTANT = "assistant"
    HARNESS = "harness"


@dataclass(slots=True)
class SessionFacts:
    """What a transcript says of its session so far; an adapter fills it as lines go by.

    session_id: the root session's. agent_id: the sub-agent's, None for the root. parent_id: the session or thread that
    started this one. cwd: the first folder a line names. own_title: the agent's own title for the session, the best one
    so far. is_conversation: False while nothing but bookkeeping has been seen.
    """

    session_id: str | None = None
    agent_id: str | None = None
    parent_id: str | None = None
    forked_from: str | None = None
    cwd: str | None = None
    cwds: list[str] = field(default_factory=list)
    branch: str | None = None
    model: str | None = None
    version: str | None = None
    own_title: str | None = None
    prompted_by: PromptedBy = PromptedBy.PERSON
    started_at: datetime | None = None
    last_at: datetime | None = None
    hidden_thinking: int = 0
    """Pieces of reasoning that are encrypted or empty: counted, never stored."""
    is_conversation: bool = False

    def see_cwd(self, cwd: object) -> None:
        """Note a folder that a line names."""
        if isinstance(cwd, str) and cwd and (not self.cwds or self.cwds[-1] != cwd):
            if self.cwd is None:
                self.cwd = cwd
            if cwd not in self.cwds and len(self.cwds) < CWDS_KEPT:
                self.cwds.append(cwd)

    def see_time(self, moment: datetime | None) -> None:
        """Note the time of an event: the first one is the start, the latest the last."""
        if moment is None:
            return
        self.see_start(moment)
        if self.last_at is None or moment > self.last_at:
            self.last_at = moment

    def see_start(self, moment: datetime | None) -> None:
        """Note the time of any line: only the first in the transcript counts."""
        if self.started_at is None:
            self.started_at = moment


CWDS_KEPT = 64
"""Different folders remembered of one session; a session that walks through thousands does not grow the store."""
