"""What a reading did, for people."""

from typing import TYPE_CHECKING

from ..core.text import counted

if TYPE_CHECKING:
    from rich.console import Group

    from ..reports import Report

NOTHING_FOUND = "No transcripts of Claude Code, Codex or Cursor were found. See how it works: brainproj demo"


def render_report(report: "Report", *, dry_run: bool) -> "str | Group":
    """A table by agent and a line on where the sessions belong; a line alone where there was nothing to read."""
    if dry_run:
        return f"{report.read:,} of {counted(report.found, 'transcript')} would be read, {report.bytes / 1e6:,.1f} MB."
    if not report.found:
        return NOTHING_FOUND
    if not report.read and not report.failed:
        known = counted(report.found, "transcript was", "transcripts were")
        lines = [f"Nothing new: {known} read before.", *_last_lines(report)[1:]]
        return "\n".join(line for line in lines if line)
    from rich.console import Group
    from rich.text import Text

    from .tables import Column, render_table

    columns = (Column("AGENT"), Column("TRANSCRIPTS", right=True), Column("EVENTS", right=True), Column("", clips=True))
    rows: list[tuple[str | int | None, ...]] = [
        (agent, count, report.events_by_agent.get(agent, 0), " ") for agent, count in report.by_agent.items()
    ]
    rows.append(("unchanged", report.unchanged, None, "read before; same size and time"))
    if report.failed:
        rows.append(("unreadable", report.failed, None, "named below"))
    rows.append(("total", report.found, report.events, " "))
    return Group(render_table(columns, rows), Text(""), *(Text(line) for line in _last_lines(report) if line))


def _last_lines(report: "Report") -> list[str]:
    """What became of the sessions, which of them have no project, and how long it took."""
    which = counted(report.unattributed, "session has", "sessions have")
    unattributed = f"{which} no project: brainproj sessions --unattributed"
    return [
        f"{counted(report.sessions_added, 'new session')}, {report.sessions_updated:,} went on",
        unattributed if report.unattributed else "",
        f"Done in {report.seconds:.1f} s. Transcripts were only read, never changed.",
    ]
