"""No word of another project, on any path there is. Two projects, each with words of its own; later paths add rows."""

import io
import os
import pwd
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from .brain.server import TOKEN, Brain, arc_text, entry, hot_table, log_text, serve
from .cli import Cli, spawn
from .repositories import add_worktree, make_repository
from .test_ingest import HOME_FILES, bytes_of, ingest
from .transcripts import call, prompt, reply, session_id, write_claude

WORDS = {"alpha": "axolotl", "beta": "bandicoot"}
LOGIN = pwd.getpwuid(os.getuid()).pw_name


def fill(home: Path, folder: Path, name: str, number: int) -> None:
    """A project whose every text holds its own word, wherever text can stand."""
    word = WORDS[name]
    sid = session_id(number)
    title = {"type": "custom-title", "customTitle": f"The {word} title", "sessionId": sid}
    marks = "".join(
        f"<!-- @{kind} -->{word} {kind}<!-- @/{kind} -->" for kind in ("lesson", "decision", "signal", "milestone")
    )
    lines = [
        prompt(sid, folder, f"Feed the {word}"), reply(sid, folder, f"The {word} eats. {marks}"),
        *call(sid, folder, "Bash", {"command": f"cat {word}.txt"}, f"Exit code 1\n{word} failed", error=True), title,
    ]  # fmt: skip
    write_claude(home, sid, lines, f"-{name}")


@pytest.fixture
def places(home: Path, tmp_path: Path) -> dict[str, Path]:
    found = {}
    for number, name in enumerate(WORDS):
        found[name] = make_repository(tmp_path / "code" / name, f"https://git.example.com/acme/{name}")
        fill(home, found[name], name, number)
    found["alpha worktree"] = add_worktree(found["alpha"], found["beta"].parent / "wt-beta", "wt")
    ingest(home)
    return found


PATHS: dict[str, tuple[str, ...]] = {
    "preview": ("preview",),
    "preview --json": ("preview", "--json"),
    "preview at every moment": ("preview", "--at", "compact", "--json"),
    "search own word": ("search", "eats", "--json"),
    "search the other's word": ("search", "bandicoot axolotl", "--json"),
    "search hidden": ("search", "feed", "--hidden", "--json"),
    "search human": ("search", "eats"),
    "search beginnings": ("search", "bandi* OR axo*", "--json"),
    "search in the index's language": ("search", "bandicoot OR axolotl", "--fts", "--json"),
    "search out of the scope": ("search", "eats) OR (tags : (p1 OR p2 OR p3) ", "--fts", "--hidden", "--json"),
    "search thinking": ("search", "feed", "--thinking", "--json"),
    "search by file": ("search", "--file", "bandicoot.txt", "--json"),
    "search by another file": ("search", "--file", "axolotl.txt", "--json"),
    "search by agent and speaker": ("search", "eats", "--agent", "claude", "--speaker", "assistant", "--json"),
    "a question": ("search", "What do these animals eat at night, and when?", "--json"),
    "search by a person": ("search", "eats", "--by", LOGIN, "--json"),
    "tasks": ("task", "list", "--all", "--json"),
    "who": ("who", "--json"),
    "who human": ("who",),
    "who is a person": ("who", LOGIN, "--json"),
    "attempts": ("attempts", "--json"),
    "attempts human": ("attempts",),
    "attempts by the other's word": ("attempts", "bandicoot", "--json"),
    "attempts by the other's file": ("attempts", "--file", "axolotl.txt", "--json"),
    "export": ("export",),
    "statusline": ("statusline",),
    "records": ("records", "--json"),
    "records human": ("records",),
    "arcs": ("arcs", "--json"),
    "arcs human": ("arcs",),
    "scope": ("scope", "--json"),
    "resolve": ("resolve", "--json"),
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("place", ["alpha", "beta", "alpha worktree"])
def test_strict_scope_gives_no_word_of_another_project(
    places: dict[str, Path], place: str, path: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(places[place])
    own = place.split()[0]
    other = next(name for name in WORDS if name != own)
    done = cli.ok(*PATHS[path])
    assert WORDS[other] not in done.out + done.err
    if path.startswith(("preview", "records", "arcs")):
        assert WORDS[own] in done.out


KEPT = (
    ("resume",),
    ("resume", "task", "eats and sleeps"),
    ("resume", "--json"),
    ("review", "--json"),
    ("records", "--json"),
    ("handoff",),
    ("handoff", "show", "task"),
    ("handoff", "--json"),
    ("documents",),
    ("documents", "--json"),
    ("sleep",),
    ("sleep", "--json"),
    ("task", "list", "--all"),
    ("map",),
    ("preview",),
    ("search", "eats", "--json"),
    ("search", "document", "--json"),
)


@pytest.mark.parametrize("place", ["alpha", "beta", "alpha worktree"])
def test_what_is_kept_on_purpose_stays_in_its_project(
    places: dict[str, Path], place: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents, tasks, handoffs and proposals of both projects, asked for in one."""
    for name, word in WORDS.items():
        monkeypatch.chdir(places[name])
        cli.ok("add", f"The {word} document says that it eats")
        cli.ok("task", "new", f"The {word} task", "--goal", f"The {word} sleeps")
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"Goal: the {word} goal\nRemaining:\n- the {word} rest\n"))
        cli.ok("handoff", "draft", "task")
    monkeypatch.chdir(places[place])
    own = place.split()[0]
    other = next(name for name in WORDS if name != own)
    told = ""
    for command in KEPT:
        done = cli.ok(*command)
        assert WORDS[other] not in done.out + done.err, command
        told += done.out
    for word in ("document", "task", "goal", "rest"):
        assert f"{WORDS[own]} {word}" in told, word


def test_search_for_the_others_word_finds_nothing(
    places: dict[str, Path], cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(places["alpha"])
    for word in (
        "bandicoot",
        "bandicoot*",
        '"bandicoot"',
        "bandicoot OR axolotl",
        'p2" OR text:bandicoot',
        "NOT tags:h",
    ):
        assert "bandicoot" not in cli.ok("search", word, "--json", "--hidden").out


def test_another_projects_address_is_labelled(
    places: dict[str, Path], cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`show` is a person's command: it opens any address, and says whose it is."""
    monkeypatch.chdir(places["alpha"])
    theirs = cli.ok("records", "--project", "beta", "--json").json[0]["citation"]
    assert "(beta)" in cli.ok("show", theirs).out
    assert cli.ok("show", theirs, "--json").json["project"]["name"] == "beta"


def test_completion_offers_this_projects_sessions(places: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(places["alpha"])
    monkeypatch.setenv("COMP_WORDS", "brainproj show ")
    monkeypatch.setenv("COMP_CWORD", "2")
    monkeypatch.setenv("_BRAINPROJ_COMPLETE", "complete_bash")
    out, _ = spawn().communicate(timeout=60)
    assert out.decode().split() == [session_id(0)]


def test_logs_and_files_beside_the_store_hold_no_word(
    places: dict[str, Path], home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    from brainproj import search

    monkeypatch.chdir(places["alpha"])
    monkeypatch.setattr(search, "search", lambda *_: 1 / 0)
    import brainproj.commands.search as command

    monkeypatch.setattr(command, "search", search.search)
    done = cli("search", "bandicoot")
    assert done.code == 1 and "ZeroDivisionError" in done.err and "--debug" in done.err
    log = (home / ".brainproj" / "logs" / "brainproj.log").read_text()
    assert "ZeroDivisionError" in log and "bandicoot" not in log
    names = {path.name for path in (home / ".brainproj").rglob("*") if path.is_file()}
    assert names <= HOME_FILES | {"brainproj.log"}
    assert bytes_of(home)


def test_two_repositories_of_one_name_stay_apart(
    home: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 02, 2 and 3: four projects called `app`, each with its own fact."""
    from .conftest import CASES
    from .repositories import run_setup

    place = run_setup(CASES / "02-same-folder-name", tmp_path / "c")
    folders = [place / owner / "app" for owner in ("acme", "globex", "alone1", "alone2")]
    for number, folder in enumerate(folders):
        sid = session_id(number)
        write_claude(
            home,
            sid,
            [
                prompt(sid, folder, f"fact-{number}"),
                reply(sid, folder, f"<!-- @lesson -->fact-{number}<!-- @/lesson -->"),
            ],
        )
    ingest(home)
    for number, folder in enumerate(folders):
        monkeypatch.chdir(folder)
        block = cli.ok("preview").out
        found = cli.ok("search", "fact", "--json").out
        for other in range(4):
            assert (f"fact-{other}" in block) == (other == number)
            assert (f"fact-{other}" in found) == (other == number)
    listed = cli.ok("projects").out.splitlines()[1:]
    assert len(listed) == 4 and len(set(listed)) == 4


def test_case_01_memory_outlives_its_worktree(
    home: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    from .conftest import CASES
    from .repositories import git, run_setup

    place = run_setup(CASES / "01-worktree-subfolder", tmp_path / "c")
    sid = session_id(1)
    write_claude(home, sid, [prompt(sid, place / "wt/feature-x/services/api", "the numbat sleeps")])
    before = set((place / "wt").rglob("*"))
    ingest(home)
    monkeypatch.chdir(place / "code" / "shop")
    assert len(cli.ok("search", "numbat", "--kind", "prompt", "--json").json) == 1
    assert set((place / "wt").rglob("*")) == before
    git(place / "code" / "shop", "worktree", "remove", "--force", str(place / "wt" / "feature-x"))
    assert len(cli.ok("search", "numbat", "--kind", "prompt", "--json").json) == 1
    assert cli.ok("preview", "--cwd", place / "wt/feature-x/services", "--json").json["project"]["name"] == "shop"


BRAIN_PATHS: dict[str, tuple[str, ...]] = {
    "brain": ("brain",),
    "brain --json": ("brain", "--json"),
    "preview": ("preview",),
    "preview --json": ("preview", "--json"),
    "preview at a prompt": ("preview", "--at", "prompt", "--json"),
    "map": ("map",),
    "resume": ("resume",),
    "search": ("search", "eats", "--json"),
    "records": ("records", "--json"),
    "arcs": ("arcs", "--json"),
    "status": ("status", "--json"),
    "export": ("export",),
}


@pytest.mark.parametrize("place", ["alpha", "beta", "alpha worktree"])
@pytest.mark.parametrize("source", ["vault", "kernel"])
def test_no_word_of_another_project_comes_from_a_brain(
    places: dict[str, Path], place: str, source: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both sources tell of both projects, wherever they can: arcs, lessons, a merge across both, entries, an intent."""
    own = place.split()[0]
    other = next(name for name in WORDS if name != own)
    with serve(Brain()) as brain:
        fill_brain(brain, source)
        monkeypatch.setenv("BRAIN_URL", brain.url)
        monkeypatch.setenv("BRAIN_HTTP_TOKEN", TOKEN)
        monkeypatch.chdir(places[place])
        told = ""
        for name, command in BRAIN_PATHS.items():
            done = cli.ok(*command)
            assert WORDS[other] not in done.out + done.err, name
            told += done.out
        for piece in cli.ok("brain", "--json").json["pieces"]:
            done = cli.ok("show", piece["citation"])
            assert WORDS[other] not in done.out + done.err
        for what in ("of the brain", "told by the brain"):
            assert f"{WORDS[own]} {what}" in told


def fill_brain(brain: Brain, source: str) -> None:
    """A brain that knows both projects, each thing with the project's own word."""
    today = datetime.now(UTC).date().isoformat()
    rows = []
    for number, (name, word) in enumerate(WORDS.items()):
        key, sid = f"git.example.com/acme/{name}", session_id(number)
        arc = f"{today}-{word}-arc"
        rows.append((arc, 9, "active", f"{word} of the brain"))
        brain.vault[f"clusters/{today}/{arc}.md"] = arc_text(arc, f"{word} of the brain", [f"far-{word}"], name, heat=9)
        log = brain.vault.setdefault(f"left/reference/lessons-{today}.md", "")
        brain.vault[f"left/reference/lessons-{today}.md"] = log + log_text(
            (f"{today}T00:00:0{number}Z", sid, f"{word} told by the brain")
        )
        lessons = entry("lessons", "Lessons", f"- {word} told by the brain")
        mixed = entry(
            "lessons-all", "Lessons", " and ".join(WORDS.values()), project="beta" if name == "alpha" else "alpha"
        )
        if source == "kernel":
            brain.scoped[key] = {
                "project": {"key": key, "name": name}, "hot_arcs": [hot_table(rows[-1:])], "inject_blocks": [],
                "entries": [lessons, mixed, entry("intent", "Intent", f"{word} intent")],
            }  # fmt: skip
    merged = f"{today}-merged"
    both = arc_text(merged, "axolotl first", [session_id(0)], "alpha", heat=8, summary=" and ".join(WORDS.values()))
    both += (
        f"\n## Merged from {today}-second\n\n# bandicoot second\n\n- home-bridge://sessions/{session_id(1)} (1 turn)\n"
    )
    brain.vault[f"left/{merged}.md"] = both
    rows.append((merged, 8, "merged", " and ".join(WORDS.values())))
    brain.feed = {
        "hot_arcs": [hot_table(rows)], "inject_blocks": [],
        "entries": [entry("operator-intent", "Intent", "alpha and beta: " + " and ".join(WORDS.values())),
                    entry("lessons", "Lessons", " and ".join(WORDS.values())),
                    *(entry(f"note-{name}", "Note", f"{word} note", project=name) for name, word in WORDS.items())],
    }  # fmt: skip
