"""What reaches the model of a real Codex and a real Claude Code: its own project's block, once, and not a word else."""

import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from brainproj.agents.codex.trust import Trust
from brainproj.follow import Follower
from brainproj.install.plan import plan_install
from brainproj.launcher import START, launcher_text
from brainproj.paths import find_paths

from ..agents.test_codex_trust import read as read_codex
from ..agents.test_codex_trust import trust
from ..cli import Cli
from ..conftest import CASES
from ..hooks.conftest import fleet as fleet  # the fixture
from ..hooks.sessions import WORDS, Fleet
from ..hooks.test_delivery import feed, refresh
from ..hooks.test_trouble import drop_privileges
from ..repositories import add_worktree
from ..test_follow import wait_for
from ..test_ingest import store
from .agents import FOLDER, Agents, Run, Steps, program, session_of

AGENTS = ("claude", "codex")
MISSING = [agent for agent in AGENTS if not program(agent).exists()]
README = (Path(__file__).parent.parent.parent / "README.md").read_text("utf-8")
DONE: list[dict[str, object]] = [{"say": "All done here."}]

if MISSING and not os.environ.get("CI"):
    pytest.skip(f"THE REAL AGENTS ARE NOT TESTED: no {' and no '.join(MISSING)} in {FOLDER}", allow_module_level=True)


@pytest.fixture
def agents(fleet: Fleet) -> Agents:
    assert not MISSING, f"no {MISSING} in {FOLDER}"
    return Agents(fleet)


def lesson(name: str) -> str:
    return f"The {WORDS[name]} eats at night."


def went_on(run: Run) -> bool:
    return run.code == 0 and "All done here." in run.out


@pytest.mark.parametrize("agent", AGENTS)
def test_two_repositories_one_session_in_each(agents: Agents, agent: str) -> None:
    for name, other in (("alpha", "beta"), ("beta", "alpha")):
        run = agents.run(agent, agents.fleet.folder(name), [{"shell": "echo hi"}, *DONE])
        assert went_on(run), run.err
        assert len(run.turns) == 2 and all(turn.count(lesson(name)) == 1 for turn in run.turns)
        assert WORDS[other] not in run.told
        assert scrub(injected(run, name)) == scrub(shown_in_readme(name))


def injected(run: Run, name: str) -> str:
    """The block as it stands in the request, out of its JSON."""
    found = re.search(rf'<project-memory project=\\"{name}\\".*?</project-memory>', run.turns[0])
    assert found
    return str(json.loads(f'"{found[0]}"'))


def shown_in_readme(name: str) -> str:
    found = re.search(rf'<!-- injected -->.*?(<project-memory project="{name}".*?</project-memory>)', README, re.DOTALL)
    assert found
    return found[1]


def scrub(text: str) -> str:
    return re.sub(r"arc:\w+", "arc:…", re.sub(r"\d{4}-\d\d-\d\d", "DATE", text))


@pytest.mark.parametrize("agent", AGENTS)
def test_in_a_worktree(agents: Agents, agent: str) -> None:
    tree = add_worktree(agents.fleet.folder("alpha"), agents.fleet.place / "wt", "wt")
    run = agents.run(agent, tree, DONE)
    assert went_on(run) and run.turns[0].count(lesson("alpha")) == 1


@pytest.mark.parametrize("agent", AGENTS)
def test_a_resumed_session_is_not_told_again(agents: Agents, agent: str) -> None:
    alpha = agents.fleet.folder("alpha")
    session = session_of(agents.run(agent, alpha, DONE))
    again = ("--resume", session) if agent == "claude" else ("resume", session)
    run = agents.run(agent, alpha, DONE, *again)
    assert went_on(run) and session_of(run) == session
    assert run.turns[0].count(lesson("alpha")) == 1  # in the history that is sent along


def test_after_a_compaction_it_is_told_once_more(agents: Agents) -> None:
    alpha = agents.fleet.folder("alpha")
    session = session_of(agents.run("claude", alpha, DONE))
    for _ in range(3):
        agents.run("claude", alpha, [{"shell": "echo words"}, {"say": "words " * 200}], "--resume", session)
    compacted = agents.run("claude", alpha, [{"say": "A summary of it all."}], "--resume", session, says="/compact")
    assert compacted.code == 0
    run = agents.run("claude", alpha, DONE, "--resume", session)
    assert went_on(run) and "A summary of it all." in run.turns[0]
    assert run.turns[0].count(lesson("alpha")) == 1


def test_codex_is_told_once_more_after_a_compaction(agents: Agents) -> None:
    alpha = agents.fleet.folder("alpha")
    session = session_of(agents.run("codex", alpha, [{"shell": "echo hi"}, {"say": "One."}]))
    compacting = ("-c", "model_auto_compact_token_limit=5", "resume", session)  # the model says that it used ten
    run = agents.run("codex", alpha, DONE, *compacting)
    assert went_on(run) and len(run.requests) == 2 and run.requests[0]["turn"] is None  # the first asks for a summary
    assert run.turns[0].count(lesson("alpha")) == 1
    with agents.fleet.ready() as db:
        given = db.execute("SELECT moment, epoch FROM delivered ORDER BY at").fetchall()
    assert given[:2] == [("start", 0), ("compact", 1)]
    assert set(given[2:]) <= {("compact", 1)}  # what the session itself had, where it was read in time


def test_a_sub_agent_is_told_too(agents: Agents) -> None:
    look = {"description": "look", "prompt": "Look around for me", "subagent_type": "general-purpose"}
    run = agents.run(
        "claude", agents.fleet.folder("alpha"), [{"tool": "Task", "input": look}, {"say": "I looked."}, *DONE]
    )
    assert went_on(run) and len(run.turns) == 3
    its_own = next(turn for turn in run.turns if "Look around for me" in turn and "tool_use" not in turn)
    assert its_own.count(lesson("alpha")) == 1


def test_a_sub_agent_of_codex_is_told_too(agents: Agents) -> None:
    asked = '"text": "Look around for me"'  # as the sub-agent's own request has it, and only that
    record = agents.fleet.place / "codex-requests.jsonl"
    until_asked = f"for _ in $(seq 300); do grep -q '{asked}' '{record}' && break; sleep 0.1; done"
    spawn: dict[str, object] = {"tool": "multi_agent_v1.spawn_agent", "input": {"message": "Look around for me"}}
    waiting: dict[str, object] = {"shell": until_asked}  # whichever of the two gets it first
    run = agents.run("codex", agents.fleet.folder("alpha"), [spawn, waiting, waiting, *DONE])
    assert went_on(run)
    its_own = next(turn for turn in run.turns if asked in turn)
    assert its_own.count(lesson("alpha")) == 1
    with agents.fleet.ready() as db:
        given = db.execute("SELECT moment, session_id, agent_id != '' FROM delivered ORDER BY at").fetchall()
    assert [(moment, child) for moment, _, child in given] == [("start", 0), ("subagent_start", 1)]
    assert len({session for _, session, _ in given}) == 1  # a child of the session, not one of its own


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("scope", ["rank", "off"])
def test_in_another_scope(agents: Agents, agent: str, scope: str) -> None:
    feed(agents.fleet, "hot-arcs", "- the quokka arc")
    refresh(agents.fleet)
    run = agents.run(agent, agents.fleet.folder("alpha"), DONE, environment={"BRAIN_PROJECT_SCOPE": scope})
    assert went_on(run) and "quokka arc" in run.told
    assert (lesson("alpha") in run.told) == (scope == "rank")
    assert WORDS["beta"] not in run.told


@pytest.mark.parametrize("first", ["off", "strict"])
def test_ones_sessions_scope_beside_anothers(agents: Agents, first: str) -> None:
    feed(agents.fleet, "hot-arcs", "- the quokka arc")
    refresh(agents.fleet)
    for scope in (first, "strict" if first == "off" else "off"):
        environment = {"BRAIN_PROJECT_SCOPE": "off"} if scope == "off" else {}
        run = agents.run("claude", agents.fleet.folder("alpha"), DONE, environment=environment)
        assert went_on(run)
        assert ("quokka arc" in run.told, lesson("alpha") in run.told) == (
            (True, False) if scope == "off" else (False, True)
        )


# the agent always goes on --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", AGENTS)
def test_with_the_store_locked(agents: Agents, agent: str) -> None:
    hold = [sys.executable, str(CASES / "15-database-is-locked" / "hold-lock.py")]
    with subprocess.Popen(
        [*hold, str(agents.fleet.base / "ready.db"), "60"], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        run = agents.run(agent, agents.fleet.folder("alpha"), [{"shell": "echo hi"}, *DONE])
        holder.kill()
    assert went_on(run) and lesson("alpha") in run.turns[0]


@pytest.mark.parametrize("agent", AGENTS)
def test_with_a_home_that_cannot_be_written(agents: Agents, agent: str) -> None:
    base = agents.fleet.base
    with agents.fleet.ready() as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for part in ("-wal", "-shm"):
        (base / f"ready.db{part}").unlink(missing_ok=True)
    for path in base.iterdir():
        path.chmod(path.stat().st_mode & 0o555)
    base.chmod(0o500)
    try:
        run = agents.run(agent, agents.fleet.folder("alpha"), [{"shell": "echo hi"}, *DONE], preexec_fn=drop_privileges)
    finally:
        base.chmod(0o700)
    assert went_on(run) and lesson("alpha") in run.turns[0]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("gone", ["file", "interpreter", "home"])
def test_with_what_it_runs_deleted_on_the_way(agents: Agents, agent: str, gone: str, tmp_path: Path) -> None:
    base = agents.fleet.base
    package, python = tmp_path / "package", tmp_path / "python"
    shutil.copytree(START.parent.parent, package / "brainproj", ignore=shutil.ignore_patterns("__pycache__"))
    python.symlink_to(sys.executable)
    start = package / "brainproj" / "hooks" / "start.py"
    (base / "hook").write_text(launcher_text(base, str(python), start))
    target = {"file": package, "interpreter": python, "home": base}[gone]
    run = agents.run(
        agent,
        agents.fleet.folder("alpha"),
        [{"shell": f"mv '{target}' '{target}.gone'"}, {"shell": "echo still here"}, *DONE],
    )
    assert went_on(run) and "still here" in run.told
    assert lesson("alpha") in run.turns[0]
    assert not target.exists()


# what these sessions leave ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", AGENTS)
def test_what_was_told_is_an_echo_in_the_transcript(agents: Agents, agent: str, cli: Cli) -> None:
    records = store(agents.fleet.home).execute("SELECT count(*) FROM records").fetchone()
    session = session_of(
        agents.run(agent, agents.fleet.folder("alpha"), [{"shell": "echo hi"}, *DONE], says="A new question")
    )
    cli.ok("backfill")
    assert store(agents.fleet.home).execute("SELECT count(*) FROM records").fetchone() == records
    found = next(one for one in cli.ok("sessions", "--all", "--json").json if one["session_id"] == session)
    assert found["project"]["name"] == "alpha"
    hits = cli.ok("search", "eats at night", "--project", "alpha", "--json").json
    assert hits and session not in {hit["session_id"] for hit in hits}
    assert cli.ok("preview", "--cwd", agents.fleet.folder("alpha")).out.count("eats at night") == 1


@pytest.mark.parametrize("agent", AGENTS)
def test_put_in_and_taken_out_with_the_agent_running_in_between(agents: Agents, agent: str) -> None:
    """The settings come back to the byte, whatever the agent itself did with its home meanwhile."""
    agents.uninstall()
    own = {
        agents.claude_home
        / "settings.json": b'{\n    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}\n}',
        agents.codex_home
        / "hooks.json": b'{"hooks": {"Stop": [ {"hooks": [{"type": "command", "command": "true"}]} ]}}\n',
    }
    for path, content in own.items():
        path.write_bytes(content)
    folder = agents.fleet.folder("alpha")
    before = agents.run(agent, folder, DONE)
    assert went_on(before) and lesson("alpha") not in before.told
    agents.install()
    during = agents.run(agent, folder, DONE)
    assert went_on(during) and during.turns[0].count(lesson("alpha")) == 1
    agents.uninstall()
    after = agents.run(agent, folder, DONE)
    assert went_on(after) and "<project-memory" not in after.told
    assert {path: path.read_bytes() for path in own} == own
    left = [path for home in (agents.claude_home, agents.codex_home) for path in home.rglob("*brainproj*")]
    assert [path for path in left if "alpha" not in str(path)] == []


@pytest.mark.parametrize(
    ("agent", "change"),
    [("claude", "// mine\n"), ("claude", "/* mine */"), ("codex", "// mine\n"), ("codex", "\ufeff")],
)
def test_an_agent_passes_by_files_of_these_forms_and_we_say_so(agents: Agents, agent: str, change: str) -> None:
    path = {"claude": agents.claude_home / "settings.json", "codex": agents.codex_home / "hooks.json"}[agent]
    path.write_text(change + path.read_text())
    run = agents.run(agent, agents.fleet.folder("alpha"), DONE)
    assert went_on(run) and lesson("alpha") not in run.told
    steps = plan_install(find_paths({}, agents.fleet.home), [agent]).steps
    assert "passes by a whole file" in steps[0][1]


def test_codex_runs_what_we_take_for_trusted_and_nothing_else(agents: Agents) -> None:
    """Our reading of its trust against what it does."""
    agents.trusts_all = False
    folder = agents.fleet.folder("alpha")
    run = agents.run("codex", folder, DONE)
    assert went_on(run) and lesson("alpha") not in run.told
    paths = find_paths({}, agents.fleet.home)
    assert set(read_codex(paths).values()) == {Trust.UNTRUSTED}
    agents.trusted = trust(paths)
    run = agents.run("codex", folder, DONE)
    assert went_on(run) and run.turns[0].count(lesson("alpha")) == 1
    assert set(read_codex(paths).values()) == {Trust.TRUSTED}
    agents.trusted = trust(paths, SessionStart='trusted_hash = "sha256:0"')
    run = agents.run("codex", folder, DONE)
    assert "SessionStart" not in run.out and read_codex(paths)["SessionStart"] is Trust.MODIFIED
    assert run.turns[0].count(lesson("alpha")) == 1  # at the first prompt


def test_the_skill_is_offered_by_both(agents: Agents) -> None:
    for agent in AGENTS:
        run = agents.run(agent, agents.fleet.folder("alpha"), DONE)
        assert "Look up what was done, decided and tried before in this project" in run.told


CHECK = "E   AssertionError: Expected 1 charge, observed 2 charges"


@pytest.mark.parametrize(("first", "second"), [("claude", "codex"), ("codex", "claude")])
def test_a_failing_check_of_one_agent_is_found_by_the_other_while_the_first_is_open(
    agents: Agents, first: str, second: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first is held in the middle of its turn: its next command waits until the second one is done.

    Nothing was set up for it but by `install`.
    """
    folder = agents.fleet.folder("alpha")
    (folder / "test_pay.py").write_text("")
    gate = agents.fleet.place / "gate"
    failing = f"printf 'collected 1 item\\n{CHECK}\\n1 failed in 0.02s\\n'; exit 1"
    steps: Steps = [{"shell": failing}, {"shell": f"until [ -e {gate} ]; do sleep 0.1; done"}, *DONE]
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        held = pool.submit(agents.run, first, folder, steps)
        try:
            watching = Follower(
                find_paths({}, agents.fleet.home), stop := threading.Event(), lambda _: None, lambda _: None
            )
            follower = threading.Thread(target=watching.run)
            follower.start()
            monkeypatch.chdir(folder)
            wait_for(lambda: cli.ok("attempts", "observed", "--json").json)
            cited = cli.ok("attempts", "observed", "--json").json[0]["citation"]
            tool = "mcp__brainproj.{}" if second == "codex" else "mcp__brainproj__{}"
            asked: Steps = [
                {
                    "shell": "sleep 8" if second == "codex" else "true"
                },  # Codex begins its first turn while its servers still start
                {"tool": tool.format("attempts"), "input": {"query": "charge"}},
                {"tool": tool.format("expand"), "input": {"address": cited}},
                *DONE,
            ]
            run = agents.run(
                second,
                folder,
                asked,
                *(
                    ("--allowedTools=Bash,mcp__brainproj__attempts,mcp__brainproj__expand",)
                    if second == "claude"
                    else ()
                ),
            )
            assert not held.done()
        finally:
            gate.touch()
            stop.set()
            follower.join(10)
        assert went_on(held.result(90))
    assert went_on(run), run.err
    assert cited in run.turns[-1] and run.turns[-1].count("Expected 1 charge, observed 2 charges") >= 2
    cli.ok("backfill")
    assert len(cli.ok("attempts", "observed", "--json").json) == 1  # the answers are echoes
