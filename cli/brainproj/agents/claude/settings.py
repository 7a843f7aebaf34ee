"""Claude Code's settings files (formats/agents.md 3.1): where our hooks go.

No matcher: a new source of SessionStart must not be missed, and an alert is to come at the very next tool call.
`async` would hand the answer on a turn late.
"""

from ..hookfile import Shape
from ..integration import HookEntry, Integration

LOADING = "brainproj: loading project memory"
ENTRIES = (
    HookEntry("SessionStart", 10, LOADING),
    HookEntry("UserPromptSubmit", 5),
    HookEntry("PostToolUse", 5),
    HookEntry("PostToolUseFailure", 5),
    HookEntry("SubagentStart", 5),
    HookEntry("SubagentStop", 5),
    HookEntry("PreCompact", 10),
    HookEntry("Stop", 10),
    HookEntry("SessionEnd", 5),
)
INTEGRATION = Integration(
    agent="claude",
    shown="Claude Code",
    programs=("claude",),
    hook_file="settings.json",
    project_hook_file=".claude/settings.local.json",
    shape=Shape(),
    entries=ENTRIES,
    has_own_skills=True,
    steps=("accept the workspace dialog where it asks; in a folder that is not trusted it runs no hook",),
    project_steps=("accept the workspace dialog for this folder; before that it runs no hook here",),
    unreadable=("comments",),  # seen with 2.1.197
)
