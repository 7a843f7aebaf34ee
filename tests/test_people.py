"""Whose sessions these are: git's identity, the system's user, aliases by hand; and what `who` and `--by` make of it."""

import json
import os
import pwd
from pathlib import Path

import pytest

from brainproj import owners

from .cli import Cli
from .repositories import git, make_repository
from .test_ingest import ingest
from .transcripts import call, prompt, reply, session_id, write_claude

ADA, HOME_ADA = "ada@work.example", "Ada@Home.example"


def write_session(home: Path, number: int, folder: Path, *words: str, minute: int = 0) -> str:
    sid = session_id(number)
    lines = [prompt(sid, folder, word, minute + place, f"p{place}") for place, word in enumerate(words)]
    lines += call(sid, folder, "Edit", {"file_path": f"{folder}/src/pay.py", "old_string": "a"}, "ok", minute + 20)
    lines += [
        reply(sid, folder, f"Reply of {number}. <!-- @lesson -->Lesson of {number}.<!-- @/lesson -->", minute + 25)
    ]
    write_claude(home, sid, lines)
    return sid


@pytest.fixture
def team(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a session of Ada's by the repository, one of Bo's by ~/.gitconfig, and another project."""
    shop = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    other = make_repository(tmp_path / "other", "https://git.example.com/acme/other")
    git(shop, "config", "user.name", "Ada")
    git(shop, "config", "user.email", ADA)
    write_session(home, 1, shop, "the ferry is late", "look again")
    write_session(home, 2, shop, "the ferry is early", minute=30)
    ingest(home)
    git(shop, "config", "--unset", "user.email")
    git(shop, "config", "--unset", "user.name")
    (home / ".gitconfig").write_text("[user]\n\tname = Bo\n\temail = bo@work.example\n")
    write_session(home, 3, shop, "the ferry again", minute=60)
    write_session(home, 4, other, "secret ferry", minute=70)
    ingest(home)
    monkeypatch.chdir(shop)
    return shop


def test_the_owner_is_whom_git_names_when_the_session_is_read_and_stays(team: Path, home: Path, cli: Cli) -> None:
    owners = cli.ok("who", "--json").json
    assert [(one["person"]["name"], one["sessions"], one["prompts"]) for one in owners] == [("Ada", 2, 3), ("Bo", 1, 1)]
    ids = {one["person"]["name"]: one["person"]["id"] for one in owners}
    assert all(one.startswith("git:") and "@" not in one for one in ids.values())
    sessions = {one["session_id"]: one["person"] for one in cli.ok("sessions", "--all", "--json").json}
    assert sessions[session_id(1)] == {"id": ids["Ada"], "name": "Ada"} and sessions[session_id(3)]["name"] == "Bo"
    assert {one["person"]["name"] for one in cli.ok("records", "--json").json} == {"Ada", "Bo"}
    stored = b"".join(path.read_bytes() for path in (home / ".brainproj").glob("brain.db*"))
    assert b"ada@" not in stored.lower() and b"bo@work" not in stored, "no address is kept"
    cli.ok("backfill", "--rebuild", "--quiet")
    assert cli.ok("who", "--json").json == owners


def test_what_a_person_has_to_do_with(team: Path, cli: Cli) -> None:
    for name in ("Ada", "ada", ADA, ADA.upper(), cli.ok("who", "--json").json[0]["person"]["id"][:10]):
        facts = cli.ok("who", name, "--json").json
        assert facts["person"]["name"] == "Ada" and facts["sessions"] == 2
    assert [one["session_id"] for one in facts["latest"]] == [session_id(2), session_id(1)]
    assert [(file["path"], file["calls"]) for file in facts["files"]] == [("src/pay.py", 2)]
    assert {record["text"] for record in facts["records"]} == {"Lesson of 1.", "Lesson of 2."}
    shown = cli.ok("who", "Ada")
    assert shown.out.startswith("Ada: 2 sessions, 3 prompts, known as git:") and "src/pay.py" in shown.out
    assert "--by git:" in shown.err
    for nobody in ("Carol", "carol@work.example", "git:000000", "os:nobody"):
        done = cli("who", nobody)
        assert done.code == 1 and "no person" in done.err, nobody
    assert cli("who", " ").code == 2


def test_who_touched_a_file(team: Path, cli: Cli) -> None:
    facts = cli.ok("who", "src/pay.py", "--json").json
    assert [(one["session_id"], one["person"]["name"], one["calls"]) for one in facts["sessions"]] == [
        (session_id(3), "Bo", 1),
        (session_id(2), "Ada", 1),
        (session_id(1), "Ada", 1),
    ]
    opened = cli.ok("show", facts["sessions"][0]["citation"], "--json").json
    assert opened["kind"] == "tool_call" and "pay.py" in opened["text"]
    out = cli.ok("who", "pay.py").out
    assert "Bo" in out and "Ada" in out and "The last call: brainproj show 5f0c0000/" in out
    for untouched in ("ay.py", "other.py", "deep/er/pay.py"):
        assert cli.ok("who", untouched, "--json").json["sessions"] == [], untouched
    assert "No tool touched other.py in a session of shop." in cli.ok("who", "other.py").err


def test_by_finds_what_a_person_typed_and_nothing_an_agent_said(team: Path, home: Path, cli: Cli) -> None:
    def found(*options: str) -> set[str]:
        return {hit["excerpt"] for hit in cli.ok("search", *options, "--json").json}

    assert found("ferry", "--by", "Ada") == {"the ferry is late", "the ferry is early"}
    assert found("ferry", "--by", "Bo") == {"the ferry again"}, "and nothing of another project"
    assert found("reply", "--by", "Ada") == set() and found("lesson", "--by", "Ada") == set()
    assert found("How late was the ferry running?", "--by", "Ada") == {"the ferry is late"}
    assert cli("search", "x", "--by", "Carol").code == 1
    assert cli("search", "x", "--by", "Ada", "--speaker", "person").code == 2


def test_what_a_program_or_an_agent_asked_is_nobodys(team: Path, home: Path, cli: Cli) -> None:
    sid = session_id(9)
    line = prompt(sid, team, "the ferry by program", 80)
    write_claude(home, sid, [line | {"promptSource": "sdk"}, reply(sid, team, "x", 81)])
    ingest(home)
    hits = {hit["excerpt"] for hit in cli.ok("search", "ferry", "--by", "Bo", "--json").json}
    assert hits == {"the ferry again"}


def test_aliases_make_one_of_two(team: Path, home: Path, cli: Cli) -> None:
    (home / ".brainproj" / "config.toml").write_text(
        f'[persons."Ada Lovelace"]\naliases = ["{ADA.upper()}", "bo@work.example", "carol@x.example"]\n'
    )
    owners = cli.ok("who", "--json").json
    assert [(one["person"]["name"], one["sessions"]) for one in owners] == [("Ada Lovelace", 3)]
    facts = cli.ok("who", "bo@work.example", "--json").json
    assert facts["sessions"] == 3 and len(facts["identities"]) == 2
    assert len(cli.ok("search", "ferry", "--by", "ada lovelace", "--json").json) == 3
    (home / ".brainproj" / "config.toml").write_text('[persons."Ada"]\naliases = "x"\n[persons.Bo]\nalias = []\n')
    said = cli.ok("who")
    assert "persons.Ada.aliases" in said.err and "persons.Bo.alias is no setting" in said.err


def test_one_name_of_two_people_is_a_choice(team: Path, home: Path, cli: Cli) -> None:
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@elsewhere.example\n")
    write_session(home, 5, team, "another ada", minute=90)
    ingest(home)
    done = cli("who", "ada")
    assert done.code == 1 and "2 persons are called ada" in done.err and '[persons."ada"] aliases = ["git:' in done.err


def test_without_git_the_user_of_the_machine(
    home: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    write_session(home, 1, shop, "hello")
    ingest(home)
    monkeypatch.chdir(shop)
    login = pwd.getpwuid(os.getuid()).pw_name
    (owner,) = cli.ok("who", "--json").json
    assert owner["person"]["name"] == login and owner["person"]["id"].startswith("os:")
    assert cli.ok("who", f"os:{login}", "--json").json["person"] == owner["person"]
    monkeypatch.setattr(owners, "machine_name", lambda: "another-machine")
    assert cli("who", f"os:{login}").code == 1, "the same login elsewhere is somebody else"


def test_conditions_of_git_are_followed_for_the_person_and_not_for_the_repository(
    home: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = make_repository(tmp_path / "job" / "shop", "https://git.example.com/acme/shop")
    free = make_repository(tmp_path / "free" / "toy", "https://git.example.com/acme/toy")
    (home / ".gitconfig").write_text(
        f'[user]\n\tname = Ada\n\temail = {HOME_ADA}\n[includeIf "gitdir:{tmp_path}/job/"]\n\tpath = work.config\n'
    )
    (home / "work.config").write_text(f"[user]\n\temail = {ADA}\n")
    (tmp_path / "evil").write_text("[user]\n\temail = evil@example.com\n")
    with (free / ".git" / "config").open("a") as config:
        config.write(f"[include]\n\tpath = {tmp_path}/evil\n[include]\n\tpath = /dev/zero\n")
    for number, folder in ((1, work), (2, free)):
        write_session(home, number, folder, "hello")
    ingest(home)
    monkeypatch.chdir(work)
    assert cli.ok("who", ADA, "--json").json["sessions"] == 1 and cli("who", HOME_ADA).code == 1
    monkeypatch.chdir(free)
    assert cli.ok("who", HOME_ADA.lower(), "--json").json["sessions"] == 1


@pytest.mark.parametrize(
    "content", ["[user", "[user]\nemail\n", "\0\xff", '[include]\npath = "', "[user]\nemail = \n", ""]
)
def test_a_git_configuration_that_is_broken_names_nobody(home: Path, tmp_path: Path, cli: Cli, content: str) -> None:
    shop = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    (home / ".gitconfig").write_bytes(content.encode("latin-1"))
    write_session(home, 1, shop, "hello")
    ingest(home)
    (owner,) = cli.ok("who", "--project", "shop", "--json").json
    assert owner["person"]["id"].startswith("os:")


def test_a_secret_in_a_name_is_not_kept(home: Path, tmp_path: Path, cli: Cli) -> None:
    token = "ghp_" + "a1B2" * 9
    shop = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    (home / ".gitconfig").write_text(f"[user]\n\tname = Ada {token}\n\temail = {ADA}\n")
    write_session(home, 1, shop, "hello")
    ingest(home)
    assert token not in cli.ok("who", "--project", "shop").out
    assert all(token.encode() not in path.read_bytes() for path in (home / ".brainproj").glob("*") if path.is_file())


def test_the_map_names_who_worked_of_late(team: Path, home: Path, cli: Cli) -> None:
    import sqlite3
    import time

    assert "In the last 90 days" not in cli.ok("map").out, "these are of March"
    with sqlite3.connect(home / ".brainproj" / "brain.db") as db:
        db.execute("UPDATE sessions SET last_at = ?", (time.time_ns() // 1000,))
    found = cli.ok("map", "--json").json
    assert (
        "In the last 90 days the sessions were those of Ada (2 sessions), Bo (1 session): brainproj who"
        in found["text"]
    )
    assert [one["person"]["name"] for one in found["owners"]] == ["Ada", "Bo"]


def test_an_import_brings_its_persons_and_takes_none(
    team: Path, home: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [json.loads(line) for line in cli.ok("export", "shop").out.splitlines()]
    assert {line["person"]["name"] for line in lines if line["type"] == "session"} == {"Ada", "Bo"}
    assert "@" not in json.dumps([line.get("person") for line in lines])
    for line in lines:
        if line["type"] == "session" and line["session_id"] == session_id(3):
            del line["person"]
        if line["type"] == "session" and line["session_id"] == session_id(2):
            line["person"] = {"id": "ada@plain.example", "name": "Ada"}
    file = tmp_path / "shop.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setenv("BRAINPROJ_HOME", str(tmp_path / "elsewhere"))
    cli.ok("import", file)
    (tmp_path / "nothing").mkdir()
    cli.ok("backfill", "--quiet", "--agent", "claude", "--root", tmp_path / "nothing")
    owners = cli.ok("who", "--project", "shop", "--json").json
    assert [(one["person"] and one["person"]["name"], one["sessions"]) for one in owners] == [("Ada", 1), (None, 2)]
    assert owners[0]["person"]["id"].startswith("imported:git:"), "a file can say anything"
    assert "nobody named" in cli.ok("who", "--project", "shop").out


def test_nobody_of_another_project_is_told_of(
    team: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path / "other")
    assert [one["person"]["name"] for one in cli.ok("who", "--json").json] == ["Bo"]
    done = cli("who", "Ada")
    assert done.code == 1 and "Ada has no session in other" in done.err
    assert cli.ok("who", "Bo", "--json").json["sessions"] == 1
    assert [one["session_id"] for one in cli.ok("who", "pay.py", "--json").json["sessions"]] == [session_id(4)]


@pytest.mark.parametrize(
    "content",
    [
        '[includeIf "onbranch:main"]\n\tpath = ~/.work\n',
        '[includeIf "hasconfig:remote.*.url:https://git.example.com/**"]\n\tpath = .work\n',
        '[includeIf "gitdir/i:**/SHOP/"]\n\tpath = ./.work\n',
        '[includeIf "onbranch:ma*"]\n\tpath = ~/.work\n[includeIf "nonsense:x"]\n\tpath = ~/.other\n[includeIf]\npath = x\n',
        "[include]\n\tpath = ~/.loop\n[include]\n\tpath = ~/.work\n",
    ],
)
def test_every_condition_of_git_is_known(home: Path, tmp_path: Path, cli: Cli, content: str) -> None:
    shop = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    (home / ".gitconfig").write_text(f"[user]\n\tname = Ada\n\temail = {HOME_ADA}\n{content}")
    (home / ".work").write_text(f"[user]\n\temail = {ADA}\n")
    (home / ".other").write_text("[user]\n\temail = wrong@example.com\n")
    (home / ".loop").write_text("[include]\n\tpath = ~/.loop\n")
    write_session(home, 1, shop, "hello")
    ingest(home)
    assert cli.ok("who", ADA, "--project", "shop", "--json").json["person"]["name"] == "Ada"


@pytest.mark.parametrize("what", ["fifo", "folder", "huge", "device", "binary", "loop of links", "unreadable include"])
def test_no_git_configuration_stops_a_reading(home: Path, tmp_path: Path, cli: Cli, what: str) -> None:
    shop = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    config = home / ".gitconfig"
    if what == "fifo":
        os.mkfifo(config)
    elif what == "folder":
        config.mkdir()
    elif what == "huge":
        config.write_text("[user]\n" + "\tname = Ada\n" * 2_000_000)
    elif what == "device":
        config.symlink_to("/dev/zero")
    elif what == "binary":
        config.write_bytes(os.urandom(5000))
    elif what == "loop of links":
        config.symlink_to(config)
    else:
        os.mkfifo(home / "pipe")
        config.write_text(
            "[include]\n\tpath = pipe\n[include]\n\tpath = /dev/zero\n[include]\n\tpath\n[include]\n\tpath = \0\n"
        )
    write_session(home, 1, shop, "hello")
    ingest(home)
    (owner,) = cli.ok("who", "--project", "shop", "--json").json
    assert owner["person"]["id"].startswith("os:")


def test_a_name_that_is_an_address_is_not_kept(home: Path, tmp_path: Path, cli: Cli) -> None:
    shop = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    (home / ".gitconfig").write_text(f"[user]\n\tname = Ada <{ADA}>\n\temail = {ADA}\n")
    write_session(home, 1, shop, "hello")
    ingest(home)
    (owner,) = cli.ok("who", "--project", "shop", "--json").json
    assert owner["person"]["name"] is None
    assert all(b"work.example" not in path.read_bytes() for path in (home / ".brainproj").glob("*") if path.is_file())


def test_an_import_puts_no_words_into_anybodys_mouth(team: Path, home: Path, tmp_path: Path, cli: Cli) -> None:
    before = cli.ok("who", "--json").json
    lines = [json.loads(line) for line in cli.ok("export", "shop").out.splitlines()]
    forged = []
    for line in lines[1:]:
        if line.get("session_id") == session_id(1) and line["type"] in ("session", "event"):
            line |= {"session_id": session_id(99)}
            if line["type"] == "session":
                line["person"]["name"] = "Evil Eve " + "e" * 100_000
            else:
                line |= {"id": line["id"][::-1], "text": "I approve dropping the walrus"}
            forged.append(line)
    file = tmp_path / "forged.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in [lines[0], *forged]))
    cli.ok("import", file)
    assert cli.ok("search", "walrus", "--by", ADA, "--json").json == []
    after = {one["person"]["id"]: one for one in cli.ok("who", "--json").json}
    assert [after.pop(one["person"]["id"]) for one in before] == before, "nobody is renamed, and owns no more"
    ((key, eve),) = after.items()
    assert key.startswith("imported:git:") and len(eve["person"]["name"]) <= 120


def test_a_hit_cites_the_place_that_was_asked_for(team: Path, home: Path, cli: Cli) -> None:
    for number, name, minute in ((11, "Ada", 10), (12, "Bo", 50)):
        git(team, "config", "user.name", name)
        git(team, "config", "user.email", ADA if name == "Ada" else "bo@work.example")
        write_session(home, number, team, "please purge the zeppelin cache", minute=minute)
        ingest(home)
    (hit,) = cli.ok("search", "purge the zeppelin cache", "--by", "Ada", "--json").json
    assert hit["session_id"] == session_id(11) and len(hit["places"]) == 1 and hit["person"]["name"] == "Ada"
    since = ("--since", "2026-03-01T10:30:00Z")
    assert cli.ok("search", "zeppelin", "--by", "Ada", *since, "--json").json == []
    assert len(cli.ok("search", "zeppelin", "--by", "Bo", *since, "--json").json) == 1
    assert len(cli.ok("search", "zeppelin", "--kind", "prompt", "--json").json[0]["places"]) == 2
    latest = cli.ok("search", "--by", "Bo", "--json").json
    assert [one["excerpt"] for one in latest] == ["the ferry again", "please purge the zeppelin cache"]
    assert "Nothing in shop fits." in cli.ok("search", "--by", "Bo", "--since", "2027-01-01").err


def test_a_part_of_a_name_names_a_person(home: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    (home / ".gitconfig").write_text("[user]\n\tname = Ada Lovelace\n\temail = ada@x.example\n")
    write_session(home, 1, shop, "hello")
    ingest(home)
    monkeypatch.chdir(shop)
    key = cli.ok("who", "--json").json[0]["person"]["id"]
    for name in ("ada", "LOVELACE", "lovelace ada", key, key[:8]):
        assert cli.ok("who", name, "--json").json["person"]["id"] == key, name
    assert cli("who", "love").code == 1


def test_another_users_file_is_not_mine(home: Path, tmp_path: Path, cli: Cli) -> None:
    shop = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    (home / ".gitconfig").write_text(f"[user]\n\tname = Ada\n\temail = {ADA}\n")
    write_session(home, 1, shop, "hello")
    (path,) = (home / ".claude" / "projects").rglob("*.jsonl")
    os.chown(path, 12345, -1)
    ingest(home)
    (owner,) = cli.ok("who", "--project", "shop", "--json").json
    assert owner["person"]["name"] == "uid12345" and owner["person"]["id"].startswith("os:")


def test_nobody_is_left_of_whom_everything_was_forgotten(team: Path, home: Path, cli: Cli) -> None:
    cli.ok("forget", session_id(1), "--yes")
    assert [one["person"]["name"] for one in cli.ok("who", "--json").json] == ["Ada", "Bo"]
    cli.ok("forget", session_id(2), "--yes")
    assert [one["person"]["name"] for one in cli.ok("who", "--json").json] == ["Bo"]
    assert all(b"Ada" not in path.read_bytes() for path in (home / ".brainproj").glob("brain.db*"))


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("/a/b/", "/a/b", False),
        ("/a/**", "/a/b/.git", True),
        ("**/shop/**", "/x/y/shop/.git", True),
        ("**/shop/**", "/x/yshop/.git", False),
        ("/a/*/c", "/a/b/c", True),
        ("/a/*/c", "/a/b/b/c", False),
        ("/a/**hop", "/a/shop", True),
        ("/a/**hop", "/a/x/shop", False),
        ("/a/[rs]hop", "/a/shop", True),
        ("/a/[!rs]hop", "/a/shop", False),
        ("/a/[a-c]x", "/a/bx", True),
        (r"/a/sho\p", "/a/shop", True),
        ("https://git.example.com/**", "https://git.example.com/acme/shop", True),
        ("ma?n", "main", True),
        ("[", "[", True),
        ("", "", True),
    ],
)
def test_a_glob_is_as_git_has_it(pattern: str, text: str, fits: bool) -> None:
    from brainproj.gitinfo import _fits

    assert _fits(pattern, text) is fits


def test_no_address_and_no_configuration_takes_long(home: Path, tmp_path: Path) -> None:
    import time

    from brainproj.gitdir import parse_items
    from brainproj.gitinfo import _fits

    began = time.process_time()
    for pattern, text in (
        ("**/foo/**/bar/**", "foo/" * 900),
        ("*a" * 40 + "b", "a" * 4000),
        ("**/" * 60 + "x", "a/" * 2000),
    ):
        assert not _fits(pattern, text)
    assert not _fits("**/foo/**", "foo/" * 60_000), "nothing that long is an address"
    assert parse_items("[a]\nb = " + "x\\\n" * 200_000)
    assert time.process_time() - began < 3
