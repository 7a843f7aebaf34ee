"""What stands in an agent's way of running our hooks, or makes it run them twice."""

from collections.abc import Sequence
from shlex import quote

from ..agents.codex.trust import Trust
from ..agentstates import AgentState
from ..core.text import counted
from .findings import Finding, Severity

TRUST_SAYS = {
    Trust.UNTRUSTED: "codex runs no hook until a person trusts it. Not trusted of ours: {count}; there, enter /hooks",
    Trust.MODIFIED: "codex wants hooks to be trusted again that it knows otherwise. Of ours: {count}; enter /hooks",
    Trust.DISABLED: "hooks are switched off in codex. Of ours: {count}; in codex, enter /hooks",
}
TRUST_REMEDY = "codex"


def check_agents(states: Sequence[AgentState]) -> list[Finding]:
    """Findings about the agents that are on this machine."""
    found: list[Finding] = []
    for state in states:
        if state.is_here:
            found += _check_file(state)
            if state.installed:
                found += _check_running(state)
    return found


def _check_file(state: AgentState) -> list[Finding]:
    agent, file = state.agent, quote(str(state.hook_file))
    install = f"brainproj install {agent}"
    uninstall = f"brainproj uninstall {agent}"
    if state.checkout:
        install, uninstall = f"{install} --project", f"{uninstall} --project"
    if state.broken:
        what = f"{state.hook_file} was not looked into: {state.broken}"
        return [Finding("settings-broken", Severity.ERROR, what, f"${{EDITOR:-vi}} {file} && {install}")]
    if not state.installed:
        return [Finding("not-installed", Severity.NOTE, f"{agent} is here and gets no memory", install)]
    found = []
    if state.installed < state.wanted:
        what = f"{counted(state.wanted - state.installed, 'hook')} of {state.wanted} missing in {state.hook_file}"
        found.append(Finding("hooks-missing", Severity.WARNING, what, install))
    if state.extra:
        what = f"{counted(state.extra, 'entry', 'entries')} of ours too many in {state.hook_file}"
        remedy = f"{uninstall} && {install}"
        found.append(Finding("hooks-doubled", Severity.WARNING, what, remedy))
    if state.server == "missing":
        what = f"the settings of {agent} do not name our MCP server, so it has no tools for the memory"
        found.append(Finding("server-missing", Severity.WARNING, what, install))
    if state.skill != "ok":
        said = {"missing": "is missing", "older": "is that of an earlier version", "changed": "was changed by somebody"}
        is_theirs = state.skill == "changed"
        remedy = f"rm {quote(str(state.skill_file))} && {install}" if is_theirs else install
        what = f"the skill of {agent} {said[state.skill]}"
        found.append(Finding(f"skill-{state.skill}", Severity.NOTE if is_theirs else Severity.WARNING, what, remedy))
    return found


def _check_running(state: AgentState) -> list[Finding]:
    found = []
    agent, file = state.agent, quote(str(state.hook_file))
    if state.unread:
        what = f"{state.hook_file} does not count: {state.unread}"
        found.append(Finding("settings-passed-by", Severity.ERROR, what, f"${{EDITOR:-vi}} {file}"))
    if state.off:
        place = state.off.partition(" in ")[2]
        what = f"all hooks of {agent} are turned off: {state.off}"
        found.append(Finding("hooks-off", Severity.ERROR, what, f"${{EDITOR:-vi}} {quote(place)}"))
    for trust, says in TRUST_SAYS.items():
        count = sum(one is trust for one in (state.trust or {}).values())
        if count:
            what = says.format(count=count)
            found.append(Finding(f"codex-{trust.value}", Severity.WARNING, what, TRUST_REMEDY))
    return found
