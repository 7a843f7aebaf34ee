"""Codex' hook file (formats/agents.md 4.1): where our hooks go.

A hook is trusted by its file, event, place and exact definition, so a definition that was given out never changes.
"""

from ..claude.settings import LOADING
from ..hookfile import Shape
from ..integration import HookEntry, Integration

ENTRIES = (
    HookEntry("SessionStart", 10, LOADING),
    HookEntry("UserPromptSubmit", 5),
    HookEntry("PostToolUse", 5),
    HookEntry("SubagentStart", 5),
    HookEntry("SubagentStop", 5),
    HookEntry("PreCompact", 10),
    HookEntry("Stop", 10),
    HookEntry("SessionEnd", 3),
)
TRUST = "start codex, enter /hooks and trust the brainproj entries; before that it runs none of them"
INTEGRATION = Integration(
    agent="codex",
    shown="Codex",
    programs=("codex",),
    hook_file="hooks.json",
    project_hook_file=".codex/hooks.json",
    shape=Shape(keeps_places=True),
    entries=ENTRIES,
    has_own_skills=False,
    steps=(TRUST,),
    project_steps=("trust this project when codex asks", TRUST),
    unreadable=("comments", "mark"),  # seen with 0.171
)
