"""The real Codex CLI and Claude Code, run whole against a scripted model on loopback; what reached the model is kept.

They are ordinary npm packages, installed by `.ci/run` (or by hand: README of this folder) and never part of this one.
"""

import contextlib
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brainproj.install.apply import apply_install, apply_uninstall
from brainproj.install.plan import plan_install, plan_uninstall
from brainproj.paths import find_paths

from ..hooks.sessions import Fleet

MODEL = Path(__file__).parent / "namespaces.py"
FOLDER = Path(os.environ.get("BRAINPROJ_REAL_AGENTS") or Path.home() / ".cache" / "brainproj-agents")
"""Where `npm install --prefix FOLDER @openai/codex @anthropic-ai/claude-code` was run."""
LIMIT_S = 90
KEY = ("sk", "test", "loopback")
"""The parts of a key that is none."""
Steps = list[dict[str, object]]


def program(agent: str) -> Path:
    """Where an agent's program is."""
    return FOLDER / "node_modules" / ".bin" / agent


@dataclass
class Run:
    """What one run of an agent left: its status, its words, and the requests that reached the model."""

    code: int
    out: str
    err: str
    requests: list[dict[str, Any]]

    @property
    def turns(self) -> list[str]:
        """The requests in which the agent offered tools: a turn of a conversation each, as JSON."""
        return [json.dumps(one["body"], ensure_ascii=False) for one in self.requests if one["turn"] is not None]

    @property
    def told(self) -> str:
        """All that reached the model."""
        return "\n".join(json.dumps(one["body"], ensure_ascii=False) for one in self.requests)


def session_of(run: Run) -> str:
    """The id of the session that a run was."""
    first = json.loads(run.out.splitlines()[0])
    return str(first.get("session_id") or first["thread_id"])


class Agents:
    """Both agents in one home, each with our hooks in its settings."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.claude_home = fleet.home / ".claude"
        self.codex_home = fleet.home / ".codex"
        for home in (self.claude_home, self.codex_home):
            home.mkdir(exist_ok=True)
        (fleet.home / ".claude.json").write_text(json.dumps({"hasCompletedOnboarding": True}))
        self.installed = ""
        """What `install` has put into Codex' config.toml, which each run writes anew."""
        self.trusted = ""
        """What stands in Codex' config.toml of hooks that a person has trusted."""
        self.trusts_all = True
        """Codex runs hooks that nobody has trusted."""
        self.install()

    def install(self) -> None:
        """Put our part into the settings of both."""
        paths = find_paths({}, self.fleet.home)
        (self.codex_home / "config.toml").unlink(missing_ok=True)
        assert not apply_install(paths, plan_install(paths, ("claude", "codex"))).problems
        self.installed = (self.codex_home / "config.toml").read_text()

    def uninstall(self) -> None:
        """Take it out again."""
        self.installed = ""
        paths = find_paths({}, self.fleet.home)
        assert not apply_uninstall(paths, plan_uninstall(paths, ("claude", "codex", "cursor"))).problems

    def run(
        self,
        agent: str,
        folder: Path,
        steps: Steps,
        *arguments: str,
        says: str = "Go on",
        environment: dict[str, str] | None = None,
        **options: Any,
    ) -> Run:
        """One run in a folder; `steps` is what the model does. `arguments` stand where the agent's own words do."""
        with self._model(agent, steps) as (port, record):
            command = self._claude() if agent == "claude" else self._codex(port)
            done = subprocess.run(
                [*command, *arguments, says],
                cwd=folder,
                env=self._environment(port) | (environment or {}),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=LIMIT_S,
                check=False,
                **options,
            )
            requests = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
        return Run(done.returncode, done.stdout, done.stderr, requests)

    def type_into_claude(self, folder: Path, keys: list[str], until: str) -> str:
        """What Claude Code shows at a terminal of its own, where each of these is typed after the other."""
        approved = "-".join(KEY)[-20:]
        own = json.loads((self.fleet.home / ".claude.json").read_text())
        own |= {"theme": "dark", "customApiKeyResponses": {"approved": [approved], "rejected": []}}
        own["projects"] = {str(folder): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}}
        (self.fleet.home / ".claude.json").write_text(json.dumps(own))
        with self._model("claude", [{"say": "All done here."}]) as (port, _):
            child, master = pty.fork()
            if child == 0:
                os.chdir(folder)
                os.execve(program("claude"), ["claude"], self._environment(port) | {"TERM": "xterm-256color"})
            said, waiting = "", ["shortcuts", *keys[:-1], until]
            deadline = time.monotonic() + LIMIT_S
            while waiting and time.monotonic() < deadline:
                if select.select([master], [], [], 0.3)[0]:
                    said += re.sub(
                        r"\x1b\[[0-9;?<>=]*[A-Za-z]|\s", "", os.read(master, 65536).decode("utf-8", "replace")
                    )
                elif re.sub(r"\s", "", waiting[0]) in said:
                    waiting.pop(0)
                    if waiting:
                        os.write(master, keys.pop(0).encode())
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(master)
        return said

    def _claude(self) -> list[str]:
        return [str(program("claude")), "--output-format", "json", "--allowedTools=Bash,Task,Agent", "-p"]

    def _codex(self, port: int) -> list[str]:
        (self.codex_home / "config.toml").write_text(
            'model = "gpt-5.1-codex"\nmodel_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\n'
            f'base_url = "http://127.0.0.1:{port}/v1"\nwire_api = "responses"\n{self.installed}{self.trusted}'
        )
        flags = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        if self.trusts_all:
            flags.append("--dangerously-bypass-hook-trust")
        return [str(program("codex")), "exec", *flags]

    def _environment(self, port: int) -> dict[str, str]:
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("CLAUDE", "ANTHROPIC", "CODEX", "OPENAI"))
        }
        return clean | {
            "HOME": str(self.fleet.home),
            "CODEX_HOME": str(self.codex_home),
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
            "ANTHROPIC_API_KEY": "-".join(KEY),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "SHELL": "/bin/sh",
        }

    @contextlib.contextmanager
    def _model(self, agent: str, steps: Steps) -> Iterator[tuple[int, Path]]:
        script, record = self.fleet.place / f"{agent}-steps.json", self.fleet.place / f"{agent}-requests.jsonl"
        script.write_text(json.dumps(steps))
        record.unlink(missing_ok=True)
        command = [sys.executable, str(MODEL), "--port", "0", "--script", str(script), "--record", str(record)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                yield int(server.stdout.readline()), record
            finally:
                server.kill()
