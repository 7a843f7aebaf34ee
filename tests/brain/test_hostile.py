"""What an attack on the client found, each as the right value: leaks, hangs, secrets, forgetting, lost markers."""

import json
import sqlite3
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from brainproj.core.block import safe_text
from brainproj.core.entries import Entry, render_entry
from brainproj.core.feedanswer import hot_rows, parse_feed
from brainproj.core.forgetting import KeptOut, mark_of
from brainproj.core.remote import Piece, PieceKind, make_memory
from brainproj.core.times import EPOCH
from brainproj.core.vault import parse_arc, parse_log
from brainproj.store.database import open_store

from ..cli import Cli
from ..hooks.sessions import Fleet
from ..transcripts import session_id
from . import server
from .server import TOKEN, Brain, arc_text, entry, hot_table, log_text, serve, status
from .test_asking import bytes_of_home, fill, later, turn
from .test_outbox import contents, mark, say, states, stop

TODAY = datetime.now(UTC).date().isoformat()
ALPHA, BETA = session_id(0), session_id(1)
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


def given(fleet: Fleet, cli: Cli, name: str = "alpha", scope: str = "strict") -> str:
    return cli.ok("preview", "--cwd", fleet.folder(name), "--scope", scope).out


# leaks ----------------------------------------------------------------------------------------------------------------------

HEADERS = (
    "{t}+00:00 — lead — dev — `{s}`", "{t}+0000 — agent — `{s}`", "{t}Z", "{t}", "{t}+00:00 - agent - `{s}`",
    "{t}+00:00 — agent — `{s}`  trailing",
)  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_no_header_glues_one_lesson_to_another(fleet: Fleet, brain: Brain, cli: Cli, end: str) -> None:
    log = ""
    for number, header in enumerate(HEADERS):
        log += log_text((f"{TODAY}T00:00:01+00:00", ALPHA, f"axolotl: pin {number}"))
        log += f"## {header.format(t=TODAY + 'T00:00:02', s=BETA)}\n\nwombat {number}\n"
    brain.vault[f"left/reference/lessons-{TODAY}.md"] = log.replace("\n", end)
    told = given(fleet, cli)
    assert all(f"axolotl: pin {number}" in told for number in range(len(HEADERS))) and "wombat" not in told
    assert "wombat" not in json.dumps(cli.ok("brain", "--project", "alpha", "--json").json)
    assert "wombat 0" in given(fleet, cli, "beta"), "a source with dashes of its own still tells its session"


LABELS: tuple[dict[str, Any], ...] = (
    {"metadata": {"project": "beta"}}, {"metadata": {"project": {"key": "git.example.com/acme/beta", "name": "beta"}}},
    {"metadata": {"project": ["beta"]}}, {"metadata": {"Project": "beta"}}, {"metadata": {"project_key": "git.example.com/acme/beta"}},
    {"project": "beta"}, {"metadata": {**{f"x{n}": "y" for n in range(60)}, "project": "beta"}},
    {"metadata": {"project": "elsewhere"}}, {"metadata": {"repo": "beta"}}, {"metadata": {"project": 5}},
)  # fmt: skip


@pytest.mark.parametrize(
    ("entry_id", "severity"),
    [("note", "info"), ("hot-arcs-x", "critical"), ("lessons", "critical"), ("operator-intent", "nuclear")],
)
def test_no_label_opens_what_would_be_withheld(
    fleet: Fleet, brain: Brain, cli: Cli, entry_id: str, severity: str
) -> None:
    ids = [entry_id] if entry_id == "operator-intent" else [f"{entry_id}-{number}" for number in range(len(LABELS))]
    for start in range(0, len(LABELS), len(ids)):
        some = zip(ids, LABELS[start:], strict=False)
        brain.feed["entries"] = [{**entry(one, "x", "wombat", 5, severity), **label} for one, label in some]
        later(fleet, 60)
        assert "wombat" not in given(fleet, cli)


def test_memory_is_told_by_its_name_in_any_spelling(fleet: Fleet, brain: Brain, cli: Cli) -> None:
    names = [
        "hot_arcs-x",
        "Hot Arcs",
        "Active Hot Arcs",
        "Recent Lessons",
        "recent_lessons",
        "LESSONS",
        "Operator Intent",
    ]
    brain.feed["hot_arcs"] = [entry(name, "x", f"wombat {number}") for number, name in enumerate(names)]
    brain.feed["hot_arcs"] += [
        {**entry("x", title, f"wombat {title}"), "id": no_id} for title, no_id in (("Hot arcs", None), ("Lessons", ""))
    ]
    assert "wombat" not in given(fleet, cli)
    assert given(fleet, cli, scope="rank").count("wombat") == len(names) + 2


def test_every_merge_is_seen_as_one(fleet: Fleet, brain: Brain, cli: Cli) -> None:
    rows = []
    for number, heading in enumerate(("tick-feedback-x", "2026-11-18-x\r", "../..", "a b")):
        arc = f"{TODAY}-arc-{number}"
        text = arc_text(arc, f"axolotl {number}", [f"far-away-{number}"], "alpha", summary="axolotl and wombat")
        text += f"\n## Merged from {heading}\n\n# wombat\n\n- home-bridge://sessions/{BETA} (1 turn)\n\nwombat text\n"
        brain.vault[f"left/{arc}.md"] = text
        rows.append((arc, 9, "active", "x"))
    brain.feed["hot_arcs"] = [hot_table(rows)]
    told = given(fleet, cli)
    assert all(f"axolotl {number}" in told for number in range(4)) and "wombat" not in told
    assert "wombat" not in json.dumps(cli.ok("brain", "--project", "alpha", "--json").json)


def test_a_project_that_the_kernel_tells_itself_is_left_alone_by_the_vault(
    fleet: Fleet, brain: Brain, cli: Cli
) -> None:
    """A kernel that knows some projects and not others."""
    fill(brain)
    key = "git.example.com/acme/alpha"
    brain.scoped[key] = {
        "project": {"key": key, "name": "alpha"},
        "hot_arcs": [hot_table([(f"{TODAY}-x", 6, "active", "Told by the kernel")])],
        "entries": [],
    }
    for _ in range(3):
        assert "Told by the kernel" in given(fleet, cli) and "Clean the bandicoot tank" in given(fleet, cli, "beta")
        later(fleet, 601)


# hangs ----------------------------------------------------------------------------------------------------------------------

LONG = 200_000


def test_no_text_takes_more_than_its_length() -> None:
    began = time.process_time()
    parse_log("x", f"## {TODAY}T00:00:00Z — " + " " * LONG + "`x`y`z", is_cut=False)
    parse_log("x", f"## {TODAY}T00:00:00Z — a — " * 9000, is_cut=False)
    parse_arc("x-1", "x", "---\ncluster_id: x-1\n" + "- " * LONG + "\n---\n" + "## Merged from " * 9000)
    table = "| Arc ID | Heat | Region | Status | What it is |\n"
    for row in ("[[" * LONG, "|" * LONG, "\\|" * LONG, "`" * LONG):
        hot_rows(
            parse_feed({"hot_arcs": [entry("hot-arcs", "x", table + f"| {row} | 1 | l | a | x |")]}, "x", EPOCH).entries
        )
    safe_text(("<" + "\u200b" * 2000 + ".") * 50)
    feed_entry = Entry("x", "x", ("<" + "\u200b" * 50_000 + ".\n") * 4, 5, "info", "x", None, {})
    render_entry(feed_entry, 4096)
    arcs = [
        Piece(PieceKind.ARC, f"{n:012d}", "x", "x", None, "x", heat=5, sessions=(f"s{n}", f"s{n + 1}"))
        for n in range(20_000)
    ]
    make_memory("x", "x", arcs)
    assert time.process_time() - began < 5


def test_a_feed_of_a_hundred_thousand_rows_is_no_burden(fleet: Fleet, brain: Brain, cli: Cli) -> None:
    key = "git.example.com/acme/alpha"
    rows = [(f"{TODAY}-arc-{number}", 5, "active", "x") for number in range(60_000)]
    brain.scoped[key] = {"project": {"key": key}, "hot_arcs": [hot_table(rows)], "entries": []}
    began = time.process_time()
    given(fleet, cli)
    given(fleet, cli)
    assert time.process_time() - began < 8
    assert len(cli.ok("brain", "--project", "alpha", "--json").json["pieces"]) <= 50


def test_many_projects_do_not_hold_the_worker_for_long(
    fleet: Fleet, brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One limit for all of a turn: the others have their turn the next time."""
    monkeypatch.setattr("brainproj.brainwork.TURN_S", 0.0)
    fill(brain)
    turn(fleet)
    assert "/vault/search" not in brain.paths_asked()


# what counts for how long ----------------------------------------------------------------------------------------------------


def test_an_alert_that_stands_is_given_however_long_ago_it_was_first_told(fleet: Fleet, brain: Brain, cli: Cli) -> None:
    brain.signal = server.recorded_json(67)
    turn(fleet)
    later(fleet, 700)
    with open_store(fleet.base / "brain.db") as db:
        for brain_url, what, place, text in db.execute("SELECT * FROM brain_entries").fetchall():
            value = {**json.loads(text), "expires_at": "2026-01-01T00:00:00Z"}
            db.execute(
                "UPDATE brain_entries SET entry = ? WHERE brain = ? AND what = ? AND place = ?",
                (json.dumps(value), brain_url, what, place),
            )
    with fleet.ready() as ready:
        ready.execute("UPDATE items SET expires_at = 1 WHERE kind = 'entry'")
    assert "ns2 unreachable" not in fleet.hook("start", "new", fleet.folder("alpha")).context
    fleet.work()
    assert "ns2 unreachable" in fleet.hook("tool", "new", fleet.folder("alpha")).context


def test_a_lesson_of_the_far_future_is_not_the_newest(fleet: Fleet, brain: Brain, cli: Cli) -> None:
    brain.vault[f"left/reference/lessons-{TODAY}.md"] = log_text(
        ("9999-12-31T00:00:00+00:00", ALPHA, "from the future")
    )
    told = given(fleet, cli)
    assert "from the future" in told and "9999" not in told


# shapes ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("detail", [[{"loc": 5}, {"loc": None, "msg": []}, [], None], {"a": 1}, "x" * 100_000])
def test_an_error_of_any_shape_is_told_and_holds_nothing_up(fleet: Fleet, brain: Brain, cli: Cli, detail: Any) -> None:
    brain.faults["/feed"] = status(500, {"detail": detail})
    brain.refuse = lambda _: (422, {"detail": detail})
    stop(fleet, say(fleet, 7, mark("lesson", "one"), mark("lesson", "two")))
    assert states(fleet) == ["refused", "refused"]
    assert "answers /feed with 500" in cli.ok("status").out and "/feed" in brain.paths_asked()
    assert not (fleet.base / "logs").exists()


def test_a_long_echo_is_cut(fleet: Fleet, brain: Brain, cli: Cli) -> None:
    brain.scoped["git.example.com/acme/alpha"] = {"project": {"key": "x" * 1_000_000, "name": ""}}
    assert len(cli.ok("preview", "--cwd", fleet.folder("alpha")).err) < 3000


# secrets --------------------------------------------------------------------------------------------------------------------


def test_no_secret_reaches_the_disk_on_any_way(fleet: Fleet, brain: Brain, cli: Cli) -> None:
    """In an id, a name, a title cut in half, a session's id, a path, an answer to a marker; our own token said back."""
    fill(brain)
    brain.feed["hot_arcs"][0]["metadata"][SECRET] = SECRET
    brain.feed["entries"] = [
        entry(SECRET, "x" * 390 + SECRET, f"own {TOKEN} and {SECRET}"), entry("note", "Note", "x", project=SECRET),
    ]  # fmt: skip
    arc = f"{TODAY}-clean-the-axolotl-tank"
    brain.vault[f"clusters/{TODAY}/{arc}.md"] = arc_text(arc, "x" * 395 + SECRET, ["far", SECRET], "alpha", heat=9)
    answer = brain.answer

    def tell(one: Any) -> tuple[int, Any]:
        code, value = answer(one)
        return (
            (code, {**value, "vault_path": f"{SECRET}/{TOKEN}/" + "x" * 100_000})
            if one.path == "/marker"
            else (code, value)
        )

    brain.answer = tell  # type: ignore[method-assign, assignment]
    stop(fleet, say(fleet, 7, mark("lesson", "one")))
    context = turn(fleet)
    kept = bytes_of_home(fleet)
    assert contents(brain) == ["one"] and SECRET not in context and TOKEN not in context
    assert (
        SECRET.encode() not in kept
        and SECRET[:30].encode() not in kept
        and TOKEN.encode() not in kept
        and b"x" * 5000 not in kept
    )


def test_a_later_rule_goes_over_everything_a_brain_told(fleet: Fleet, brain: Brain, cli: Cli) -> None:
    fill(brain, "call ACME-12345678 now")
    brain.feed["entries"].append(entry("ACME-12345678", "ACME-12345678", "ACME-12345678"))
    brain.refuse = lambda _: (400, {"detail": "no ACME-12345678"})
    stop(fleet, say(fleet, 7, mark("lesson", "one")))
    assert b"ACME-12345678" in bytes_of_home(fleet)
    fleet.configure('[redaction]\nhide = ["ACME-[0-9]{8}"]\n')
    cli.ok("backfill")
    assert b"ACME-12345678" not in bytes_of_home(fleet)


# forgetting -----------------------------------------------------------------------------------------------------------------


def test_a_text_is_known_again_by_its_mark_wherever_it_stands() -> None:
    kept_out = KeptOut(filter(None, map(mark_of, ("the quokka pool", "tiny", "abc"))))
    assert (
        kept_out.holds("in the quokka pool there")
        and kept_out.holds("tiny")
        and not kept_out.holds("the quokka poo abc")
    )
    assert kept_out.without("one\nthe quokka pool\nthree") == "one\nthree"
    assert KeptOut(filter(None, [mark_of("over\ntwo lines")])).without("x over\ntwo lines y") == ""


def test_forgetting_a_piece_takes_it_out_of_the_feed_too(fleet: Fleet, brain: Brain, cli: Cli) -> None:
    fill(brain)
    turn(fleet)
    arc = cli.ok("brain", "--project", "alpha", "--json").json["pieces"][0]
    cli.ok("forget", arc["citation"], "--yes")
    assert b"Clean the axolotl tank" not in bytes_of_home(fleet)
    later(fleet, 700)
    assert "Clean the axolotl tank" not in given(fleet, cli, scope="rank") and "bandicoot" in given(
        fleet, cli, scope="rank"
    )
    assert b"Clean the axolotl tank" not in bytes_of_home(fleet)


def test_what_was_forgotten_stays_away_in_other_clothes(fleet: Fleet, brain: Brain, cli: Cli, tmp_path: Path) -> None:
    """Merged into another arc, merged with another project's, with more lines around it, under another entry's name."""
    fill(brain)
    brain.feed["entries"].append(entry("note", "Note", "A quokka note, which goes."))
    turn(fleet)
    arc = f"{TODAY}-clean-the-axolotl-tank"
    cli.ok("forget", cli.ok("brain", "--project", "alpha", "--json").json["pieces"][0]["citation"], "--yes")
    (tmp_path / "text").write_text("A quokka note, which goes.")
    cli.ok("forget", "--text", tmp_path / "text", "--yes")
    brain.feed["entries"][-1] = entry("other", "Other", "More of it.\n\n> A quokka note, which goes.\n\nAnd more.")
    own = brain.vault[f"clusters/{TODAY}/{arc}.md"]
    brain.vault[f"clusters/{TODAY}/{arc}.md"] = (
        own + f"\n## Merged from {TODAY}-b\n\n# bandicoot\n\n- home-bridge://sessions/{BETA} (1)\n"
    )
    whole = f"{TODAY}-whole"
    brain.vault[f"left/{whole}.md"] = (
        arc_text(whole, "The whole thing", ["far-2"], "alpha", heat=8)
        + f"\n## Merged from {arc}\n\n{own[own.index('# Clean') :]}\n- home-bridge://sessions/far-3 (1)\n"
    )
    table = brain.feed["hot_arcs"][0]
    table["content"] += f"\n| {whole} | 8 | left | active | The whole thing |"
    later(fleet, 700)
    told = given(fleet, cli)
    assert (
        "The whole thing" in told
        and "Clean the axolotl tank" not in told
        and "quokka" not in told
        and "And more." in told
    )
    kept = bytes_of_home(fleet)
    assert b"Clean the axolotl tank" not in kept and b"quokka" not in kept


def test_forgetting_a_text_takes_it_out_of_reasons_and_paths(
    fleet: Fleet, brain: Brain, cli: Cli, tmp_path: Path
) -> None:
    fill(brain)
    brain.refuse = lambda _: (400, {"detail": "no wombats here"})
    stop(fleet, say(fleet, 7, mark("lesson", "one")))
    brain.faults["/feed"] = status(500, {"detail": "no wombats here either"})
    later(fleet, 700)
    turn(fleet)
    assert b"wombats" in bytes_of_home(fleet)
    (tmp_path / "text").write_text("wombats")
    cli.ok("forget", "--text", tmp_path / "text", "--yes")
    assert b"wombats" not in bytes_of_home(fleet)


# markers --------------------------------------------------------------------------------------------------------------------


def test_a_sessions_environment_cannot_lead_markers_or_token_to_another_brain(
    fleet: Fleet, brain: Brain, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository can set its sessions' environment; only config.toml and a person's own command name another brain."""
    turn(fleet)
    brain.faults["/marker"] = server.text_500
    stop(fleet, say(fleet, 7, mark("lesson", "Ours")))
    with serve(Brain(token=None)) as other:
        monkeypatch.setenv("BRAIN_URL", other.url)
        later(fleet, 60)
        turn(fleet, "beta")
        assert other.asked == []
        monkeypatch.setenv("CLAUDECODE", "1")
        cli("status")
        assert other.asked == [], "nor does a command that an agent runs"
        monkeypatch.delenv("CLAUDECODE")
        cli.ok("status")
        assert other.asked != []
        turn(fleet)
        assert contents(other) == ["Ours"]


def test_an_outage_of_a_day_sets_nothing_aside(fleet: Fleet, brain: Brain) -> None:
    for code in (503, 500):
        brain.faults["/marker"] = status(code, {"detail": "vault write failed"})
        stop(fleet, say(fleet, 7, mark("lesson", "one"), mark("lesson", "two")))
        for _ in range(30):
            later(fleet, 700)
            turn(fleet)
        assert states(fleet) == ["waiting", "waiting"]
    brain.faults.clear()
    later(fleet, 700)
    turn(fleet)
    assert contents(brain) == ["one", "two"]


def test_a_restored_backup_does_not_send_again_what_was_sent(
    fleet: Fleet, brain: Brain, cli: Cli, tmp_path: Path
) -> None:
    brain.faults["/marker"] = server.text_500
    stop(fleet, say(fleet, 7, mark("lesson", "Once")))
    cli.ok("backup", tmp_path / "before.db")
    brain.faults.clear()
    later(fleet, 60)
    turn(fleet)
    assert contents(brain) == ["Once"]
    cli.ok("restore", tmp_path / "before.db", "--yes")
    brain._keys.clear()  # the kernel remembers a key for an hour
    later(fleet, 700)
    turn(fleet)
    assert contents(brain) == ["Once"] and states(fleet) == ["delivered"]


def test_a_clock_that_was_ahead_keeps_no_marker_back(fleet: Fleet, brain: Brain) -> None:
    turn(fleet)
    with open_store(fleet.base / "brain.db") as db:
        ahead = (datetime.now(UTC) + timedelta(days=400)).timestamp() * 1e6
        db.execute("UPDATE meta SET value = ? WHERE name = 'outbox_since'", (str(int(ahead)),))
        db.execute("UPDATE meta SET value = ? WHERE name = 'brain'", (f"{brain.url} {int(ahead)}",))
    stop(fleet, say(fleet, 7, mark("lesson", "Now")))
    assert contents(brain) == ["Now"]


def test_a_ready_db_that_is_gone_loses_no_marker(fleet: Fleet, brain: Brain, cli: Cli) -> None:
    turn(fleet)
    fleet.write(7, fleet.folder("alpha"), ["Go on"], lesson="Said while it was there.")
    (fleet.base / "ready.db").unlink()
    cli.ok("backfill")
    turn(fleet)
    assert contents(brain) == ["Said while it was there."]


def test_a_store_that_cannot_be_written_is_still_shown(
    fleet: Fleet, brain: Brain, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(brain)

    def locked(*_: object) -> None:
        raise sqlite3.OperationalError("database is locked")

    monkeypatch.setattr("brainproj.brains.write_named", locked)
    assert "The axolotl eats at night." in given(fleet, cli) and cli("status").code == 0
