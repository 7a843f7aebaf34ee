"""What an agent asked brainproj in a shell is an echo: it is not learnt from again, whichever agent asked."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brainproj.agents.echoes import is_own_command

from ..cli import Cli
from ..repositories import make_repository
from ..test_ingest import ingest
from ..transcripts import call, prompt, session_id, write_claude


@pytest.mark.parametrize(
    ("command", "is_own"),
    [
        ('brainproj search "tide && wave"', True),
        ("cd ~/shop && brainproj attempts pytest 2>&1 | head -20", True),
        ("~/.local/bin/brainproj resume charge", True),
        ("uv run brainproj show rec:1 | grep x; brainproj map", True),
        ("python3 -m brainproj records --json | jq '.[0]'", True),
        ("BRAINPROJ_HOME=/x brainproj map", True),
        ("brainproj", True),
        ("brainproj search x && pytest", False),
        ("pytest; brainproj map", False),
        ("brainproj backfill", False),
        ("brainproj doctor", False),
        ("cat brainproj.md", False),
        ("grep -r brainproj .", False),
        ("brainproj-other search x", False),
        ("echo $(brainproj map) > notes.md", False),
        ("", False),
    ],
)
def test_which_commands_only_ask_us(command: str, is_own: bool) -> None:
    assert is_own_command(command) is is_own


@given(st.text(alphabet="brainpoj seach&|;'\"\n$()", max_size=60).map("brainproj {}".format))
def test_any_command_is_told(command: str) -> None:
    assert is_own_command(command) in (True, False)


def test_what_was_recalled_in_a_shell_is_not_learnt_again(
    home: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    first, second = session_id(1), session_id(2)
    failed = "Error: the quokka was not fed"
    write_claude(
        home,
        first,
        [prompt(first, folder, "feed it", 1), *call(first, folder, "Bash", {"command": "feed"}, failed, 2, True)],
    )
    asked = {"command": "brainproj attempts quokka | head"}
    lines = [
        prompt(second, folder, "go on", 61),
        *call(second, folder, "Bash", asked, f"feed\n  {failed}\n1 failed", 62),
    ]
    lines += call(second, folder, "Bash", {"command": "brainproj show rec:9"}, failed, 63, True)
    write_claude(home, second, lines[:2])
    ingest(home)
    write_claude(home, second, lines)  # the answer comes in a later reading
    ingest(home)
    monkeypatch.chdir(folder)
    assert {hit["session_id"] for hit in cli.ok("search", "quokka", "--json").json} == {first}
    (attempt,) = cli.ok("attempts", "--json").json
    assert (attempt["count"], attempt["session_id"]) == (1, first)
