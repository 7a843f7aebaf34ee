"""From a person's words to an expression: no input is syntax, every script is found."""

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brainproj.core.query import MOST_TERMS, excerpt, find_hit, index_text, match_expression


def find(texts: list[str], query: str) -> list[int]:
    """Which texts the expression of a query finds, in a real index."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize=\"unicode61 remove_diacritics 2\")")
    db.executemany(
        "INSERT INTO words(rowid, text) VALUES(?,?)", [(n, index_text(text)) for n, text in enumerate(texts)]
    )
    expression = match_expression(query)
    found = (
        []
        if expression is None
        else [row[0] for row in db.execute("SELECT rowid FROM words WHERE words MATCH ?", (expression,))]
    )
    db.close()
    return found


TEXTS = [
    "データベースの接続を直す", "修复数据库连接池", "연결 풀을 고친다", "แก้ไขการเชื่อมต่อฐานข้อมูล", "café at /srv/app/main.py",
    "ошибка соединения", "قاعدة البيانات", "the pool, the other pool", "version 12.5.1-rc2", "naïve_snake_case", "⏺marked ₺lira⸼done🞀",
]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("接続", [0]), ("データ", [0]), ("数据库", [1]), ("연결", [2]), ("เชื่อมต่อ", [3]), ("cafe", [4]), ("CAFÉ", [4]), ("app/main.py", [4]),
        ("ошибка", [5]), ("البيانات", [6]), ('"other pool"', [7]), ('"pool other"', []), ("12.5.1", [8]), ("rc2 version", [8]), ("snake_case", [9]),
        ("connection", []), ("据数", []), ("marked", [10]), ("lira", [10]), ("done", [10]),
    ],
)  # fmt: skip
def test_words_phrases_paths_and_scripts(query: str, found: list[int]) -> None:
    assert find(TEXTS, query) == found


@settings(max_examples=400, deadline=None)
@given(
    st.text(max_size=80) | st.text(st.sampled_from(list("\"'*^-+:()AND OR NOT NEAR{}[]\\/.,#%&|<>=~\0")), max_size=40)
)
def test_no_query_is_an_error(query: str) -> None:
    assert set(find(TEXTS, query)) <= set(range(len(TEXTS)))


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(categories=["L", "N", "P", "Z", "Cc"]), min_size=1, max_size=200))
def test_a_text_is_found_by_its_own_words(text: str) -> None:
    """Marks and symbols apart, of which SQLite knows fewer than Python does."""
    words = text.split()[:MOST_TERMS]
    if match_expression(" ".join(words).replace('"', " ")):
        assert find([text], " ".join(words).replace('"', " ")) == [0]


def test_a_pasted_page_is_no_attack() -> None:
    many = " ".join(f"word{number}" for number in range(100_000))
    assert (match_expression(many) or "").count("AND") == MOST_TERMS - 1
    assert match_expression("word " * 100_000) == '"word"', "a word said twice is looked for once"


def test_the_hit_is_in_view() -> None:
    text = "a " * 500 + "the needle here " + "b " * 500
    shown = excerpt(text, "needle", 100)
    assert "needle" in shown and shown.startswith("…") and shown.endswith("…") and len(shown) <= 110
    assert find_hit("path src/app.py:12", "src/app.py") == (5, 15)
    assert excerpt("short", "nothing", 100) == "short"
