"""Tool calls: what was called, with what, and whether its result may be judged in a special way.

A call's arguments are kept as the model gave them (a JSON string, a patch, a script): that is what a reader searches.
"""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..echoes import is_own_command
from .wire import as_list, as_object, as_text, join_texts, render_json

OWN_SERVER = "brainproj"
"""The name our MCP server is installed under."""
OWN_TOOLS = (f"mcp__{OWN_SERVER}__", f"{OWN_SERVER}__")
SEARCH_PROGRAMS = frozenset({"rg", "grep", "egrep", "fgrep", "zgrep"})
SHELLS = frozenset({"bash", "zsh", "sh", "dash", "fish"})
QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
CHAINED = re.compile(r"&&|\|\||[;\n`]|\$\(")
SCRIPT_COMMAND = re.compile(r"\bcmd\s*:\s*(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`)")
"""A command inside a script of code mode: `tools.exec_command({cmd: "rg -n x"})`."""
ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. is_search: see `outcomes.read_outcome`. is_echo: it asks brainproj itself."""

    tool: str
    text: str
    is_search: bool = False
    is_echo: bool = False


def read_function_call(item: Mapping[str, Any]) -> Call:
    """A `function_call`, and a `custom_tool_call`, whose input is free text."""
    arguments = item.get("arguments", item.get("input"))
    text = arguments if isinstance(arguments, str) else "" if arguments is None else render_json(arguments)
    tool = _tool_name(item)
    is_echo = tool.startswith(OWN_TOOLS) or (tool == "exec" and OWN_TOOLS[0] in text)
    may_matter = "rg" in text or "grep" in text or OWN_SERVER in text
    command = _find_command(tool, text) if may_matter else ""
    return Call(tool, text, is_search_command(command), is_echo or is_own_command(command))


def read_shell_call(item: Mapping[str, Any]) -> Call:
    """A `local_shell_call`: the text is the command line."""
    action = as_object(item.get("action"))
    words = [word for word in as_list(action.get("command")) if isinstance(word, str)]
    text = shlex.join(words) if words else render_json(action)
    command = _unwrap_shell(words)
    return Call("local_shell", text, is_search_command(command), is_own_command(command))


def read_search_call(item: Mapping[str, Any]) -> Call:
    """A `web_search_call`: the query, or the page that was opened, and what was looked for in it."""
    action = as_object(item.get("action"))
    queries = [query for query in as_list(action.get("queries")) if isinstance(query, str)]
    query = as_text(action.get("query")) or ", ".join(queries)
    said = (query, as_text(action.get("url")), as_text(action.get("pattern")))
    return Call("web_search", " ".join(word for word in said if word))


def read_tool_search_call(item: Mapping[str, Any]) -> Call:
    """A `tool_search_call`: the model looks for a tool by its description."""
    arguments = item.get("arguments")
    return Call("tool_search", arguments if isinstance(arguments, str) else render_json(as_object(arguments)))


def read_image_call(item: Mapping[str, Any]) -> Call:
    """An `image_generation_call`; the picture itself is dropped."""
    return Call("image_generation", as_text(item.get("revised_prompt")) or "")


def read_output(item: Mapping[str, Any]) -> tuple[str, bool]:
    """The text of a call's output, and whether the oldest form says that it failed (`{content, success}`)."""
    output = item.get("output")
    if isinstance(output, str):
        return output, False
    if isinstance(output, dict):
        return as_text(output.get("text")) or as_text(output.get("content")) or "", output.get("success") is False
    text = join_texts(output)
    return text or ("[image]" if as_list(output) else ""), False


def read_found_tools(item: Mapping[str, Any]) -> str:
    """The names in a `tool_search_output`; descriptions and schemas are the harness's."""
    names = (as_text(as_object(tool).get("name")) for tool in as_list(item.get("tools")))
    return "\n".join(name for name in names if name)


def is_search_command(command: str) -> bool:
    """Whether a command line is rg or grep and nothing else, so that its exit code is theirs.

    In a pipeline the last program gives the code; in a chain (`&&`, `;`, a substitution) it may be another's.
    """
    bare = QUOTED.sub("q", command)
    if not command or CHAINED.search(bare):
        return False
    words = [word for word in bare.rpartition("|")[2].split() if "=" not in word]
    if words[:2] == ["git", "grep"]:
        return True
    return bool(words) and words[0].rpartition("/")[2] in SEARCH_PROGRAMS


def _tool_name(item: Mapping[str, Any]) -> str:
    """The tool's name; that of an MCP tool carries its server's (`mcp__server__tool`) in every version."""
    name = as_text(item.get("name")) or "unknown"
    namespace = as_text(item.get("namespace")) or ""
    if namespace.startswith("mcp__") and not name.startswith(namespace):
        return f"{namespace.rstrip('_')}__{name}"
    return f"mcp__{OWN_SERVER}__{name}" if namespace == OWN_SERVER else name


def _find_command(tool: str, text: str) -> str:
    """The one shell command of a call; empty where it runs none, or several."""
    if tool == "exec":
        commands = SCRIPT_COMMAND.findall(text)
        return ESCAPED.sub(r"\1", commands[0][1:-1].replace(r"\n", "\n")) if len(commands) == 1 else ""
    try:
        arguments = as_object(json.loads(text))
    except (ValueError, RecursionError):
        return ""
    command = arguments.get("cmd", arguments.get("command"))
    return command if isinstance(command, str) else _unwrap_shell(as_list(command))


def _unwrap_shell(words: list[Any]) -> str:
    """`["bash", "-lc", "rg x"]` is the command line `rg x`; a list without a shell is one itself."""
    if not words or not all(isinstance(word, str) for word in words):
        return ""
    if len(words) == 3 and words[0].rpartition("/")[2] in SHELLS and words[1] in ("-c", "-lc"):
        return str(words[2])
    return shlex.join(words)
