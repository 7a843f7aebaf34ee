"""What brainproj itself said, met again in a transcript: never learnt from.

An agent's transcript holds the block we gave it, and the calls and answers of our own tools.
"""

import re

FRAME = "<project-memory "
"""How every block of ours begins (core/block.py)."""
OWN_TOOLS = ("mcp__brainproj__", "brainproj__", "brainproj.")

ASKING = frozenset({
    "", "arcs", "attempts", "documents", "handoff", "map", "preview", "records", "resume", "review", "search",
    "sessions", "show", "sleep", "status", "task", "who",
})  # fmt: skip
"""Commands of ours that say what is remembered; what others print (`backfill`, `doctor`) is news."""
FILTERS = frozenset({"cat", "cd", "grep", "head", "jq", "less", "rg", "sort", "tail", "true", "wc"})
"""Programs that only pass on what they are given."""
QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
CHAINED = re.compile(r"&&|\|\||[;|\n]")
STARTERS = (("uv", "run", "brainproj"), ("python", "-m", "brainproj"), ("python3", "-m", "brainproj"))


def is_own_command(command: str) -> bool:
    """Whether a shell command only asks brainproj what it remembers, so that its output is an echo."""
    if "brainproj" not in command:
        return False
    is_own = False
    for part in CHAINED.split(QUOTED.sub("q", command)):
        words = [word for word in part.split() if "=" not in word.partition("/")[0]]
        if not words:
            continue
        words[0] = words[0].rpartition("/")[2]
        if tuple(words[:3]) in STARTERS:
            words = words[2:]
        if words[0] == "brainproj" and (words[1] if len(words) > 1 else "") in ASKING:
            is_own = True
        elif words[0] not in FILTERS:
            return False
    return is_own


def is_echo(text: str) -> bool:
    """Whether a text carries a block of ours."""
    return FRAME in text


def is_own_tool(name: str) -> bool:
    """Whether a tool is one of our MCP server's."""
    return name.startswith(OWN_TOOLS)
