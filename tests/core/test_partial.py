"""What of a question a passage holds, and whether that is enough."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brainproj.core.partial import (
    FEW,
    WINDOW_LETTERS,
    Asked,
    Term,
    ask,
    best_window,
    folded_words,
    meaningful_terms,
    weigh,
)
from brainproj.wordforms import forms_of

TEXTS = 500


def terms_of(question: str) -> list[Term]:
    return meaningful_terms(question, forms_of)


def said(question: str) -> list[str]:
    return [term.said for term in terms_of(question)]


def asked(question: str, *holders: int) -> Asked:
    terms = terms_of(question)
    return ask(terms, holders or [3] * len(terms), TEXTS)


def test_empty_words_say_nothing_unless_they_are_quoted() -> None:
    assert said("Why did the checkout retry charge a customer twice?") == [
        "checkout",
        "retry",
        "charge",
        "customer",
        "twice",
    ]
    assert said('who said "to be or not"?') == ["to be or not"] and said("what is it, then?") == []
    assert said("the Timeout, the timeout") == ["Timeout"], "a word counts once"
    assert said("") == said("?!") == []


def test_a_word_counts_in_all_its_forms_and_a_name_in_one() -> None:
    (charge,) = terms_of("charged")
    assert {"charge", "charges", "charged", "charging"} <= charge.forms and "charger" not in charge.expression.split()
    assert {"retry", "retries", "retried", "retrying"} <= forms_of("retries")
    assert forms_of("api2") == {"api2"} and forms_of("größe") == {"größe"} and forms_of("db") == {"db"}
    (name,) = terms_of("test_charge_once")
    assert name.is_name and name.words == ("test", "charge", "once") and name.expression == '"test charge once"'
    assert [term.is_name for term in terms_of('shop::Cart KeyError checkout.py "two words" "one" plain e.g.')] == [
        True,
        True,
        True,
        True,
        False,
        False,
        False,
    ]


def test_every_way_to_look_for_a_word_sees_the_same() -> None:
    for term, text, is_in in (
        (terms_of("time* ferry")[0], "the timetable", True),
        (terms_of("time ferry")[0], "the timetable", False),
        (terms_of("src/app.py")[0], "edit src/app.py now", True),
        (terms_of("src/app.py")[0], "edit src/app.pyc now", False),
        (terms_of('"go mod"')[0], "a cargo model", False),
        (terms_of("Größe")[0], "die GRÖSSE und die Grosse", False),
        (terms_of("größe")[0], "die Große", True),
    ):
        assert term.is_in(folded_words(text)) is is_in, (term, text)


def test_the_fewer_hold_a_word_the_more_it_weighs() -> None:
    weights = [weigh(holders, TEXTS) for holders in (0, 1, 10, 400)]
    assert weights == sorted(weights, reverse=True) and weights[-1] > 0


def test_the_best_window_of_a_long_text_is_found_wherever_it_is() -> None:
    question = asked("why does the queue drop jobs")
    filler = "the queue is long and has nothing to say of this. " * 60
    text = filler + "x" * 50 + " Jobs were dropped from the queue. " + filler
    held = best_window(text, question)
    assert held.share == 1.0 and "Jobs were dropped" in text[held.start : held.start + WINDOW_LETTERS]
    apart = "queue " + "x " * 2000 + "dropped " + "x " * 2000 + "jobs"
    assert best_window(apart, question).share < 0.5, "words that are far from each other answer nothing"
    assert best_window("x " * 5000, question).share == 0 == best_window("", question).share


@given(st.text(max_size=3000), st.text(max_size=60))
def test_no_text_and_no_question_make_it_fail(text: str, question: str) -> None:
    terms = terms_of(question)
    if terms:
        held = best_window(text, ask(terms, [1] * len(terms), TEXTS))
        assert 0 <= held.share <= 1 and 0 <= held.start <= len(text)


@pytest.mark.parametrize(
    ("question", "holders", "held", "alike", "is_answered"),
    [
        pytest.param("queue drops jobs", (9, 3, 3), 0b111, 99, True, id="all of it"),
        pytest.param("queue drops jobs", (9, 3, 3), 0b110, 99, True, id="more than half"),
        pytest.param("export queue licence", (30, 30, 0), 0b011, 40, False, id="what many hold alike"),
        pytest.param("export queue licence", (3, 30, 0), 0b011, FEW, True, id="what few hold alike"),
        pytest.param("loyalty programme batch, size", (0, 0, 4, 4), 0b1100, 2, False, id="an unknown subject"),
        pytest.param("loyalty, programme batch size", (0, 0, 4, 4), 0b1100, 2, True, id="two unknown words apart"),
        pytest.param("test_lockout complain, broke", (4, 0, 0), 0b001, 4, True, id="a name alone"),
        pytest.param("test_lockout complain often", (4, 20, 0), 0b010, 2, False, id="anything but the name"),
        pytest.param("a kestrel osprey heron eagle", (3, 3, 3, 3), 0b0000, 0, False, id="nothing"),
    ],
)
def test_what_is_enough(question: str, holders: tuple[int, ...], held: int, alike: int, is_answered: bool) -> None:
    one = asked(question, *holders)
    assert one.is_answered(held, one.share(held), Counter({held: alike})) is is_answered


def test_what_is_missing_is_said_in_the_words_of_the_question() -> None:
    one = asked("Did the Kestrel eat `mice`?")
    assert one.missing(0b101) == ("eat",) and one.missing(0) == ("Kestrel", "eat", "mice")
