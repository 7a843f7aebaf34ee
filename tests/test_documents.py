"""Documents: files, notes and links with their revisions; commits as evidence; another kind is one more file."""

import os
import subprocess
from pathlib import Path

import pytest

from brainproj.documents import registry
from brainproj.documents.source import DocumentSource, Material

from .cli import Cli, spawn
from .repositories import make_repository
from .test_ingest import ingest
from .test_resume import git
from .transcripts import prompt, reply, session_id, write_claude

TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def shop(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a session, and another project."""
    folder = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    other = make_repository(tmp_path / "other", "https://git.example.com/acme/other")
    for number, place in enumerate((folder, other), 1):
        sid = session_id(number)
        write_claude(home, sid, [prompt(sid, place, f"work {number}", 1), reply(sid, place, "done", 2)])
    ingest(home)
    monkeypatch.chdir(folder)
    return folder


def test_a_file_is_kept_with_its_revisions(shop: Path, cli: Cli) -> None:
    (shop / "docs").mkdir()
    (shop / "docs" / "pay.md").write_text(f"# Payments\nThe marmot signs with {TOKEN}.\n")
    cli.ok("task", "new", "Charge once")
    first = cli.ok("add", "docs/pay.md", "--task", "charge", "--json").json
    assert (first["what"], first["address"], first["revision"], first["became"]) == ("file", "docs/pay.md", 1, "added")
    assert first["task"] == "task:charge-once" and first["fetched"] and first["by"] == "person"
    assert cli.ok("add", "./docs/../docs/pay.md", "--json").json["became"] == "unchanged"
    (shop / "docs" / "pay.md").write_text("# Payments\nThe quokka signs.\n")
    second = cli.ok("add", shop / "docs" / "pay.md", "--json").json
    assert (second["citation"], second["revision"], second["became"]) == (first["citation"], 2, "changed")
    shown = cli.ok("show", first["citation"], "--json").json
    assert shown["text"] == "# Payments\nThe quokka signs.\n" and shown["task"] == "task:charge-once"
    assert [(one["revision"], TOKEN in one["text"], "marmot" in one["text"]) for one in shown["earlier"]] == [
        (1, False, True)
    ]
    assert cli.ok("show", first["citation"], "--raw").out == "# Payments\nThe quokka signs.\n"
    out = cli.ok("show", first["citation"]).out
    assert "file, revision 2" in out and "at docs/pay.md" in out and "task: task:charge-once" in out
    earlier = cli.ok("show", f"{first['citation']}@1").out
    assert "The marmot signs" in earlier and "revision 1" in earlier and f"{first['citation']}@1" in out
    assert cli("show", f"{first['citation']}@7").code == 1
    assert [hit["citation"] for hit in cli.ok("search", "quokka", "--json").json] == [first["citation"]]
    assert cli.ok("search", "marmot", "--json").json == [], "an earlier text is not found"
    assert f"[{first['citation']}] pay.md (file, revision 2)" in cli.ok("resume", "charge").out
    assert "pay.md (docs/pay.md)" in cli.ok("documents").out


def test_a_link_is_not_fetched_and_says_so(shop: Path, cli: Cli) -> None:
    url = "https://pay.example.com/docs?api=retries"
    made = cli.ok("add", url, "--title", "How retries work").out
    assert "doc:1 added: link, revision 1. Only the link is kept; what stands there was not fetched." in made
    shown = cli.ok("show", "doc:1", "--json").json
    assert (shown["fetched"], shown["address"], shown["title"]) == (False, url, "How retries work")
    assert "not fetched" in cli.ok("show", "doc:1").out and "not fetched: How retries work" in cli.ok("documents").out
    assert [hit["citation"] for hit in cli.ok("search", "pay.example.com", "--json").json] == ["doc:1"]


def test_a_note_is_kept_in_words(shop: Path, cli: Cli) -> None:
    words = f"The provider answers after up to 30 seconds. {TOKEN}"
    assert cli.ok("add", words, "--json").json["what"] == "note"
    assert cli.ok("add", words, "--json").json["became"] == "unchanged"
    (found,) = cli.ok("documents", "--json").json
    assert found["title"].startswith("The provider answers") and TOKEN not in cli.ok("show", "doc:1", "--json").out
    assert cli.ok("search", "provider answers", "--kind", "document", "--json").json[0]["citation"] == "doc:1"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("nothing.md", None, "there is no file nothing.md"),
        (" ", None, "nothing was named"),
        ("binary", b"a\0b", "is no text"),
        ("long", b"x" * (1 << 20) + b"y", "is longer than 1 MB"),
        ("empty", b" \n", "is empty"),
    ],
)
def test_what_cannot_be_kept_is_refused(shop: Path, cli: Cli, name: str, content: bytes | None, says: str) -> None:
    if content is not None:
        (shop / name).write_bytes(content)
    done = cli("add", name)
    assert done.code == 1 and says in done.err and cli.ok("documents", "--json").json == []


def test_a_folder_and_a_pipe_are_no_files(shop: Path, cli: Cli) -> None:
    (shop / "folder").mkdir()
    os.mkfifo(shop / "pipe")
    for name in ("folder", "pipe"):
        done = cli("add", name)
        assert done.code == 1 and ("is no file" in done.err or "cannot read" in done.err), done.err


def test_documents_stay_in_their_project(shop: Path, cli: Cli) -> None:
    cli.ok("add", "The quokka is fed at dusk.", "--project", "other")
    assert cli.ok("documents", "--json").json == [] and cli.ok("search", "quokka", "--json").json == []
    assert "quokka" not in cli.ok("resume").out
    done = cli("decide", "x", "--evidence", "doc:1")
    assert done.code == 1 and "nothing in shop has the address doc:1" in done.err


def test_a_forgotten_document_is_gone_and_comes_back_only_when_it_is_added(
    shop: Path, cli: Cli, home: Path, tmp_path: Path
) -> None:
    (shop / "pay.md").write_text("The marmot signs.")
    cli.ok("add", "pay.md")
    (shop / "pay.md").write_text("The badger signs.")
    cli.ok("add", "pay.md")
    exported, backup = tmp_path / "x.jsonl", tmp_path / "b.db"
    exported.write_text(cli.ok("export", "shop").out)
    cli.ok("backup", backup)
    (tmp_path / "words").write_text("marmot")
    cli.ok("forget", "--text", tmp_path / "words", "--yes")
    raw = b"".join(path.read_bytes() for path in (home / ".brainproj").rglob("*") if path.is_file())
    assert b"marmot" not in raw and b"badger" not in raw
    cli.ok("import", exported)
    assert cli.ok("documents", "--json").json == []
    cli.ok("restore", backup, "--yes")
    assert cli.ok("documents", "--json").json == []
    cli.ok("add", "pay.md")
    (found,) = cli.ok("documents", "--json").json
    assert found["citation"] != "doc:1", "a number is not given out again"
    cli.ok("forget", "--project", "shop", "--yes")
    assert cli.ok("documents", "--project", "shop", "--json").json == []


def test_an_export_brings_documents(shop: Path, cli: Cli, home: Path, tmp_path: Path) -> None:
    cli.ok("add", "The provider answers after up to 30 seconds.")
    cli.ok("add", "https://pay.example.com/docs")
    exported = tmp_path / "x.jsonl"
    exported.write_text(cli.ok("export", "shop").out)
    (home / ".brainproj").rename(home / "before")
    for _ in range(2):
        cli.ok("import", exported)
        found = {one["what"]: one for one in cli.ok("documents", "--project", "shop", "--json").json}
        assert set(found) == {"note", "link"} and not found["link"]["fetched"]


def test_a_later_rule_hides_it_everywhere(shop: Path, cli: Cli, home: Path) -> None:
    (shop / "zebra7.md").write_text("zebra7 signs")
    cli.ok("add", "zebra7.md")
    (shop / "zebra7.md").write_text("zebra7 signs twice")
    cli.ok("add", "zebra7.md")
    (home / ".brainproj" / "config.toml").write_text('[redaction]\nhide = ["zebra7"]\n')
    cli.ok("backfill", "--quiet")
    assert "zebra7" not in cli.ok("show", "doc:1", "--json").out
    assert b"zebra7" not in (home / ".brainproj" / "brain.db").read_bytes()


def test_addresses_that_a_later_rule_makes_one_are_hidden_all(shop: Path, cli: Cli, home: Path) -> None:
    for number in ("12345678", "87654321"):
        cli.ok("add", f"https://h.example/ACME-{number}")
        cli.ok("add", f"note one ACME-{number} here")
    (home / ".brainproj" / "config.toml").write_text('[redaction]\nhide = ["ACME-[0-9]{8}"]\n')
    cli.ok("backfill", "--quiet")
    assert len(cli.ok("documents", "--json").json) == 4 and "ACME-" not in cli.ok("documents", "--json").out
    assert b"87654321" not in (home / ".brainproj" / "brain.db").read_bytes()


def test_a_document_keeps_its_title_gets_its_task_and_says_who_changed_it(
    shop: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.ok("task", "new", "Charge once")
    (shop / "rules.md").write_text("one")
    cli.ok("add", "rules.md", "--title", "Payment rules")
    made = cli.ok("add", "rules.md", "--task", "charge", "--json").json
    assert (made["task"], made["became"], made["revision"]) == ("task:charge-once", "changed", 1)
    (shop / "rules.md").write_text("two")
    monkeypatch.setenv("CLAUDECODE", "1")
    made = cli.ok("add", "rules.md", "--json").json
    assert (made["title"], made["by"], made["revision"], made["task"]) == (
        "Payment rules", "assistant", 2, "task:charge-once",
    )  # fmt: skip


def test_a_note_may_begin_with_anything(shop: Path, cli: Cli) -> None:
    assert cli.ok("add", "~30 seconds is the timeout", "--json").json["what"] == "note"


def test_two_at_once_on_a_fresh_home(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(make_repository(tmp_path / "fresh", "https://git.example.com/acme/fresh"))
    running = [spawn("add", f"note number {number}") for number in range(8)]
    ended = [(process.communicate(timeout=60)[1].decode(), process.returncode) for process in running]
    assert [code for _, code in ended] == [0] * 8, ended


def test_an_address_that_no_encoding_has_is_not_found(shop: Path, cli: Cli) -> None:
    for address in ("\udcff", "ab/\udcff", "doc:\udcff", "rec:\ud800"):
        assert cli("show", address).code == 1


def test_what_a_person_hides_is_hidden_in_what_git_says(shop: Path, cli: Cli, home: Path) -> None:
    (home / ".brainproj" / "config.toml").write_text("[redaction]\nhide = ['Marmot[A-Z]\\w+']\n")
    (shop / "MarmotFile.py").write_text("x")
    git(shop, "add", "MarmotFile.py")
    git(shop, "commit", "-q", "-m", "Ask MarmotGmbH again")
    head = (shop / ".git" / "refs" / "heads" / "main").read_text()[:12]
    told = [cli.ok("show", f"commit:{head}").out, cli.ok("show", f"commit:{head}", "--json").out, cli.ok("resume").out]
    assert all("again" in one and "Marmot" not in one for one in told)


def test_a_commit_is_evidence(shop: Path, cli: Cli) -> None:
    (shop / "pay.py").write_text("x")
    git(shop, "add", "pay.py")
    git(shop, "commit", "-q", "-m", f"Retry with a key \x1b[31m {TOKEN}")
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=shop, capture_output=True, text=True, check=True).stdout[
        :40
    ]
    shown = cli.ok("show", f"commit:{head[:9]}", "--json").json
    assert shown["citation"] == f"commit:{head[:12]}" and shown["hash"] == head and shown["files"] == ["pay.py"]
    assert shown["text"].startswith("Retry with a key")
    out = cli.ok("show", f"commit:{head}").out
    assert "Retry with a key" in out and "\x1b" not in out and "  pay.py" in out
    told = out + cli.ok("resume").out + cli.ok("show", f"commit:{head}", "--json").out
    assert TOKEN not in told
    for wrong in ("commit:0000000", "commit:abc", "commit:--output=x", "commit:HEAD"):
        assert cli("show", wrong).code == 1, wrong
    assert cli("forget", f"commit:{head[:9]}", "--yes").code == 1
    assert f"[commit:{head[:12]}] " in cli.ok("resume").out


class Tickets:
    """A connector, as somebody else would write one."""

    kind = "ticket"

    def takes(self, given: str, folder: str) -> bool:
        return given.startswith("TICKET-")

    def read(self, given: str, folder: str, root: str | None) -> Material:
        return Material(self.kind, given, f"Ticket {given}", "The customer is charged twice.", fetched=True)


def test_another_kind_is_one_file(shop: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    tickets: DocumentSource = Tickets()
    monkeypatch.setattr("brainproj.library.SOURCES", (tickets, *registry.SOURCES))
    made = cli.ok("add", "TICKET-7", "--json").json
    assert (made["what"], made["title"]) == ("ticket", "Ticket TICKET-7")
    assert cli.ok("search", "charged twice", "--json").json[0]["citation"] == made["citation"]
