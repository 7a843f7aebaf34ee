"""Searching and showing from the command line: the cases, scope, places, addresses."""

import json
from pathlib import Path

import pytest

from .cli import Cli
from .conftest import CASES
from .repositories import make_repository
from .test_ingest import ingest
from .transcripts import call, prompt, reply, session_id, write_claude


@pytest.fixture
def two(home: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Two projects, A and B, and a folder without one, each with the texts of case 28."""
    a = make_repository(tmp_path / "a", "https://git.example.com/acme/alpha")
    b = make_repository(tmp_path / "b", "https://git.example.com/acme/beta")
    items = json.loads((CASES / "28-search-crosses-projects" / "items.json").read_text())
    folders = {"A": a, "B": b, None: tmp_path}
    for number, item in enumerate(items):
        sid = session_id(number)
        kind, text = item["kind"], item["text"]
        if kind in ("lesson", "decision"):
            text = f"<!-- @{kind} -->{text}<!-- @/{kind} -->"
        write_claude(
            home,
            sid,
            [prompt(sid, folders[item["project"]], f"session {number}"), reply(sid, folders[item["project"]], text, 2)],
        )
    ingest(home)
    return a, b


def projects_of(hits: list[dict[str, object]]) -> list[str | None]:
    return [hit["project"]["name"] if hit["project"] else None for hit in hits]  # type: ignore[index]


def test_case_28_strict_rank_off_everywhere(
    two: tuple[Path, Path], tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, _ = two
    monkeypatch.chdir(a)
    strict = cli.ok("search", "heron", "--limit", "3", "--json").json
    assert projects_of(strict) == ["alpha"] * 3
    assert set(projects_of(cli.ok("search", "heron", "--limit", "1000", "--json").json)) == {"alpha"}
    cli.ok("scope", "rank")
    ranked = cli.ok("search", "heron", "--limit", "1000", "--json").json
    own = projects_of(ranked).count("alpha")
    assert own >= 12 and set(projects_of(ranked)[:own]) == {"alpha"}, "this project's come first"
    assert set(projects_of(ranked)) == {"alpha", "beta", None}
    text = cli.ok("search", "heron", "--limit", "1000").out
    assert "in beta" in text and "in no project" in text and "in alpha" not in text
    cli.ok("scope", "off")
    assert set(projects_of(cli.ok("search", "heron", "--limit", "1000", "--json").json)) == {"alpha", "beta", None}
    cli.ok("scope", "strict")
    assert set(projects_of(cli.ok("search", "heron", "--everywhere", "--limit", "1000", "--json").json)) == {
        "alpha",
        "beta",
        None,
    }
    assert set(projects_of(cli.ok("search", "heron", "--project", "beta", "--limit", "1000", "--json").json)) == {
        "beta"
    }
    monkeypatch.chdir(tmp_path)
    refused = cli("search", "heron")
    assert refused.code == 1 and refused.out == ""
    assert (
        "has no project" in refused.err
        and "git.example.com/acme/alpha" in refused.err
        and "--everywhere" in refused.err
    )
    for command in ("records", "arcs"):
        assert cli(command).code == 1
        monkeypatch.chdir(a)
        assert "beta" not in cli.ok(command, "--json").out
        monkeypatch.chdir(tmp_path)


def test_case_14_what_is_typed_is_text(home: Path, cli: Cli) -> None:
    case = CASES / "14-search-punctuation"
    docs = json.loads((case / "docs.json").read_text())
    for number, text in enumerate(docs):
        write_claude(home, session_id(number), [prompt(session_id(number), "/x", text)])
    ingest(home)
    for query in json.loads((case / "queries.json").read_text()):
        done = cli.ok("search", query["query"], "--everywhere", "--kind", "prompt", "--json")
        found = {hit["session_id"] for hit in done.json}
        assert {session_id(number) for number in query["finds"]} <= found, query
        if not query["finds"]:
            assert found == set()
        for stream in (done.out, done.err, cli("search", query["query"], "--everywhere").err):
            assert "sqlite" not in stream.lower() and "fts5" not in stream.lower() and "syntax" not in stream.lower()


def test_a_text_said_often_is_stored_once_and_lists_every_place(home: Path, cli: Cli) -> None:
    for number in range(5):
        sid = session_id(number)
        write_claude(
            home,
            sid,
            [
                prompt(sid, "/x", f"run {number}"),
                *call(sid, "/x", "Bash", {"command": "make"}, "the same kestrel output " * 20),
            ],
        )
    ingest(home)
    hits = cli.ok("search", "kestrel", "--everywhere", "--json").json
    assert len(hits) == 1 and len(hits[0]["places"]) == 5
    assert {place.split("/")[1] for place in hits[0]["places"]} and all(
        cli.ok("show", place).out for place in hits[0]["places"]
    )
    assert "4 more places" in cli.ok("search", "kestrel", "--everywhere").out


def test_filters_and_what_is_left_out_by_default(home: Path, cli: Cli) -> None:
    sid = session_id(1)
    think = {"id": "m", "role": "assistant", "content": [{"type": "thinking", "thinking": "osprey thought"}]}
    write_claude(
        home, sid,
        [
            prompt(sid, "/x", "find the osprey"), reply(sid, "/x", "x", 1, message=think),
            *call(sid, "/x", "Bash", {"command": "grep osprey"}, "Exit code 2\nosprey missing", 2, error=True),
            *call(sid, "/x", "Bash", {"command": "ls"}, "osprey.txt", 3),
            prompt(sid, "/x", "<system-reminder>osprey reminder</system-reminder>", 4), reply(sid, "/x", "the osprey is back", 5),
        ],
    )  # fmt: skip
    ingest(home)

    def found(*options: str) -> set[str]:
        return {hit["excerpt"] for hit in cli.ok("search", "osprey", "--everywhere", "--json", *options).json}

    shown = {
        "find the osprey",
        "command: grep osprey",
        "Exit code 2\nosprey missing",
        "osprey.txt",
        "the osprey is back",
    }
    assert found() == shown
    assert found("--hidden") == shown | {"osprey thought", "<system-reminder>osprey reminder</system-reminder>"}
    assert found("--failed") == {"Exit code 2\nosprey missing"}
    assert found("--kind", "reply", "--kind", "prompt") == {"find the osprey", "the osprey is back"}
    assert found("--since", "2026-03-01T10:03:00Z") == {"osprey.txt", "the osprey is back"}
    assert found("--since", "2027-01-01") == set()
    assert found("--thinking") == shown | {"osprey thought"} and found("--kind", "thinking") == {"osprey thought"}
    assert found("--speaker", "person") == {"find the osprey"}
    assert found("--speaker", "tool", "--speaker", "person") == {
        "find the osprey",
        "Exit code 2\nosprey missing",
        "osprey.txt",
    }
    assert found("--agent", "claude") == shown and found("--agent", "codex") == set()
    one = cli.ok("search", "osprey", "--everywhere", "--limit", "1")
    assert "There are more" in one.err
    assert cli("search", "x", "--kind", "nonsense").code == 2
    assert cli("search", "x", "--speaker", "nobody").code == 2 and cli("search", "x", "--agent", "copilot").code == 2
    assert cli("search").code == 2 and cli("search", "x", "--fts", "--file", "y").code == 2
    assert cli("search", "x", "--since", "someday").code == 2
    assert cli("search", "x", "--limit", "0").code == 2


def test_show_opens_the_exact_source_with_its_surroundings(home: Path, cli: Cli) -> None:
    sid = session_id(1)
    lines = [prompt(sid, "/x", f"question {n} 😀 äöü", n * 2, f"q{n}") for n in range(6)]
    path = write_claude(home, sid, lines)
    ingest(home)
    hit = cli.ok("search", "question 3", "--everywhere", "--json").json[0]
    path.unlink()
    shown = cli.ok("show", hit["citation"], "--json").json
    assert shown["text"] == "question 3 😀 äöü" and shown["revision"] == 1
    assert [event["text"][:10] for event in shown["before"]] == ["question 0", "question 1", "question 2"]
    assert [event["text"][:10] for event in shown["after"]] == ["question 4", "question 5"]
    assert cli.ok("show", f"{hit['citation']}:9-12", "--raw").out == "3 😀"
    assert cli.ok("show", hit["citation"], "--raw").out == shown["text"]
    assert cli("show", f"{hit['citation']}:9-99").code == 1
    assert cli("show", f"{hit['citation']}@7").code == 1
    session = cli.ok("show", sid, "--json").json
    assert session["session"] == sid and len(session["events"]) == 6
    assert cli.ok("show", sid[:6]).out.count("question") == 6
    for missing in ("zzzz", "rec:99", "rec:x", "arc:aaaa", "doc:12", "task:none", "5f0c0000/aaaaaaaaaaaa", "", "/"):
        done = cli("show", missing)
        assert done.code == 1 and done.err.startswith("error: "), missing


def test_an_ambiguous_beginning_is_said(home: Path, cli: Cli) -> None:
    for number in (1, 2):
        write_claude(home, session_id(number), [prompt(session_id(number), "/x", "hello")])
    ingest(home)
    done = cli("show", "5f0c")
    assert done.code == 1 and "more than one session" in done.err


def test_a_quoted_part_is_found_as_it_is(home: Path, cli: Cli, tmp_path: Path) -> None:
    shop = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop.git")
    sid = session_id(70)
    texts = (
        "We write C++ here",
        "plan c is next",
        "see go.mod first",
        "go mod tidy",
        "the path src/app.py",
        "src app py",
    )
    write_claude(home, sid, [prompt(sid, shop, text, minute) for minute, text in enumerate(texts)])
    ingest(home)
    for query, found in (
        ('"C++"', [0]),
        ('"c++"', [0]),
        ('"go.mod"', [2]),
        ('"src/app.py"', [4]),
        ("src/app.py", [4, 5]),
        ('"plan c"', [1]),
    ):
        hits = cli.ok("search", query, "--project", "shop", "--json").json
        assert sorted(hit["excerpt"] for hit in hits if hit["kind"] == "prompt") == sorted(
            texts[number] for number in found
        ), query


def test_beginnings_of_words(home: Path, cli: Cli) -> None:
    sid = session_id(1)
    write_claude(
        home,
        sid,
        [
            prompt(sid, "/x", "the timetable of the ferry"),
            prompt(sid, "/x", "a timer", 1),
            prompt(sid, "/x", "2 * 3", 2),
        ],
    )
    ingest(home)

    def found(query: str, *options: str) -> int:
        return len(cli.ok("search", query, "--everywhere", "--json", *options).json)

    assert (found("time*"), found("time"), found("timet* fer*"), found('"time*"')) == (2, 0, 1, 0)
    assert found("2 * 3") == 1 and found("t*") == 0 and found("*") == 0


def test_the_language_of_the_index(home: Path, cli: Cli) -> None:
    sid = session_id(1)
    write_claude(
        home, sid, [prompt(sid, "/x", "the ferry to the island"), prompt(sid, "/x", "the island of the ferry man", 1)]
    )
    ingest(home)

    def found(query: str) -> set[str]:
        return {hit["excerpt"] for hit in cli.ok("search", query, "--everywhere", "--fts", "--json").json}

    assert found("ferry NOT man") == {"the ferry to the island"} and len(found("ferry OR harbour")) == 2
    assert found("NEAR(ferry man, 1)") == {"the island of the ferry man"}
    assert "island" in cli.ok("search", "fer* man", "--everywhere", "--fts").out
    for bad in ("AND", '"', "(", "nocolumn : x", "NEAR(", "a OR", "*"):
        done = cli("search", bad, "--everywhere", "--fts")
        assert done.code == 2 and "no query of FTS5" in done.err, bad


def test_what_touched_a_file(home: Path, cli: Cli) -> None:
    sid = session_id(1)
    write_claude(
        home, sid,
        [
            prompt(sid, "/x", "look at src/pay.py"), *call(sid, "/x", "Edit", {"file_path": "/x/src/pay.py", "old_string": "a"}, "ok", 1),
            *call(sid, "/x", "Bash", {"command": "pytest src/pay.py"}, "src/pay.py is fine", 3),
            *call(sid, "/x", "Edit", {"file_path": "/x/src/pay.python", "old_string": "src/pay.py"}, "ok", 5),
        ],
    )  # fmt: skip
    ingest(home)
    hits = cli.ok("search", "--file", "src/pay.py", "--everywhere", "--json").json
    assert sorted(hit["excerpt"].split()[0] for hit in hits) == ["command:", "file_path:"]
    hits = cli.ok("search", "pytest", "--file", "pay.py", "--everywhere", "--json").json
    assert [hit["kind"] for hit in hits] == ["tool_call"] and "1 hit" in cli.ok(
        "search", "pytest", "--file", "pay.py", "--everywhere"
    ).err


def test_no_filter_empties_a_search_that_has_hits_of_its_own(home: Path, cli: Cli) -> None:
    """Two thousand newer hits of another agent, or of another time, hide none."""
    import sqlite3

    sid = session_id(1)
    write_claude(
        home, sid, [prompt(sid, "/x", f"osprey {number}", number % 50, uuid=f"p{number}-") for number in range(2300)]
    )
    ingest(home)
    db = sqlite3.connect(home / ".brainproj" / "brain.db")
    db.execute("INSERT INTO sessions(agent, session_id, listed, events) VALUES('codex', 'c1', 1, 1)")
    db.execute(
        "UPDATE events SET session = (SELECT max(id) FROM sessions), at = 1 WHERE id = (SELECT min(id) FROM events)"
    )
    db.commit()
    db.close()
    assert len(cli.ok("search", "osprey", "--everywhere", "--agent", "codex", "--json").json) == 1
