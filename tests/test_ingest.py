"""Reading transcripts into the store: each real fixture as a home, the cases, torn and hostile files, rules that change."""

import json
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brainproj.config import read_config
from brainproj.core.events import Flag
from brainproj.identity import Resolver
from brainproj.ingest import Ingest, Report, Wanted
from brainproj.paths import find_paths
from brainproj.store import codes, reading, records
from brainproj.store.database import open_store

from .agents.reading import EXPECTED
from .cli import Cli
from .conftest import CASES, TRANSCRIPTS
from .repositories import make_repository, run_setup
from .test_identity import NOW
from .transcripts import call, prompt, reply, session_id, to_bytes, write_claude


def ingest(home: Path, environment: dict[str, str] | None = None, wanted: Wanted | None = None) -> Report:
    """Read everything new in a home."""
    paths = find_paths(environment or {}, home)
    config = read_config(paths.config_path)
    db = open_store(paths.brain_db)
    try:
        return Ingest(paths, config, db, Resolver(paths, config, db, NOW), NOW).run(wanted or Wanted())
    finally:
        db.close()


HOME_FILES = {f"{name}.db{part}" for name in ("brain", "ready") for part in ("", "-wal", "-shm")} | {
    "ingest.lock",
    "hook",
}
"""What commands leave in the home."""


def store(home: Path) -> sqlite3.Connection:
    return open_store(find_paths({}, home).brain_db, write=False)


def events_of(home: Path, session: str) -> list[reading.StoredEvent]:
    db = store(home)
    found = reading.find_sessions(db, session)
    assert len(found) == 1, found
    return list(reading.iter_events(db, found[0][0]))


def dump(home: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Everything the store means, free of the numbers and the order in which it was written."""
    db = store(home)
    events = db.execute(
        "SELECT e.code, s.session_id, e.at, e.kind, e.speaker, e.outcome, e.flags, e.tool, e.agent_id, e.call, e.revision,"
        " e.place, b.class, b.text, p.key FROM events e JOIN sessions s ON s.id = e.session"
        " LEFT JOIN bodies b ON b.id = e.body LEFT JOIN projects p ON p.id = s.project ORDER BY e.code"
    ).fetchall()
    sessions = db.execute(
        "SELECT session_id, agent, cwd, title, started_at, last_at, prompts, tool_calls, tool_failures, events, listed,"
        " compacted, hidden_thinking FROM sessions ORDER BY session_id"
    ).fetchall()
    positions = db.execute(
        "SELECT replace(path, ?, ''), offset, lines, generation, size_bytes, state FROM transcripts ORDER BY path",
        (str(home),),
    ).fetchall()
    records = db.execute("SELECT code, kind, status, at, span_start FROM records ORDER BY code").fetchall()
    arcs = db.execute("SELECT arc_id, title, sessions FROM arcs ORDER BY arc_id").fetchall()
    bodies = db.execute("SELECT digest, class FROM bodies ORDER BY digest").fetchall()
    gaps = db.execute("SELECT place, reason FROM gaps ORDER BY source, place").fetchall()
    words = db.execute("SELECT count(*) FROM words_docsize").fetchall()
    return {
        "events": events, "sessions": sessions, "positions": positions, "records": records, "arcs": arcs, "bodies": bodies,
        "gaps": gaps, "words": words,
    }  # fmt: skip


def texts_of(home: Path) -> set[str]:
    from brainproj.store.texts import unpack

    return {unpack(row[0]) for row in store(home).execute("SELECT text FROM bodies")}


# the real fixtures -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Report]:
    home = tmp_path_factory.mktemp("fixtures")
    for agent in ("claude", "codex", "cursor"):
        (home / f".{agent}").symlink_to(TRANSCRIPTS / agent)
    return home, ingest(home)


def test_every_fixture_is_read_and_only_once(fixtures: tuple[Path, Report]) -> None:
    home, report = fixtures
    assert (report.found, report.read, report.unchanged, report.failed) == (70, 70, 0, 0)
    assert report.gaps == 1  # an object without a type in a file made of edge cases
    assert report.bad_lines == 3  # of the same file: a text, a number, a list
    before = dump(home)
    again = ingest(home)
    assert (again.read, again.unchanged, again.events, again.bytes) == (0, 70, 0, 0)
    assert dump(home) == before


def test_a_rebuild_finds_the_same_events(home: Path) -> None:
    for agent in ("claude", "codex", "cursor"):
        (home / f".{agent}").symlink_to(TRANSCRIPTS / agent)
    ingest(home)
    before = dump(home)
    for _ in range(2):
        report = ingest(home, wanted=Wanted(rebuild=True))
        assert (report.read, report.events, report.sessions_added) == (70, 0, 0)
        assert dump(home) == before


def test_the_first_reading_knows_all_that_a_second_would(home: Path, tmp_path: Path) -> None:
    """A folder that is gone lay in a checkout that only a later transcript of the same reading names."""
    shop = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop.git")
    write_claude(home, session_id(1), [prompt(session_id(1), shop / "gone" / "since", "first")], "a")
    write_claude(home, session_id(2), [prompt(session_id(2), shop, "second")], "b")
    assert ingest(home).unattributed == 0


def test_sessions_hold_what_the_independent_count_says(fixtures: tuple[Path, Report]) -> None:
    """Where one file is one session, the index has the fixture's own numbers."""
    home, _ = fixtures
    rows = {
        row[0]: row
        for row in store(home).execute("SELECT session_id, prompts, tool_calls, tool_failures FROM sessions")
    }
    copies = {
        "b02ed4d8",
        "789e105f",
        "4931d45a",
        "aba9151e",
        "0a1b2c3d",
        "b3a7bd3c",
        "a4e5b271",
    }  # shared or with children
    checked = 0
    for name, wanted in EXPECTED.items():
        stem = Path(name).stem
        if wanted["format"] != "claude" or stem not in rows or stem[:8] in copies or "tool_failures" not in wanted:
            continue
        checked += 1
        assert rows[stem][1:] == (wanted["human_messages"], wanted["tool_calls"], wanted["tool_failures"]), name
    assert checked >= 25


def test_a_background_fork_counts_nothing_twice(fixtures: tuple[Path, Report]) -> None:
    home, _ = fixtures
    db = store(home)
    shared = db.execute(
        "SELECT count(*) FROM events e JOIN sessions s ON s.id = e.session WHERE s.session_id LIKE 'aba9151e%'"
    ).fetchone()[0]
    original = db.execute("SELECT prompts FROM sessions WHERE session_id LIKE '390ab778%'").fetchone()[0]
    assert original == EXPECTED[next(name for name in EXPECTED if "390ab778" in name)]["human_messages"]
    assert 0 < shared < 150


def test_sub_agents_belong_to_their_parent(fixtures: tuple[Path, Report]) -> None:
    home, _ = fixtures
    db = store(home)
    listed = {row[0] for row in db.execute("SELECT session_id FROM sessions WHERE listed")}
    assert not any(one.startswith("agent-") for one in listed)
    agents = {row[0] for row in db.execute(
        "SELECT DISTINCT agent_id FROM events e JOIN sessions s ON s.id = e.session WHERE s.session_id LIKE 'b3a7bd3c%'"
    )}  # fmt: skip
    assert agents == {None, "a775a67", "aa9d784", "ac47f8c", "ae52dab"}


def test_the_fixtures_own_folders_get_their_own_memory(tmp_path: Path, home: Path, cli: Cli) -> None:
    """The real transcripts with their folders moved to where three real repositories stand."""
    place = tmp_path / "dev"
    folders = ("wks/cli", "Work/entire/devenv/git-sync", "workspace/cli")
    for number, folder in enumerate(folders):
        make_repository(place / folder, f"https://git.example.com/acme/repo-{number}")
    for agent in ("claude", "codex"):
        for source in (TRANSCRIPTS / agent).rglob("*.jsonl"):
            target = home / f".{agent}" / source.relative_to(TRANSCRIPTS / agent)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes().replace(b"/home/dev/", f"{place}/".encode()))
    document = cli.ok("backfill", "--json").json
    assert document["transcripts"]["failed"] == 0 and document["sessions"]["added"] > 40
    again = cli.ok("backfill", "--json").json
    assert (again["transcripts"]["read"], again["bytes"], again["events"]["added"]) == (0, 0, 0)
    sessions = cli.ok("sessions", "--all", "--json").json
    for number, folder in enumerate(folders):
        preview = cli.ok("preview", "--cwd", place / folder, "--json").json
        assert preview["project"]["name"] == f"repo-{number}"
        own = {
            one["title"]
            for one in sessions
            if one["project"] and one["project"]["name"] == f"repo-{number}" and one["title"]
        }
        others = {one["title"] for one in sessions if one["title"]} - own
        shown = {item["title"] for item in preview["delivered"] if item["kind"] == "arc"}
        assert shown and shown <= own and not shown & others
    for one in cli.ok("sessions", "--unattributed", "--json").json:
        assert one["project"] is None and one["why"]


# cases -------------------------------------------------------------------------------------------------------------


def test_case_08_folder_names_are_lossy(home: Path, tmp_path: Path, cli: Cli) -> None:
    place = run_setup(CASES / "08-folder-name-is-lossy", tmp_path / "c")
    shutil.move(place / "home" / ".claude", home / ".claude")
    ingest(home)
    found = {s["session_id"]: (s["project"] or {}).get("name") for s in cli.ok("sessions", "--all", "--json").json}
    assert found == {"s-1": "deja-vu", "s-2": "vu", "s-3": "my.site_v2 x", "s-4": "日本語", "s-5": None}
    assert len(cli.ok("projects", "--json").json) == 4
    reasons = cli.ok("sessions", "--unattributed", "--json").json
    assert [one["session_id"] for one in reasons] == ["s-5"]
    assert "several" in reasons[0]["why"]


def test_a_folder_name_that_fits_one_folder_counts(home: Path, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "only" / "one")
    folder = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in str(repository))
    write_claude(home, session_id(1), [prompt(session_id(1), None, "no folder in any line")], folder)
    assert ingest(home).unattributed == 0


def test_case_09_a_line_that_is_still_being_written(home: Path) -> None:
    case = CASES / "09-unfinished-last-line"
    path = home / ".claude" / "projects" / "-x" / f"{session_id(9)}.jsonl"
    path.parent.mkdir(parents=True)
    first, rest = (case / "part-1.bytes").read_bytes(), (case / "part-2.bytes").read_bytes()
    path.write_bytes(first)
    report = ingest(home)
    assert (report.failed, report.problems, report.bad_lines) == (0, [], 0)
    session = store(home).execute("SELECT session_id, prompts FROM sessions").fetchone()
    assert session[1] == 1
    path.write_bytes(first + rest)
    assert ingest(home).events == 1
    assert store(home).execute("SELECT prompts FROM sessions").fetchone()[0] == 2
    assert sum("zebrafish" in text for text in texts_of(home)) == 1
    assert ingest(home).events == 0
    shutil.rmtree(home / ".brainproj")
    path.write_bytes((first + rest).rstrip(b"\n"))
    ingest(home)
    assert store(home).execute("SELECT prompts FROM sessions").fetchone()[0] == 2


def test_case_10_odd_characters(home: Path, cli: Cli) -> None:
    path = home / ".claude" / "projects" / "-x" / f"{session_id(10)}.jsonl"
    path.parent.mkdir(parents=True)
    shutil.copy(CASES / "10-bad-unicode" / "session.jsonl", path)
    report = ingest(home)
    assert (report.failed, report.bad_lines) == (0, 0)
    texts = texts_of(home)
    for word in ("walrus", "ocelot", "pelican", "ibex"):
        assert sum(word in text for text in texts) == 1, word
        assert len(cli.ok("search", word, "--everywhere", "--json").json) == 1
    assert any("😀" in text and "�" in text for text in texts)
    session = store(home).execute("SELECT session_id FROM sessions").fetchone()[0]
    assert "😀" in cli.ok("show", session).out
    assert "😀" in cli.ok("show", session, "--json").out


def test_case_11_sub_agent_files(home: Path) -> None:
    shutil.copytree(CASES / "11-sub-agent-files" / "home" / ".claude", home / ".claude")
    for _ in range(2):
        ingest(home)
        rows = store(home).execute("SELECT session_id, title, cwd FROM sessions WHERE listed").fetchall()
        assert rows == [("5f0c0000-0000-4000-8000-000000000011", "Count the walruses", "/home/dev/app")]
    shutil.rmtree(home / ".brainproj")
    (home / ".claude/projects/-home-dev-app/5f0c0000-0000-4000-8000-000000000011.jsonl").unlink()
    ingest(home)
    assert store(home).execute("SELECT count(*) FROM sessions WHERE listed").fetchone()[0] == 0


@pytest.mark.parametrize("newer_first", [False, True])
def test_case_12_resumed_sessions_copy(home: Path, cli: Cli, newer_first: bool) -> None:
    shutil.copytree(CASES / "12-resumed-session-copies" / "home" / ".claude", home / ".claude")
    files = sorted((home / ".claude").rglob("*.jsonl"), reverse=newer_first)
    for age, file in enumerate(files):
        os.utime(file, (1_772_000_000 + age, 1_772_000_000 + age))
    for _ in range(2):
        ingest(home)
        counts = store(home).execute("SELECT session_id, prompts FROM sessions ORDER BY session_id").fetchall()
        assert [count for _, count in counts] == [1, 1]
        replies = (
            store(home).execute("SELECT count(*) FROM events WHERE kind = ?", (codes.ALL_KINDS["reply"],)).fetchone()[0]
        )
        assert replies == 2
    assert len(cli.ok("search", "capybara", "--everywhere", "--json").json) == 1
    hits = cli.ok("search", "platypus", "--everywhere", "--json").json
    assert [hit["session_id"] for hit in hits] == ["5f0c0000-0000-4000-8000-00000000012b"]


def test_case_13_titles_are_what_a_person_typed(home: Path, cli: Cli) -> None:
    case = CASES / "13-first-message-is-not-the-person"
    claude = home / ".claude" / "projects" / "-x" / f"{session_id(13)}.jsonl"
    codex = home / ".codex" / "sessions" / "2026" / "03" / "01" / f"rollout-2026-03-01T10-00-00-{session_id(14)}.jsonl"
    for source, target in ((case / "claude.jsonl", claude), (case / "codex.jsonl", codex)):
        target.parent.mkdir(parents=True)
        shutil.copy(source, target)
    ingest(home)
    sessions = {one["agent"]: one for one in cli.ok("sessions", "--all", "--json").json}
    assert sessions["claude"]["title"] == "Fix the rounding in invoices"
    assert sessions["codex"]["title"] == "Speed up the nightly import"
    assert [one["prompts"] for one in sessions.values()] == [1, 1]
    for word in ("Caveat", "environment_context", "being continued", "total 3"):
        hits = cli.ok("search", word, "--everywhere", "--json").json
        assert [hit for hit in hits if hit["speaker"] == "person"] == []


def test_case_27_ids_that_are_paths(home: Path, tmp_path: Path, cli: Cli) -> None:
    ids = json.loads((CASES / "27-session-id-is-a-path" / "ids.json").read_text())
    folder = home / ".claude" / "projects" / "-x"
    folder.mkdir(parents=True)
    for number, one in enumerate(ids):
        (folder / f"not-a-uuid-{number}.jsonl").write_bytes(
            to_bytes([prompt(one, "/nowhere", f"said in {number}", uuid=f"u{number}")])
        )
    before = {path for path in tmp_path.rglob("*") if ".brainproj" not in str(path)}
    ingest(home)
    for one in ids:
        cli("show", one)
        cli("preview", "--session", one)
        cli("forget", one, "--dry-run")
    after = {path for path in tmp_path.rglob("*") if ".brainproj" not in str(path)}
    assert after == before
    stored = {row[0] for row in store(home).execute("SELECT session_id FROM sessions")}
    # an empty id is no id: the file's own name stands in
    assert stored == {one for one in ids if one} | {f"not-a-uuid-{ids.index('')}"}
    names = {path.name for path in (home / ".brainproj").rglob("*")}
    assert names <= HOME_FILES


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/St_Johns"])
def test_case_31_times_of_all_kinds(home: Path, zone: str, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    import time

    monkeypatch.setenv("TZ", zone)
    time.tzset()
    times = json.loads((CASES / "31-mixed-time-formats" / "times.json").read_text())
    for number, one in enumerate([*times, {"timestamp": "yesterday"}]):
        sid = session_id(3100 + number)
        write_claude(home, sid, [prompt(sid, "/x", f"number {number}") | {"timestamp": one["timestamp"]}])
    ingest(home)
    found = {s["session_id"]: s["started_at"] for s in cli.ok("sessions", "--all", "--json").json}
    assert len(found) == 8
    from brainproj.core.times import parse_time

    for number, one in enumerate(times):
        assert parse_time(found[session_id(3100 + number)]) == parse_time(one["means"])
    assert found[session_id(3107)] is None
    listed = [s["session_id"] for s in cli.ok("sessions", "--all", "--json").json]
    assert listed == [session_id(3107), *(session_id(3100 + number) for number in range(7))]
    between = "2026-03-01T11:15:00Z"  # after the third, before the fourth
    cli.ok("forget", "--before", between, "--yes")
    left = {s["session_id"] for s in cli.ok("sessions", "--all", "--json").json}
    assert left == {session_id(3100 + number) for number in range(3, 8)}
    time.tzset()


def test_codex_threads_have_the_names_of_its_index(fixtures: tuple[Path, Report]) -> None:
    home, _ = fixtures
    index = [
        json.loads(line)
        for line in (TRANSCRIPTS / "codex" / "session_index.jsonl").read_text().splitlines()
        if line.strip()
    ]
    names = {entry["id"]: entry["thread_name"] for entry in index}
    titles = dict(store(home).execute("SELECT session_id, title FROM sessions WHERE agent = 'codex'"))
    shown = set(names) & set(titles)
    assert shown and {one: titles[one] for one in shown} == {one: names[one] for one in shown}


def test_imported_histories_are_not_stored_twice(fixtures: tuple[Path, Report]) -> None:
    home, _ = fixtures
    imported = (
        store(home).execute("SELECT count(*) FROM sessions WHERE session_id LIKE '01a01d20%' AND listed").fetchone()[0]
    )
    assert imported == 0


@pytest.mark.parametrize("word", ["lesson", "decision"])
def test_the_same_words_are_recorded_in_a_later_session_too(home: Path, tmp_path: Path, cli: Cli, word: str) -> None:
    folder = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    for number in (1, 2):
        sid = session_id(number)
        said = f"{number}: <!-- @{word} -->Same words.<!-- @/{word} -->"
        write_claude(home, sid, [prompt(sid, folder, f"hello {number}", 1), reply(sid, folder, said, 2)])
        cli.ok("backfill", "--quiet")
    assert [one["text"] for one in cli.ok("records", "--project", "shop", "--json").json] == ["Same words."] * 2


# reading in parts ---------------------------------------------------------------------------------------------------


LINES = [
    prompt("s", "/work", "start with the pump"), reply("s", "/work", "I looked at it. <!-- @lesson -->prime the pump<!-- @/lesson -->"),
    *call("s", "/work", "Bash", {"command": "make check"}, "Exit code 2\nvalve stuck", error=True),
    prompt("s", "/work", "日本語のテスト 😀", 5), reply("s", "/work", "done", 6),
]  # fmt: skip
WHOLE = to_bytes(LINES)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, len(WHOLE)), max_size=4))
def test_growing_in_pieces_is_reading_once(tmp_path_factory: pytest.TempPathFactory, cuts: list[int]) -> None:
    once, parts = (tmp_path_factory.mktemp(name) for name in ("once", "parts"))
    for home in (once, parts):
        write_claude(home, session_id(7), [])
    target = parts / ".claude" / "projects" / "-work" / f"{session_id(7)}.jsonl"
    (once / ".claude" / "projects" / "-work" / f"{session_id(7)}.jsonl").write_bytes(WHOLE)
    ingest(once)
    for cut in [*sorted(cuts), len(WHOLE)]:
        target.write_bytes(WHOLE[:cut])
        ingest(parts)
    ours, theirs = dump(parts), dump(once)
    for one in (ours, theirs):
        one["positions"] = [row[1:] for row in one["positions"]]
    assert ours == theirs


def test_a_replaced_transcript_starts_a_new_generation(home: Path) -> None:
    sid = session_id(40)
    path = write_claude(home, sid, [prompt(sid, "/w", "the first content of this file")])
    ingest(home)
    path.write_bytes(
        to_bytes([prompt(sid, "/w", "something else altogether", 3, "q"), reply(sid, "/w", "and an answer to it", 4)])
    )
    report = ingest(home)
    assert report.events == 2
    assert store(home).execute("SELECT generation FROM transcripts").fetchone()[0] == 1
    path.write_bytes(b"")
    ingest(home)
    assert {"the first content of this file", "something else altogether"} <= texts_of(home)


def test_a_moved_transcript_is_not_read_again(home: Path) -> None:
    sid = session_id(41)
    path = write_claude(home, sid, LINES)
    ingest(home)
    before = dump(home)["events"]
    moved = path.parent.parent / "-elsewhere" / path.name
    moved.parent.mkdir()
    path.rename(moved)
    report = ingest(home)
    assert (report.events, report.bytes) == (0, 0)
    assert dump(home)["events"] == before
    assert store(home).execute("SELECT count(*) FROM transcripts").fetchone()[0] == 1


# hostile files ------------------------------------------------------------------------------------------------------


def in_folder(home: Path, name: str, content: bytes) -> Path:
    path = home / ".claude" / "projects" / "-x" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


GOOD = to_bytes([prompt("g", "/x", "a good line")])
BAD_LINES: list[tuple[str, bytes, int, int]] = [
    ("empty", b"", 0, 0),
    ("blank lines", b"\n\n  \n", 0, 0),
    ("nul bytes", b"\0\0\0\n" + GOOD, 1, 1),
    ("not json", b"hello\n" + GOOD, 1, 1),
    ("a number", b"42\n" + GOOD, 1, 1),
    ("two objects on one line", GOOD.rstrip(b"\n") + to_bytes([prompt("g", "/x", "the second", 2)]), 2, 0),
    ("deep nesting", b'{"type":"user","message":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n" + GOOD, 1, 1),
    ("unclosed nesting", b"[" * 100_000 + b"\n" + GOOD, 1, 1),
    ("invalid utf-8", b'{"type":"user","uuid":"x","message":{"content":"caf\xff\xe9"}}\n', 1, 0),
    ("a torn last line", GOOD + b'{"type":"user","mess', 1, 0),
    ("a byte order mark", b"\xef\xbb\xbf" + GOOD, 0, 1),
    (
        "a huge number",
        b'{"type":"user","uuid":"n","timestamp":' + b"9" * 400 + b',"message":{"content":"big"}}\n',
        1,
        0,
    ),
    ("infinity", b'{"type":"user","uuid":"n","timestamp":Infinity,"message":{"content":"inf"}}\n', 1, 0),
    ("a time from the future", to_bytes([prompt("g", "/x", "later") | {"timestamp": "9999-12-31T23:59:59Z"}]), 1, 0),
    ("a time from 1970", to_bytes([prompt("g", "/x", "early") | {"timestamp": 0}]), 1, 0),
    ("unknown type", b'{"type":"brand-new","x":1}\n' + GOOD, 1, 0),
]


@pytest.mark.parametrize(("name", "content", "events", "bad"), BAD_LINES, ids=[row[0] for row in BAD_LINES])
def test_bad_input_costs_that_line_alone(home: Path, name: str, content: bytes, events: int, bad: int) -> None:
    in_folder(home, f"{session_id(1)}.jsonl", content)
    sid = session_id(2)
    write_claude(home, sid, [prompt(sid, "/x", "the neighbour is read all the same")])
    report = ingest(home)
    assert (report.failed, report.bad_lines) == (0, bad)
    assert report.events == events + 1
    assert len(report.problems) == bad
    assert all(":1 " in problem for problem in report.problems)
    assert ingest(home).events == 0


def test_a_line_of_200_mb_is_named_and_passed_by_in_pieces(home: Path) -> None:
    import resource

    path = in_folder(home, f"{session_id(1)}.jsonl", GOOD)
    with path.open("ab") as file:
        file.write(b'{"type":"user","message":{"content":"')
        for _ in range(200):
            file.write(b"x" * 1_000_000)
        file.write(b'"}}\n' + to_bytes([reply("g", "/x", "after the long line")]))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report = ingest(home)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert (report.events, report.bad_lines) == (2, 1)
    assert "bytes long" in report.problems[0] and ":2 " in report.problems[0]
    assert grown < 200, f"{grown:.0f} MB more"


def test_files_that_cannot_be_read(home: Path) -> None:
    (home / ".claude" / "projects" / "-x" / f"{session_id(1)}.jsonl").mkdir(parents=True)
    (home / ".claude" / "projects" / "-x" / f"{session_id(2)}.jsonl").symlink_to("nowhere")
    codex = home / ".codex" / "sessions" / f"rollout-2026-01-01T00-00-00-{session_id(3)}.jsonl.zst"
    codex.parent.mkdir(parents=True)
    codex.write_bytes(b"this is not zstd")
    (home / ".cursor").write_text("a file where a folder should be")
    sid = session_id(4)
    write_claude(home, sid, [prompt(sid, "/x", "read all the same")])
    report = ingest(home)
    assert report.events == 1
    assert report.failed == 2, report.problems  # the folder and what is no zstd; a link to nowhere is no file
    assert all("cannot" in problem for problem in report.problems)


def test_fixtures_cut_anywhere_never_raise(home: Path) -> None:
    """Each real file cut at some byte, and with a byte changed."""
    for number, source in enumerate(sorted((TRANSCRIPTS / "claude").rglob("*.jsonl"))[:30]):
        content = source.read_bytes()
        cut = (number * 7919) % max(len(content), 1)
        in_folder(home, f"{session_id(number)}.jsonl", content[:cut])
        broken = bytearray(content)
        if broken:
            broken[cut] ^= 0x5A
        in_folder(home, f"{session_id(1000 + number)}.jsonl", bytes(broken))
    report = ingest(home)
    assert report.failed == 0
    assert report.events > 500


def test_what_is_excluded_is_not_parsed(home: Path, tmp_path: Path) -> None:
    secret = make_repository(tmp_path / "secret", "https://git.example.com/acme/secret")
    for number, cwd in enumerate((secret, tmp_path / "private" / "x", Path("/open"))):
        sid = session_id(number)
        write_claude(home, sid, [prompt(sid, cwd, f"words of {number}")], f"-f{number}")
    config = home / ".brainproj" / "config.toml"
    config.parent.mkdir()
    config.write_text(f'[capture.exclude]\nprojects = ["secret"]\nfolders = ["{tmp_path}/private"]\n')
    assert ingest(home).events == 1
    config.write_text('[capture.exclude]\nagents = ["claude"]\n')
    assert ingest(home).found == 0


# redaction and rules that change -------------------------------------------------------------------------------------


SECRET = "ghp" + "_" + "Ab1" * 12


def bytes_of(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in (home / ".brainproj").rglob("*") if path.is_file())


def test_secrets_reach_no_file_on_any_way(home: Path, tmp_path: Path) -> None:
    sid = session_id(50)
    lines = [
        prompt(sid, "/x", f"Use {SECRET} for it"),
        *call(
            sid,
            "/x",
            "Bash",
            {"command": f"curl -H 'Authorization: Bearer {SECRET}' https://api.example.com"},
            f"token={SECRET}",
        ),
        reply(sid, "/x", f'<!-- @lesson title="{SECRET}" -->never print {SECRET}<!-- @/lesson -->', 5),
        {"type": "custom-title", "customTitle": f"About {SECRET}", "sessionId": sid},
        {"type": "brand-new", "payload": SECRET},
        prompt(sid, "/x", "on a branch", 6) | {"gitBranch": f"fix/{SECRET}"},
    ]
    path = write_claude(home, sid, lines)
    with path.open("ab") as file:
        file.write(f"this line is no JSON {SECRET}\n".encode())
    report = ingest(home)
    assert report.events == 5 and report.gaps == 1 and report.bad_lines == 1
    assert SECRET.encode() not in bytes_of(home)
    from brainproj.store.texts import unpack

    assert not any(SECRET in unpack(row[0]) for row in store(home).execute("SELECT text FROM bodies"))
    assert any("https://api.example.com" in text for text in texts_of(home))


def test_a_new_rule_wipes_and_a_corrected_one_brings_back(home: Path, cli: Cli) -> None:
    sid = session_id(51)
    write_claude(
        home,
        sid,
        [prompt(sid, "/x", "the code word is Rumpelstilzchen, keep it"), reply(sid, "/x", "noted: Rumpelstilzchen")],
    )
    ingest(home)
    before = events_of(home, sid)
    config = home / ".brainproj" / "config.toml"
    config.write_text('[redaction]\nhide = ["Rumpel\\\\w+"]\n')
    ingest(home)
    hidden = events_of(home, sid)
    assert [event.code for event in hidden] == [event.code for event in before]
    assert all("Rumpel" not in event.text and event.revision == 2 for event in hidden)
    assert b"umpelstilzchen" not in bytes_of(home).lower()
    assert cli.ok("search", "Rumpelstilzchen", "--everywhere", "--json").json == []
    config.write_text("")
    ingest(home)
    back = events_of(home, sid)
    assert [event.text for event in back] == [event.text for event in before]
    assert all(event.revision == 3 for event in back)
    assert len(cli.ok("search", "Rumpelstilzchen", "--everywhere", "--json").json) == 2
    old = cli("show", f"{sid[:8]}/{before[0].event_id}@1")
    assert old.code == 1 and "gone" in old.err


def test_case_17_and_18_through_a_transcript(home: Path) -> None:
    keep = (CASES / "17-redaction-eats-numbers" / "keep.txt").read_text().splitlines()
    masks = json.loads((CASES / "18-redaction-misses-tokens" / "mask.json").read_text())
    sid = session_id(52)
    lines = [prompt(sid, "/x", text, number, f"k{number}") for number, text in enumerate([*keep, "\n".join(keep)])]
    lines += [prompt(sid, "/x", "".join(mask["text"]), number, f"m{number}") for number, mask in enumerate(masks)]
    write_claude(home, sid, lines)
    ingest(home)
    texts = texts_of(home)
    for text in (*keep, "\n".join(keep)):
        assert text.strip() in texts
    on_disk = bytes_of(home)
    for mask in masks:
        gone = "".join(mask["gone"])
        assert gone.encode() not in on_disk
        assert not any(gone in text for text in texts)
        assert any(all(part in text for part in mask["keep"]) for text in texts), mask["keep"]


# markers -------------------------------------------------------------------------------------------------------------


def marker(kind: str, text: str) -> str:
    return f"<!-- @{kind} -->{text}<!-- @/{kind} -->"


def test_case_30_markers_count_only_where_they_are_meant(home: Path, cli: Cli) -> None:
    message = (CASES / "30-markers-in-examples" / "message.md").read_text()
    for number in range(1, 10):
        message = message.replace(f"{{{{LESSON:{number}}}}}", marker("lesson", f"lesson {number}"))
    sid = session_id(60)
    block = f'<project-memory project="x">\n{message}\n</project-memory>'
    write_claude(
        home, sid,
        [
            prompt(sid, "/x", message), reply(sid, "/x", message), *call(sid, "/x", "Read", {"file_path": "README.md"}, message),
            reply(sid, "/x", block, 8),
        ],
    )  # fmt: skip
    for _ in range(2):
        ingest(home)
        rows = store(home).execute("SELECT kind, status FROM records").fetchall()
        assert rows == [("lesson", "current"), ("lesson", "current")]
    found = {record.text for record in records.list_records(store(home), None)}
    assert found == {"lesson 1", "lesson 9"}
    shown = cli.ok("show", "rec:1", "--json").json
    assert cli.ok("show", shown["source"], "--raw").out == marker("lesson", shown["text"])


def test_a_decision_of_an_agent_is_only_proposed(home: Path) -> None:
    sid = session_id(61)
    write_claude(home, sid, [reply(sid, "/x", marker("decision", "use sqlite") + marker("milestone", "shipped"))])
    ingest(home)
    rows = store(home).execute("SELECT kind, status, confirmed_by FROM records ORDER BY kind").fetchall()
    assert rows == [("decision", "proposed", None), ("milestone", "current", None)]


def test_our_own_words_are_echoes(home: Path, cli: Cli) -> None:
    sid = session_id(62)
    own = call(sid, "/x", "mcp__brainproj__search", {"query": "flamingo"}, "flamingo was said before")
    write_claude(home, sid, [prompt(sid, "/x", "go"), *own])
    ingest(home)
    flags = {event.text: event.flags for event in events_of(home, sid)}
    assert flags["flamingo was said before"] & Flag.ECHO
    assert cli.ok("search", "flamingo", "--everywhere", "--json").json == []
    assert len(cli.ok("search", "flamingo", "--everywhere", "--hidden", "--json").json) == 2


# attribution ----------------------------------------------------------------------------------------------------------


def test_a_session_gets_its_project_when_its_folder_is_declared_later(home: Path, tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    sid = session_id(70)
    write_claude(
        home,
        sid,
        [prompt(sid, folder, "a thought about pelicans"), reply(sid, folder, marker("lesson", "pelicans dive"))],
    )
    assert ingest(home).unattributed == 1
    cli.ok("projects", "add", folder)
    assert ingest(home).unattributed == 0
    hits = cli.ok("search", "pelicans", "--project", "notes", "--json").json
    assert {hit["kind"] for hit in hits} == {"prompt", "reply", "lesson"} or {"prompt", "lesson"} <= {
        hit["kind"] for hit in hits
    }
    records = cli.ok("records", "--project", "notes", "--json").json
    assert [record["text"] for record in records] == ["pelicans dive"]
