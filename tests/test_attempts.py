"""`attempts`: failures from outcomes, with what stood around and what helped; never another project's."""

import json
from pathlib import Path
from typing import Any

import pytest

from brainproj.paths import find_paths
from brainproj.servers.answers import Answers

from .cli import Cli
from .conftest import TRANSCRIPTS
from .repositories import make_repository
from .transcripts import Line, call, prompt, reply, session_id, write_claude

RETRY = (
    "collected 3 items\nE   AssertionError: Expected 1 charge, observed 2 charges\n== 1 failed, 2 passed in 0.12s =="
)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop.git")
    monkeypatch.chdir(folder)
    return folder


def bash(sid: str, cwd: Path, command: str, output: str, minute: int, *, error: bool = False) -> list[Line]:
    return call(sid, cwd, "Bash", {"command": command, "description": "x"}, output, minute, error=error)


def write(home: Path, number: int, cwd: Path, lines: list[Line]) -> str:
    sid = session_id(number)
    write_claude(home, sid, lines, f"-{cwd.name}")
    return sid


def found(cli: Cli, *arguments: str) -> list[Any]:
    value: list[Any] = cli.ok("attempts", *arguments, "--json").json
    return value


def test_a_failure_with_what_stands_around_and_what_helped(home: Path, shop: Path, cli: Cli) -> None:
    sid = session_id(1)
    write(
        home, 1, shop,
        [
            prompt(sid, shop, "A retried payment is charged twice. Find out why.", 0), reply(sid, shop, "I run the tests.", 1),
            *bash(sid, shop, "pytest -q tests/test_pay.py", f"Exit code 1\n{RETRY}", 2, error=True),
            reply(sid, shop, "The key is made anew at each retry.", 3),
            *call(sid, shop, "Edit", {"file_path": f"{shop}/pay.py", "old_string": "a", "new_string": "b"}, "ok", 4),
            *bash(sid, shop, "cd /x && pytest -q tests/test_pay.py 2>&1 | tail -5", "3 passed in 0.10s", 5),
            reply(sid, shop, "It passes.", 6),
        ],
    )  # fmt: skip
    one = found(cli)[0]
    assert one["line"] == "E AssertionError: Expected 1 charge, observed 2 charges" and one["count"] == 1
    assert one["command"] == "pytest -q tests/test_pay.py" and one["files"] == ["tests/test_pay.py"]
    assert [said["text"] for said in one["before"]] == [
        "A retried payment is charged twice. Find out why.",
        "I run the tests.",
    ]
    assert [said["text"] for said in one["after"]] == ["The key is made anew at each retry.", "It passes."]
    assert one["resolution"]["by"] == "command"
    assert "3 passed in 0.10s" in cli.ok("show", one["resolution"]["citation"]).out
    assert "observed 2 charges" in cli.ok("show", one["citation"]).out
    for said in (*one["before"], *one["after"]):
        assert said["text"] in cli.ok("show", said["citation"]).out
    shown = cli.ok("attempts").out
    assert "pytest -q tests/test_pay.py" in shown and "later the same command went well" in shown


def test_a_test_run_that_a_pipe_hides_is_a_failure(home: Path, shop: Path, cli: Cli) -> None:
    sid = session_id(1)
    write(home, 1, shop, [prompt(sid, shop, "Go", 0), *bash(sid, shop, "pytest -q | tail -3", RETRY, 2)])
    assert [one["line"] for one in found(cli)] == ["E AssertionError: Expected 1 charge, observed 2 charges"]


def test_words_make_no_failure(home: Path, shop: Path, cli: Cli) -> None:
    sid = session_id(1)
    lines = [
        prompt(sid, shop, "The build failed, everything failed, errors everywhere", 0),
        reply(sid, shop, "1 failed, 2 passed in 0.02s", 1),
        *bash(sid, shop, "cat log.txt", "yesterday 1 failed test was seen, errors", 2),
        *bash(sid, shop, "ls", "0 failed", 4),
        *call(sid, shop, "Bash", {"command": "rm -r x"}, "The user doesn't want to proceed with this tool use. The tool use was rejected", 6, error=True),
    ]  # fmt: skip
    write(home, 1, shop, lines)
    assert found(cli) == []
    assert "No failure of shop is stored" in cli.ok("attempts").err


def test_repeats_are_one_and_counted(home: Path, shop: Path, cli: Cli) -> None:
    for number in range(3):
        sid = session_id(number)
        output = f"Exit code 1\nE   AssertionError: Expected 1 charge, observed {number + 2} charges\n1 failed in 0.{number}2s"
        lines = [prompt(sid, shop, "Go", 0), *bash(sid, shop, "pytest -q", output, 2 + number * 10, error=True)]
        lines += bash(
            sid, shop, "pytest -q", "Exit code 1\nE   KeyError: 'id'\n1 failed in 0.1s", 5 + number, error=True
        )
        write(home, number, shop, lines)
    counts = {one["line"]: one["count"] for one in found(cli)}
    assert sorted(counts.values()) == [3, 3] and "E KeyError: 'id'" in counts


def test_what_helped_must_be_later_and_well(home: Path, shop: Path, cli: Cli) -> None:
    sid = session_id(1)
    write(
        home, 1, shop,
        [
            prompt(sid, shop, "Go", 0), *bash(sid, shop, "make check", "all is well", 1),
            *bash(sid, shop, "make check", "Exit code 2\nerror: broken", 3, error=True),
            *bash(sid, shop, "make check | tail", RETRY, 5),
            *bash(sid, shop, "make lint", "fine", 7),
        ],
    )  # fmt: skip
    assert [one["resolution"] for one in found(cli)] == [None, None]
    sid = session_id(2)
    write(home, 2, shop, [prompt(sid, shop, "Go", 20), *bash(sid, shop, "CI=1 make check", "all is well", 22)])
    cli.ok("backfill")
    assert {one["resolution"]["by"] for one in found(cli)} == {"command"}  # in another session


def test_on_the_same_files_by_the_same_tool(home: Path, shop: Path, cli: Cli) -> None:
    sid = session_id(1)
    edit = {"file_path": f"{shop}/src/pay.py", "old_string": "x", "new_string": "y"}
    write(
        home, 1, shop,
        [
            prompt(sid, shop, "Go", 0),
            *call(sid, shop, "Edit", edit, "<tool_use_error>String to replace not found in file.</tool_use_error>", 2, error=True),
            *bash(sid, shop, f"cat {shop}/src/pay.py", "x", 4), *call(sid, shop, "Edit", edit | {"old_string": "z"}, "done", 6),
            *bash(sid, shop, "pytest tests/test_a.py::test_one", RETRY, 8, error=True),
            *bash(sid, shop, "pytest tests/test_a.py -k one", "1 passed in 0.1s", 10),
        ],
    )  # fmt: skip
    tests, edited = found(cli)
    assert (tests["resolution"]["by"], edited["resolution"]["by"]) == ("files", "files")
    assert "done" in cli.ok("show", edited["resolution"]["citation"]).out
    assert [one["tool"] for one in found(cli, "--file", "src/pay.py")] == ["Edit"]
    assert [one["tool"] for one in found(cli, "--file", "tests/test_a.py")] == ["Bash"]
    assert found(cli, "--file", "nowhere.py") == []


def test_words_time_and_number(home: Path, shop: Path, cli: Cli) -> None:
    sid = session_id(1)
    lines = [prompt(sid, shop, "Go", 0)]
    for number, name in enumerate(("alpha", "beta", "gamma")):
        lines += bash(sid, shop, f"run {name}", f"Exit code 1\nerror in {name}", 2 + number * 3, error=True)
    write(home, 1, shop, lines)
    assert [one["command"] for one in found(cli)] == ["run gamma", "run beta", "run alpha"]
    assert [one["command"] for one in found(cli, "beta error")] == ["run beta"] and found(cli, "delta") == []
    assert len(found(cli, "--limit", "2")) == 2 and "there are more: --limit" in cli.ok("attempts", "--limit", "2").err
    assert found(cli, "--since", "2026-03-02") == []


def test_no_failure_of_another_project(
    home: Path, shop: Path, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_repository(tmp_path / "depot", "https://git.example.com/acme/depot.git")
    for number, folder in ((1, shop), (2, other)):
        sid = session_id(number)
        lines = [
            prompt(sid, folder, "Go", 0),
            *bash(
                sid, folder, "pytest -q", f"Exit code 1\nE   {folder.name}\n1 failed in 0.1s", 2 + number, error=True
            ),
        ]
        write(home, number, folder, [*lines, *bash(sid, folder, "pytest -q", "1 passed in 0.1s", 10 * number)])
    one = found(cli)
    assert [row["project"]["name"] for row in one] == ["shop"] and "depot" not in json.dumps(one)
    shown = cli.ok("show", one[0]["resolution"]["citation"], "--json").json
    assert shown["project"]["name"] == "shop"
    monkeypatch.chdir(tmp_path)
    done = cli("attempts")
    assert done.code == 1 and "has no project" in done.err


def test_our_own_words_in_a_transcript_are_no_failure(home: Path, shop: Path, cli: Cli) -> None:
    sid = session_id(1)
    write(
        home,
        1,
        shop,
        [prompt(sid, shop, "Go", 0), *bash(sid, shop, "pytest -q", f"Exit code 1\n{RETRY}", 2, error=True)],
    )
    shown = cli.ok("attempts").out
    sid = session_id(2)
    write(home, 2, shop, [prompt(sid, shop, "Go", 10), *bash(sid, shop, "brainproj attempts", shown, 12)])
    cli.ok("backfill")
    assert len(found(cli)) == 1


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_real_transcripts(home: Path, cli: Cli, agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every failure of the fixtures that is listed can be opened, and says that it failed."""
    import sqlite3

    cli.ok("backfill", "--agent", agent, "--root", TRANSCRIPTS / agent)
    db = sqlite3.connect(home / ".brainproj" / "brain.db")
    db.execute("INSERT INTO projects(id, key, name, first_seen_at) VALUES(900, 'example.com/all', 'all', 0)")
    db.execute("UPDATE sessions SET project = 900")
    db.commit()
    counted = db.execute(
        "SELECT count(*) FROM events WHERE kind = 4 AND outcome = 1 AND body IS NOT NULL AND NOT flags & 1"
    ).fetchone()[0]
    db.close()
    rows = found(cli, "--project", "all", "--limit", "1000")
    assert counted <= sum(row["count"] for row in rows)
    for row in rows[:25]:
        assert row["output"].strip()[-40:] in cli.ok("show", row["citation"], "--raw").out


def test_lines_without_a_time_are_in_their_order_and_of_no_date(home: Path, shop: Path, cli: Cli) -> None:
    sid = session_id(1)
    lines = [
        prompt(sid, shop, "Go", 0),
        *bash(sid, shop, "make check", "Exit code 2\nmake: *** [check] Error 2", 1, error=True),
        *bash(sid, shop, "make check", "all is well", 3),
    ]
    write(home, 1, shop, [{name: value for name, value in line.items() if name != "timestamp"} for line in lines])
    one = found(cli)[0]
    assert one["at"] is None and one["first_at"] is None
    assert "all is well" in cli.ok("show", one["resolution"]["citation"]).out
    shown = cli.ok("attempts").out
    assert "at no known time" in shown and "1970" not in shown
    told = Answers(find_paths({}, home), {}, str(shop)).attempts()
    assert (
        f"[{one['citation']}]: make check" in told and "later the same command went well" in told and "1970" not in told
    )
