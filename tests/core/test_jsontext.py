"""A JSON text keeps every byte that is not the changed value's."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brainproj.core.jsontext import NotJson, append, parse_json, remove, render_json, replace, style_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab"\\/{}[],:é\n', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("kq", max_size=2), inner, max_size=3),
    max_leaves=8,
)
LAYOUTS = st.sampled_from([None, 2, 4, "\t"])


@given(VALUES, LAYOUTS, st.sampled_from(["", "\ufeff"]))
def test_it_reads_what_json_reads(value: object, layout: int | str | None, mark: str) -> None:
    assert parse_json(mark + json.dumps(value, indent=layout, ensure_ascii=False) + "\n").value == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1"), ("{", "line 1"), ('{"a": 1,}', "line 1"), ('{\n"a" 1}', "line 2: a colon"), ("{} {}", "something"),
        ('["a" "b"]', "a comma"), ("[NaN]", "NaN"), ('{"a": tru}', "line 1"), ('{"a": "b', "line 1"), ("// only", "line 1"),
        ('{\n\n  a: 1}', "line 3: a name"), ("[" * 100_000, "deeply"), ('{"a": "x\ny"}', "line 1"), ("/* {}", "line 1"),
    ],
)  # fmt: skip
def test_what_is_no_json_is_refused_with_its_line(text: str, says: str) -> None:
    with pytest.raises(NotJson, match=says):
        parse_json(text)


def test_comments_are_blanks_but_not_in_texts() -> None:
    text = '{ // one\n "a": "http://x/*y*/", /* two\n */ "b": ["//", 1 // three\n ]}'
    assert parse_json(text).value == {"a": "http://x/*y*/", "b": ["//", 1]}


@given(st.dictionaries(st.text("kq", max_size=2), VALUES, max_size=3), LAYOUTS, VALUES, st.sampled_from(["\n", "\r\n"]))
def test_what_was_added_can_be_taken_out_to_the_byte(
    value: dict[str, object], layout: int | str | None, new: object, line_end: str
) -> None:
    text = json.dumps(value, indent=layout).replace("\n", line_end) + line_end
    grown = append(text, parse_json(text), new, "new")
    assert parse_json(grown).value == {**value, "new": new}
    root = parse_json(grown)
    assert remove(grown, root, len(root.children) - 1) == text


@given(st.lists(VALUES, max_size=3), LAYOUTS, VALUES)
def test_so_can_an_element_of_a_list(value: list[object], layout: int | str | None, new: object) -> None:
    text = json.dumps(value, indent=layout)
    grown = append(text, parse_json(text), new)
    assert parse_json(grown).value == [*value, new]
    assert remove(grown, parse_json(grown), len(value)) == text


@given(st.lists(VALUES, min_size=1, max_size=4), LAYOUTS, st.data())
def test_any_child_can_be_taken_out(value: list[object], layout: int | str | None, data: st.DataObject) -> None:
    text = json.dumps(value, indent=layout)
    place = data.draw(st.integers(0, len(value) - 1))
    assert remove(text, parse_json(text), place) == json.dumps(value[:place] + value[place + 1 :], indent=layout)


def test_a_new_member_looks_like_its_neighbours() -> None:
    text = '{\n\t"a": {\n\t\t"b": 1\n\t}, // careful\n\t"c": [1, 2] // last\n}\n'
    grown = append(text, parse_json(text), {"x": [1]}, "d")
    assert grown == (
        '{\n\t"a": {\n\t\t"b": 1\n\t}, // careful\n\t"c": [1, 2], // last\n\t"d": {\n\t\t"x": [1]\n\t}\n}\n'
    )
    assert append("[1,2]", parse_json("[1,2]"), {"a": [1, 2]}) == '[1,2,{"a":[1,2]}]'


def test_comments_stay_where_something_is_taken_out() -> None:
    text = '{\n  // first\n  "a": 1, // about a\n  "b": 2, // about b\n  /* own */ "c": 3 // about c\n  // end\n}'
    for key in "abc":
        root = parse_json(text)
        place = [child.key for child in root.children].index(key)
        without = remove(text, root, place)
        assert parse_json(without).value == {k: v for k, v in root.value.items() if k != key}
        for words in ("first", "about a", "about b", "own", "about c", "end"):
            assert words in without


def test_a_value_is_replaced_alone() -> None:
    text = '{ "a" : "x" , "b":{"c" : [ 1 ]} }'
    found = parse_json(text).member("a")
    assert found is not None
    assert replace(text, found, "y z") == '{ "a" : "y z" , "b":{"c" : [ 1 ]} }'


def test_the_last_of_two_members_of_one_name_counts() -> None:
    found = parse_json('{"a": 1, "a": 2}').member("a")
    assert found is not None and found.value == 2


def test_layouts() -> None:
    assert (
        style_of('{"a":1}').unit == "" and style_of("{}\n").unit == "  " and style_of('{\n    "a": 1}').unit == "    "
    )
    assert style_of("{\r\n}").line_end == "\r\n"
    assert render_json({"a": 1}, style_of('{"a":1}'), "") == '{"a":1}'
