"""Cursor's hook payloads and answers (formats/agents.md 5). Hooks import this module.

Cursor also runs the hooks of Claude Code's settings, with payloads of its own shape: `cursor_version` tells. The events
that take no context are answered with what lets the agent go on.
"""

from ..call import Call, Payload
from ..claude import payload as claude

MOMENTS = {
    "sessionStart": "start",
    "beforeSubmitPrompt": "prompt",
    "postToolUse": "tool",
    "postToolUseFailure": "tool_failed",
    "subagentStart": "subagent_start",
    "subagentStop": "subagent_stop",
    "afterAgentResponse": "stop",
    "stop": "stop",
    "preCompact": "before_compact",
    "sessionEnd": "end",
}
TAKES_CONTEXT = ("sessionStart", "postToolUse")
GO_ON: "dict[str, Payload]" = {"beforeSubmitPrompt": {"continue": True}, "subagentStart": {"permission": "allow"}}
LOSING: tuple[str, ...] = ()


def is_cursors(payload: "Payload") -> bool:
    """Whether Cursor sent it, whatever settings started the hook."""
    return "cursor_version" in payload


def read(payload: "Payload", event: str) -> Call:
    """The call that a payload is."""
    name = payload.get("hook_event_name")
    listed, event = event, name if isinstance(name, str) else event
    roots = payload.get("workspace_roots")
    cwd = roots[0] if isinstance(roots, list) and roots else payload.get("cwd")
    session = payload.get("conversation_id") or payload.get("session_id")
    transcripts = (payload.get("agent_transcript_path"), payload.get("transcript_path"))
    agent_id = payload.get("subagent_id") if event in ("subagentStart", "subagentStop") else None
    return Call("cursor", event, MOMENTS.get(event), session, agent_id, cwd, transcripts, listed)


def answer(call: Call, context: str) -> "Payload | None":
    """The value to print: exactly one object. A hook of Claude Code's settings is answered in their shape."""
    if call.listed[:1].isupper():
        return claude.answer(call, context)
    if context and call.event in TAKES_CONTEXT:
        return {"additional_context": context}
    return GO_ON.get(call.event, {})
