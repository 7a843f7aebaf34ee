"""What a tool call tried, told from its text: which command, on which files; and when two failures are one.

A call's text has a member a line, `name: value` (`agents/tooltext`); a value may go on over several lines.
"""

import json
import re
import shlex

from .testruns import failing_summary
from .text import one_line

MEMBER = re.compile(r"^([A-Za-z_][\w.-]*): ", re.M)
COMMANDS = ("command", "cmd", "script")
PATHS = ("file_path", "path", "notebook_path", "target_file", "filename")
PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.M)
SHELL = re.compile(r"^(?:/\S*/)?(?:ba|z|da)?sh -l?c ")
LEADING = re.compile(r"^(?:cd \S+ *(?:&&|;) *|(?:export )?[A-Z_][A-Z0-9_]*=\S* +(?:&& *)?|time |sudo |timeout \S+ )+")
TRAILING = re.compile(r"(?: *(?:2>&1|2>/dev/null|\|\s*(?:tail|head|cat|less)(?: -\S+| \d+)*|;\s*echo \S+|\|\| true))+$")
PATH_WORD = re.compile(
    r"(?<![\w.@+/-])(?:[\w.@+-]*/)++[\w.@+-]*\w|(?<![\w-])[\w-]++\.(?:py|js|ts|tsx|jsx|go|rs|rb|java|c|cc|h|toml|json|yaml|yml|md|sh|sql)\b"
)
NUMBERS = re.compile(r"0x[0-9a-f]+|\d+(?:\.\d+)?", re.I)
TELLING = re.compile(r"error|exception|assert|expected|failed|failure|fatal|panic|cannot|not found|denied", re.I)
RAISED = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Exception|Failure): \S")
"""How a runtime says what was raised; the source line above it may hold the same words, not yet filled in."""
LINE_LIMIT = 200
TAIL = 300
"""Letters at the end of a command in which the cutting of its output is looked for; a command may be megabytes."""


def members_of(call: str) -> dict[str, str]:
    """The members of a call's text; of one that comes twice, the first."""
    if call.startswith("{"):  # a call whose arguments were cut, or nested too deeply, stays as it was written
        try:
            value = json.loads(call)
        except (ValueError, RecursionError):
            value = {}
        if value:
            return {name: _member_text(one) for name, one in value.items()}
    found = list(MEMBER.finditer(call))
    members: dict[str, str] = {}
    for place, one in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(call)
        members.setdefault(one[1], call[one.end() : end].strip())
    return members


def _member_text(value: object) -> str:
    """A member as text; of a list of words the words, as a shell would take them."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return shlex.join(value)
    return value if isinstance(value, str) else json.dumps(value)


def command_of(call: str) -> str | None:
    """The command line that a call ran; None for a call of another kind of tool."""
    members = members_of(call)
    return next((members[name] for name in COMMANDS if members.get(name)), None)


def command_key(command: str) -> str:
    """A command without what does not change what it tries: the folder, the environment, the cutting of its output."""
    text = one_line(command)
    text = SHELL.sub("", text).strip("'\"")
    text = LEADING.sub("", text)
    return (text[:-TAIL] + TRAILING.sub("", text[-TAIL:])).strip()


def files_of(call: str) -> tuple[str, ...]:
    """The files that a call names: those it edits, else those its command holds."""
    named = list(edited_files_of(call))
    if not named and (command := command_of(call)):
        named = PATH_WORD.findall(command_key(command))
    return tuple(dict.fromkeys(one.strip().partition("::")[0] for one in named if one.strip()))


def edited_files_of(call: str) -> tuple[str, ...]:
    """The files that a call is about by a member or a patch of it; what else its words say may be no file."""
    members = members_of(call)
    named = [members[name] for name in PATHS if members.get(name)]
    return tuple(dict.fromkeys(one.strip() for one in [*named, *PATCHED.findall(call)] if one.strip()))


def failure_line(output: str) -> str:
    """The line of an output that tells most of a failure: one that names it, else the runner's, else the last."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    body = [line for line in lines if not re.fullmatch(r"Exit code \d+|Process exited with code \d+|Output:", line)]
    told = next((line for line in body if line.startswith(("E  ", "E\t")) or RAISED.match(line)), None)
    told = told or next((line for line in body if TELLING.search(line)), None)
    return one_line(told or failing_summary(output) or (body or lines or [""])[-1])[:LINE_LIMIT]


def signature(output: str) -> str:
    """What two failures share that are one: the telling line, whatever numbers stand in it."""
    return NUMBERS.sub("#", failure_line(output)).casefold()


def is_same_file(one: str, other: str) -> bool:
    """Whether two names can mean one file: equal, or one the end of the other."""
    one, other = one.removeprefix("./"), other.removeprefix("./")
    return one == other or one.endswith("/" + other) or other.endswith("/" + one)
