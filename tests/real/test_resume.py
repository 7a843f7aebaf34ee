"""One agent goes on where the other stopped; and every way to make something official from inside a real session.

The example is a small checkout: a payment that is retried after a timeout is charged twice, and a check that says so.
"""

import concurrent.futures
import contextlib
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from brainproj.follow import Follower
from brainproj.paths import find_paths

from ..cli import Cli
from ..hooks.conftest import fleet as fleet  # the fixture
from ..test_follow import wait_for
from .agents import Agents, Steps, session_of
from .test_real_agents import AGENTS, DONE, went_on
from .test_real_agents import agents as agents  # the fixture

OBSERVED = "Expected 1 charge, observed 2 charges"
PAY = """
class Provider:
    def __init__(self):
        self.charges = []

    def charge(self, amount):
        self.charges.append(amount)
        if len(self.charges) == 1:
            raise TimeoutError("the provider did not answer in time")


def pay(provider, amount):
    try:
        provider.charge(amount)
    except TimeoutError:
        provider.charge(amount)
"""
CHECK = """
from pay import Provider, pay

provider = Provider()
pay(provider, 5)
count = len(provider.charges)
assert count == 1, f"Expected 1 charge, observed {count} charges"
"""
TITLE = "Find out why the customer is charged twice"
OURS = "find_tasks", "resume", "expand", "propose_decision", "draft_handoff"


@pytest.fixture
def checkout(agents: Agents, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = agents.fleet.folder("alpha")
    (folder / "pay.py").write_text(PAY)
    (folder / "check_pay.py").write_text(CHECK)
    monkeypatch.chdir(folder)
    return folder


def asks(agent: str, *calls: tuple[str, dict[str, object]]) -> Steps:
    """A turn that calls our tools. Codex begins its first turn while its servers still start."""
    tool = "mcp__brainproj.{}" if agent == "codex" else "mcp__brainproj__{}"
    waiting: Steps = [{"shell": "sleep 8" if agent == "codex" else "true"}]
    return waiting + [{"tool": tool.format(name), "input": values} for name, values in calls] + DONE


def allowed(agent: str) -> tuple[str, ...]:
    tools = ",".join(f"mcp__brainproj__{name}" for name in OURS)
    return (f"--allowedTools=Bash,{tools}",) if agent == "claude" else ()


@contextlib.contextmanager
def following(home: Path) -> Iterator[None]:
    """`brainproj watch` beside it."""
    stop = threading.Event()
    follower = threading.Thread(target=Follower(find_paths({}, home), stop, lambda _: None, lambda _: None).run)
    follower.start()
    try:
        yield
    finally:
        stop.set()
        follower.join(10)


@pytest.mark.parametrize(("first", "second"), [("claude", "codex"), ("codex", "claude")])
def test_the_other_agent_goes_on_while_the_first_is_open(
    agents: Agents, checkout: Path, first: str, second: str, cli: Cli
) -> None:
    """Nobody tagged anything: no task, no marker, no branch."""
    gate = agents.fleet.place / "gate"

    def subjects() -> dict[str, str]:
        found = cli.ok("resume", "--json").json
        return {found["title"]: found["citation"]}

    steps: Steps = [{"shell": "python3 check_pay.py"}, {"shell": f"until [ -e {gate} ]; do sleep 0.1; done"}, *DONE]
    with concurrent.futures.ThreadPoolExecutor(1) as pool, following(agents.fleet.home):
        held = pool.submit(agents.run, first, checkout, steps, says=TITLE)
        try:
            wait_for(lambda: cli.ok("attempts", "observed", "--json").json)
            cited = cli.ok("attempts", "observed", "--json").json[0]["citation"]
            wait_for(lambda: TITLE in subjects())
            thread = subjects()[TITLE]
            calls: list[tuple[str, dict[str, object]]] = [
                ("find_tasks", {"query": "charged"}),
                ("resume", {"task": thread, "question": "what does the check say?"}),
                ("expand", {"address": cited}),
            ]
            run = agents.run(second, checkout, asks(second, *calls), *allowed(second), says="Continue")
            assert not held.done()
        finally:
            gate.touch()
        assert went_on(held.result(90))
    assert went_on(run), run.err
    told = run.turns[-1]
    assert f"[{thread}] {TITLE}" in told  # find_tasks
    assert f"Thread of work, of no task: {TITLE} [{thread}]" in told  # resume
    assert "No approved handoff. Agreed remaining work has not been recorded." in told
    assert f"[{cited}]" in told and f"failed: AssertionError: {OBSERVED}" in told
    assert f"{cited} in session" in told and told.count(OBSERVED) >= 2  # expand has the very output
    cli.ok("backfill")
    assert len(cli.ok("attempts", "observed", "--json").json) == 1  # the answers are echoes


@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_that_resumes_a_task_belongs_to_it(agents: Agents, checkout: Path, agent: str, cli: Cli) -> None:
    cli.ok("task", "new", "Charge a customer once", "--goal", "No double charge")
    run = agents.run(agent, checkout, asks(agent, ("resume", {"task": "charge"})), *allowed(agent))
    assert went_on(run) and "Goal: No double charge" in run.turns[-1], run.err
    cli.ok("backfill")
    (joined,) = cli.ok("task", "show", "charge", "--json").json["sessions"]
    assert (joined["agent"], joined["joined_by"]) == (agent, "agent")


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_proposes_and_drafts(agents: Agents, checkout: Path, agent: str, cli: Cli) -> None:
    cli.ok("task", "new", "Charge a customer once")
    decision: dict[str, object] = {"text": "Retry with the same key.", "applies_to": ["pay.py"], "task": "charge"}
    handoff: dict[str, object] = {"task": "charge", "goal": "charge once", "remaining": ["a key for each payment"]}
    steps = asks(agent, ("propose_decision", decision), ("draft_handoff", handoff))
    run = agents.run(agent, checkout, steps, *allowed(agent))
    assert went_on(run), run.err
    assert run.turns[-1].count("It is not official until a person says so in a terminal") == 2
    found = cli.ok("records", "--status", "proposed", "--json").json
    assert {one["kind"] for one in found} >= {"decision", "handoff"} and not cli.ok(
        "records", "--status", "current", "--kind", "decision", "--json"
    ).json


# every way to make something official ----------------------------------------------------------------------------------

PTY = "python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "
WAYS: dict[str, str] = {
    "the command": "{decide}",
    "with the answer in a pipe": "yes c | {review}",
    "a pseudo-terminal": f"{PTY}{{decide}}",
    "script, a pseudo-terminal": 'script -qec "{decide}" /dev/null',
    "the environment cleaned": "env -i HOME=$HOME PATH=$PATH {decide}",
    "both": f"env -i HOME=$HOME PATH=$PATH {PTY}{{decide}}",
    "cleaned within the pseudo-terminal": f"{PTY}env -i HOME=$HOME PATH=$PATH {{decide}}",
    "a session of its own": f"setsid -w env -i HOME=$HOME PATH=$PATH {PTY}{{decide}}",
    "left to init, the environment as it is": f"setsid -f {PTY}env -i HOME=$HOME PATH=$PATH {{decide}}; sleep 3",
}
"""What an agent may try in its shell; none of them makes anything official."""
GETS_THROUGH = f"env -i HOME=$HOME PATH=$PATH setsid -f {PTY}{{decide}}; sleep 3"
"""Everything cleaned, and left to init: nothing tells that an agent began it. The README says so."""


def command(cli_path: str) -> Callable[[str], str]:
    return lambda way: way.format(decide=f"{cli_path} decide Hacked", review=f"{cli_path} review")


@pytest.mark.parametrize("agent", AGENTS)
def test_no_way_inside_a_session_makes_anything_official(
    agents: Agents, checkout: Path, agent: str, cli: Cli, brainproj: str
) -> None:
    make = command(brainproj)
    steps: Steps = [{"shell": make(way)} for way in WAYS.values()]
    run = agents.run(agent, checkout, steps + DONE)
    assert went_on(run), run.err
    said = run.turns[-1]
    assert said.count("a person's act, and") >= len(WAYS) - 1, said  # the last one says it to nobody
    assert cli.ok("records", "--kind", "decision", "--status", "current", "--json").json == []


def test_a_person_behind_claudes_exclamation_mark_is_told_to_use_a_terminal(
    agents: Agents, checkout: Path, cli: Cli, brainproj: str
) -> None:
    shown = agents.type_into_claude(
        checkout, ["!", f"{brainproj} decide Hacked", "\r"], "run it yourself, in a terminal"
    )
    assert "decidingisaperson'sact,andCLAUDE" in shown and "saysthatanagentrunsthis" in shown
    assert cli.ok("records", "--kind", "decision", "--json").json == []


@pytest.mark.parametrize("agent", AGENTS)
def test_what_gets_through_is_kept_with_its_traces(
    agents: Agents, checkout: Path, agent: str, cli: Cli, brainproj: str
) -> None:
    """Approval is no wall: an agent with a shell is the user (design 11)."""
    run = agents.run(agent, checkout, [{"shell": command(brainproj)(GETS_THROUGH)}, *DONE])
    assert went_on(run), run.err
    (record,) = cli.ok("records", "--kind", "decision", "--status", "current", "--json").json
    (act,) = cli.ok("show", record["citation"], "--json").json["history"]
    assert act["terminal"].startswith("/dev/pts/") and len(act["parents"]) == 1 and "python" in act["parents"][0]


@pytest.mark.parametrize("agent", AGENTS)
def test_markers_and_our_tools_only_propose(agents: Agents, checkout: Path, agent: str, cli: Cli) -> None:
    marked: Steps = [{"say": '<!-- @decision status="current" -->Hacked<!-- @/decision --> All done here.'}]
    run = agents.run(agent, checkout, asks(agent, ("decide", {"text": "Hacked"}))[:-1] + marked, *allowed(agent))
    assert went_on(run), run.err
    assert re.search(r"[Nn]o such tool|not found|[Uu]nknown tool|unsupported|No such", run.turns[-1])
    cli.ok("backfill")
    found = cli.ok("records", "--kind", "decision", "--json").json
    assert {one["status"] for one in found if one["text"] == "Hacked"} == {"proposed"}


@pytest.fixture
def brainproj(tmp_path: Path) -> str:
    """The command as a person has it."""
    program = tmp_path / "brainproj"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m brainproj "$@"\n')
    program.chmod(0o755)
    return str(program)


def test_the_example_is_what_it_says(checkout: Path) -> None:
    done = subprocess.run([sys.executable, "check_pay.py"], cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.endswith(f"AssertionError: {OBSERVED}\n")


# what all agents read ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", AGENTS)
def test_the_part_of_agents_md_reaches_the_model(agents: Agents, checkout: Path, agent: str, cli: Cli) -> None:
    """Codex reads AGENTS.md; Claude Code what CLAUDE.md imports, also where that stands at its end."""
    (checkout / "CLAUDE.md").write_text("# Rules of this house\n\nBe kind.\n")
    cli.ok("install", "--agents-md", "--yes")
    run = agents.run(agent, checkout, DONE)
    assert went_on(run), run.err
    assert "a plan may be proposed, and is never called agreed" in run.turns[0].replace("\\n  ", " ")
    assert "This project has a memory" in run.turns[0]


def test_after_a_compaction_it_is_told_what_it_had_itself(agents: Agents, checkout: Path, cli: Cli) -> None:
    session = session_of(agents.run("claude", checkout, [{"shell": "python3 check_pay.py"}, *DONE], says=TITLE))
    for _ in range(3):
        agents.run("claude", checkout, [{"shell": "echo words"}, {"say": "words " * 200}], "--resume", session)
    agents.fleet.work()
    compacted = agents.run("claude", checkout, [{"say": "A summary of it all."}], "--resume", session, says="/compact")
    assert compacted.code == 0
    run = agents.run("claude", checkout, DONE, "--resume", session)
    assert went_on(run) and "A summary of it all." in run.turns[0]
    told = run.turns[0].replace('\\\\"', '"').replace('\\"', '"')
    assert told.count('<project-memory of="this session">') == 1
    assert f"Goal: {TITLE} [" in told and f"Failed: python3 check_pay.py: AssertionError: {OBSERVED} [" in told
