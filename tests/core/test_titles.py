"""A title is one line of what a person typed, without marks, wrappers and code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brainproj.core.titles import TITLE_CHARACTERS, clean_title


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("Speed up the nightly import", "Speed up the nightly import"),
        ("\n\n  fix   the\tparser \nand more", "fix the parser"),
        ("## Scope the feed\n\ntext", "Scope the feed"),
        ("- [ ] add `--json`", "add `--json`"),
        ("12. tidy up", "tidy up"),
        ("> > as I said", "as I said"),
        ("> 1. # deep", "deep"),
        ('"Why is it slow?"', "Why is it slow?"),
        ("“Why?”", "Why?"),
        ('- "quoted item"', "quoted item"),
        ('"a" or "b"', '"a" or "b"'),
        ("'don't'", "'don't'"),
        ("#123 is back", "#123 is back"),
        ("-v prints nothing", "-v prints nothing"),
        ("2026. What now?", "2026. What now?"),
        ("---\n***\n!?\nreal", "real"),
        ("https://example.org/a?b=1#c fails", "https://example.org/a?b=1#c fails"),
        ("修复四舍五入", "修复四舍五入"),
        ("red \x1b[31mRED\x1b[0m end", "red RED end"),
        ("bidi \u202egnp.exe end\u2028next", "bidi gnp.exe end"),
    ],
)
def test_a_title_is_the_first_line_that_says_something(typed: str, title: str) -> None:
    assert clean_title(typed) == title


@pytest.mark.parametrize(
    "typed", ["", " \n\t", "---", "```\ncode\n```", "~~~ md\n```\ncode", "> ```\n> code", "\x1b[2J", "“”"]
)
def test_without_words_there_is_no_title(typed: str) -> None:
    assert clean_title(typed) is None


@pytest.mark.parametrize(
    "code",
    ["```\nx\n```\n", "```py\nx\n````\n", "~~~\n```\nx\n~~~\n", "````\n```\nx\n```\n````\n", "- ```\n  x\n  ```\n"],
)
def test_fenced_code_is_passed_over(code: str) -> None:
    assert clean_title(code + "What does it do?") == "What does it do?"


def test_code_in_the_line_is_no_fence() -> None:
    assert clean_title("```x``` is wrong") == "```x``` is wrong"


@pytest.mark.parametrize(
    "wrapper",
    [
        "<system-reminder>\nProject notes follow.\n</system-reminder>\n",
        '<context kind="x">a</context>',
        "\n<a>1</a>\n<b>2</b>\n",
        "<a><b>x</b></a>\n- <c>y</c> ",
    ],
)
def test_a_wrapper_before_the_words_is_not_the_title(wrapper: str) -> None:
    assert clean_title(wrapper + "Fix the rounding in invoices") == "Fix the rounding in invoices"


def test_a_wrapper_with_nothing_behind_it_stays() -> None:
    assert clean_title("<b>bold</b>\n") == "<b>bold</b>"
    assert clean_title("<a>1</a> <b>2</b>") == "<b>2</b>"
    assert clean_title("<b>no end, and <i>x</i>") == "<b>no end, and <i>x</i>"
    assert clean_title("<br/> between lines") == "<br/> between lines"


def test_a_long_title_is_cut_at_a_word() -> None:
    title = clean_title("Explain why the import, which " + "takes " * 30)
    assert title is not None and len(title) <= TITLE_CHARACTERS
    assert title.endswith(" takes…")


def test_a_long_word_is_cut_where_it_must_be() -> None:
    assert clean_title("长" * 200) == "长" * 79 + "…"
    assert clean_title("a" * 80) == "a" * 80


PIECES = st.sampled_from(
    [*"\n\n  \"'`>#-*+1.)x</", "```", "~~~", "<a>", "</a>", "“", "”", "# ", "- ", "> ", "[ ] ", "\x1b[", "word ", "é…"]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=60).map("".join)))
def test_a_title_is_one_short_line_and_comes_out_as_it_went_in(text: str) -> None:
    title = clean_title(text)
    if title is not None:
        assert title == " ".join(title.split())
        assert 0 < len(title) <= TITLE_CHARACTERS
        assert any(map(str.isalnum, title))
        assert clean_title(title) == title


@pytest.mark.parametrize("unit", ["<a></a>", "<a>", "<a-", "> ", "- ", '"', "```\n", "1. ", "\n"])
def test_two_hundred_kilobytes_of_marks_take_no_time(unit: str) -> None:
    assert clean_title(unit * (200_000 // len(unit)) + "\nend") is not None or unit == "```\n"
