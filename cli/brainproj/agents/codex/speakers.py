"""Who spoke in an item of role `user`, block by block (formats/transcripts.md 2.6).

Handed the item, it hands on `Piece`s; one whose speaker is None was said by whoever drives the thread. A newcomer's
mistake: judging the item as a whole. One item can hold AGENTS.md, the environment and an image beside the words that a
person typed, and the Desktop app wraps those words into headings of its own.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...core.events import Flag, Kind, Outcome, PromptedBy, Speaker
from .outcomes import read_outcome
from .wire import as_list, as_object, as_text

HEAD_CHARACTERS = 200
"""A wrapper stands at the start of its block, after white space at most."""

HARNESS_TAGS = (
    "<environment_context>",
    "<user_instructions>",
    "<skill>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<codex_internal_context",
    "<goal_context>",
    "<recommended_plugins>",
    "<hook_prompt",
    "<hook_context",
    "<realtime_delegation>",
    "<external_",
    "<extension_context>",
    "<heartbeat>",
    "<user_action>",
)
HARNESS_WORDS = (
    "# AGENTS.md instructions",
    "Warning:",
    "Another language model started to solve this problem",
)
"""Plain words, which a person may type as well: a block marked `user.text` (0.154) is a person's all the same."""
TURN_ABORTED = "<turn_aborted>"
SHELL_COMMAND = "<user_shell_command>"
QUESTION_REPLY = "<send_user_message_question_reply>"
DELEGATION = "<codex_delegation>"
ACCEPTED_PLAN = "PLEASE IMPLEMENT THIS PLAN:"
IMAGE_TAGS = ("<image name=", "<image>", "</image>")
IMAGE_BLOCKS = frozenset({"input_image", "local_image", "image"})
IMAGE_ONLY = "[image]"

REQUEST_HEADINGS = ("## My request for Codex:", "## My request:")
WRAPPER_OPENINGS = ("# ", "## My request", "<in-app-browser-context")
BROWSER_CONTEXT = re.compile(r"<in-app-browser-context\b[^>]*>.*?</in-app-browser-context>", re.DOTALL)

NO_FLAGS = Flag(0)
PROMPTERS = {
    PromptedBy.PERSON: (Speaker.PERSON, NO_FLAGS),
    PromptedBy.PROGRAM: (Speaker.HARNESS, Flag.PROGRAM),
    PromptedBy.ASSISTANT: (Speaker.ASSISTANT, NO_FLAGS),
    PromptedBy.HARNESS: (Speaker.HARNESS, NO_FLAGS),
}
"""Who speaks, and how that is flagged, in a thread that is driven so."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an item said by one speaker. block: the place of its (first) block in the item."""

    text: str
    block: int
    speaker: Speaker | None = None
    kind: Kind = Kind.PROMPT
    flags: Flag = NO_FLAGS
    outcome: Outcome | None = None


def read_prompter(meta: Mapping[str, Any]) -> PromptedBy:
    """Who drives the thread that a session_meta opens."""
    source = meta.get("source")
    thread_source = meta.get("thread_source")
    if isinstance(source, dict) and ("subagent" in source or "internal" in source):
        subagent = source.get("subagent")
        is_spawned = isinstance(subagent, dict) and "thread_spawn" in subagent
        return PromptedBy.ASSISTANT if is_spawned else PromptedBy.HARNESS
    if thread_source in ("guardian_review", "memory_consolidation"):
        return PromptedBy.HARNESS
    if thread_source == "subagent":
        return PromptedBy.ASSISTANT
    return PromptedBy.PROGRAM if source in ("exec", "mcp") or thread_source == "automation" else PromptedBy.PERSON


def split_user_item(item: Mapping[str, Any]) -> list[Piece]:
    """The pieces of a user item, in order; the words of several plain blocks are one piece.

    An item that holds pictures and nothing else is one piece, `[image]`.
    """
    content = item.get("content")
    metadata = as_object(item.get("internal_chat_message_metadata_passthrough"))
    kinds = as_list(metadata.get("content_item_kinds"))
    pieces: list[Piece] = []
    words: list[Piece] = []
    has_image = False
    for index, block in enumerate([content] if isinstance(content, str) else as_list(content)):
        text = block if isinstance(block, str) else as_object(block).get("text")
        if not isinstance(text, str) or not text.strip():
            has_image = has_image or as_text(as_object(block).get("type")) in IMAGE_BLOCKS
            continue
        head = text[:HEAD_CHARACTERS].lstrip()
        if head.startswith(IMAGE_TAGS):
            has_image = True
            continue
        for piece in _hear(text, head, index, kinds[index] if index < len(kinds) else None):
            (words if piece.speaker is None and not piece.flags else pieces).append(piece)
    if words:
        pieces.append(Piece("\n".join(piece.text for piece in words), words[0].block))
        pieces.sort(key=lambda piece: piece.block)
    elif has_image and not pieces:
        return [Piece(IMAGE_ONLY, 0)]
    return pieces


def read_delegation(text: str) -> str:
    """The words that another thread's assistant sent: the `<input>` of a `<codex_delegation>`."""
    _, opening, rest = text.partition("<input>")
    return rest.rpartition("</input>")[0].strip() or rest.strip() if opening else text.strip()


def find_environment_cwd(text: str) -> str | None:
    """The folder that an `<environment_context>` names; in files of before September 2025 the only one."""
    _, opening, rest = text.partition("<cwd>")
    if opening:
        return rest.partition("</cwd>")[0].strip() or None
    _, opening, rest = text.partition("Current working directory: ")
    return rest.partition("\n")[0].strip() or None if opening else None


def _hear(text: str, head: str, block: int, kind: object) -> list[Piece]:
    """Who spoke one block. `kind` is what Codex itself says it is (0.154), None in older files."""
    if head.startswith(SHELL_COMMAND):
        return _split_shell_command(text, block)
    if head.startswith(QUESTION_REPLY):
        return [Piece(_read_reply(text), block, flags=Flag.ANSWER)]
    if head.startswith(DELEGATION):
        return [Piece(read_delegation(text), block, Speaker.ASSISTANT)]
    is_users = isinstance(kind, str) and kind.startswith("user.")
    is_harness = head.startswith(HARNESS_TAGS) or (not is_users and head.startswith(HARNESS_WORDS))
    if is_harness or (isinstance(kind, str) and not is_users):
        return [Piece(text, block, Speaker.HARNESS)]
    if head.startswith(ACCEPTED_PLAN):
        return [Piece(text.strip(), block, Speaker.HARNESS, flags=Flag.PLAN)]
    words = _unwrap_request(text) if head.startswith(WRAPPER_OPENINGS) else text.strip()
    return [Piece(words, block)] if words else [Piece(text, block, Speaker.HARNESS)]


def _unwrap_request(text: str) -> str:
    """The person's words in a prompt that the Desktop app or an IDE wrapped; empty where it holds none.

    They follow the last heading; what the app saw in its browser may stand on either side of them.
    """
    if "<in-app-browser-context" in text:
        text = BROWSER_CONTEXT.sub("", text)
    for heading in REQUEST_HEADINGS:
        place = text.rfind(heading)
        if place == 0 or (place > 0 and text[:place].rstrip(" ").endswith("\n")):
            return text[place + len(heading) :].strip() or text[:place].strip()
    return text.strip()


def _split_shell_command(text: str, block: int) -> list[Piece]:
    """The command a person ran with `!`, and what it printed."""
    body = text.partition(SHELL_COMMAND)[2].partition("</user_shell_command>")[0]
    before, opening, result = body.partition("<result>")
    command = before.partition("<command>")[2].rpartition("</command>")[0].strip() or before.strip()
    pieces = [Piece(command, block, flags=Flag.SHELL)]
    if opening:
        output = (result.rpartition("</result>")[0] or result).strip("\n")
        outcome = read_outcome(output, is_search=False) or Outcome.UNKNOWN
        pieces.append(Piece(output, block, Speaker.TOOL, Kind.TOOL_RESULT, outcome=outcome))
    return pieces


def _read_reply(text: str) -> str:
    """The answers in a reply to the agent's questions, each after its question."""
    body = text.partition(QUESTION_REPLY)[2].partition("</send_user_message_question_reply>")[0].strip()
    try:
        replies = as_list(json.loads(body))
    except (ValueError, RecursionError):
        return body
    lines = []
    for reply in replies:
        lines += [as_text(as_object(reply).get("question")), as_text(as_object(reply).get("answer"))]
    return "\n".join(line for line in lines if line) or body
