"""Every view at 60, 80 and 120 columns and in a pipe, as a person would see it."""

import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.console import Console, RenderableType
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from brainproj.agents.adapter import Found
from brainproj.agents.codex.trust import Trust
from brainproj.agents.integration import Integration
from brainproj.agents.integrations import INTEGRATIONS
from brainproj.agentstates import AgentState
from brainproj.brains import BrainSetting
from brainproj.brainstate import BrainState, SourceState
from brainproj.config import Scope, ScopeSetting, SetBy
from brainproj.core.brain import Brain
from brainproj.core.catalogue import KnownProject
from brainproj.core.ids import ProjectKey
from brainproj.core.people import People, Person
from brainproj.core.project import ProjectIdentity, Resolution, Rule
from brainproj.core.records import Links
from brainproj.core.remote import Piece, PieceKind
from brainproj.core.tasks import JoinedBy, Status, Task
from brainproj.evidence import Cited
from brainproj.follow import FollowerState
from brainproj.health.findings import Finding, Severity
from brainproj.health.hookruns import HookRun
from brainproj.ingest import Report
from brainproj.paths import find_paths
from brainproj.projectlist import ProjectSummary
from brainproj.reach import Reach
from brainproj.recordtext import RecordText
from brainproj.search import Hit
from brainproj.sessions import SessionInfo
from brainproj.sleep import Finding as Again
from brainproj.status import Setting, StoreState
from brainproj.status import Status as Standing
from brainproj.store.documents import Document
from brainproj.store.outbox import Counts, SetAside
from brainproj.store.people import OwnedSession
from brainproj.store.records import StoredAct, StoredRecord
from brainproj.tasks import TaskFacts, TaskSession
from brainproj.views.brain import render_pieces, render_set_aside
from brainproj.views.documents import render_documents
from brainproj.views.hits import render_hits
from brainproj.views.projects import render_projects, render_resolution
from brainproj.views.records import render_handoffs, render_record, render_records, render_waiting
from brainproj.views.reports import render_report
from brainproj.views.sessions import render_index, render_live
from brainproj.views.sleep import render_findings as render_again
from brainproj.views.status import render_findings, render_runs, render_status
from brainproj.views.tasks import render_task, render_tasks
from brainproj.views.terminal import PIPE_WIDTH
from brainproj.views.who import render_file, render_owners, render_person
from brainproj.who import FileFacts, FileSession, FileTouched, Ownership, PersonFacts

NOW = datetime(2026, 10, 5, 12, tzinfo=UTC)


class Screen(SingleFileSnapshotExtension):
    """One text file for each screen."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@pytest.fixture
def screen(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(Screen)


def project(name: str, owner: str) -> KnownProject:
    return KnownProject(
        ProjectKey(f"github.com/{owner}/{name}"), name, f"github.com/{owner}/{name}", f"/home/dev/{name}", (1,), ()
    )


HOOKS, RIG = project("agentihooks", "the-cloud-clockwork"), project("openrig", "mvschwarz")


def session(
    number: int, agent: str, own: KnownProject | None, state: str, minutes: int, title: str | None, **other: object
) -> SessionInfo:
    values: dict[str, object] = {
        "session_id": f"{number}f2e1c8d-0000-4000-8000-000000000000", "agent_id": None, "agent": agent, "project": own, "worktree": None,
        "branch": "main", "cwd": "/home/dev", "title": title, "state": state, "seen_by": ("claude",), "started_at": NOW,
        "last_seen_at": NOW - timedelta(minutes=minutes), "transcript": None, "scope": "strict", "prompts": 1234, "tool_calls": 7,
        "tool_failures": 1, "events": 42, "why": "it is your home folder",
    }  # fmt: skip
    return SessionInfo(**(values | other))  # type: ignore[arg-type]


ADA = Person("Ada Lovelace", ("git:0123456789ab", "os:ba9876543210"), (1, 2))


def owned(person: Person | None, sessions: int, prompts: int) -> Ownership:
    return Ownership(person, sessions, prompts, NOW - timedelta(days=80), NOW - timedelta(hours=3))


def owned_session(number: int, title: str | None) -> OwnedSession:
    at = int((NOW - timedelta(hours=number)).timestamp() * 1e6)
    return OwnedSession(number, f"{number}f2e1c8d-0000", "claude", 1, 1, title, at, at, 3, "person")


PERSON = PersonFacts(
    ADA,
    owned(ADA, 2, 7),
    (
        owned_session(3, "Charge a customer once, whatever the provider answers after its timeout"),
        owned_session(9, None),
    ),
    (FileTouched("/home/dev/shop/src/pay.py", 1240, NOW - timedelta(hours=3)), FileTouched("README.md", 1, None)),
    (
        StoredRecord(
            12,
            "lesson",
            "current",
            1,
            "3f2e1c8d-0000",
            "claude",
            1,
            0,
            9,
            1,
            None,
            "{}",
            1,
            None,
            5,
            1,
            None,
            None,
            None,
            "Retry with the same key.",
        ),
    ),
    False,
)
OPENED = int((NOW - timedelta(days=3)).timestamp() * 1e6)
TASK = TaskFacts(
    Task(1, 1, "charge-a-customer-once", Status.OPEN, "Charge a customer once", "One key for both attempts, whatever the provider says", "charge-once", None, None, 1, False, OPENED, None),
    None, ADA,
    (
        TaskSession("claude", "3f2e1c8d-0000", JoinedBy.BRANCH, owned_session(3, "Charge once, and write a test for it"), ADA),
        TaskSession("codex", "9f2e1c8d-0000", JoinedBy.AGENT, None, None),
    ),
)  # fmt: skip
LATER = TaskFacts(
    Task(
        2, 1, "farm-pm1", Status.CLOSED, "pm1 of the swarm farm", None, None, "farm", "pm1", None, True, OPENED, OPENED
    ),
    None,
    None,
    (),
)
FILE = FileFacts("src/pay.py", (FileSession(owned_session(3, "Charge once"), ADA, 9, "3f2e1c8d/abcdefghijkl"),), False)
SESSIONS = [
    session(
        1,
        "claude",
        HOOKS,
        "busy",
        12,
        "Scope the brain feed by project and keep signals fleet wide everywhere",
        worktree="pm1",
        block_bytes=2104,
        block_at=NOW - timedelta(minutes=4),
    ),
    session(2, "codex", HOOKS, "idle", 300, "Add --json to the session list"),
    session(3, "claude", RIG, "idle", 2880, "[bold]markup[/] and \x1b[31mred\x1b[0m 座席の要約が最後のターンを失う"),
    session(4, "claude", None, "busy", 3, None, scope="off"),
]
HITS = [
    Hit(
        "a3f2e1c8/abcdefghijkl",
        HOOKS,
        "a3f2e1c8",
        NOW,
        "person",
        "prompt",
        None,
        "…why does the connection pool leak in tests…",
        2.0,
        ("x",),
    ),
    Hit(
        "5c77f019/mnopqrstuvwx",
        RIG,
        "5c77f019",
        NOW,
        "tool",
        "tool_result",
        "failed",
        "Exit code 1\npool exhausted",
        1.0,
        ("x", "y", "z"),
    ),
    Hit("rec:12", None, None, None, "assistant", "lesson", None, "one pool per thread", 0.5, ("rec:12",)),
]
REPORT = Report(
    found=1284, read=1262, unchanged=22, sessions_added=1198, sessions_updated=3, unattributed=6, events=261_004, seconds=27.04,
    by_agent={"claude": 1102, "codex": 160}, events_by_agent={"claude": 218_411, "codex": 42_593},
)  # fmt: skip
PROJECTS = [
    ProjectSummary("github.com/acme/shop", "shop", "github.com/acme/shop", "/home/dev/shop", 12, 34567, 8, NOW, (), ()),
    ProjectSummary("local/notes-0123456789ab", "notes", None, None, 0, 0, 0, None, ("n",), ()),
]
HOME = find_paths({}, Path("/home/dev"))
FINDINGS = (
    Finding("native-memory-claude", Severity.NOTE, "Claude Code keeps a memory of its own", "export X=1   # the files stay"),
    Finding("codex-untrusted", Severity.WARNING, "codex runs no hook until a person trusts it; not trusted of ours: 8", "codex   # then enter /hooks"),
    Finding("store-damaged", Severity.ERROR, "/home/dev/.brainproj/brain.db is \x1b[31mdamaged", "mkdir -p /home/dev/.brainproj/damaged"),
)  # fmt: skip


def agent_state(integration: Integration, **other: object) -> AgentState:
    values: dict[str, object] = {
        "integration": integration, "is_here": True, "hook_file": Path("/x"), "installed": len(integration.entries),
        "wanted": len(integration.entries), "extra": 0, "broken": None, "unread": None, "off": None, "trust": None,
        "skill": "ok", "skill_file": Path("/y"), "server": "ok", "checkout": None, "has_launcher": True, "called_at": NOW,
    }  # fmt: skip
    return AgentState(**(values | other))  # type: ignore[arg-type]


BRAIN_STATE = BrainState(
    BrainSetting(Brain("https://brain.example.com"), SetBy.ENVIRONMENT), "https://brain.example.com",
    SourceState("vault", "failed", 240, "brain.example.com did not go on answering for 3 s"), NOW - timedelta(minutes=4),
    {"arcs of no known project": 3, "lessons of unknown sessions": 12}, None, Counts(2, 14, 1, 0, 5), "it is down",
)  # fmt: skip
PIECES = (
    Piece(PieceKind.LESSON, "abcdefghijkl", "Pin the \x1b[31mpool size", "Pin", NOW - timedelta(hours=3), "left/x.md"),
    Piece(PieceKind.ARC, "bcdefghijklm", "Write the dead letter table " * 5, "Write", None, "clusters/x.md", "active", 7),
)  # fmt: skip


STATUS = Standing(
    paths=HOME,
    store=StoreState(
        HOME.brain_db, 684_000_000, 1, {"projects": 31, "sessions": 1198, "events": 261_004, "records": 212},
        NOW - timedelta(days=400), NOW, {"claude": NOW - timedelta(minutes=4), "codex": NOW - timedelta(hours=5)},
    ),
    states=(
        agent_state(INTEGRATIONS[0]),
        agent_state(INTEGRATIONS[1], trust={"Stop": Trust.UNTRUSTED}),
        agent_state(INTEGRATIONS[2], is_here=False, installed=0),
    ),
    reaches={
        "claude": Reach("claude", Path("/home/dev/.claude"), True, False, 1300, 1102, 1140, 38, ()),
        "codex": Reach("codex", Path("/home/dev/.codex"), True, False, 160, 160, 158, 0, (Found("/t", 1_200_000, int((NOW - timedelta(hours=2)).timestamp() * 1e9), 1, False),)),
    },
    scope=ScopeSetting(Scope.RANK, SetBy.PROJECT, None, Scope.RANK),
    project="agentihooks",
    settings=(Setting("hot_arcs_top_n", 5, SetBy.CONFIG), Setting("stale_lesson_days", 14, SetBy.DEFAULT)),
    brain=BRAIN_STATE,
    foreign_markers=2,
    excluded={"projects": (), "folders": ("~/private",), "agents": ()},
    follower=FollowerState(True, None, 12, 0.31, 0.62),
    home_bytes=690_000_000,
    free_bytes=52_000_000_000,
    findings=FINDINGS,
)  # fmt: skip
RUNS = (
    HookRun("claude", "SessionStart", 23.4, 612, '<project-memory project="agentihooks" from="this machine">', True),
    HookRun("codex", "Stop", 10_000, 0, "it did not end", False),
)
AT = int(NOW.timestamp() * 1e6)


def stored(number: int, kind: str, status: str, text: str, author: int | None = None) -> StoredRecord:
    confirmed = "ada" if status in ("current", "superseded") else None
    session_id, agent, event = (None, None, None) if author else ("3f2e1c8d-0000", "claude", 1)
    decided_at = AT if confirmed else None
    return StoredRecord(
        number, kind, status, 1, session_id, agent, event, None, None, AT, None, '{"by": "codex"}', 1, confirmed, number, 1,
        author, None, decided_at, text,
    )  # fmt: skip


PROPOSED = stored(14, "decision", "proposed", "Retry a payment with the same key,\nand never twice \x1b[31mred [bold]")
IN_FORCE = stored(
    12, "decision", "current", "Retry a payment at once, three times at most, whatever the provider says", 1
)
HANDED_ON = stored(15, "handoff", "superseded", "Goal: charge once\nDone:\n- a key for each payment")
ACTS = (
    StoredAct(AT, "confirmed", "current", "ada", "/dev/pts/7", "[]", None),
    StoredAct(AT, "superseded", "superseded", "ada", "/dev/pts/7", "[]", 16),
)
LINKS = Links(("src/pay.py", "payment retries"), ("3f2e1c8d/abcdefghijkl",), (12,))
RECORD_TEXTS = {
    "a proposal": render_waiting(
        RecordText(PROPOSED, RIG, LINKS, None, "task:charge-once", (), ()),
        [Cited("3f2e1c8d/abcdefghijkl", "tool result, failed, 2026-11-30", "Expected 1 charge,\nobserved 2 charges"),
         Cited("rec:3", "is gone", "there is no rec:3", is_gone=True)],
        [IN_FORCE],
    ),
    "a proposal alone": render_waiting(RecordText(PROPOSED, None, Links(), None, None, (), ()), [], []),
    "a record with a history": render_record(
        RecordText(HANDED_ON, RIG, LINKS, 16, "task:charge-once", ACTS, ((1, "Goal: charge", AT, "a person edited it"),))
    ),
    "what to look at again": render_again([
        Again("alike", (PROPOSED, IN_FORCE), "80% of their words are the same", ("brainproj decide rec:14 --replace rec:12",)),
        Again("unlinked", (PROPOSED,), "it names no evidence, no place and no task", ("brainproj review rec:14",)),
        Again("stale", (HANDED_ON,), "its task is closed", ("brainproj review rec:15",)),
    ]),
}  # fmt: skip
DOCUMENTS = [
    Document(3, 1, "file", "docs/payments.md", "payments.md", True, 2, 1, 1, False, AT, AT, 1),
    Document(
        2,
        1,
        "link",
        "https://pay.example.com/docs",
        "How retries work [bold] \x1b[31mred",
        False,
        1,
        None,
        1,
        True,
        AT,
        AT,
        2,
    ),
]
VIEWS: dict[str, RenderableType] = {
    "records": render_records([PROPOSED, IN_FORCE, HANDED_ON]),
    "handoffs": render_handoffs([replace(HANDED_ON, task=1)], {1: "task:charge-once"}),
    "documents": render_documents(DOCUMENTS, {1: "task:charge-once"}),
    "status": render_status(STATUS, "/home/dev", NOW),
    "findings": render_findings(FINDINGS),
    "no-findings": render_findings(()),
    "hook-runs": render_runs(RUNS),
    "live": render_live(SESSIONS, NOW),
    "index": render_index(SESSIONS, NOW, unattributed=False),
    "unattributed": render_index(SESSIONS[3:], NOW, unattributed=True),
    "hits": render_hits(HITS, HOOKS, "pool", People((), {}, "here")),
    "report": render_report(REPORT, dry_run=False),
    "projects": render_projects(PROJECTS, "/home/dev"),
    "owners": render_owners([owned(ADA, 12, 340), owned(None, 1, 2)], NOW),
    "person": render_person(PERSON, NOW),
    "file": render_file(FILE, NOW),
    "tasks": render_tasks([TASK, LATER], NOW),
    "brain": render_pieces(PIECES, NOW),
    "set-aside": render_set_aside(
        [
            SetAside(12, "lesson", "x", "refused", "400: content is required", None, None),
            SetAside(9, "signal", "y", "withheld", "the same was said before", None, None),
        ]
    ),
    "task": render_task(TASK, NOW),
    "a task without sessions": render_task(LATER, NOW),
}


def shown(view: RenderableType, width: int, *, colour: bool = False) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream, width=width, markup=False, emoji=False, highlight=False, force_terminal=colour, no_color=not colour
    )
    console.print(view)
    return "".join(line.rstrip() + "\n" for line in stream.getvalue().splitlines())


@pytest.mark.parametrize("width", [60, 80, 120, PIPE_WIDTH])
@pytest.mark.parametrize("name", VIEWS)
def test_screens(name: str, width: int, screen: SnapshotAssertion) -> None:
    text = shown(VIEWS[name], width)
    assert text == screen
    for line in text.splitlines():
        assert "\x1b" not in line and "[31m" not in line


@pytest.mark.parametrize("name", VIEWS)
def test_colour_repeats_what_a_word_says(name: str) -> None:
    """Colour changes no letter."""
    import re

    assert (
        re.sub(r"\x1b\[[0-9;]*m", "", shown(VIEWS[name], 120, colour=True)).split() == shown(VIEWS[name], 120).split()
    )


@pytest.mark.parametrize("name", RECORD_TEXTS)
def test_records_in_words(name: str, screen: SnapshotAssertion) -> None:
    text = RECORD_TEXTS[name]
    assert text + "\n" == screen
    assert "\x1b" not in text


def test_a_resolution_in_words(screen: SnapshotAssertion) -> None:
    identity = ProjectIdentity(
        ProjectKey("github.com/acme/shop"), "shop", "github.com/acme/shop", "/home/dev/shop", "/home/dev/wt/x", "x", "fix", Rule.GIT,
        "its remote is github.com/acme/shop",
    )  # fmt: skip
    found = Resolution("/home/dev/wt/x", identity, Rule.GIT, identity.why)
    none = Resolution("/home/dev", None, Rule.NONE, "it is your home folder")
    assert render_resolution(found, "/home/dev") + "\n\n" + render_resolution(none, "/home/dev") + "\n" == screen
