"""What brainproj itself said, met again in a transcript: never learnt from.

An agent's transcript holds the block we gave it, and the calls and answers of our own tools.
"""

FRAME = "<project-memory "
"""How every block of ours begins (core/block.py)."""
OWN_TOOLS = ("mcp__brainproj__", "brainproj__", "brainproj.")


def is_echo(text: str) -> bool:
    """Whether a text carries a block of ours."""
    return FRAME in text


def is_own_tool(name: str) -> bool:
    """Whether a tool is one of our MCP server's."""
    return name.startswith(OWN_TOOLS)
