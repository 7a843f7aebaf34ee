"""What lies around us: agentihooks, the agents' own memories, transcripts that will be deleted, hosts, the PATH."""

import json
import re
import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from shlex import quote

from ..config import Config
from ..core.jsontext import NotJson, parse_json
from ..core.text import counted
from ..files import read_text_or_none
from ..foreign.channels import BRAIN, VARIABLE, injects_feed, read_channels
from ..foreign.swarms import scopes_itself
from ..paths import Paths
from ..reach import Reach, written_at
from .findings import Finding, Severity

KEPT_DAYS = 30
"""How long Claude Code keeps a transcript where `cleanupPeriodDays` does not say (formats/transcripts.md 1)."""
WARNED_DAYS = 7
SSH_HOST = re.compile(r"^\s*host(?:\s*=\s*|\s+)(.+)$", re.IGNORECASE)
SSH_NAME = re.compile(r"^\s*hostname(?:\s*=\s*|\s+)(\S+)", re.IGNORECASE)
PLAIN_HOST = re.compile(r"[a-z0-9._-]+")
"""No pattern, and no `%h`: what it would be cannot be said here."""


def check_agentihooks(paths: Paths, *, knows_brain: bool) -> list[Finding]:
    """What agentihooks injects beside us (design 9). knows_brain: whether we are told where its brain is."""
    if scopes_itself(paths.agentihooks_home):
        what = "agentihooks scopes by project itself: its block is given, and none of ours beside it"
        return [Finding("agentihooks-scopes", Severity.NOTE, what, "brainproj preview")]
    if not injects_feed(paths):
        return []
    what = "agentihooks gives its brain's whole feed to every session: strict does not hold for what it injects"
    if knows_brain or any(paths.brain_feed.glob("*.md")):
        remedy = (
            "brainproj install claude --take-brain   # we then give each session what it may have; uninstall undoes it"
        )
    else:
        left = ",".join(one for one in read_channels(paths) or ["amygdala"] if one != BRAIN)
        what += "; its feed comes over HTTP, and we are not told from where (BRAIN_URL)"
        remedy = f"export {VARIABLE}={quote(left)}"
    return [Finding("agentihooks-unscoped", Severity.WARNING, what, remedy)]


def check_native_memories(paths: Paths) -> list[Finding]:
    """Memories that the agents keep themselves; suggested, never edited."""
    found = []
    own = [path for path in (paths.claude_home / "projects").glob("*/memory/MEMORY.md") if path.is_file()]
    if own:
        what = f"Claude Code keeps a memory of its own for {counted(len(own), 'project')} and loads it beside ours"
        remedy = "export CLAUDE_CODE_DISABLE_AUTO_MEMORY=1"
        found.append(Finding("native-memory-claude", Severity.NOTE, what, remedy))
    if _codex_remembers(paths.codex_home / "config.toml"):
        what = "Codex keeps a memory of its own of all projects mixed, and loads it beside ours"
        remedy = "codex -c features.memories=false"
        found.append(Finding("native-memory-codex", Severity.NOTE, what, remedy))
    return found


def _codex_remembers(config: Path) -> bool:
    try:
        features = tomllib.loads(read_text_or_none(config) or "").get("features", {})
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    return isinstance(features, dict) and features.get("memories") is True


def check_transcripts(paths: Paths, reaches: Sequence[Reach], now: datetime) -> list[Finding]:
    """Transcripts that are not stored: those that Claude Code will delete soon, with dates, and the rest."""
    found = []
    kept = timedelta(days=_kept_days(paths.claude_home / "settings.json"))
    for reach in reaches:
        if not reach.unread:
            continue
        count = counted(len(reach.unread), "transcript")
        dates = sorted(written_at(one) + kept for one in reach.unread) if reach.agent == "claude" else []
        soon = [date for date in dates if date - now < timedelta(days=WARNED_DAYS)]
        if soon:
            what = (
                f"{counted(len(soon), 'transcript')} not stored yet will be deleted by claude:"
                f" the first on {soon[0]:%Y-%m-%d}, the last on {soon[-1]:%Y-%m-%d}"
            )
            found.append(Finding("transcripts-vanish", Severity.WARNING, what, "brainproj backfill --agent claude"))
        else:
            what = f"{count} of {reach.agent} ({reach.unread_bytes / 1e6:,.1f} MB) are not stored yet, or went on since"
            found.append(
                Finding("transcripts-unread", Severity.NOTE, what, f"brainproj backfill --agent {reach.agent}")
            )
    return found


def _kept_days(settings: Path) -> int:
    try:
        value = parse_json(read_text_or_none(settings) or "").value
    except NotJson:
        return KEPT_DAYS
    days = value.get("cleanupPeriodDays") if isinstance(value, dict) else None
    return days if isinstance(days, int) and not isinstance(days, bool) and 0 < days < 100_000 else KEPT_DAYS


def check_hosts(paths: Paths, config: Config, keys: Sequence[str]) -> list[Finding]:
    """Hosts of remotes that are ssh aliases: two spellings of one project, until a line in config.toml says so."""
    names = read_ssh_aliases(paths.user_home / ".ssh" / "config")
    found = []
    for host in sorted({key.partition("/")[0] for key in keys if "/" in key} - {"local", "scratch"}):
        real = names.get(host)
        if host in config.hosts or (real is None and "." in host) or real == host:
            continue
        which = f"{counted(sum(key.startswith(host + '/') for key in keys), 'project')} of host {host}"
        if real is None:
            what, remedy = f"{which}, which is no host's full name", f"ssh -G {quote(host)} | grep '^hostname '"
        else:
            what, remedy = f"{which}, an ssh alias of {real}", _host_line(paths, host, real)
        found.append(Finding("host-alias", Severity.NOTE, what, remedy))
    return found


def _host_line(paths: Paths, host: str, real: str) -> str:
    """The command that puts a line under `[hosts]` of config.toml, or opens it where that is not to be done blindly."""
    line, path = f"{json.dumps(host)} = {json.dumps(real)}", quote(str(paths.config_path))
    text = read_text_or_none(paths.config_path) or ""
    if re.search(r"(?m)^\[hosts\][ \t]*$", text):
        change = rf"s/^(\[hosts\])\s*$/$1\n{line}\n/"
        return f"perl -pi -e {quote(change)} {path}"
    if "hosts" in text:
        return f"${{EDITOR:-vi}} {path}"
    return f"printf '%s\\n' '' '[hosts]' {quote(line)} >> {path}"


def read_ssh_aliases(path: Path) -> dict[str, str]:
    """Alias → real host, for the `Host` lines of an ssh configuration that name a plain `HostName`; lower case."""
    lines = (read_text_or_none(path) or "").splitlines()
    found: dict[str, str] = {}
    current: list[str] = []
    for line in lines:
        if host := SSH_HOST.match(line):
            words = (one.strip('"').lower() for one in host[1].split())
            current = [one for one in words if PLAIN_HOST.fullmatch(one)]
        elif (name := SSH_NAME.match(line)) and PLAIN_HOST.fullmatch(real := name[1].strip('"').lower()):
            found |= {one: real for one in current if one not in found}
    return found


def check_path(environment: Mapping[str, str], *, is_installed: bool) -> list[Finding]:
    """Whether an agent's shell finds the command that the skill names."""
    if not is_installed or shutil.which("brainproj", path=environment.get("PATH")):
        return []
    what = "`brainproj` is not on the PATH, so an agent that looks something up does not find it"
    own = Path(sys.executable).parent
    command = f"export PATH={quote(str(own))}:$PATH" if (own / "brainproj").exists() else "uv tool install brainproj"
    return [Finding("not-on-path", Severity.WARNING, what, command)]


def check_config(config: Config) -> list[Finding]:
    """Settings that were left out."""
    return [
        Finding("setting-left-out", Severity.WARNING, problem, f"${{EDITOR:-vi}} {quote(problem.partition(': ')[0])}")
        for problem in config.problems
    ]
