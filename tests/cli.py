"""Running the command line in this process, and as a process of its own."""

import contextlib
import json
import os
import pty
import select
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from brainproj.__main__ import run


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """stdout as the one JSON document it must be."""
        return json.loads(self.out)


class Cli:
    """Runs commands and keeps what they said."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self.capfd = capfd

    def __call__(self, *arguments: str | Path) -> Done:
        self.capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        said = self.capfd.readouterr()
        assert "Traceback" not in said.err
        return Done(code, said.out, said.err)

    def ok(self, *arguments: str | Path) -> Done:
        done = self(*arguments)
        assert done.code == 0, done.err
        return done


def at_terminal(*arguments: str | Path, typed: str = "") -> Done:
    """The command line as a process of its own with a terminal to itself; at each question a line of this is typed.

    Whoever asks for more is given the end of the input.
    """
    child, master = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-m", "brainproj", *map(str, arguments)])
    lines = typed.splitlines(keepends=True)
    said, answered = b"", 0
    with contextlib.suppress(OSError):  # the terminal is gone with the process
        while True:
            if select.select([master], [], [], 0.05)[0]:
                if not (piece := os.read(master, 65536)):
                    break
                said += piece
            elif said[answered:].endswith((b"> ", b": ")):
                answered = len(said)
                os.write(master, (lines.pop(0) if lines else "\x04").encode())
    os.close(master)
    return Done(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said.decode().replace("\r\n", "\n"), "")


def spawn(*arguments: str | Path, **options: Any) -> "subprocess.Popen[bytes]":
    """The command line as a process of its own."""
    command = [sys.executable, "-m", "brainproj", *map(str, arguments)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    return subprocess.Popen(command, env=dict(os.environ), **{**streams, **options})
