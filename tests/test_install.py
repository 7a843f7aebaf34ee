"""`install` and `uninstall`: other people's files stay theirs, to the byte."""

import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brainproj.agents.hookfile import put_hooks, take_hooks
from brainproj.agents.integrations import INTEGRATIONS
from brainproj.agents.registry import agent_home
from brainproj.core.jsontext import parse_json
from brainproj.errors import BrainError
from brainproj.files import exchange
from brainproj.install.apply import apply_install, apply_uninstall
from brainproj.install.ledger import Ledger, read_ledger
from brainproj.install.parts import HookPart, skill_text
from brainproj.install.plan import find_launchers, plan_install, plan_uninstall
from brainproj.launcher import launcher_command, read_call
from brainproj.paths import Paths, find_paths

from .cli import Cli, at_terminal, spawn
from .conftest import CASES, DATA
from .repositories import add_worktree, git, make_repository

AGENTS = ("claude", "codex", "cursor")
PLACES = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "cursor": ".cursor/hooks.json"}


@pytest.fixture
def paths(home: Path) -> Paths:
    for agent in AGENTS:
        (home / f".{agent}").mkdir()
    return find_paths({}, home)


def put_in(paths: Paths, *agents: str, **options: Any) -> None:
    plan = apply_install(paths, plan_install(paths, agents or AGENTS, **options))
    assert not plan.problems


def take_out(paths: Paths, *agents: str) -> None:
    assert not apply_uninstall(paths, plan_uninstall(paths, agents or AGENTS)).problems


def tree(folder: Path) -> dict[str, tuple[int, bytes | str]]:
    """Everything below a folder but our own home: mode, and content or target."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name.startswith(".brainproj"):
            continue
        mode = stat.S_IMODE(path.lstat().st_mode)
        if path.is_symlink():
            found[name] = (mode, os.readlink(path))
        else:
            found[name] = (mode, path.read_bytes() if path.is_file() else "folder")
    return found


def commands_in(value: Any) -> Iterator[str]:
    """Every command that a settings file holds, wherever."""
    if isinstance(value, dict):
        if isinstance(value.get("command"), str):
            yield value["command"]
        for one in value.values():
            yield from commands_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from commands_in(one)


# what is written ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["codex", "cursor"])
def test_what_is_written_is_what_the_agents_schema_wants(paths: Paths, agent: str) -> None:
    put_in(paths)
    schema = json.loads((DATA / "hooks" / agent / "schemas" / "hooks.json.schema.json").read_text())
    jsonschema.validate(json.loads((paths.user_home / PLACES[agent]).read_text()), schema)


def test_each_event_calls_the_launcher_by_its_own_name(paths: Paths) -> None:
    put_in(paths)
    for one in INTEGRATIONS:
        hooks = json.loads((paths.user_home / PLACES[one.agent]).read_text())["hooks"]
        assert list(hooks) == [entry.event for entry in one.entries]
        for event in hooks:
            assert list(commands_in(hooks[event])) == [f"{paths.launcher} {one.agent} {event}"]


def test_the_skill_is_the_same_bytes_for_all_and_of_the_open_format(paths: Paths) -> None:
    put_in(paths)
    skills = [paths.user_home / folder / "skills/brainproj/SKILL.md" for folder in (".claude", ".agents")]
    assert {path.read_text() for path in skills} == {skill_text()}
    head = skill_text().split("---")[1]
    assert "name: brainproj\n" in head and "generated-by: brainproj" in head
    description = next(line for line in head.splitlines() if line.startswith("description: "))
    assert 1 <= len(description) - 13 <= 1024 and ": " not in description[13:]
    assert {line.split(":")[0] for line in head.splitlines() if line and line[0] != " "} <= {
        "name", "description", "license", "compatibility", "metadata", "allowed-tools"
    }  # fmt: skip


def test_the_commands_of_the_skill_are_there(
    cli: Cli, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(make_repository(tmp_path / "alpha"))
    cli.ok("task", "new", "TASK")
    shown = [part for part in skill_text().split("`") if part.startswith("brainproj ") and "ADDRESS" not in part]
    assert len(shown) >= 5
    for command in shown:
        words = shlex.split(command)[1:]
        if words[0] not in ("decide", "handoff"):  # a person's act, and one that reads stdin
            cli.ok(*words)


# the cases ---------------------------------------------------------------------------------------------------------


def test_comments_order_and_indentation_stay(paths: Paths) -> None:  # cases/19
    path = paths.claude_home / "settings.json"
    path.write_bytes(before := (CASES / "19-settings-with-comments" / "settings.json").read_bytes())
    put_in(paths, "claude")
    text = path.read_text()
    for words in ("// model for daily work", "/* hooks of my own,\n     do not touch */", "}, // careful", "a//b"):
        assert words in text
    old, new = parse_json(before.decode()).value, parse_json(text).value
    assert {**new, "hooks": {"Stop": new["hooks"]["Stop"][:1]}} == old
    take_out(paths, "claude")
    assert path.read_bytes() == before


def test_links_stay_links(home: Path, tmp_path: Path) -> None:  # cases/20
    subprocess.run(["sh", str(CASES / "20-settings-is-a-symlink" / "setup.sh"), str(tmp_path / "linked")], check=True)
    home = tmp_path / "linked" / "home"
    paths, before = find_paths({}, home), tree(tmp_path / "linked")
    put_in(paths, "claude", "codex")
    during = tree(tmp_path / "linked")
    assert {name: one for name, one in during.items() if isinstance(one[1], str) and name in before} == {
        name: one for name, one in before.items() if isinstance(one[1], str)
    }
    assert b"hook claude Stop" in during["dotfiles/claude/settings.json"][1]
    assert during["dotfiles/claude/settings.json"][0] == 0o600
    assert "dotfiles/codex/hooks.json" in during and "dotfiles/claude/settings.json.brainproj.bak" not in during
    take_out(paths, "claude", "codex")
    shutil.rmtree(home / ".brainproj")
    assert tree(tmp_path / "linked") == before


def test_only_ours_goes_and_nothing_is_doubled(paths: Paths) -> None:  # cases/21
    path = paths.claude_home / "settings.json"
    path.write_bytes(before := (CASES / "21-uninstall-only-ours" / "settings.json").read_bytes())
    put_in(paths, "claude")
    once = path.read_bytes()
    for _ in range(4):
        put_in(paths, "claude")
    assert path.read_bytes() == once
    value = json.loads(once)
    assert sorted(set(commands_in(json.loads(before))) - set(commands_in(value))) == []
    for event in value["hooks"]:
        assert list(commands_in(value["hooks"][event])).count(f"{paths.launcher} claude {event}") == (
            1 if event in {entry.event for entry in INTEGRATIONS[0].entries} else 0
        )
    take_out(paths, "claude")
    assert path.read_bytes() == before
    put_in(paths, "claude")
    value = json.loads(path.read_text())
    value["hooks"]["Stop"][-1]["hooks"].append({"type": "command", "command": "~/bin/mine"})
    path.write_text(json.dumps(value, indent=4))
    take_out(paths, "claude")
    left = json.loads(path.read_text())
    assert list(commands_in(left)) == [*list(commands_in(json.loads(before)))[:3], "~/bin/mine", "~/bin/status"]


def test_a_home_with_blanks_and_quotes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # cases/23
    home = tmp_path / 'Ana Lee\'s "x" $HOME'
    for agent in AGENTS:
        (home / f".{agent}").mkdir(parents=True)
    paths = find_paths({}, home)
    before = tree(home)
    put_in(paths)
    monkeypatch.setenv("HOME", str(home))
    for agent, place in PLACES.items():
        commands = list(commands_in(json.loads((home / place).read_text())))
        assert commands
        for command in commands:
            words = shlex.split(command)
            assert words[0] == str(paths.launcher) and os.access(words[0], os.X_OK) and words[1] == agent
            done = subprocess.run(["sh", "-c", command], input=b"{}", capture_output=True, check=False)
            assert (done.returncode, done.stdout) in ((0, b""), (0, b"{}"), (0, b'{"continue": true}'))
    take_out(paths)
    shutil.rmtree(paths.home)
    assert tree(home) == before


def test_an_entry_that_was_not_quoted_is_mended_in_its_place(tmp_path: Path) -> None:
    home = tmp_path / "Ana Lee"
    (home / ".claude").mkdir(parents=True)
    paths = find_paths({}, home)
    entry = {"type": "command", "command": f"{paths.launcher} claude Stop", "timeout": 44}
    (home / ".claude/settings.json").write_text(json.dumps({"hooks": {"Stop": [{"hooks": [entry, entry]}]}}))
    put_in(paths, "claude")
    stop = json.loads((home / ".claude/settings.json").read_text())["hooks"]["Stop"]
    assert stop == [{"hooks": [{**entry, "command": f"'{paths.launcher}' claude Stop"}]}]
    take_out(paths, "claude")
    assert json.loads((home / ".claude/settings.json").read_text()) == {}


# the round trip, as a property -------------------------------------------------------------------------------------

HANDLERS = st.fixed_dictionaries(
    {
        "type": st.just("command"),
        "command": st.sampled_from(["ding", "brainproj hook", "/x/.brainproj/hook claude Stop", "é"]),
    },
    optional={"timeout": st.integers(1, 9)},
)
GROUPS = st.fixed_dictionaries(
    {"hooks": st.lists(HANDLERS, max_size=3)}, optional={"matcher": st.sampled_from(["", "Bash|Edit"])}
)
EVENTS = st.sampled_from(["SessionStart", "Stop", "PreToolUse", "SessionEnd", "sessionStart", "stop"])
OTHERS = st.dictionaries(
    st.sampled_from(["model", "env", "permissions", "statusLine"]),
    st.recursive(st.booleans() | st.text(max_size=6), lambda one: st.lists(one, max_size=3), max_leaves=4),
    max_size=3,
)


@st.composite
def files(draw: st.DrawFn, grouped: bool) -> bytes:
    """A settings file: any layout, line ends, mark and comments; hooks of others in any number."""
    value: dict[str, Any] = dict(draw(OTHERS))
    if draw(st.booleans()):
        entry: st.SearchStrategy[Any] = GROUPS if grouped else HANDLERS
        value["hooks"] = draw(st.dictionaries(EVENTS, st.lists(entry, max_size=3), max_size=4))
    if not grouped and draw(st.booleans()):
        value["version"] = 1
    value = dict(draw(st.permutations(list(value.items()))))
    text = json.dumps(value, indent=draw(st.sampled_from([None, 1, 2, 4, "\t"])), ensure_ascii=draw(st.booleans()))
    if draw(st.booleans()):
        text = text.replace("{", "{ // own words", 1).replace(" // own words", " // own words\n", 1)
    if draw(st.booleans()):
        text = text.replace("[", "[ /* a list */ ", 1)
    text = draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", "\n", "\n\n", " // end"]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))).encode()


@pytest.mark.parametrize("integration", INTEGRATIONS, ids=lambda one: one.agent)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_any_file_comes_back_to_the_byte(paths: Paths, integration: Any, data: st.DataObject) -> None:
    before = data.draw(files(integration.shape.is_grouped))
    path = agent_home(paths, integration.agent) / integration.hook_file
    path.write_bytes(before)
    put_in(paths, integration.agent)
    during = path.read_bytes()
    old, new = parse_json(before.decode()).value, parse_json(during.decode()).value
    for event, entries in old.get("hooks", {}).items():
        assert new["hooks"][event][: len(entries)] == entries  # nothing moves: Codex trusts by place
    assert {name: one for name, one in new.items() if name not in ("hooks", "version")} == {
        name: one for name, one in old.items() if name not in ("hooks", "version")
    }
    assert (b"\r\n" in before) == (b"\r\n" in during)
    put_in(paths, integration.agent)
    assert path.read_bytes() == during
    take_out(paths, integration.agent)
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir() if one.is_file()] == [path.name]


@pytest.mark.parametrize("integration", INTEGRATIONS, ids=lambda one: one.agent)
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_and_without_backup_and_ledger_it_means_the_same(paths: Paths, integration: Any, data: st.DataObject) -> None:
    text = data.draw(files(integration.shape.is_grouped)).decode()
    part = HookPart(Path("x"), integration, find_launchers(paths, Ledger()))
    put = part.put(text, None)
    assert put is not None and part.put(put, None) == put
    left = part.take(put, None)
    assert left is not None
    old, new = parse_json(text).value, parse_json(left).value
    own = {entry.event for entry in integration.entries}
    hooks = {event: one for event, one in old.get("hooks", {}).items() if one or event not in own}
    assert new.get("hooks", {}) == hooks or (not hooks and "hooks" not in new)
    assert {**new, "hooks": 0, "version": 1} == {**old, "hooks": 0, "version": 1}


@pytest.mark.parametrize("integration", INTEGRATIONS, ids=lambda one: one.agent)
@pytest.mark.parametrize("indent", [None, 2, 4, "\t"])
def test_a_file_laid_out_as_programs_do_comes_back_even_then(paths: Paths, integration: Any, indent: Any) -> None:
    """As after Claude Code has written its settings anew while we were in them."""
    entry = {"hooks": [{"type": "command", "command": "ding"}]} if integration.shape.is_grouped else {"command": "ding"}
    value = {"version": 1, "hooks": {integration.entries[1].event: [entry]}, "a": [{"b": 1}]}
    before = json.dumps(value, indent=indent)
    part = HookPart(Path("x"), integration, find_launchers(paths, Ledger()))
    grown = json.dumps(json.loads(part.put(before, None) or ""), indent=indent)
    assert part.take(grown, None) == before


# codex trusts by place ---------------------------------------------------------------------------------------------


def test_a_group_of_codex_keeps_its_place_when_ours_before_it_goes(paths: Paths) -> None:
    path = paths.codex_home / "hooks.json"
    path.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}')
    put_in(paths, "codex")
    value = json.loads(path.read_text())
    value["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "b"}]})
    path.write_text(json.dumps(value))
    take_out(paths, "codex")
    a, b = ({"hooks": [{"type": "command", "command": one}]} for one in "ab")
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [a, {"hooks": []}, b]}}


def test_an_upgrade_changes_no_byte(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    put_in(paths)
    during = tree(paths.user_home)
    monkeypatch.setattr("brainproj.launcher.START", paths.user_home / "another" / "version" / "start.py")
    put_in(paths)
    assert "another/version" in paths.launcher.read_text()
    assert tree(paths.user_home) == during


def test_an_entry_whose_time_somebody_changed_is_left(paths: Paths) -> None:
    put_in(paths, "claude")
    path = paths.claude_home / "settings.json"
    path.write_text(text := path.read_text().replace('"timeout": 10', '"timeout": 30'))
    put_in(paths, "claude")
    assert path.read_text() == text


# what is left as it is ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"a": 1,}', "line 1"), (b"[]", "no object"), (b'{"hooks": []}', "no object"), (b'{"hooks": {"Stop": {}}}', "no list"),
        (b"\xff\xfe{\x00}\x00", "UTF-8"), (b'{"model": "x"\n"y": 2}', "line 2"), (b'{"a": 1}}', "after the value"),
    ],
)  # fmt: skip
def test_what_does_not_parse_is_named_and_left(paths: Paths, cli: Cli, content: bytes, says: str) -> None:
    path = paths.claude_home / "settings.json"
    path.write_bytes(content)
    for command in ("install", "uninstall"):
        arguments = (command, "claude", "codex", "--yes", *(("--no-backfill",) if command == "install" else ()))
        done = cli(*arguments)
        if command == "install" or b"hooks" not in content:
            assert (done.code, path.read_bytes()) == (1, content) or command == "uninstall"
            assert command == "uninstall" or (says in done.err and str(path) in done.err)
        assert path.read_bytes() == content
        assert (paths.codex_home / "hooks.json").exists() == (command == "install")  # the others go on


def test_a_skill_that_somebody_changed_is_theirs(paths: Paths, cli: Cli) -> None:
    put_in(paths, "claude")
    skill = paths.claude_home / "skills/brainproj/SKILL.md"
    skill.write_text("mine now")
    assert cli("install", "claude", "--yes", "--no-backfill").code == 1
    done = cli("uninstall", "--yes")
    assert done.code == 1 and "changed it" in done.err and skill.read_text() == "mine now"


def test_a_file_that_cannot_be_written_is_named(paths: Paths, cli: Cli) -> None:
    (paths.user_home / ".codex").rmdir()
    (paths.user_home / ".codex").symlink_to("/proc/nowhere")
    done = cli("install", "claude", "codex", "--yes", "--no-backfill")
    assert done.code == 1 and ".codex/hooks.json was left as it is: cannot write" in done.err
    assert (paths.claude_home / "settings.json").exists()
    assert cli("uninstall", "--yes").code == 0 and not (paths.claude_home / "settings.json").exists()


def test_what_is_left_is_not_played_down(paths: Paths, cli: Cli) -> None:
    path = paths.claude_home / "settings.json"
    path.write_text("{,}")
    done = cli("install", "claude", "--yes")
    assert "no hook was put in: see to" in done.err and "workspace dialog" not in done.err and done.out == ""
    put_in(paths, "codex")
    done = cli("uninstall", "--yes")
    assert done.code == 1 and "rm -r" not in done.err and "mend it, and run this again" in done.err
    path.write_text("{} // mine")
    assert (
        "mend" in cli.ok("install", "claude", "--yes", "--no-backfill").err.partition("Still to do")[2].splitlines()[1]
    )
    assert cli("install", "claude", "--project", "--statusline").code == 2


@pytest.mark.parametrize("content", [b"", b"\n", b"  \r\n\t", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_an_empty_file_is_a_file(paths: Paths, content: bytes) -> None:
    for place in PLACES.values():
        (paths.user_home / place).write_bytes(content)
    assert apply_uninstall(paths, plan_uninstall(paths, AGENTS)).problems == ()
    put_in(paths)
    assert all(b"brainproj/hook" in (paths.user_home / place).read_bytes() for place in PLACES.values())
    take_out(paths)
    assert all((paths.user_home / place).read_bytes() == content for place in PLACES.values())


def test_empty_lists_of_others_stay_whoever_wrote_the_file_anew(paths: Paths) -> None:
    own = {"claude": {"hooks": {"Stop": [], "PreToolUse": []}}, "codex": {"hooks": {}}, "cursor": {"hooks": {}}}
    for agent, value in own.items():
        (paths.user_home / PLACES[agent]).write_text(json.dumps(value))
    put_in(paths)
    for place in PLACES.values():
        path = paths.user_home / place
        path.write_text(json.dumps(json.loads(path.read_text()), indent=2))
    take_out(paths)
    for agent, value in own.items():
        assert json.loads((paths.user_home / PLACES[agent]).read_text()) == value


def test_a_file_that_has_the_name_of_the_backup_is_left(paths: Paths) -> None:
    path = paths.claude_home / "settings.json"
    path.write_text('{ "a": 1 }')
    backup = path.with_name("settings.json.brainproj.bak")
    backup.write_text("mine")
    put_in(paths, "claude")
    take_out(paths)
    assert backup.read_text() == "mine" and json.loads(path.read_text()) == {"a": 1}


@pytest.mark.parametrize(
    "ledger", ["gone", "{", "[]", '{"files": []}', '{"launchers": [""], "files": {"a\\u0000": {}}}', "folder"]
)
def test_without_a_ledger_nothing_is_left_either(paths: Paths, cli: Cli, ledger: str) -> None:
    before = tree(paths.user_home)
    (paths.claude_home / "settings.json").write_text(
        mine := '{"hooks": {"Stop": [{"hooks": [{"command": ". ./env.sh"}]}]}}'
    )
    put_in(paths)
    paths.ledger_path.unlink()
    if ledger == "folder":
        paths.ledger_path.mkdir()
    elif ledger != "gone":
        paths.ledger_path.write_text(ledger)
    cli("status")
    cli("uninstall", "--yes")
    assert json.loads((paths.claude_home / "settings.json").read_text()) == json.loads(mine)
    (paths.claude_home / "settings.json").unlink()
    assert set(tree(paths.user_home)) - {".agents", ".agents/skills", ".claude/skills"} == set(before)


def test_the_last_of_two_status_lines_is_ours(paths: Paths, cli: Cli) -> None:
    path = paths.claude_home / "settings.json"
    path.write_text("{}")
    cli.ok("install", "claude", "--statusline", "--yes", "--no-backfill")
    path.write_text(path.read_text().replace("{", '{"statusLine": {"type": "command", "command": "mine"},', 1))
    cli.ok("uninstall", "--yes")
    assert json.loads(path.read_text()) == {"statusLine": {"type": "command", "command": "mine"}}


def test_a_home_that_no_settings_file_can_name(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    home = os.fsencode(tmp_path) + b"/h\xff"
    os.makedirs(home + b"/.claude")
    monkeypatch.setenv("HOME", os.fsdecode(home))
    done = cli("install", "claude", "--yes", "--no-backfill")
    assert done.code == 1 and "its path is not UTF-8" in done.err and os.listdir(home + b"/.claude/skills/brainproj")
    assert stat.S_IMODE(os.stat(home + b"/.brainproj").st_mode) == 0o700


def test_a_pipe_in_the_place_of_settings_holds_nobody_up(paths: Paths, cli: Cli) -> None:
    os.mkfifo(paths.claude_home / "settings.json")
    done = cli("install", "claude", "--yes", "--no-backfill")
    assert done.code == 1 and "is no file" in done.err
    assert "unreadable" in cli.ok("status").out


# one agent of several, other homes ---------------------------------------------------------------------------------


def test_what_two_agents_read_stays_until_both_are_out(paths: Paths) -> None:
    before = tree(paths.user_home)
    put_in(paths)
    take_out(paths, "codex")
    assert (paths.user_home / ".agents/skills/brainproj/SKILL.md").exists()
    assert not (paths.codex_home / "hooks.json").exists()
    take_out(paths, "cursor")
    assert not (paths.user_home / ".agents").exists()
    take_out(paths)
    assert tree(paths.user_home) == before and not paths.ledger_path.exists()


def test_an_installation_in_another_home_of_the_agent_is_found_again(paths: Paths, home: Path) -> None:
    elsewhere = find_paths({"CODEX_HOME": str(home / "work/codex")}, home)
    put_in(elsewhere, "codex")
    assert (home / "work/codex/hooks.json").exists()
    take_out(paths)
    assert not (home / "work").exists()


def test_entries_of_an_earlier_home_of_ours_are_ours(paths: Paths, home: Path) -> None:
    old = find_paths({"BRAINPROJ_HOME": str(home / "old")}, home)
    put_in(old)
    shutil.copytree(home / "old", home / ".brainproj")
    put_in(paths)
    text = (paths.claude_home / "settings.json").read_text()
    assert str(home / "old") not in text and text.count(str(paths.launcher)) == len(INTEGRATIONS[0].entries)
    take_out(paths)
    assert (
        not (paths.claude_home / "settings.json").exists()
        or json.loads((paths.claude_home / "settings.json").read_text()) == {}
    )


def test_entries_written_by_hand_after_the_readme_are_ours(paths: Paths) -> None:
    entry = {"type": "command", "command": "~/.brainproj/hook claude Stop"}
    path = paths.claude_home / "settings.json"
    path.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [entry]}]}}))
    put_in(paths, "claude")
    assert json.loads(path.read_text())["hooks"]["Stop"] == [{"hooks": [entry]}]
    take_out(paths)
    assert json.loads(path.read_text()) == {}


@pytest.mark.parametrize(
    "command",
    ["brainproj hook claude Stop", "/x/.brainproj/hook claude Stop", "echo {launcher} claude Stop", "{launcher}x claude Stop",
     "'{launcher}", "", "sh -c '{launcher} claude Stop'", "FOO=1 {launcher} claude Stop"],
)  # fmt: skip
def test_a_command_of_like_sound_is_not_ours(paths: Paths, command: str) -> None:
    assert read_call(command.format(launcher=paths.launcher), [paths.launcher], paths.user_home) is None


# one project alone -------------------------------------------------------------------------------------------------


def test_for_one_checkout_alone_and_git_sees_nothing(
    paths: Paths, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = make_repository(tmp_path / "alpha")
    before, exclude = tree(repository), (repository / ".git/info/exclude").read_bytes()
    monkeypatch.chdir(repository)
    cli.ok("install", "--project", "--yes", "--no-backfill")
    for place in (
        ".claude/settings.local.json",
        ".codex/hooks.json",
        ".cursor/hooks.json",
        ".agents/skills/brainproj/SKILL.md",
    ):
        assert (repository / place).exists()
    assert not (paths.claude_home / "settings.json").exists()
    assert git(repository, "status", "--porcelain", "-uall") == ""
    cli.ok("uninstall", "codex", "--project", "--yes")
    assert not (repository / ".codex").exists() and (repository / ".cursor/hooks.json").exists()
    assert git(repository, "status", "--porcelain", "-uall") == ""
    cli.ok("uninstall", "--yes")
    assert tree(repository) == before and (repository / ".git/info/exclude").read_bytes() == exclude


def test_a_file_that_git_tracks_is_left(
    paths: Paths, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = make_repository(tmp_path / "alpha")
    (repository / ".codex").mkdir()
    (repository / ".codex/hooks.json").write_text("{}")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "hooks")
    monkeypatch.chdir(repository)
    done = cli("install", "codex", "--project", "--yes", "--no-backfill")
    assert done.code == 1 and "git tracks it" in done.err
    assert (repository / ".codex/hooks.json").read_text() == "{}" and git(repository, "status", "--porcelain") == ""


def test_two_worktrees_share_gits_list(paths: Paths, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = make_repository(tmp_path / "alpha")
    tree_ = add_worktree(repository, tmp_path / "wt", "wt")
    exclude = (repository / ".git/info/exclude").read_bytes()
    for folder in (repository, tree_):
        monkeypatch.chdir(folder)
        cli.ok("install", "claude", "--project", "--yes", "--no-backfill")
    for folder, other in ((repository, tree_), (tree_, repository)):
        monkeypatch.chdir(folder)
        cli.ok("uninstall", "--project", "--yes")
        assert git(other, "status", "--porcelain", "-uall") == ""
        monkeypatch.chdir(folder)
        if folder == repository:
            assert (tree_ / ".claude/settings.local.json").exists()
    assert (repository / ".git/info/exclude").read_bytes() == exclude


def test_lines_of_others_in_gits_list_stay(
    paths: Paths, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = make_repository(tmp_path / "alpha")
    exclude = repository / ".git/info/exclude"
    exclude.write_text("/.claude/settings.local.json\n")
    monkeypatch.chdir(repository)
    cli.ok("uninstall", "--project", "--yes")
    cli.ok("install", "--project", "--yes", "--no-backfill")
    cli.ok("uninstall", "--project", "--yes")
    assert exclude.read_text() == "/.claude/settings.local.json\n"


@pytest.mark.parametrize("kind", ["split index", "linked folder", "linked file", "link to the home"])
def test_no_file_that_git_tracks_is_changed_by_any_way(
    paths: Paths, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    repository = make_repository(tmp_path / "alpha")
    shared = repository / ("agents" if kind == "linked folder" else ".codex")
    if kind == "link to the home":
        put_in(paths, "codex")
        (repository / ".codex").symlink_to(paths.codex_home)
    else:
        shared.mkdir()
        (shared / "hooks.json").write_text("{}")
    if kind == "linked folder":
        (repository / ".codex").symlink_to("agents")
    if kind == "linked file":
        (shared / "hooks.json").rename(repository / "shared.json")
        (shared / "hooks.json").symlink_to("../shared.json")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "hooks")
    if kind == "split index":
        git(repository, "update-index", "--split-index")
    before = tree(paths.user_home)
    monkeypatch.chdir(repository)
    assert cli("install", "codex", "--project", "--yes", "--no-backfill").code == 1
    assert git(repository, "status", "--porcelain", "-uall") == ""
    cli("uninstall", "--project", "--yes")
    assert git(repository, "status", "--porcelain", "-uall") == "" and tree(paths.user_home) == before


def test_nothing_is_put_where_git_cannot_be_told(
    paths: Paths, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = make_repository(tmp_path / "alpha")
    shutil.rmtree(repository / ".git/info")
    (repository / ".git/info").write_text("in the way")
    before = tree(repository)
    monkeypatch.chdir(repository)
    assert cli("install", "--project", "--yes", "--no-backfill").code == 1
    assert tree(repository) == before
    monkeypatch.chdir(paths.user_home)
    done = cli("install", "--project", "--yes")
    assert done.code == 1 and "in no git checkout" in done.err


def test_cursors_rules_go_with_it(paths: Paths, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = make_repository(tmp_path / "alpha")
    before, exclude = tree(repository), (repository / ".git/info/exclude").read_bytes()
    monkeypatch.chdir(repository)
    cli.ok("resolve")
    cli.ok("install", "cursor", "--yes")
    assert "brainproj search" in (repository / ".cursor/rules/brainproj.mdc").read_text()
    assert git(repository, "status", "--porcelain", "-uall") == ""
    cli.ok("uninstall", "--yes")
    assert tree(repository) == before and (repository / ".git/info/exclude").read_bytes() == exclude


# asking, interrupting, two at once ---------------------------------------------------------------------------------


def test_nothing_is_changed_without_a_word(paths: Paths, cli: Cli) -> None:
    before = tree(paths.user_home)
    done = cli("install")
    assert done.code == 1 and "--yes" in done.err and "hook claude SessionStart" in done.err
    assert tree(paths.user_home) == before
    assert cli.ok("install", "--dry-run").out.count("create ") == 7 and tree(paths.user_home) == before
    said = at_terminal("install", typed="n\n")
    assert said.code == 1 and "Nothing was changed." in said.out and tree(paths.user_home) == before
    said = at_terminal("install", typed="y\nn\n")
    assert said.code == 0 and "enter /hooks and trust" in said.out and "Generate Memories" in said.out
    assert (paths.claude_home / "settings.json").exists()


def test_json(paths: Paths, cli: Cli) -> None:
    made = cli.ok("install", "--yes", "--json", "--no-backfill").json
    kinds = [one["kind"] for one in made["changes"] if one["action"] == "create"]
    assert sorted(kinds) == ["hooks"] * 3 + ["server"] * 2 + ["skill"] * 2
    assert made["problems"] == [] and {one["agent"] for one in made["steps"]} == {"Claude Code", "Codex", "Cursor"}
    assert cli.ok("install", "--yes", "--json", "--no-backfill").json["changes"] == []
    assert len(cli.ok("uninstall", "--yes", "--json").json["changes"]) == 7


def test_no_agent_and_no_such_agent(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "no agent was found" in cli("install").err
    done = cli("install", "copilot")
    assert done.code == 2 and "claude, codex, cursor" in done.err
    assert cli.ok("uninstall", "--yes").out.startswith("Nothing of ours")


def test_whenever_it_is_killed_a_rerun_finishes_it(paths: Paths) -> None:
    for agent, place in PLACES.items():
        (paths.user_home / place).write_text(json.dumps({"mine": agent}, indent=2))
    before = tree(paths.user_home)
    for moment in range(1, 14):
        for command in ("install", "uninstall"):
            arguments = [command, "--yes", *(["--no-backfill"] if command == "install" else [])]
            killed = subprocess.run(
                [sys.executable, "-c", KILLED, str(moment), *arguments], check=False, capture_output=True
            )
            assert killed.returncode in (0, -signal.SIGKILL), killed.stderr
            for place in PLACES.values():
                assert "mine" in json.loads((paths.user_home / place).read_text())
            if command == "install":
                put_in(paths)
                assert plan_install(paths, AGENTS).changes == ()
        take_out(paths)
        assert tree(paths.user_home) == before and read_ledger(paths.ledger_path) == Ledger()


KILLED = """
import os, signal, sys
left = int(sys.argv[1])
replace = os.replace
def counted(*arguments):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    replace(*arguments)
os.replace = counted
from brainproj.__main__ import run
run(sys.argv[2:])
"""


def test_two_at_once_lose_no_change(paths: Paths) -> None:
    for _ in range(3):
        running = [spawn("install", agent, "--yes", "--no-backfill") for agent in AGENTS * 2]
        ended = [(one.communicate(timeout=60), one.returncode) for one in running]
        assert all(code == 0 for _, code in ended), ended
        for agent, place in PLACES.items():
            count = sum(len(one.entries) for one in INTEGRATIONS if one.agent == agent)
            assert (paths.user_home / place).read_text().count(str(paths.launcher)) == count
        running = [spawn("uninstall", agent, "--yes") for agent in AGENTS]
        ended = [(one.communicate(timeout=60), one.returncode) for one in running]
        assert all(code == 0 for _, code in ended), ended
        assert not paths.ledger_path.exists() and not any(
            (paths.user_home / place).exists() for place in PLACES.values()
        )


def test_somebody_elses_change_between_reading_and_writing_is_not_lost(
    paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = paths.claude_home / "settings.json"
    path.write_text('{"model": "a"}')
    real, left = os.fsync, [3]

    def meddling(descriptor: int) -> None:
        real(descriptor)
        if left[0] and "settings" in os.readlink(f"/proc/self/fd/{descriptor}"):
            left[0] -= 1
            path.write_text(json.dumps({"model": "b", "written": left[0]}))

    monkeypatch.setattr(os, "fsync", meddling)
    put_in(paths, "claude")
    value = json.loads(path.read_text())
    assert value["model"] == "b" and value["written"] == 0 and "hooks" in value
    with pytest.raises(BrainError, match="changed by somebody else"):
        exchange(path, b"other", b"mine")


def test_secrets_in_settings_are_not_shown(paths: Paths, cli: Cli) -> None:
    token = "ghp" + "_" + "a1B2c3D4" * 5
    (paths.claude_home / "settings.json").write_text(json.dumps({"env": {"TOKEN": token}, "hooks": {}}, indent=1))
    done = cli.ok("install", "--dry-run")
    assert token not in done.out and "TOKEN" in done.out


def test_a_file_of_thousands_of_hooks_does_not_take_long(paths: Paths) -> None:
    group = {"hooks": [{"type": "command", "command": "x" * 200}]}
    text = json.dumps({"hooks": {"Stop": [group] * 3000}}, indent=2)
    began = time.process_time()
    part = HookPart(Path("x"), INTEGRATIONS[1], find_launchers(paths, Ledger()))
    assert part.take(part.put(text, None) or "", None) == text
    assert time.process_time() - began < 10


def test_both_shapes_are_merged_by_the_same_function() -> None:
    for one in INTEGRATIONS:
        wanted = {entry.event: one.handler(entry, launcher_command(Path("/l"), one.agent)) for entry in one.entries}
        launchers = find_launchers(find_paths({"BRAINPROJ_HOME": "/"}, Path("/nobody")), Ledger())
        text = put_hooks(None, one.shape, wanted, launchers.judge_for(one.agent))
        assert take_hooks(text, one.shape, launchers.judge_for(one.agent)) == text  # `/l` is nobody's launcher


# the status line ---------------------------------------------------------------------------------------------------


def test_the_status_line_stands_beside_the_one_that_is_there(paths: Paths, cli: Cli) -> None:
    path = paths.claude_home / "settings.json"
    before = (
        b'{"statusLine": {"type": "command", "command": "printf \'mine: %s\\\\n\' \\"$(cat | wc -c)\\"", "padding": 2}}'
    )
    path.write_bytes(before)
    cli.ok("install", "claude", "--statusline", "--yes", "--no-backfill")
    put = json.loads(path.read_text())["statusLine"]
    assert shlex.split(put["command"])[:3] == [str(paths.launcher), "claude", "StatusLine"] and put["padding"] == 2
    done = subprocess.run(["sh", "-c", put["command"]], input=b'{"cwd": "/"}', capture_output=True, check=True)
    assert done.stdout.decode().splitlines() == ["mine: 12", "brainproj: nothing is ready yet"]
    during = path.read_bytes()
    cli.ok("install", "claude", "--statusline", "--yes", "--no-backfill")
    cli.ok("install", "claude", "--yes", "--no-backfill")
    assert path.read_bytes() == during
    path.write_bytes(during + b"\n")  # somebody else's change: no backup helps
    cli.ok("uninstall", "--yes")
    assert path.read_bytes() == before + b"\n"


def test_the_status_line_alone(paths: Paths, cli: Cli) -> None:
    path = paths.claude_home / "settings.json"
    path.write_bytes(before := b'{\n  "model": "x"\n}\n')
    cli.ok("install", "claude", "--statusline", "--yes", "--no-backfill")
    assert json.loads(path.read_text())["statusLine"] == {
        "type": "command",
        "command": f"{paths.launcher} claude StatusLine",
    }
    cli.ok("uninstall", "--yes")
    assert path.read_bytes() == before


@pytest.mark.parametrize("value", ['"x"', "{}", '{"command": 1}'])
def test_a_status_line_of_no_known_form_is_left(paths: Paths, cli: Cli, value: str) -> None:
    path = paths.claude_home / "settings.json"
    path.write_text(text := f'{{"statusLine": {value}}}')
    done = cli("install", "claude", "--statusline", "--yes", "--no-backfill")
    assert done.code == 1 and "statusLine has no command" in done.err and path.read_text() == text


# the MCP server ----------------------------------------------------------------------------------------------------


def test_the_server_is_named_where_each_agent_looks(
    paths: Paths, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in(paths)
    entry = json.loads((paths.user_home / ".claude.json").read_text())["mcpServers"]["brainproj"]
    assert entry == {
        "type": "stdio",
        "command": str(paths.launcher),
        "args": ["mcp"],
        "env": {"BRAINPROJ_AGENT": "claude"},
    }
    document = tomllib.loads((paths.codex_home / "config.toml").read_text())
    assert document == {
        "mcp_servers": {
            "brainproj": {
                "command": str(paths.launcher),
                "args": ["mcp"],
                "startup_timeout_sec": 30,
                "env": {"BRAINPROJ_AGENT": "codex"},
            }
        }
    }
    assert not (paths.cursor_home / "mcp.json").exists()
    repository = make_repository(tmp_path / "alpha")
    monkeypatch.chdir(repository)
    cli.ok("install", "cursor", "--project", "--yes", "--no-backfill")
    entry = json.loads((repository / ".cursor/mcp.json").read_text())["mcpServers"]["brainproj"]
    assert (
        entry["args"] == ["mcp", "--cwd", "${workspaceFolder}"]
        and git(repository, "status", "--porcelain", "-uall") == ""
    )
    cli.ok("uninstall", "--yes")
    assert not (repository / ".cursor").exists() and not (paths.user_home / ".claude.json").exists()


def test_where_claude_has_another_home_its_state_lies_in_it(home: Path) -> None:
    paths = find_paths({"CLAUDE_CONFIG_DIR": str(home / "work")}, home)
    put_in(paths, "claude")
    assert (home / "work/.claude.json").exists() and not (home / ".claude.json").exists()


def test_the_launcher_starts_the_server_with_its_packages(paths: Paths, tmp_path: Path) -> None:
    put_in(paths, "codex")
    repository = make_repository(tmp_path / "alpha")
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    done = subprocess.run(
        [str(paths.launcher), "mcp"],
        input=json.dumps(request).encode() + b"\n",
        capture_output=True,
        cwd=repository,
        check=False,
        timeout=30,
    )
    assert done.returncode == 0 and json.loads(done.stdout)["result"]["serverInfo"]["name"] == "brainproj"


TOML = (CASES / "22-toml-comments" / "config.toml").read_bytes()


@pytest.mark.parametrize(
    "content",
    [
        TOML,
        TOML + b"\n",
        b"",
        b"\n",
        b"a = 1",
        b"a = 1\n\n\n",
        b"[mcp_servers]\n",
        b"[mcp_servers.other]\ncommand = 'x'\n# end",
        b"a = 1\r\n[b]\r\n",
    ],
)
def test_only_our_table_is_new_in_a_toml_file(paths: Paths, content: bytes) -> None:  # cases/22
    path = paths.codex_home / "config.toml"
    path.write_bytes(content)
    put_in(paths, "codex")
    during = path.read_bytes()
    assert during.startswith(content) and tomllib.loads(during.decode())["mcp_servers"]["brainproj"]["args"] == ["mcp"]
    put_in(paths, "codex")
    assert path.read_bytes() == during
    take_out(paths, "codex")
    assert path.read_bytes() == content


def test_what_codex_writes_behind_our_table_stays(paths: Paths) -> None:
    path = paths.codex_home / "config.toml"
    path.write_text("# mine\nmodel = 'x'\n")
    put_in(paths, "codex")
    path.write_text(path.read_text() + "\n[hooks.state]\na = 1\n")
    take_out(paths, "codex")
    assert path.read_text() == "# mine\nmodel = 'x'\n\n[hooks.state]\na = 1\n"
    put_in(paths, "codex")
    path.write_text(
        path.read_text()
        .replace("args = [", "args = [ # here\n")
        .replace("[mcp_servers.brainproj.env]", "[mcp_servers.brainproj.env] # too")
    )
    take_out(paths, "codex")
    assert (
        tomllib.loads(path.read_text()) == {"model": "x", "hooks": {"state": {"a": 1}}} and "# mine" in path.read_text()
    )


@pytest.mark.parametrize(
    "content",
    [
        "broken = [",
        "mcp_servers = {a = {command = 'x'}}",
        "mcp_servers = 5",
        "[mcp_servers.brainproj]\ncommand = 'mine'\n",
    ],
)
def test_a_toml_file_that_cannot_take_a_table_is_left(paths: Paths, cli: Cli, content: str) -> None:
    path = paths.codex_home / "config.toml"
    path.write_text(content)
    done = cli("install", "codex", "--yes", "--no-backfill")
    assert done.code == 1 and path.read_text() == content and str(path) in done.err
    cli("uninstall", "--yes")
    assert path.read_text() == content


@pytest.mark.parametrize(
    "content", ['{"mcpServers": {"brainproj": {"command": "mine"}}}', '{"mcpServers": []}', "[]", "{"]
)
def test_a_server_of_our_name_that_is_somebody_elses_is_left(paths: Paths, cli: Cli, content: str) -> None:
    path = paths.user_home / ".claude.json"
    path.write_text(content)
    assert cli("install", "claude", "--yes", "--no-backfill").code == 1 and path.read_text() == content
    cli("uninstall", "--yes")
    assert path.read_text() == content


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    value=OTHERS,
    servers=st.none() | st.dictionaries(st.sampled_from(["a", "b"]), st.just({"command": "x"})),
    indent=st.sampled_from([None, 2, 4, "\t"]),
)
def test_servers_of_others_stay_to_the_byte(
    paths: Paths, value: dict[str, Any], servers: dict[str, Any] | None, indent: Any
) -> None:
    path = paths.user_home / ".claude.json"
    whole = value if servers is None else {**value, "mcpServers": servers}
    path.write_text(before := json.dumps(whole, indent=indent))
    put_in(paths, "claude")
    assert "brainproj" in json.loads(path.read_text())["mcpServers"]
    take_out(paths, "claude")
    assert path.read_text() == before
