"""How a tool call ended, from the text the agent got back (formats/transcripts.md 2.9).

Codex has no member that says so: each version wrote the exit code into the text in another way, and what has no exit
code fails with a known sentence. Only the head is looked at (of the oldest form, the tail): the output of a command may
quote exit codes and failure sentences of its own.
"""

import re

from ...core.events import Outcome

HEAD_CHARACTERS = 600
"""Longest header seen is about 200 characters; a sentence of failure begins at the first one."""
TAIL_CHARACTERS = 200
"""`"metadata":{"exit_code":N,"duration_seconds":N}}` ends the oldest form."""

HEADER_CODE = re.compile(r"(?:^|\n)(?:Process exited with code|Exit code:) (-?\d{1,10})")
METADATA_CODE = re.compile(r'"metadata"\s*:\s*\{\s*"exit_code"\s*:\s*(-?\d{1,10})')
SCRIPT_CODE = re.compile(r'"exit_code"\s*:\s*(-?\d{1,10})')

SCRIPT_ENDINGS = {
    "Script completed": Outcome.OK,
    "Script failed": Outcome.FAILED,
    "Script terminated": Outcome.CANCELLED,
    "Script running": Outcome.UNKNOWN,
}
"""Code mode (0.144). A completed script may still report the exit code of the command it ran."""
DENIALS = (
    "exec command rejected by user",
    "patch rejected by user",
    "rejected by user",
    "user rejected MCP tool call",
    "This action was rejected due to unacceptable risk",
    "Command blocked by PreToolUse hook",
    "Tool call blocked by PreToolUse hook",
)
CANCELLATIONS = ("aborted by user", "user cancelled MCP tool call")
FAILURES = (
    "exec_command failed for ",
    "apply_patch verification failed",
    "write_stdin failed",
    "failed to parse function arguments",
    "resources/list failed",
    "resources/read failed",
    "resources/templates/list failed",
    "collab spawn failed",
    "collab tool failed",
    "command timed out after ",
    "command failed inside sandbox",
    "unsupported call: ",
    "unsupported custom tool call: ",
    "tool call error: ",
    "execution error: ",
    "failed in sandbox",
    "sandbox error: ",
)


def read_outcome(output: str, is_search: bool) -> Outcome | None:
    """How the call with this output ended; None where the text does not say.

    is_search: the command was rg or grep and nothing else, whose exit code 1 only says that nothing was found.
    """
    if output.startswith("Script "):
        return _script_outcome(output, is_search)
    code = find_exit_code(output)
    if code is not None:
        return _code_outcome(code, is_search)
    header = _find_header(output)
    if "\nProcess running with session ID" in header:
        return Outcome.UNKNOWN
    return _sentence_outcome(_body(output) if header else output)


def find_exit_code(output: str) -> int | None:
    """The exit code that an output tells in one of the known encodings, of the command itself or inside a script."""
    if output.startswith("Script completed"):
        report = _body(output).lstrip()[:HEAD_CHARACTERS].partition('"output"')[0]
        found = SCRIPT_CODE.search(report) if report.startswith("{") else None
    elif output.startswith('{"output"'):
        found = METADATA_CODE.search(output[-TAIL_CHARACTERS:])
    elif output.startswith('{"metadata"'):
        found = METADATA_CODE.search(output[:HEAD_CHARACTERS])
    else:
        found = HEADER_CODE.search(_find_header(output))
    return int(found[1]) if found else None


def _code_outcome(code: int, is_search: bool) -> Outcome:
    return Outcome.OK if code == 0 or (code == 1 and is_search) else Outcome.FAILED


def _script_outcome(output: str, is_search: bool) -> Outcome | None:
    first_words = " ".join(output[:40].split(maxsplit=2)[:2])
    ending = SCRIPT_ENDINGS.get(first_words)
    if ending is Outcome.OK:
        code = find_exit_code(output)
        return ending if code is None else _code_outcome(code, is_search)
    if ending is Outcome.FAILED and "Rejected(" in output[:HEAD_CHARACTERS]:
        return Outcome.DENIED
    return ending


def _sentence_outcome(text: str) -> Outcome | None:
    if text.startswith(DENIALS):
        return Outcome.DENIED
    if text.startswith(CANCELLATIONS):
        return Outcome.CANCELLED
    if text.startswith(FAILURES):
        return Outcome.DENIED if _is_rejected(text) else Outcome.FAILED
    return None


def _is_rejected(text: str) -> bool:
    """Whether "exec_command failed for `…`: CreateProcess { message: "Rejected(…" says that it was refused.

    The command between the back quotes may be of any length and hold anything.
    """
    start = text.find("`: CreateProcess")
    if start < 0:
        start = text.find("`: ")
    return start >= 0 and "Rejected(" in text[start : start + TAIL_CHARACTERS]


def _find_header(output: str) -> str:
    """The lines before `Output:`; empty where the output has none."""
    start = 0
    if output.startswith("Command: "):
        # 0.118 repeats the whole command first, which may be a script of many lines.
        start = output.find("\nChunk ID: ")
        if start < 0:
            start = output.find("\nWall time: ")
        if start < 0:
            return ""
    elif not output.startswith(("Chunk ID: ", "Exit code: ", "Wall time: ")):
        return ""
    end = output.find("\nOutput:", start, start + HEAD_CHARACTERS)
    return output[start : end if end >= 0 else start + HEAD_CHARACTERS]


def _body(output: str) -> str:
    """What follows the header: after `Output:`, or after the wall time where there is no such line."""
    end = output.find("\nOutput:", 0, HEAD_CHARACTERS)
    if end >= 0:
        return output[end + len("\nOutput:") :].lstrip("\n")
    return output.partition("\n")[2]
