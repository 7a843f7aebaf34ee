"""Questions to `search`: passages with other forms of the words, the reply to what was asked, and silence."""

import json
import os
import pwd
from pathlib import Path

import pytest

from .cli import Cli
from .repositories import make_repository
from .test_ingest import ingest
from .transcripts import call, prompt, reply, session_id, write_claude

LOGIN = pwd.getpwuid(os.getuid()).pw_name
CAUSE = "The second attempt carried no idempotency key, so the provider took both."
SHORT = "Found it: nobody looked at the year of the row."


@pytest.fixture
def shop(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which a few things were said, and another that says the like."""
    folder = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    other = make_repository(tmp_path / "other", "https://git.example.com/acme/other")
    one, two = session_id(1), session_id(2)
    talk = [prompt(one, folder, f"Look at file number {number}, please", number, f"n{number}") for number in range(30)]
    failed = "FAILED tests/test_pay.py::test_charge_once - Expected 1 charge, observed 2 charges"
    write_claude(
        home, one,
        [
            *talk,
            prompt(one, folder, "The checkout charged customers twice after a timeout.", 40), reply(one, folder, "I look.", 41),
            *call(one, folder, "Bash", {"command": "pytest"}, f"Exit code 1\n{failed}", 42, error=True),
            reply(one, folder, CAUSE, 44),
            prompt(one, folder, "The importer skipped the leap day. Why?", 45), reply(one, folder, SHORT, 46),
            prompt(one, folder, "The window of the throttle is 5 minutes.", 47), reply(one, folder, "Done.", 48),
            prompt(one, folder, "The window of the throttle is 9 minutes from now on.", 49), reply(one, folder, "Done.", 50),
        ],
    )  # fmt: skip
    write_claude(
        home, two,
        [
            prompt(two, other, "The coupon machine printed coupons twice.", 60),
            reply(two, other, "The coupon machine printed them since a lock was missing.", 61),
        ],
    )  # fmt: skip
    ingest(home)
    monkeypatch.chdir(folder)
    return folder


def asked(cli: Cli, question: str, *options: str) -> list[dict[str, object]]:
    hits: list[dict[str, object]] = cli.ok("search", question, "--json", *options).json
    return hits


def texts(hits: list[dict[str, object]]) -> list[object]:
    return [hit["excerpt"] for hit in hits]


def test_a_question_finds_the_passage_that_says_it_in_other_forms(shop: Path, cli: Cli) -> None:
    hits = asked(cli, "Why did the checkout charge a customer two times?")
    assert texts(hits)[:2] == ["The checkout charged customers twice after a timeout.", CAUSE]
    assert hits[0]["missing"] == ["two", "times"]
    assert asked(cli, "checkout timeout")[0]["missing"] == []


def test_a_reply_that_has_none_of_the_words_comes_with_what_it_answers(shop: Path, cli: Cli) -> None:
    assert texts(asked(cli, "How come the importer skips a leap day in winter?")) == [
        "The importer skipped the leap day. Why?",
        SHORT,
    ]
    kinds = asked(cli, "How come the importer skips a leap day in winter?", "--kind", "prompt")
    assert [hit["kind"] for hit in kinds] == ["prompt"], "nothing comes that was not asked for"


def test_what_was_said_later_comes_first(shop: Path, cli: Cli) -> None:
    hits = asked(cli, "How long is the current window of the throttle?")
    assert "9 minutes" in str(hits[0]["excerpt"]) and "5 minutes" in str(hits[1]["excerpt"])


def test_nothing_is_said_where_nothing_was_spoken_of(shop: Path, cli: Cli) -> None:
    for question in (
        "Which licence does the loyalty programme have?",
        "Why did the coupon machine print coupons twice?",
        "What colour scheme has the file?",
        'Where was "the lock is missing" seen in the checkout timeout?',
    ):
        assert asked(cli, question) == [], question
    said = cli.ok("search", "Which licence does the loyalty programme have?")
    assert said.out == "" and "Nothing in shop answers this" in said.err


def test_quoted_words_must_be_there_and_a_name_is_enough(shop: Path, cli: Cli) -> None:
    hits = asked(cli, 'Where have we seen "Expected 1 charge, observed 2 charges" in the mobile frontend?')
    assert len(hits) == 1 and "test_charge_once" in str(hits[0]["excerpt"])
    hits = asked(cli, "What did test_charge_once complain about when it broke down?")
    assert "observed 2 charges" in str(hits[0]["excerpt"]) and hits[0]["missing"] == ["complain", "broke"]


def test_two_words_that_stand_together_somewhere_are_not_looked_for_alone(shop: Path, cli: Cli) -> None:
    assert len(asked(cli, "checkout timeout")) == 1
    assert len(asked(cli, "checkout unicorn")) == 0


def test_what_is_missing_is_shown(shop: Path, cli: Cli) -> None:
    out = cli.ok("search", "Why did the checkout charge a customer two times?").out
    assert f"prompt  {LOGIN}  2026-03-01  without two, times" in out
    assert out.rstrip().endswith("The checkout charged customers twice after a timeout."), "the best is the last"


def test_the_words_of_our_own_answers_are_no_passage(home: Path, tmp_path: Path, cli: Cli) -> None:
    folder = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    sid = session_id(1)
    told = "Recalled from earlier sessions: the turbine of the windmill stalls in winter"
    write_claude(
        home,
        sid,
        [
            prompt(sid, folder, "hello"),
            *call(sid, folder, "mcp__brainproj__search", {"query": "why does the turbine of the windmill stall"}, told),
        ],
    )
    ingest(home)
    assert cli.ok("search", "Why does the windmill turbine stall in winter?", "--project", "shop", "--json").json == []


def test_a_title_a_prompt_and_an_output_run_again_are_one_hit_each(home: Path, tmp_path: Path, cli: Cli) -> None:
    folder = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    sid = session_id(1)
    lesson = "Never run the kestrel migration by hand."
    lines = [prompt(sid, folder, "Mend the kestrel migration of the store")]
    for number in range(3):
        output = f"kestrel migration: 12 rows in 0.{number}3s"
        lines += call(sid, folder, "Bash", {"command": f"make step{number}"}, output, 2 + number * 2)
    lines += call(sid, folder, "Bash", {"command": "make more"}, "kestrel migration: 13 rows in 0.03s", 20)
    lines += [reply(sid, folder, f"Done. <!-- @lesson -->{lesson}<!-- @/lesson -->", 30)]
    write_claude(home, sid, lines)
    ingest(home)
    hits = cli.ok("search", "kestrel migration", "--project", "shop", "--json").json
    folded = {hit["kind"]: hit for hit in hits if hit["kind"] != "tool_result"}
    assert sorted(folded) == ["lesson", "prompt"], "the arc is in the prompt, the reply in the lesson"
    assert (
        any(place.startswith("arc:") for place in folded["prompt"]["places"]) and len(folded["lesson"]["places"]) == 2
    )
    outputs = [hit for hit in hits if hit["kind"] == "tool_result"]
    assert sorted(len(hit["places"]) for hit in outputs) == [1, 3], "13 rows are not 12"
    for hit in hits:
        for place in hit["places"]:
            assert json.loads(cli.ok("show", place, "--json").out)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("quokka benchmark p99 latency 12 ms", "quokka benchmark p99 latency 9000 ms"),
        ("quokka rows imported: 1000000", "quokka rows imported: 2500000"),
        ("quokka release planned for 2026-03-01", "quokka release planned for 2027-09-30"),
        ("quokka commit 1a2b3c4d", "quokka commit 9f8e7d6c"),
        ("Exit code 1\nquokka finished in 3.10s", "quokka finished in 4.20s"),
    ],
)
def test_outputs_that_say_different_things_are_two_hits(
    home: Path, tmp_path: Path, cli: Cli, one: str, other: str
) -> None:
    folder = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    sid = session_id(1)
    lines = [prompt(sid, folder, "run it")]
    for minute, text in ((2, one), (5, other)):
        lines += call(sid, folder, "Bash", {"command": f"make {minute}"}, text, minute, error=text.startswith("Exit"))
    write_claude(home, sid, lines)
    ingest(home)
    hits = cli.ok("search", "quokka", "--project", "shop", "--json").json
    assert sorted(hit["excerpt"] for hit in hits) == sorted([one, other])


def test_a_correction_is_not_hidden_by_what_it_corrects(home: Path, tmp_path: Path, cli: Cli) -> None:
    folder = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    sid = session_id(1)
    wrong = "I was wrong. Never retry the payment automatically: it charged customers twice."
    write_claude(
        home, sid,
        [
            prompt(sid, folder, "the payment fails"), reply(sid, folder, "<!-- @lesson -->Retry the payment<!-- @/lesson -->", 1),
            reply(sid, folder, wrong, 2),
        ],
    )  # fmt: skip
    ingest(home)
    hits = cli.ok("search", "retry the payment", "--project", "shop", "--json").json
    assert [hit["kind"] for hit in hits] == ["lesson", "reply"] and hits[1]["excerpt"] == wrong
    assert len(hits[0]["places"]) == 2


def test_one_word_counts_in_all_its_forms_and_what_is_typed_needs_no_quotes(shop: Path, cli: Cli) -> None:
    assert texts(asked(cli, "charging"))[0] == "The checkout charged customers twice after a timeout."
    assert "after a timeout" in cli.ok("search", "checkout", "timeouts", "--json").json[0]["excerpt"]
    assert cli("search").code == 2 and cli("search", "--fts").code == 2
    assert texts(asked(cli, "checkout timeouts", "--kind", "prompt")) == [
        "The checkout charged customers twice after a timeout."
    ]
    latest = cli.ok("search", "--kind", "prompt", "--limit", "1", "--json").json
    assert "9 minutes" in latest[0]["excerpt"]


def test_no_query_and_no_text_takes_long(home: Path, tmp_path: Path, cli: Cli) -> None:
    import time

    folder = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    sid = session_id(1)
    lines = [
        prompt(sid, folder, "a " * 30_000),
        prompt(sid, folder, "a b c " * 1500, 1),
        prompt(sid, folder, "x, " * 9000, 2),
    ]
    for number in range(400):
        output = f"pelican {'word ' * 800} in 0.{number:03d}s"
        lines += call(sid, folder, "Bash", {"command": f"make {number}"}, output, number % 50 + 3)
        lines[-1]["uuid"], lines[-2]["uuid"] = f"r{number}", f"c{number}"
        lines[-2]["message"]["id"] = f"m{number}"
        lines[-2]["message"]["content"][0]["id"] = lines[-1]["message"]["content"][0]["tool_use_id"] = f"t{number}"
    write_claude(home, sid, lines)
    ingest(home)
    for query in (
        "pelican",
        " ".join(f"word{number}" for number in range(12_000)),
        "heron " + '"a+" ' * 20_000,
        '"' + "a " * 8000 + '"',
        "x," * 20_000,
        "a" * 100_000,
        '"' * 100_000,
    ):
        began = time.process_time()
        cli.ok("search", query, "--project", "shop", "--json")
        assert time.process_time() - began < 3, query[:40]
