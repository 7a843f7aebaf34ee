"""The fenced part of AGENTS.md and CLAUDE.md's import of it: put in once, taken out to the byte, never over others'."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brainproj.install.instructions import BEGIN, END, IMPORT, TEXT, InstructionsPart
from brainproj.install.parts import NotOurs

from .cli import Cli, at_terminal
from .repositories import make_repository

OWN = f"{BEGIN}\n{TEXT}{END}\n"
IMPORTING = f"{BEGIN}\n{IMPORT}\n{END}\n"
LINES = st.lists(st.sampled_from(["# Rules", "", "- one", "@AGENTS.md", "<!-- a comment -->", "words  "]), max_size=6)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.sampled_from(["AGENTS.md", "CLAUDE.md"]))
def test_what_is_put_in_is_taken_out_again(lines: list[str], newline: str, is_ended: bool, name: str) -> None:
    before = newline.join(lines) + (newline if is_ended and lines else "")
    part = InstructionsPart(Path(name))
    put = part.put(before, None)
    assert put is not None and part.put(put, None) == put, "twice is once"
    needs_end = put != before and before and not before.endswith("\n")
    ended = before + ("\r\n" if "\r\n" in before else "\n") if needs_end else before
    assert part.take(put, None) == ended


@pytest.fixture
def shop(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    monkeypatch.chdir(folder)
    return folder


def test_both_files_are_made_and_taken_away(shop: Path, cli: Cli) -> None:
    done = cli.ok("install", "--agents-md", "--yes")
    assert "created" in done.out and (shop / "AGENTS.md").read_text() == OWN
    assert (shop / "CLAUDE.md").read_text() == IMPORTING
    assert "already" in cli.ok("install", "--agents-md", "--yes").out
    assert not (shop / ".claude").exists() and not (shop / ".codex").exists(), "and nothing else"
    cli.ok("uninstall", "--project", "--yes")
    assert not (shop / "AGENTS.md").exists() and not (shop / "CLAUDE.md").exists()


def test_what_others_wrote_stays_to_the_byte(shop: Path, cli: Cli) -> None:
    rules, claude = b"# Rules\r\n\r\n- be kind\r\n", b"# Claude\n\nwords"
    (shop / "AGENTS.md").write_bytes(rules)
    (shop / "CLAUDE.md").write_bytes(claude)
    cli.ok("install", "--agents-md", "--yes")
    assert (shop / "AGENTS.md").read_bytes().startswith(rules + b"\r\n<!-- brainproj: begin")
    (shop / "AGENTS.md").write_bytes(b"- first\r\n" + (shop / "AGENTS.md").read_bytes() + b"- last\r\n")
    cli.ok("uninstall", "--project", "--yes")
    assert (shop / "AGENTS.md").read_bytes() == b"- first\r\n" + rules + b"- last\r\n"
    assert (shop / "CLAUDE.md").read_bytes() == claude + b"\n"
    assert not list(shop.glob("*.brainproj*"))


def test_an_import_that_is_there_is_enough(shop: Path, cli: Cli) -> None:
    (shop / "CLAUDE.md").write_text("@AGENTS.md\n\n# More\n")
    cli.ok("install", "--agents-md", "--yes")
    assert (shop / "CLAUDE.md").read_text() == "@AGENTS.md\n\n# More\n"


def test_one_file_under_two_names_gets_one_part(shop: Path, cli: Cli) -> None:
    (shop / "AGENTS.md").write_text("# Rules\n")
    (shop / "CLAUDE.md").symlink_to("AGENTS.md")
    cli.ok("install", "--agents-md", "--yes")
    assert (shop / "AGENTS.md").read_text() == f"# Rules\n\n{OWN}" and (shop / "CLAUDE.md").is_symlink()


def test_a_link_out_of_the_checkout_is_refused(shop: Path, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.md").write_text("# Others\n")
    (shop / "AGENTS.md").symlink_to(tmp_path / "elsewhere.md")
    done = cli("install", "--agents-md", "--yes")
    assert done.code == 1 and "a link leads out of the checkout" in done.out + done.err
    assert (tmp_path / "elsewhere.md").read_text() == "# Others\n"


@pytest.mark.parametrize("left", [BEGIN, END])
def test_a_part_that_lost_its_begin_or_end_is_left(shop: Path, cli: Cli, left: str) -> None:
    (shop / "AGENTS.md").write_text(f"# Rules\n{left}\nwords\n")
    done = cli("install", "--agents-md", "--yes")
    assert done.code == 1 and (shop / "AGENTS.md").read_text() == f"# Rules\n{left}\nwords\n"
    with pytest.raises(NotOurs):
        InstructionsPart(Path("AGENTS.md")).take(f"{left}\n", None)


@pytest.mark.parametrize(
    "text",
    [
        f"{BEGIN}\nold, its end was cut\n\nPRECIOUS\n\n{OWN}",
        f"{OWN}\nPRECIOUS\n{OWN}",
        f"{END}\nPRECIOUS\n{BEGIN}\n",
        f"{OWN}PRECIOUS\n{END}\n",
    ],
)
def test_where_it_cannot_be_told_what_is_ours_nothing_is_touched(shop: Path, cli: Cli, text: str) -> None:
    (shop / "AGENTS.md").write_text(text)
    assert cli("install", "--agents-md", "--yes").code == 1 and (shop / "AGENTS.md").read_text() == text
    cli("uninstall", "--project", "--yes")
    assert (shop / "AGENTS.md").read_text() == text


def test_what_is_only_shown_in_a_code_block_is_somebodys(shop: Path, cli: Cli) -> None:
    shown = f"# How\n\n```\n{BEGIN}\nPRECIOUS\n{END}\n```\n"
    (shop / "AGENTS.md").write_text(shown)
    cli.ok("install", "--agents-md", "--yes")
    assert (shop / "AGENTS.md").read_text() == f"{shown}\n{OWN}"
    cli.ok("uninstall", "--project", "--yes")
    assert (shop / "AGENTS.md").read_text() == shown


def test_it_is_asked_first_and_a_dry_run_changes_nothing(shop: Path, cli: Cli) -> None:
    assert cli("install", "--agents-md").code == 1 and not (shop / "AGENTS.md").exists()
    assert "AGENTS.md" in cli.ok("install", "--agents-md", "--dry-run").out and not (shop / "AGENTS.md").exists()
    at_terminal("install", "--agents-md", typed="n\n")
    assert not (shop / "AGENTS.md").exists()
    at_terminal("install", "--agents-md", typed="y\n")
    assert (shop / "AGENTS.md").exists()
    assert cli("install", "codex", "--agents-md", "--yes").code == 2


def test_uninstalling_one_agent_leaves_what_all_read(shop: Path, cli: Cli) -> None:
    cli.ok("install", "--agents-md", "--yes")
    cli.ok("uninstall", "codex", "--yes")
    assert (shop / "AGENTS.md").read_text() == OWN
    cli.ok("uninstall", "--yes")
    assert not (shop / "AGENTS.md").exists()


def test_without_the_ledger_it_is_found_by_its_comments(shop: Path, cli: Cli, home: Path) -> None:
    (shop / "AGENTS.md").write_text("# Rules\n")
    cli.ok("install", "--agents-md", "--yes")
    (home / ".brainproj" / "installed.json").unlink()
    cli.ok("uninstall", "--project", "--yes")
    assert (shop / "AGENTS.md").read_text() == "# Rules\n"
