"""The real agents with a brain kernel on loopback: its memory reaches their model, their markers reach the kernel."""

import time
from pathlib import Path

import pytest

from ..brain.conftest import brain as brain  # the fixture
from ..brain.server import Brain
from ..brain.test_asking import fill
from ..cli import Cli
from ..hooks.conftest import fleet as fleet  # the fixture
from .agents import Agents, session_of
from .test_real_agents import AGENTS  # the fixture
from .test_real_agents import agents as agents

MARK = "Done. <!-- @lesson -->Cool the {} water to twelve degrees.<!-- @/lesson -->"


@pytest.mark.parametrize("agent", AGENTS)
def test_the_fleets_memory_reaches_the_model_and_what_it_learns_reaches_the_fleet(
    agents: Agents, brain: Brain, cli: Cli, agent: str
) -> None:
    fill(brain)
    words = {"alpha": "axolotl", "beta": "bandicoot"}
    for name in words:
        cli.ok("preview", "--cwd", agents.fleet.folder(name))
    for name, word in words.items():
        run = agents.run(agent, agents.fleet.folder(name), [{"say": MARK.format(word)}])
        assert run.code == 0, run.err
        other = next(one for one in words.values() if one != word)
        assert f"Clean the {word} tank" in run.told and f"{word}: Pin the pool size." in run.told
        assert "Replays are paused." in run.told and other not in run.told
        marker = wait_for_marker(brain, f"Cool the {word} water to twelve degrees.")
        attributes = marker["attrs"]
        assert str(marker["type"]) == "lesson" and attributes["session_id"] == session_of(run)
        assert (attributes["project"], attributes["agent"]) == (name, agent)
        assert attributes["cwd"] == str(agents.fleet.folder(name))
    assert len(brain.markers) == 2


def wait_for_marker(brain: Brain, content: str) -> dict[str, dict[str, str]]:
    """The marker with this text, which the worker sends beside the agent."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for one in brain.markers:
            if one["content"] == content:
                return one
        time.sleep(0.1)
    raise AssertionError(f"not sent: {[one['content'] for one in brain.markers]}")


def test_a_brain_that_hangs_costs_an_agent_nothing(agents: Agents, brain: Brain, tmp_path: Path) -> None:
    from ..brain import server

    brain.faults["*"] = server.hang
    began = time.monotonic()
    run = agents.run("claude", agents.fleet.folder("alpha"), [{"say": "Done."}])
    elapsed_s = time.monotonic() - began
    assert run.code == 0 and "axolotl" in run.told
    brain.faults.clear()
    began = time.monotonic()
    assert agents.run("claude", agents.fleet.folder("alpha"), [{"say": "Done."}]).code == 0
    assert elapsed_s < (time.monotonic() - began) + 3
