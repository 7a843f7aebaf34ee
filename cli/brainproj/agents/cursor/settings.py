"""Cursor's hook file (formats/agents.md 5.1): where our hooks go.

One event that Cursor does not know voids the whole file without a message: the names are those of its schema.
"""

from ..hookfile import Shape
from ..integration import HookEntry, Integration

ENTRIES = (
    HookEntry("sessionStart", 10),
    HookEntry("beforeSubmitPrompt", 5),
    HookEntry("postToolUse", 5),
    HookEntry("postToolUseFailure", 5),
    HookEntry("subagentStop", 5),
    HookEntry("afterAgentResponse", 5),
    HookEntry("preCompact", 10),
    HookEntry("stop", 10),
    HookEntry("sessionEnd", 5),
)
MEMORIES = (
    'look in Cursor Settings > Rules whether "Generate Memories" is on: no program can see it, and what it makes would'
    " stand beside this memory"
)
INTEGRATION = Integration(
    agent="cursor",
    shown="Cursor",
    programs=("cursor-agent", "cursor"),
    hook_file="hooks.json",
    project_hook_file=".cursor/hooks.json",
    shape=Shape(is_grouped=False, version=1),
    entries=ENTRIES,
    has_own_skills=False,
    steps=(MEMORIES, "for the memory's tools, run `brainproj install cursor --project` in a checkout"),
    project_steps=("trust the workspace, and allow the server brainproj, when Cursor asks", MEMORIES),
)
