"""Markers that are meant are found whole; those that are only shown, broken or quoted back are not."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brainproj.core.markers import Marker, MarkerKind, find_markers, neutralise_markers

CASE = Path(__file__).parents[1] / "data" / "cases" / "30-markers-in-examples" / "message.md"


def lesson(text: str) -> str:
    return f"<!-- @lesson -->{text}<!-- @/lesson -->"


def texts(reply: str) -> list[str]:
    return [marker.text for marker in find_markers(reply)]


def test_a_marker_in_a_documentation_example_is_not_stored() -> None:
    reply = CASE.read_text("utf-8")
    for n in range(1, 10):
        reply = reply.replace(f"{{{{LESSON:{n}}}}}", lesson(f"lesson {n}"))
    assert texts(reply) == ["lesson 1", "lesson 9"]


def test_a_marker_has_its_kind_text_attributes_and_place() -> None:
    reply = (
        'Done.\n<!-- @signal severity=warning source="deploy bot" title="" -->\n restarted\n 3 times <!-- @/signal -->.'
    )
    assert find_markers(reply) == [
        Marker(
            MarkerKind.SIGNAL,
            "restarted\n 3 times",
            (("severity", "warning"), ("source", "deploy bot"), ("title", None)),
            start=6,
            end=len(reply) - 1,
        )
    ]


@pytest.mark.parametrize("word", ["lesson", "decision", "signal", "milestone", "LESSON"])
def test_four_words_are_markers_and_their_case_does_not_count(word: str) -> None:
    assert [marker.kind for marker in find_markers(f"<!--@{word}-->x<!--@/{word}-->")] == [word.lower()]


@pytest.mark.parametrize(
    "attributes",
    ["", " ", "\t", " a=1", ' a="x > y --> z"', " a=b--", " a=it's", " a=1  b_2=x:y/z ", "\n a=1\n"],
)
def test_well_formed_attributes_are_taken(attributes: str) -> None:
    assert texts(f"<!-- @lesson{attributes}-->x<!-- @/lesson -->") == ["x"]


@pytest.mark.parametrize(
    "attributes", [" a-b=1", " a='x y'", " a=x>y", " a", " a=", " =1", ' a="x', ' a="x"y', "a=1 b", " a = 1", "-x=1"]
)
def test_a_malformed_attribute_makes_it_no_marker(attributes: str) -> None:
    assert texts(f"<!-- @lesson{attributes} -->x<!-- @/lesson -->") == []


@pytest.mark.parametrize(
    "reply",
    [
        "<!-- @lesson -->x",
        "x<!-- @/lesson -->",
        "<!-- @lesson -->x<!-- @/signal -->",
        "<!-- @Lesson -->x<!-- @/lesson -->",
        "<!-- @lesson --> \n <!-- @/lesson -->",
        "<!-- @lesson -->x<!-- @/lesson a=1 -->",
        "<!-- lesson -->x<!-- /lesson -->",
        "<!-- @todo -->x<!-- @/todo -->",
        "<!- @lesson -->x<!-- @/lesson -->",
    ],
)
def test_what_is_not_complete_or_not_ours_is_no_marker(reply: str) -> None:
    assert find_markers(reply) == []


def test_an_unclosed_tag_swallows_no_complete_marker() -> None:
    assert texts("<!-- @decision -->a\n" + lesson("b")) == ["b"]
    assert texts("<!-- @lesson -->a\n" + lesson("b")) == ["b"]
    assert texts("<!-- @lesson a-b=1 -->a\n" + lesson("b")) == ["b"]
    assert texts("<!-- @lesson -->a <!-- @lesson a-b=1 -->b<!-- @/lesson -->") == []


def test_a_pair_takes_what_stands_inside_it_as_its_content() -> None:
    signal = "<!-- @signal -->s<!-- @/signal -->"
    assert texts(lesson(f"a {signal} b")) == [f"a {signal} b"]
    assert texts(f"<!-- @inject -->{lesson('a')}<!-- @/inject -->") == []
    assert texts("<!-- @lesson -->a<!-- @signal -->b<!-- @/lesson -->c<!-- @/signal -->") == ["a<!-- @signal -->b"]


@pytest.mark.parametrize(
    "code",
    [
        "```\n{}\n```",
        "```` md\n```\n{}\n```\n````",
        "~~~ `x`\n```\n{}\n~~~~  ",
        "   ```\n{}\n   ```",
        "```\n{}\n``` no end",
        "```\r\n{}\r\n```\r\n",
        "- item\n\n  ```\n  {}\n  ```",
        "1. ```\n   {}\n   ```",
        "- item\n    ```\n    {}\n    ```",
        "    {}",
        "text\n\n\t{}",
        "# heading\n    {}",
        "- item\n\n      {}",
        "`{}`",
        "``a ` {}``",
        "text `\n{{}} {}\n`".replace("\n", " "),
        "text `a\nb {} c` d",
        "\\\\`{}`",
        "> {}",
        "  > a\n>{}",
        "- > {}",
    ],
)
def test_in_code_or_in_a_quoted_line_it_is_none(code: str) -> None:
    assert texts(code.format(lesson("shown"))) == []


@pytest.mark.parametrize(
    "reply",
    [
        "```\ncode\n```\n{}",
        "```\ncode\n```` \n{}",
        "``` a`b\n{}",
        "- ```\n  code\n{}",
        "text\n    {}",
        "- item\n\n  {}",
        "1.  item\n\n    {}",
        "\\`{}\\`",
        "a ` b\n\n{} ` c",
        "a ` b\n{} ` c",
        "`code` {} `code`",
        "`` a ` {}",
        "> quote\n{}",
        "a > {}",
    ],
)
def test_beside_code_and_quotes_it_is_one(reply: str) -> None:
    assert texts(reply.format(lesson("meant"))) == ["meant"]


def test_backticks_in_a_tag_are_no_code() -> None:
    assert texts('x <!-- @lesson title="`a" -->b<!-- @/lesson --> `') == ["b"]


def test_a_content_with_a_fence_is_kept_whole() -> None:
    assert texts(lesson("run\n```\n<!-- @/lesson -->\n```\ntwice")) == ["run\n```\n<!-- @/lesson -->\n```\ntwice"]


@pytest.mark.parametrize(
    "block",
    [
        '<project-memory project="a">\n- {}\n- ```\n</project-memory>\n',
        "It says: <PROJECT-MEMORY>\n{}</PROJECT-MEMORY >\n",
        "<project-memory>{}</project-memory>\n",
    ],
)
def test_a_memory_block_quoted_back_is_no_source(block: str) -> None:
    assert texts(block.format(lesson("recalled")) + lesson("new")) == ["new"]


def test_a_memory_block_that_does_not_end_hides_the_rest() -> None:
    assert texts(f'<project-memory project="a">\n- {lesson("recalled")}') == []
    assert texts(f"The line begins with <project-memory > and so on.\n{lesson('meant')}") == ["meant"]


@pytest.mark.parametrize(
    "unit",
    [
        "<!-- @lesson -->",
        "<!-- @lesson ",
        '<!-- @lesson a="',
        "<!--",
        "`` ` ",
        "<!-- ` ",
        "- + ",
        "<project-memory ",
        " ",
    ],
)
def test_two_hundred_kilobytes_of_openings_take_no_time(unit: str) -> None:
    reply = "<!-- @lesson\n" + unit * (200_000 // len(unit))
    assert find_markers(reply) == []
    assert find_markers(neutralise_markers(reply)) == []


PIECES = st.sampled_from(
    ["<!--", "<!", "--", "@", "/", "lesson", "-->", " ", "\n", "x", "`", "```", lesson("y"), "<project-memory>", "> "]
)


@given(st.lists(PIECES).map("".join))
def test_a_neutralised_text_has_no_marker_and_is_neutral_to_it(text: str) -> None:
    neutral = neutralise_markers(text)
    assert find_markers(neutral) == []
    assert neutralise_markers(neutral) == neutral
    assert neutral.replace(" ", "") == text.replace(" ", "")


@given(st.lists(PIECES).map("".join))
def test_a_marker_stands_where_it_says(text: str) -> None:
    markers = find_markers(text)
    for marker in markers:
        whole = text[marker.start : marker.end]
        assert whole.startswith("<!--") and whole.endswith("-->") and marker.text in whole
    assert all(before.end <= after.start for before, after in pairwise(markers))


def test_neutralising_leaves_other_comments_and_stays_readable() -> None:
    assert neutralise_markers("<!-- a --> <!--  @lesson -->") == "<!-- a --> <! --  @lesson -->"
