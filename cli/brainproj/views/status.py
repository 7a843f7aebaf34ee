"""How everything stands, on one screen; what needs attention last, where the eye is."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ..core.ages import render_age
from ..core.text import counted, printable
from ..health.findings import Finding, Severity
from .brain import brain_lines
from .projects import short_path
from .tables import MISSING, Column, render_table

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from ..agentstates import AgentState
    from ..health.hookruns import HookRun
    from ..status import Status

SIGNS = {Severity.ERROR: ("✗", "red"), Severity.WARNING: ("!", "yellow"), Severity.NOTE: ("–", "dim")}
LABEL = 9
"""Columns of the words at the left."""


def render_status(status: "Status", home: str, now: datetime) -> "Group":
    """The screen."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    agents = Padding(_agents(status, home, now), (0, 0, 0, LABEL - 2))
    before, after = _labelled(_store_lines(status, home)), _labelled(_other_lines(status, home, now))
    return Group(before, Text(""), agents, Text(""), after, *_attention(status.findings))


def _labelled(lines: Sequence[str]) -> "Table":
    """Lines that begin with a label, or with as many blanks; what is too long goes on below itself."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid()
    table.add_column(width=LABEL, no_wrap=True)
    table.add_column()
    for line in lines:
        table.add_row(line[:LABEL].rstrip(), Text(line[LABEL:]))
    return table


def render_findings(findings: Sequence[Finding]) -> "Group":
    """Every finding with its remedy, the worst last."""
    from rich.console import Group
    from rich.text import Text

    if not findings:
        return Group(Text("✓ Nothing was found that needs attention.", style="green"))
    parts: list[Text] = []
    for finding in findings:
        sign, style = SIGNS[finding.severity]
        parts.append(Text.assemble((sign, style), f" {printable(finding.what)}"))
        parts.append(Text(f"  {printable(finding.remedy)}", style="cyan", no_wrap=True, overflow="fold"))
    return Group(*parts)


def render_runs(runs: "Sequence[HookRun]") -> "Group":
    """Each hook that was run: its time, and what it printed."""
    from rich.console import Group

    columns = (
        Column("AGENT"), Column("HOOK"), Column("MS", right=True), Column("BYTES", right=True),
        Column("SAYS", clips=True),
    )  # fmt: skip
    rows = [(run.agent, run.event, f"{run.elapsed_ms:,.0f}", run.size_bytes, run.says or None) for run in runs]
    return Group(render_table(columns, rows))


def _store_lines(status: "Status", home: str) -> list[str]:
    store = status.store
    path = short_path(printable(str(store.path)), home)
    if store.schema is None:
        why = "cannot be read, see below" if store.size_bytes else "nothing is stored yet: brainproj backfill"
        return [f"{'Store':<{LABEL}}{path} · {why}"]
    counts = store.counts
    kept = f"{counted(counts['projects'], 'project')} · {counted(counts['sessions'], 'session')}"
    kept += f" · {counted(counts['events'], 'event')} · {counted(counts['records'], 'record')}"
    return [
        f"{'Store':<{LABEL}}{path} · {_size(store.size_bytes)} · schema {store.schema}",
        f"{'':<{LABEL}}{kept}",
    ]


def _agents(status: "Status", home: str, now: datetime) -> "Table":
    columns = (
        Column(" "), Column("AGENT"), Column("HOOKS"), Column("ON DISK", right=True), Column("STORED", right=True),
        Column("DELETED", right=True), Column("LAST", right=True), Column("WHERE", clips=True),
    )  # fmt: skip
    return render_table(columns, [_agent_row(status, state, home, now) for state in status.states])


def _agent_row(status: "Status", state: "AgentState", home: str, now: datetime) -> tuple[str | int | None, ...]:
    reach = status.reaches.get(state.agent)
    is_there = reach is not None and (reach.is_there or reach.stored)
    sign = "✓" if state.is_well else MISSING if not state.is_here or not state.installed else "!"
    return (
        sign,
        state.agent,
        state.word if state.is_here else "not here",
        reach.on_disk if reach and is_there else None,
        reach.stored if reach and is_there else None,
        reach.deleted if reach and is_there else None,
        render_age(status.store.last_events.get(state.agent), now),
        short_path(printable(str(reach.folder)), home) if reach and reach.is_there else None,
    )


def _other_lines(status: "Status", home: str, now: datetime) -> list[str]:
    lines = []
    unread = sum(len(reach.unread) for reach in status.reaches.values())
    if unread:
        size = _size(sum(reach.unread_bytes for reach in status.reaches.values()))
        since = render_age(status.unread_since, now)
        lines.append(
            f"{'Lag':<{LABEL}}{counted(unread, 'transcript')} ({size}) to be read, the oldest written {since} ago"
        )
    elif status.store.schema is not None:
        lines.append(f"{'Lag':<{LABEL}}none: all that the agents wrote is stored and can be searched")
    lines.append(f"{'Watch':<{LABEL}}{_watch_words(status)}")
    said = brain_lines(status.brain, now)
    if status.foreign_markers:
        said.append(f"{counted(status.foreign_markers, 'marker')} in agentihooks' own outbox, which it sends itself")
    lines += [f"{'Brain' if number == 0 else '':<{LABEL}}{line}" for number, line in enumerate(said)]
    where = f" in {printable(status.project)}" if status.project else ""
    lines.append(f"{'Scope':<{LABEL}}{status.scope.effective}{where} ({status.scope.set_by.value})")
    own = [f"{one.name} {one.value:,} ({one.set_by.value})" for one in status.settings if one.set_by.value != "default"]
    if own:
        lines.append(f"{'Settings':<{LABEL}}{', '.join(own)}")
    out = [f"{name}: {', '.join(values)}" for name, values in status.excluded.items() if values]
    if out:
        lines.append(f"{'Left out':<{LABEL}}{printable('; '.join(out))}")
    disk = f"{short_path(printable(str(status.paths.home)), home)} takes {_size(status.home_bytes)}"
    lines.append(f"{'Disk':<{LABEL}}{disk}, {_size(status.free_bytes)} are free")
    deleted = sum(reach.deleted for reach in status.reaches.values())
    if status.store.oldest_at is not None:
        beyond = f"; {counted(deleted, 'session')} that the agents have deleted" if deleted else ""
        lines.append(f"{'Kept':<{LABEL}}since {status.store.oldest_at:%Y-%m-%d}, for ever{beyond}")
    return lines


def _watch_words(status: "Status") -> str:
    """What there is to say of `watch`."""
    state = status.follower
    if state is None or not state.is_running:
        return "not running; hooks read at each prompt and stop (brainproj watch)"
    if state.lag_p95_s is None:
        return "running; nothing was written since it began"
    return f"running; found {state.lag_p50_s:.1f} s after it was written (median), {state.lag_p95_s:.1f} s (p95)"


def _attention(findings: Sequence[Finding]) -> "list[Text]":
    from rich.text import Text

    urgent = [finding for finding in findings if finding.severity is not Severity.NOTE]
    parts: list[Text] = []
    for finding in urgent:
        sign, style = SIGNS[finding.severity]
        parts += [Text(""), Text.assemble((sign, style), f" {printable(finding.what)}")]
        parts.append(Text(f"  {printable(finding.remedy)}", style="cyan"))
    return parts


def _size(size_bytes: int) -> str:
    for limit, unit in ((1e9, "GB"), (1e6, "MB")):
        if size_bytes >= limit:
            return f"{size_bytes / limit:,.1f} {unit}"
    return f"{size_bytes / 1e3:,.0f} KB"
