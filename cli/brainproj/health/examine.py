"""Every check, in one list."""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from ..agentstates import AgentState, read_agent_states
from ..brains import find_brain
from ..config import Config
from ..errors import StoreUnusable
from ..paths import Paths
from ..reach import Reach, measure_reach
from ..store.database import open_store
from ..store.listing import list_project_keys
from .agents import check_agents
from .around import (
    check_agentihooks,
    check_config,
    check_hosts,
    check_native_memories,
    check_path,
    check_transcripts,
)
from .findings import Finding, Severity
from .home import check_home
from .hookruns import HookRun, run_hooks
from .serverrun import run_server
from .store import check_store

ORDER = {Severity.NOTE: 0, Severity.WARNING: 1, Severity.ERROR: 2}


@dataclass(frozen=True, slots=True)
class Health:
    """What was found, the worst last, where the eye is."""

    findings: tuple[Finding, ...]
    runs: tuple[HookRun, ...]
    states: tuple[AgentState, ...]
    reaches: tuple[Reach, ...]


def examine(
    paths: Paths, config: Config, environment: Mapping[str, str], now: datetime, folder: str, *, deep: bool
) -> Health:
    """All that can be found out. `deep`: the store is read whole and each hook is run."""
    states = read_agent_states(paths, environment, folder)
    is_installed = any(state.installed for state in states)
    found = [*check_config(config), *check_home(paths, now, is_installed=is_installed)]
    found += check_store(paths, deep=deep)
    reaches: list[Reach] = []
    try:
        db = open_store(paths.brain_db, write=False)
    except StoreUnusable:  # check_store has said so
        db = None
    if db is not None:
        try:
            reaches = measure_reach(paths, config, db)
            found += check_transcripts(paths, reaches, now)
            found += check_hosts(paths, config, list_project_keys(db))
        except sqlite3.Error as error:
            if not any(finding.id.startswith("store-") for finding in found):
                what = f"the store cannot be read: {error}"
                found.append(Finding("store-unreadable", Severity.ERROR, what, "brainproj doctor"))
        finally:
            db.close()
    found += check_agents(states)
    found += check_agentihooks(paths, knows_brain=find_brain(config, environment).brain is not None)
    found += check_native_memories(paths)
    found += check_path(environment, is_installed=is_installed)
    runs: list[HookRun] = []
    if deep and is_installed:
        runs, more = run_hooks(paths, environment, states, folder)
        found += more
        if any(state.has_launcher and state.installed and state.server == "ok" for state in states):
            run, wrong = run_server(paths, environment, folder)
            runs.append(run)
            found += wrong
    return Health(by_severity(found), tuple(runs), tuple(states), tuple(reaches))


def by_severity(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The worst last, where the eye is."""
    return tuple(sorted(findings, key=lambda finding: ORDER[finding.severity]))
