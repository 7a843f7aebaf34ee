"""The line below Claude Code's prompt."""

import json
import subprocess
import time
from pathlib import Path

import pytest

from ..cli import Cli
from .sessions import Fleet


def line(fleet: Fleet, payload: object, *more: str, **environment: str) -> str:
    answer = subprocess.run(
        [str(fleet.base / "hook"), "claude", "StatusLine", *more],
        input=payload if isinstance(payload, bytes) else json.dumps(payload).encode(),
        capture_output=True,
        env={"HOME": str(fleet.home), "PATH": "/usr/bin:/bin", **environment},
        check=False,
        timeout=20,
    )
    assert (answer.returncode, answer.stderr) == (0, b"")
    return answer.stdout.decode()


def test_project_scope_block_and_its_age(fleet: Fleet) -> None:
    text = line(fleet, {"cwd": str(fleet.folder("alpha")), "session_id": "s1"})
    assert text.startswith("alpha · strict · block 0.4 KB, ") and text.endswith("s old\n")
    assert line(fleet, {"workspace": {"current_dir": str(fleet.folder("beta"))}}).startswith("beta · strict")
    assert line(fleet, {"cwd": str(fleet.home)}) == "no project\n"
    assert line(fleet, {"cwd": str(fleet.folder("alpha"))}, BRAIN_PROJECT_SCOPE="off") == "alpha · off\n"
    assert line(fleet, {"cwd": str(fleet.folder("alpha"))}, BRAINPROJ_HOOK_DISABLE="1") == ""


def test_it_is_the_sessions_project_and_not_the_folders(fleet: Fleet) -> None:
    fleet.hook("start", "s1", fleet.folder("alpha"))
    assert line(fleet, {"session_id": "s1", "cwd": str(fleet.folder("beta"))}).startswith("alpha · ")


@pytest.mark.parametrize("payload", [b"", b"[]", b"{", b'{"cwd": 5}', b'{"workspace": []}', b"\xff"])
def test_anything_may_come(fleet: Fleet, payload: bytes) -> None:
    assert line(fleet, payload) == "no project\n"


def test_without_anything_ready(fleet: Fleet) -> None:
    (fleet.base / "ready.db").unlink()
    assert line(fleet, {"cwd": str(fleet.folder("alpha"))}) == "brainproj: nothing is ready yet\n"
    (fleet.base / "ready.db").write_bytes(b"no database" * 1000)
    assert line(fleet, {}) == "brainproj: nothing is ready yet\n"


def test_another_line_that_hangs_or_fails_does_not_hold_ours_up(fleet: Fleet) -> None:
    folder = {"cwd": str(fleet.folder("alpha"))}
    assert line(fleet, folder, "exit 3").startswith("alpha")
    assert line(fleet, folder, "cat").splitlines()[0].startswith("{")
    for command in ("printf mine", "echo mine", "printf 'mine\\n'"):
        assert line(fleet, folder, command).splitlines()[0] == "mine"
        assert line(fleet, folder, command).splitlines()[1].startswith("alpha")
    assert line(fleet, {**folder, "x": "y" * 200_000}, "wc -c").splitlines()[0] == str(
        200_000 + len(json.dumps({**folder, "x": ""}))
    )
    assert line(fleet, folder, "yes 2>/dev/null").splitlines()[-1].startswith("alpha")
    began = time.monotonic()
    assert line(fleet, folder, "sleep 2.4").startswith("alpha") and time.monotonic() - began < 4


def test_it_costs_what_a_hook_costs(fleet: Fleet) -> None:
    def best(event: str, payload: object) -> float:
        times = []
        for _ in range(7):
            began = time.monotonic()
            subprocess.run(
                [str(fleet.base / "hook"), "claude", event],
                input=json.dumps(payload).encode(),
                check=True,
                capture_output=True,
            )
            times.append(time.monotonic() - began)
        return min(times)

    payload = fleet.payload("prompt", "s1", fleet.folder("alpha"))
    fleet.hook("start", "s1", fleet.folder("alpha"))
    assert best("StatusLine", payload) < 1.3 * best("UserPromptSubmit", payload) + 0.005


def test_the_command_says_the_same(fleet: Fleet, cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(fleet.folder("alpha"))
    assert cli.ok("statusline").out.startswith("alpha · strict · block 0.4 KB")
