"""Claude Code's status line in its settings: ours is added beside the one that is there, and taken out again.

The setting holds one command. Ours runs the other one with the same input and prints its own line below:
`<home>/hook claude StatusLine 'the other command'`. So the other's command is never lost: it stands in ours.

Format: `"statusLine": {"type": "command", "command": …}`, JSON of the session on stdin, text on stdout, a line a row.
"""

import shlex
from collections.abc import Callable
from pathlib import Path

from ...core import jsontext
from ...core.jsontext import NotJson, parse_json

EVENT = "StatusLine"
MEMBER = "statusLine"

OwnArguments = Callable[[str], tuple[str, ...] | None]
"""The arguments of a command that is our status line; None for any other."""


def put_status(text: str, launcher: Path, own: OwnArguments) -> str:
    """The settings with our status line, beside the one they have. Raises NotJson."""
    root = parse_json(text)
    found = root.member(MEMBER)
    if found is None:
        value = {"type": "command", "command": shlex.join([str(launcher), "claude", EVENT])}
        return jsontext.append(text, root, value, MEMBER)
    command = found.member("command") if isinstance(found.value, dict) else None
    if command is None or not isinstance(command.value, str):
        raise NotJson(f"{MEMBER} has no command")
    if own(command.value) is not None:
        return text
    return jsontext.replace(text, command, shlex.join([str(launcher), "claude", EVENT, command.value]))


def take_status(text: str, own: OwnArguments) -> str:
    """The settings with the status line they had before ours. Raises NotJson."""
    root = parse_json(text)
    found = root.member(MEMBER) if isinstance(root.value, dict) else None
    command = found.member("command") if found is not None and isinstance(found.value, dict) else None
    arguments = own(command.value) if command is not None and isinstance(command.value, str) else None
    if arguments is None or command is None or found is None:
        return text
    if len(arguments) > 2:
        return jsontext.replace(text, command, arguments[2])
    return jsontext.remove(text, root, root.children.index(found))
