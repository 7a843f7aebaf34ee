"""What Codex trusts, against hashes that it recorded itself."""

import json
from pathlib import Path

import pytest

from brainproj.agents.codex.settings import INTEGRATION
from brainproj.agents.codex.trust import Trust, hash_of, hooks_are_off, label, read_trust
from brainproj.install.apply import apply_install
from brainproj.install.ledger import read_ledger
from brainproj.install.plan import find_launchers, plan_install
from brainproj.paths import Paths, find_paths

from ..cli import Cli
from ..conftest import DATA

VECTORS = json.loads((DATA / "hooks/codex/trust/hash_vectors.json").read_text())["vectors"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda one: one["event"])
def test_hashes_are_those_of_codex(vector: dict[str, object]) -> None:
    assert hash_of(str(vector["event"]), vector["matcher"], vector["handler"]) == vector["trusted_hash"]  # type: ignore[arg-type]


@pytest.fixture
def paths(home: Path) -> Paths:
    paths = find_paths({}, home)
    apply_install(paths, plan_install(paths, ["codex"]))
    return paths


def read(paths: Paths) -> dict[str, Trust]:
    judge = find_launchers(paths, read_ledger(paths.ledger_path)).judge_for("codex")
    return read_trust(paths.codex_home / "hooks.json", paths.codex_home / "config.toml", INTEGRATION.shape, judge)


def trust(paths: Paths, **changes: str) -> str:
    """config.toml as Codex leaves it when a person has trusted our hooks; `changes`: event → other lines."""
    hooks = json.loads((paths.codex_home / "hooks.json").read_text())["hooks"]
    lines = ["[hooks.state]"]
    for event, groups in hooks.items():
        said = changes.get(event, f'trusted_hash = "{hash_of(event, None, groups[0]["hooks"][0])}"')
        lines += [f'[hooks.state."{paths.codex_home}/hooks.json:{label(event)}:0:0"]', said]
    return "\n".join(lines) + "\n"


def test_every_state(paths: Paths) -> None:
    assert set(read(paths).values()) == {Trust.UNTRUSTED} and len(read(paths)) == 8
    config = paths.codex_home / "config.toml"
    config.write_text(trust(paths, Stop='trusted_hash = "sha256:0"', SessionEnd='trusted_hash = "x"\nenabled = false'))
    found = read(paths)
    assert (found.pop("Stop"), found.pop("SessionEnd")) == (Trust.MODIFIED, Trust.DISABLED)
    assert set(found.values()) == {Trust.TRUSTED}


def test_what_codex_keeps_of_us_is_told_at_the_end(paths: Paths, cli: Cli) -> None:
    config = paths.codex_home / "config.toml"
    config.write_text(config.read_text() + trust(paths))
    said = cli.ok("uninstall", "--yes").err
    assert (
        "under [hooks.state]" in said
        and "hooks.state" in config.read_text()
        and "mcp_servers" not in config.read_text()
    )


@pytest.mark.parametrize("content", ["", "hooks = 1", "[hooks]\nstate = 3", "not toml", "[hooks.state]\nx = 1"])
def test_any_config_may_stand_there(paths: Paths, content: str) -> None:
    (paths.codex_home / "config.toml").write_text(content)
    assert set(read(paths).values()) == {Trust.UNTRUSTED} and not hooks_are_off(paths.codex_home / "config.toml")


def test_without_hooks_there_is_nothing_to_trust(paths: Paths) -> None:
    (paths.codex_home / "hooks.json").write_text("{")
    assert read(paths) == {}
    (paths.codex_home / "config.toml").write_text("[features]\nhooks = false\n")
    assert hooks_are_off(paths.codex_home / "config.toml")
