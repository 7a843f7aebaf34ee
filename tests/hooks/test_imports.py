"""What a hook loads: every module costs each moment of each session its time."""

import json
import subprocess
import sys
from pathlib import Path

import brainproj

OURS = {
    "", ".agents", ".agents.call", ".agents.claude", ".agents.claude.payload", ".agents.codex", ".agents.codex.payload",
    ".agents.cursor", ".agents.cursor.payload", ".gitdir", ".hooks", ".hooks.hook", ".hooks.place", ".hooks.reply",
    ".hooks.seen", ".hooks.trouble", ".store", ".store.ready",
}  # fmt: skip
THEIRS = {"json", "sqlite3", "os", "sys", "time", "stat", "_signal"}
"""What a hook names itself; what these load in turn is the standard library's."""


def loaded(code: str) -> set[str]:
    root = str(Path(brainproj.__file__).parent.parent)
    code = f"import sys; sys.path.insert(0, {root!r}); {code}; import json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_a_hook_loads_these_modules_and_no_other() -> None:
    hook = loaded("import brainproj.hooks.hook")
    bare = loaded(f"import {', '.join(sorted(THEIRS))}")
    assert {name.removeprefix("brainproj") for name in hook if name.startswith("brainproj")} == OURS
    assert {name for name in hook if not name.startswith("brainproj")} == bare
    assert not hook & {"dataclasses", "enum.Flag", "pathlib", "typing", "subprocess", "hashlib", "logging", "signal"}
