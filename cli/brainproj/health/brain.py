"""What there is to say of the brain over HTTP: it cannot be asked, it fails, markers wait or were set aside."""

import os
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from urllib.parse import urlsplit

from ..brainstate import BrainState
from ..config import SetBy
from ..core.text import counted
from ..paths import Paths
from .findings import Finding, Severity

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


def check_brain(paths: Paths, state: BrainState) -> list[Finding]:
    """The findings, as the state of the brain has them."""
    found = []
    config = f"${{EDITOR:-vi}} {quote(str(paths.config_path))}"
    setting = state.setting
    if setting.problem:
        remedy = "export BRAIN_URL=http://127.0.0.1:8103" if setting.set_by is SetBy.ENVIRONMENT else config
        found.append(Finding("brain-setting", Severity.WARNING, setting.problem, remedy))
    if state.source is not None and state.source.why:
        remedy = "brainproj brain" if setting.brain is None else f"curl -sS {quote(setting.brain.url + '/health')}"
        found.append(Finding("brain-failed", Severity.WARNING, state.source.sentence, remedy))
    if setting.brain is not None and setting.brain.token and not setting.brain.url.startswith("https:"):
        host = urlsplit(setting.brain.url).hostname
        if host not in LOCAL:
            what = f"the token goes to {setting.brain.name} unencrypted, by http"
            found.append(Finding("brain-unencrypted", Severity.NOTE, what, config))
    if state.outbox.waiting and state.outbox_why:
        what = f"{counted(state.outbox.waiting, 'marker')} to the brain cannot be sent: {state.outbox_why}"
        found.append(Finding("markers-wait", Severity.WARNING, what, "brainproj brain"))
    if state.outbox.refused:
        what = f"the brain refused {counted(state.outbox.refused, 'marker')}, set aside with the reason"
        found.append(Finding("markers-refused", Severity.NOTE, what, "brainproj brain"))
    return found


def foreign_outbox(paths: Paths, environment: Mapping[str, str]) -> int:
    """How many markers wait in agentihooks' own outbox: shown, never sent by us (formats/agentihooks.md 3.4)."""
    named = environment.get("BRAIN_WRITER_OUTBOX")
    folder = Path(named).expanduser() if named else paths.agentihooks_home / "brain-outbox"
    try:
        with os.scandir(folder) as files:
            return sum(one.name.endswith(".json") and not one.name.startswith(".") for one in files)
    except OSError:
        return 0
