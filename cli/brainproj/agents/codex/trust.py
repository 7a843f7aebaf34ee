"""Whether Codex runs our hooks: what its config.toml says it trusts, against what its hook file holds.

Only read. A hash is never written: the review belongs to the person (formats/agents.md 4.3, whose rule for the hash was
recomputed against one that a real Codex recorded; a test runs the real one with hashes made here).
"""

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from ...core.jsontext import NotJson
from ...files import read_text_or_none
from ..hookfile import Judge, Shape, group_matcher, list_commands

NO_MATCHER = ("user_prompt_submit", "stop")
"""Events whose matcher Codex does not look at, and so leaves out of the hash."""
DEFAULT_TIMEOUT_S = 600


class Trust(StrEnum):
    """What Codex does with a hook."""

    TRUSTED = "trusted"
    MODIFIED = "modified"
    UNTRUSTED = "untrusted"
    DISABLED = "disabled"


def read_trust(hook_file: Path, config: Path, shape: Shape, judge: Judge) -> dict[str, Trust]:
    """Event → what Codex does with our hook for it. Empty where the hook file cannot be read."""
    text = read_text_or_none(hook_file)
    try:
        own = list_commands(text, shape, judge) if text is not None else []
    except NotJson:
        return {}
    state = _read_state(config)
    found = {}
    for event, group, number, _, handler in own:
        key = f"{os.path.realpath(hook_file)}:{label(event)}:{group}:{number}"
        matcher = group_matcher(text or "", event, group)
        row = state.get(key) or state.get(f"{hook_file}:{label(event)}:{group}:{number}")
        found[event] = _judge_row(row, hash_of(event, matcher, handler))
    return found


def _judge_row(row: object, wanted: str) -> Trust:
    if not isinstance(row, dict) or "trusted_hash" not in row:
        return Trust.UNTRUSTED
    if row.get("enabled") is False:
        return Trust.DISABLED
    return Trust.TRUSTED if row["trusted_hash"] == wanted else Trust.MODIFIED


def _read_state(config: Path) -> Mapping[str, Any]:
    try:
        document = tomllib.loads(read_text_or_none(config) or "")
        state = document.get("hooks", {}).get("state", {})
    except (tomllib.TOMLDecodeError, RecursionError, AttributeError):
        return {}
    return state if isinstance(state, dict) else {}


def hooks_are_off(config: Path) -> bool:
    """Whether `[features] hooks = false` (or its older name) turns all hooks off."""
    try:
        features = tomllib.loads(read_text_or_none(config) or "").get("features", {})
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    return isinstance(features, dict) and (features.get("hooks") is False or features.get("codex_hooks") is False)


def label(event: str) -> str:
    """The name of an event in Codex' keys."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def hash_of(event: str, matcher: str | None, handler: Mapping[str, object]) -> str:
    """What Codex records when a person trusts a command hook."""
    command: dict[str, object] = {
        "type": "command",
        "command": handler["command"],
        "timeout": handler.get("timeout", DEFAULT_TIMEOUT_S),
        "async": False,
    }
    if isinstance(handler.get("statusMessage"), str):
        command["statusMessage"] = handler["statusMessage"]
    if handler.get("additionalContextLimit", 2500) != 2500:
        command["additionalContextLimit"] = handler["additionalContextLimit"]
    identity: dict[str, object] = {"event_name": label(event), "hooks": [command]}
    if matcher is not None and label(event) not in NO_MATCHER:
        identity["matcher"] = matcher
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
