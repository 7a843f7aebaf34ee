"""The estimate against what two real vocabularies count, and its promises for any text.

token_samples.json holds texts with their counts by o200k_base and cl100k_base, made with the npm package gpt-tokenizer
4.0.0 (`encoding/o200k_base`, `encoding/cl100k_base`, `countTokens`, no special tokens).
"""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brainproj.core.tokens import estimate_tokens

SAMPLES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("token_samples.json").read_text("utf-8"))
CASE = Path(__file__).parents[1] / "data" / "cases" / "29-budget-for-cjk" / "facts.txt"
SHORT_TOKENS = 4
SHORT_SLACK = 2
"""A text of up to SHORT_TOKENS may be so many tokens over twice its count: the prices are fitted to sentences."""


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample["name"])
def test_the_estimate_is_between_the_larger_count_and_its_double(sample: dict[str, Any]) -> None:
    count = max(sample["o200k_base"], sample["cl100k_base"])
    slack = SHORT_SLACK if count <= SHORT_TOKENS else 0
    assert count <= estimate_tokens(sample["text"]) <= 2 * count + slack


def test_samples_cover_languages_code_and_machine_text() -> None:
    assert len(SAMPLES) >= 30
    assert {"chinese simplified", "hindi", "python", "diff", "log", "block"} <= {sample["name"] for sample in SAMPLES}


def test_no_text_is_no_token() -> None:
    assert estimate_tokens("") == 0


def test_a_chinese_japanese_or_korean_character_is_never_under_six_tenths_of_a_token() -> None:
    for start, end in ((0x3000, 0x3100), (0x3400, 0xA000), (0xAC00, 0xD7A4), (0xFF00, 0xFFF0), (0x20000, 0x20100)):
        for point in range(start, end, 16):
            assert estimate_tokens(chr(point) * 1000) >= 600


def test_facts_in_chinese_and_japanese_fill_a_budget_as_they_should() -> None:
    for fact in CASE.read_text("utf-8").splitlines():
        assert estimate_tokens(fact) >= 0.6 * len(fact)


@given(st.text(), st.text())
def test_appending_never_lowers_it(text: str, more: str) -> None:
    assert estimate_tokens(text + more) >= estimate_tokens(text)


@given(st.text(alphabet="aAzZ09 _/\t\n\r-=\x00\x80é你", max_size=12), st.sampled_from("aAzZ09 _/\t\n\r-=\x00\x80é你"))
def test_appending_never_lowers_it_where_classes_meet(text: str, character: str) -> None:
    assert estimate_tokens(text + character) >= estimate_tokens(text)


@given(st.text(min_size=1))
def test_a_text_costs_at_least_one_token(text: str) -> None:
    assert estimate_tokens(text) >= 1


def test_a_lone_surrogate_is_counted() -> None:
    assert estimate_tokens("\ud800") >= 1
