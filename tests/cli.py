"""Running the command line in this process, and as a process of its own."""

import json
import os
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


def spawn(*arguments: str | Path, **options: Any) -> "subprocess.Popen[bytes]":
    """The command line as a process of its own."""
    command = [sys.executable, "-m", "brainproj", *map(str, arguments)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    return subprocess.Popen(command, env=dict(os.environ), **{**streams, **options})
