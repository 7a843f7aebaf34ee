"""The recall benchmark itself: the same history each time, no answer but one, and what no change may make worse."""

import sys

import pytest

from .recall.__main__ import ask_all, main, weigh_packs
from .recall.histories import is_echo, make_history


@pytest.mark.parametrize("seed", [1, 50, 75, 100])
def test_a_history_is_the_same_each_time_and_holds_what_is_asked(seed: int) -> None:
    history = make_history(seed)
    assert history == make_history(seed) and history != make_history(seed + 1)
    said = {(session.project, turn.text) for session in history.sessions for turn in session.turns}
    for question in history.questions:
        if question.answer is None:
            continue
        places = [text for project, text in said if project == question.project and question.answer in text]
        assert [text for text in places if not is_echo(text)], question
    assert {question.kind for question in history.questions} >= {"nowhere", "another project's", "never spoken about"}
    assert any(question.stale for question in history.questions)


def test_the_memory_does_what_it_did() -> None:
    marks = ask_all([1, 50], with_rg=False)
    ours, empty = marks["brainproj"], marks["empty memory"]
    answerable = [mark for mark in ours if mark.question.answer is not None]
    assert sum(mark.forbidden for mark in ours) == 0 and not any(mark.is_stale for mark in ours)
    assert sum(mark.place == 1 for mark in answerable) / len(answerable) > 0.75
    assert sum(mark.place is not None for mark in answerable) / len(answerable) > 0.92
    silent = [mark.is_silent for mark in ours if mark.question.answer is None]
    assert sum(silent) / len(silent) > 0.9
    assert all(mark.is_silent and mark.place is None and mark.tokens == 0 for mark in empty)


def test_a_decision_that_does_not_hold_is_never_given_as_one_that_does() -> None:
    marks = ask_all([3], with_rg=False)["brainproj"]
    decided = [mark for mark in marks if mark.question.kind.startswith("decision")]
    assert {mark.question.kind for mark in decided} == {"decision", "decision, replaced", "decision, only proposed"}
    assert sum(mark.forbidden for mark in decided) == 0 and not any(mark.is_stale for mark in decided)
    assert all(mark.place == 1 for mark in decided)
    packs = weigh_packs([3])
    assert len(packs) == 10 and all(wrong == lacking == 0 for _, wrong, lacking in packs)
    assert max(tokens for tokens, _, _ in packs) <= 4000


def test_it_prints_its_tables(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["recall", "--seeds", "2", "--misses"])
    main()
    out = capsys.readouterr().out
    assert "| empty memory | 0% | 0% | 0 | 0 of" in out and "| brainproj |" in out and "kind='fix'" in out
