"""Our MCP server, started once as an agent starts it, and asked what tools it has: its time, and what it said."""

import json
import subprocess
import threading
import time
from collections.abc import Mapping

from ..paths import Paths
from .findings import Finding, Severity
from .hookruns import HookRun

LIMIT_S = 20.0
"""Clients wait 10 s (Codex) or 30 s (Claude Code) for a server to start."""
REVISION = "2025-06-18"
REQUESTS = (
    {"id": 1, "method": "initialize", "params": {
        "protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "brainproj doctor", "version": "1"}}},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list", "params": {}},
)  # fmt: skip


def run_server(paths: Paths, environment: Mapping[str, str], folder: str) -> tuple[HookRun, list[Finding]]:
    """The run, and what is wrong with it. Nothing is asked of the memory, and nothing is written."""
    began = time.monotonic()
    size, says, names = 0, "", list[str]()
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    try:
        command = [str(paths.launcher), "mcp"]
        with subprocess.Popen(command, cwd=folder, env=dict(environment), **streams) as server:  # type: ignore[call-overload]  # noqa: S603
            end = threading.Timer(LIMIT_S, server.kill)
            end.start()
            try:
                size, names = _ask(server)
                server.stdin.close()
                says = (server.stderr.read().decode("utf-8", "replace").strip().splitlines() or ["it did not answer"])[
                    -1
                ]
            finally:
                end.cancel()
                server.kill()
    except OSError as error:
        says = f"it could not be started: {error.strerror}"
    run = HookRun("all", "MCP server", (time.monotonic() - began) * 1000, size, ", ".join(names) or says, bool(names))
    if names:
        return run, []
    return run, [Finding("server-fails", Severity.ERROR, f"the MCP server: {says}", "brainproj mcp < /dev/null")]


def _ask(server: "subprocess.Popen[bytes]") -> tuple[int, list[str]]:
    """(bytes of all it printed, the names of its tools); no name where anything but the protocol stood on stdout.

    Its stdin stays open until it has answered: a server whose client has gone answers nobody.
    """
    assert server.stdin is not None and server.stdout is not None
    size = 0
    try:
        for one in REQUESTS:
            server.stdin.write((json.dumps({"jsonrpc": "2.0", **one}) + "\n").encode())
        server.stdin.flush()
        for line in server.stdout:
            size += len(line)
            value = json.loads(line)
            if isinstance(value, dict) and value.get("id") == 2:
                return size, [str(tool.get("name")) for tool in value.get("result", {}).get("tools", [])]
    except (OSError, ValueError):
        pass
    return size, []
