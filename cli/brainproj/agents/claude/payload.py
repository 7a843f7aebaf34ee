"""Claude Code's hook payloads and answers (formats/agents.md 3). Hooks import this module.

Codex took over payloads and answers of these names, so its module uses these functions.
"""

from ..call import Call, Payload

MOMENTS = {
    "UserPromptSubmit": "prompt",
    "PostToolUse": "tool",
    "PostToolUseFailure": "tool_failed",
    "SubagentStart": "subagent_start",
    "Stop": "stop",
    "SubagentStop": "subagent_stop",
    "PreCompact": "before_compact",
    "SessionEnd": "end",
}
SOURCES = {"resume": "resume", "clear": "clear", "compact": "compact", "fork": "fork"}
LOSING: tuple[str, ...] = ("fork",)
"""Moments whose answer Claude Code does not hand on (anthropics/claude-code#93458): the next prompt gets it."""


def read(payload: "Payload", event: str) -> Call:
    """The call that a payload is; `event` is the name in the settings, for a payload that tells none."""
    return read_as("claude", payload, event)


def read_as(agent: str, payload: "Payload", event: str) -> Call:
    """The same for an agent that sends what Claude Code sends."""
    name = payload.get("hook_event_name")
    event = name if isinstance(name, str) and name else event
    source = payload.get("source")
    moment = MOMENTS.get(event)
    if event == "SessionStart":
        moment = SOURCES.get(source, "start") if isinstance(source, str) else "start"
    transcripts = (payload.get("agent_transcript_path"), payload.get("transcript_path"))
    return Call(
        agent, event, moment, payload.get("session_id"), payload.get("agent_id"), payload.get("cwd"), transcripts
    )


def answer(call: Call, context: str) -> "Payload | None":
    """The value to print: exactly one object, or None for nothing."""
    if not context:
        return None
    return {"hookSpecificOutput": {"hookEventName": call.listed, "additionalContext": context}}
