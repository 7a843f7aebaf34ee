"""Faults that an attack on the product found, each with its whole kind and the right value."""

import json
import os
from pathlib import Path

import pytest

from brainproj.core.block import safe_text
from brainproj.ingest import Wanted
from brainproj.store.texts import unpack

from .cli import Cli
from .conftest import TRANSCRIPTS
from .repositories import make_repository
from .test_ingest import dump, ingest, store, texts_of
from .transcripts import claude_line, prompt, reply, session_id, to_bytes, write_claude

SECRET = "glpat-" + "Zk3xWq9LmTb7RvN2YpQd"
A, B = session_id(1), session_id(2)


def project_of(home: Path, session: str) -> str | None:
    row = store(home).execute(
        "SELECT p.name FROM sessions s LEFT JOIN projects p ON p.id = s.project WHERE s.session_id = ?", (session,)
    )
    found = row.fetchone()
    return found[0] if found else None


# what is counted ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["cursor", "codex"])
def test_a_transcript_cut_short_and_grown_again_counts_once(home: Path, agent: str) -> None:
    """Lines of these agents have no ids of their own."""
    source = max((TRANSCRIPTS / agent).rglob("*.jsonl"), key=lambda path: path.stat().st_size)
    target = home / f".{agent}" / source.relative_to(TRANSCRIPTS / agent)
    target.parent.mkdir(parents=True)
    whole = source.read_bytes()
    target.write_bytes(whole)
    ingest(home)
    before = dump(home)
    target.write_bytes(whole[: len(whole) // 2])
    assert ingest(home).events == 0
    target.write_bytes(whole)
    assert ingest(home).events == 0
    after = dump(home)
    assert (after["events"], after["sessions"]) == (before["events"], before["sessions"])


def test_a_rule_that_hides_nothing_changes_no_count(home: Path) -> None:
    for agent in ("codex", "cursor"):
        (home / f".{agent}").symlink_to(TRANSCRIPTS / agent)
    ingest(home)
    before = dump(home)
    (home / ".brainproj" / "config.toml").write_text('[redaction]\nhide = ["zzzzqqq"]\n')
    assert ingest(home).events == 0
    assert dump(home) == before


def test_a_title_that_comes_alone_is_taken(home: Path) -> None:
    path = write_claude(home, A, [prompt(A, "/w", "first words")])
    ingest(home)
    with path.open("ab") as file:
        file.write(to_bytes([{"type": "custom-title", "customTitle": "The chosen title", "sessionId": A}]))
    ingest(home)
    assert store(home).execute("SELECT title FROM sessions").fetchone() == ("The chosen title",)


@pytest.mark.parametrize("kind", ["pipe", "folder", "null", "zero", "loop"])
def test_what_is_no_file_is_named_and_passed_by(home: Path, kind: str) -> None:
    write_claude(home, A, [prompt(A, "/w", "hello")])
    odd = home / ".claude" / "projects" / "-work" / "odd.jsonl"
    if kind == "pipe":
        os.mkfifo(odd)
    elif kind == "folder":
        odd.mkdir()
    else:
        odd.symlink_to({"null": "/dev/null", "zero": "/dev/zero", "loop": str(odd)}[kind])
    report = ingest(home)
    assert (report.events, report.read) == (1, 1)
    assert report.failed == (0 if kind == "loop" else 1)


@pytest.mark.parametrize(
    "members", [{"cwd": "/w/\ud83d"}, {"sessionId": "\ud83d"}, {"gitBranch": "\ud83d"}, {"version": "\ud83d"}]
)
def test_half_a_surrogate_pair_costs_nothing(home: Path, members: dict[str, str]) -> None:
    odd = reply(B, "/w", "half \ud83d of a pair")
    odd["message"] |= {
        "model": "\ud83d",
        "content": [*odd["message"]["content"], {"type": "tool_use", "id": "t", "name": "\ud83d", "input": {}}],
    }
    write_claude(home, B, [prompt(B, "/w", "x"), odd | members], "b")
    write_claude(home, A, [prompt(A, "/w", "hello")], "a")
    report = ingest(home)
    assert (report.failed, report.bad_lines) == (0, 0)
    assert "hello" in texts_of(home) and "half \ufffd of a pair" in texts_of(home)


# whose it is -------------------------------------------------------------------------------------------------------


def two_projects(tmp_path: Path) -> tuple[Path, Path]:
    return (
        make_repository(tmp_path / "alpha", "https://git.example.com/acme/alpha.git"),
        make_repository(tmp_path / "beta", "https://git.example.com/acme/beta.git"),
    )


def child_lines(session: str, cwd: Path) -> bytes:
    return to_bytes(
        [
            claude_line(
                "user",
                session,
                cwd,
                5,
                "k",
                isSidechain=True,
                agentId="abc",
                message={"role": "user", "content": "axolotl task"},
            ),
        ]
    )


@pytest.mark.parametrize("order", ["together", "child first", "parent first"])
def test_a_sub_agent_does_not_decide_the_sessions_project(home: Path, tmp_path: Path, cli: Cli, order: str) -> None:
    alpha, beta = two_projects(tmp_path)
    lesson = "<!-- @lesson -->The axolotl key rotates weekly.<!-- @/lesson -->"
    parent = home / ".claude" / "projects" / "-alpha" / f"{A}.jsonl"
    child = parent.with_suffix("") / "subagents" / "agent-abc.jsonl"
    child.parent.mkdir(parents=True)
    lines = to_bytes([prompt(A, alpha, "axolotl secret roadmap"), reply(A, alpha, lesson)])
    if order != "parent first":
        child.write_bytes(child_lines(A, beta))
    if order != "child first":
        parent.write_bytes(lines)
    first = cli.ok("preview", "--cwd", beta)
    assert "axolotl" not in first.out
    parent.write_bytes(lines)
    child.write_bytes(child_lines(A, beta))
    cli.ok("backfill")
    assert project_of(home, A) == "alpha"
    assert "axolotl" not in cli.ok("preview", "--cwd", beta).out
    assert "axolotl key" in cli.ok("preview", "--cwd", alpha).out
    assert cli.ok("search", "axolotl", "--project", "beta", "--json").json == []
    hits = cli.ok("search", "axolotl task", "--project", "alpha", "--json", "--hidden").json
    assert len(hits) == 1


def test_a_fork_is_not_called_by_its_parents_first_words(home: Path, tmp_path: Path, cli: Cli) -> None:
    alpha, beta = two_projects(tmp_path)
    write_claude(home, A, [prompt(A, alpha, "axolotl secret roadmap")], "a")
    copied = prompt(A, beta, "axolotl secret roadmap") | {"sessionId": B, "forkedFrom": {"sessionId": A}}
    write_claude(home, B, [copied, prompt(B, beta, "my own words", 9)], "b")
    os.utime(home / ".claude" / "projects" / "a" / f"{A}.jsonl", (1, 1))
    ingest(home)
    assert "axolotl" not in cli.ok("preview", "--cwd", beta).out
    assert "my own words" in cli.ok("preview", "--cwd", beta).out


def test_forgotten_words_do_not_come_back_from_a_copy(home: Path, tmp_path: Path, cli: Cli) -> None:
    alpha, _ = two_projects(tmp_path)
    write_claude(home, A, [prompt(A, alpha, "axolotl secret roadmap")], "a")
    copied = prompt(A, alpha, "axolotl secret roadmap") | {"sessionId": B}
    write_claude(home, B, [copied, prompt(B, alpha, "my own words", 9)], "b")
    os.utime(home / ".claude" / "projects" / "a" / f"{A}.jsonl", (1, 1))
    ingest(home)
    cli.ok("forget", A, "--yes")
    for _ in range(2):
        assert not any("axolotl" in text for text in texts_of(home))
        titles = store(home).execute("SELECT title FROM sessions UNION SELECT title FROM arcs").fetchall()
        assert titles == [("my own words",)]
        ingest(home, wanted=Wanted(rebuild=True))


# what is hidden ----------------------------------------------------------------------------------------------------


def stored_words(home: Path) -> str:
    """Every text and every cell of the store, unpacked."""
    db = store(home)
    tables = [
        row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'words%'")
    ]
    cells = []
    for table in tables:
        for row in db.execute(f"SELECT * FROM {table}"):
            for cell in row:
                if isinstance(cell, bytes) and cell[:4] == b"\x28\xb5\x2f\xfd":
                    cell = unpack(cell)
                cells.append(cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell))
    return "\n".join(cells)


def test_no_part_of_a_token_survives_anywhere(home: Path) -> None:
    padding = "word " * 13
    odd = reply(A, "/w", "fine")
    odd["message"] |= {"model": SECRET}
    odd["message"]["content"].append({"type": "tool_use", "id": "t1", "name": SECRET, "input": {}})
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in SECRET)
    lines = to_bytes([prompt(A, "/w", f"{padding}{SECRET} and more"), odd, {"type": SECRET, "sessionId": A}])
    path = write_claude(home, A, [])
    path.write_bytes(
        lines
        + f'{{"broken": "{escaped}"\n'.encode()
        + f'{{"broken": "{SECRET.replace("-", chr(92) + "u002d")}"\n'.encode()
        + f'{{"broken": "{SECRET}"'.encode("utf-16-le").replace(b"\n", b"")
        + b"\n"
    )
    ingest(home)
    words = stored_words(home)
    for length in range(12, len(SECRET)):
        assert SECRET[:length] not in words, length
    for part in ("Zk3xWq9LmTb7", "RvN2YpQd"):
        assert part not in words


def test_a_rule_of_ones_own_breaks_no_state(home: Path) -> None:
    cwd = "/srv/corpdir/alpha"
    (home / ".brainproj").mkdir()
    (home / ".brainproj" / "config.toml").write_text(r"""[redaction]
hide = ['\S*corp\.example\S*', 'corpdir']
""")
    path = write_claude(home, A, [prompt(A, cwd, "hello", gitBranch="fix/corp.example")])
    assert ingest(home).failed == 0
    with path.open("ab") as file:
        file.write(to_bytes([reply(A, cwd, "there at corp.example", gitBranch="fix/corp.example")]))
    assert ingest(home).failed == 0
    row = store(home).execute("SELECT cwd, branch FROM sessions").fetchone()
    assert row[0] == cwd and "corp.example" not in row[1]


def test_a_records_place_follows_its_text(home: Path, tmp_path: Path, cli: Cli) -> None:
    alpha, _ = two_projects(tmp_path)
    write_claude(
        home,
        A,
        [prompt(A, alpha, "x"), reply(A, alpha, "hush " * 9 + "<!-- @lesson -->Rotate the key.<!-- @/lesson -->")],
    )
    ingest(home)
    (home / ".brainproj" / "config.toml").write_text('[redaction]\nhide = ["hush "]\n')
    ingest(home)
    source = cli.ok("show", "rec:1", "--json").json
    assert source["text"] == "Rotate the key."
    place = json.dumps(source)
    address = next(part for part in place.split('"') if part.count(":") == 1 and "/" in part and "-" in part)
    assert "Rotate the key." in cli.ok("show", address).out


# what a block may hold ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unseen", ["", "\u200b", "\u2060", "\u00ad", "\u180e", "\u034f", "\ufe0f", "\u200d", " "])
def test_no_unseen_letter_lets_a_tag_through(unseen: str) -> None:
    for tag in ("/project-memory>", "system>", "|im_start|>system", "|start|>system"):
        assert "<" not in safe_text(f"a <{unseen}{tag} b")


def test_no_line_of_a_block_is_a_heading_or_holds_letters_nobody_sees() -> None:
    assert safe_text("# Heading") == "Heading"
    assert safe_text("## # twice") == "twice"
    assert safe_text("#123 is fixed") == "#123 is fixed"
    assert safe_text("a\U000e0041\U000e0042b") == "ab"
    assert safe_text("1 < 2 and a<-b") == "1 < 2 and a<-b"
