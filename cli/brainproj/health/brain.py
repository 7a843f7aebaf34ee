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

REFUSED = ("(401)", "(403)")
"""Stand in what is said of a token that is missing or not the right one (brain/client)."""
LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


def check_brain(paths: Paths, state: BrainState) -> list[Finding]:
    """The findings, as the state of the brain has them."""
    found = []
    setting, name = state.setting, state.name
    is_named = setting.set_by is SetBy.ENVIRONMENT
    edit = f"${{EDITOR:-vi}} {quote(str(paths.config_path))}"
    if setting.problem:
        remedy = "unset BRAIN_URL" if is_named and setting.brain is None else edit
        found.append(Finding("brain-setting", Severity.WARNING, setting.problem, remedy))
    if state.source is not None and state.source.why:
        if any(status in state.source.why for status in REFUSED):
            remedy = "export BRAIN_HTTP_TOKEN=…   # the one that the brain knows"
        else:
            remedy = f"curl -sS {quote(state.url + '/health')}" if state.url else "brainproj brain"
        found.append(Finding("brain-failed", Severity.WARNING, state.source.sentence, remedy))
    if setting.brain is not None and setting.brain.token and not setting.brain.url.startswith("https:"):
        host = urlsplit(setting.brain.url).hostname
        if host not in LOCAL:
            what = f"the token goes to {setting.brain.name} unencrypted, by http"
            remedy = f"export BRAIN_URL=https://{name}" if is_named else edit
            found.append(Finding("brain-unencrypted", Severity.NOTE, what, remedy))
    if state.outbox.waiting and state.outbox_why:
        what = f"{counted(state.outbox.waiting, 'marker')} to the brain cannot be sent: {state.outbox_why}"
        found.append(Finding("markers-wait", Severity.WARNING, what, "brainproj brain"))
    if state.outbox.refused:
        what = f"the brain refused {counted(state.outbox.refused, 'marker')}, set aside with the reason"
        found.append(Finding("markers-refused", Severity.NOTE, what, "brainproj brain --retry"))
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
