"""The files of a kernel's vault, as the real kernel wrote them."""

import pytest

from brainproj.core.feedanswer import hot_rows, parse_feed, parse_signal
from brainproj.core.times import EPOCH, render_time
from brainproj.core.vault import choose_paths, parse_arc, parse_log

from ..brain.server import entry, recorded_json, tick_file

MERGED = "2026-11-20-plan-the-move-of-the-staging-dns-zone-to-28b24084bec1"
DEAD_LETTER = "2026-11-29-write-the-dead-letter-table-for-webhooks-4d1089e937bb"


def test_an_arc_is_read_with_its_summary() -> None:
    arc = parse_arc(DEAD_LETTER, "frontal-lobe/conscious/x.md", tick_file("arc-conscious-with-summary.md"))
    assert arc is not None
    assert arc.title.startswith("harborlight gains a dead letter table") and (arc.status, arc.heat) == ("active", 7)
    assert [(part.sessions, part.project) for part in arc.parts] == [
        (("022c8f03-85aa-5843-afc2-ae5267797b7a",), "harborlight")
    ]


def test_a_merged_arc_has_the_parts_that_it_was_made_of() -> None:
    arc = parse_arc(MERGED, "left/x.md", tick_file("arc-after-cross-project-merge.md"))
    assert arc is not None and arc.title == "merged-thread"
    assert [part.title for part in arc.parts] == [
        "Plan the move of the staging DNS zone to the new provider",
        "Split the tinsmith lexer from the parser so they compile sep",
    ]
    assert [part.sessions for part in arc.parts] == [
        ("4741d457-8bf3-5be0-9de0-e9273d2cda06",), ("9502f019-ffdb-5994-8240-fe68d3b43acd",),
    ]  # fmt: skip
    assert arc.merged == ("2026-11-18-split-the-tinsmith-lexer-from-the-parser-c35fadd649f9",)
    assert "tinsmith" not in arc.parts[0].text


@pytest.mark.parametrize(
    "content", ["", "# no frontmatter", "---\ncluster_id: another\n---\n", "---\nnever ends", tick_file("hot-arcs.md")]
)
def test_what_is_no_arc_of_this_id_is_none(content: str) -> None:
    assert parse_arc(DEAD_LETTER, "left/x.md", content) is None


def test_lists_are_read_in_both_ways() -> None:
    text = "---\ncluster_id: x-1\nsource_sessions: [aaaaaaaa, 'bbbbbbbb']\nheat: hot\nstatus: <b>\n---\n"
    arc = parse_arc("x-1", "left/x-1.md", text)
    assert arc is not None and arc.parts[0].sessions == ("aaaaaaaa", "bbbbbbbb") and (arc.heat, arc.status) == (0, "")


def test_the_region_folder_wins_and_the_merged_file_takes_its_place() -> None:
    paths = [
        f"clusters/2026-11-30/{DEAD_LETTER}.md", f"clusters/2026-11-29/{DEAD_LETTER}.md", f"brain-feed/ticks/{DEAD_LETTER}.md",
        f"frontal-lobe/conscious/{DEAD_LETTER}.md", f"left/not-{DEAD_LETTER}.md", f"templates/{DEAD_LETTER}.md", "left/reference/lessons.md",
    ]  # fmt: skip
    assert choose_paths(DEAD_LETTER, paths) == [f"frontal-lobe/conscious/{DEAD_LETTER}.md"]
    assert choose_paths(DEAD_LETTER, paths[:2]) == [f"clusters/2026-11-29/{DEAD_LETTER}.md"]
    both = [*paths, f"frontal-lobe/conscious/{DEAD_LETTER}.merged.md"]
    assert choose_paths(DEAD_LETTER, both)[0].endswith(".merged.md") and len(choose_paths(DEAD_LETTER, both)) == 2
    assert choose_paths(DEAD_LETTER, []) == []


def test_the_recorded_search_leads_to_the_copy_that_is_kept_up_to_date() -> None:
    paths = [hit["path"] for hit in recorded_json(13)["results"]]
    assert paths[0].startswith("clusters/")
    assert choose_paths(DEAD_LETTER, paths)[0] == f"frontal-lobe/conscious/{DEAD_LETTER}.md"


def test_a_log_is_split_at_the_whole_header_only() -> None:
    lessons = parse_log("left/reference/x.md", recorded_json(17)["content"], is_cut=False)
    assert [lesson.session_id[:8] for lesson in lessons] == ["86ed252d", "fb2ccdde", "022c8f03"]
    assert render_time(lessons[0].at) == "2026-11-29T11:47:16Z"
    text = (
        "## 2026-11-29T11:47:16+00:00 — agent — `86ed252d-x`\n\nTwo ways:\n\n## First\n\nIt works.\n\n## 2026-11-29\n\nno header\n\n"
        "## 2026-11-29T12:00:00Z — agent\n\nWithout a session.\n\n## 2026-11-29T13:00:00+02:00 — bot 7 — plain-id\n\nLast\n"
    )
    found = parse_log("x", text, is_cut=False)
    assert [one.session_id for one in found] == ["86ed252d-x", "", "plain-id"]
    assert "## First" in found[0].text and "no header" in found[0].text
    assert render_time(found[2].at) == "2026-11-29T11:00:00Z"
    assert [one.text for one in parse_log("x", text, is_cut=True)] == [one.text for one in found[:2]]


def test_the_rows_that_can_be_no_arcs_are_passed_by() -> None:
    feed = parse_feed(recorded_json(5), "x", EPOCH)
    rows = hot_rows(feed.entries)
    assert len(rows) == 9 and not any(row.arc_id.startswith("lessons-") for row in rows)
    assert (rows[0].arc_id, rows[0].heat, rows[0].status) == (DEAD_LETTER, 7, "active")


def test_older_tables_and_hostile_rows() -> None:
    table = (
        "| Arc | Heat | Region | Title |\n|---|---|---|---|\n| [[2026-04-01-old-one|x]] | 4 | left | An old \\| pipe |\n"
        "| ../../etc/passwd | 9 | left | x |\n| ... | ... | ... | *(3 more arcs trimmed)* |\n| a | 1 | left | x |\n"
        "| 2026-04-02-no-region | 3 | ? | x |\n| 2026-04-03-short | 99 |"
    )
    feed = parse_feed({"hot_arcs": [entry("hot-arcs", "x", table)]}, "x", EPOCH)
    assert [(row.arc_id, row.heat, row.blurb) for row in hot_rows(feed.entries)] == [
        ("2026-04-01-old-one", 4, "An old | pipe"), ("2026-04-03-short", 10, "2026-04-03-short"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "answer",
    [{}, {"hot_arcs": None}, {"entries": [1, None, "x", {}, {"id": 3}, {"id": "x", "content": "  "}]}, {"entries": {"a": 1}},
     {"entries": [{"id": "x", "content": "y", "priority": [], "ttl": "long", "severity": 5, "metadata": []}]}],
)  # fmt: skip
def test_a_feed_of_another_shape_costs_what_is_malformed(answer: dict[str, object]) -> None:
    for one in parse_feed(answer, "x", EPOCH).entries:
        assert (one.id, one.content, one.priority, one.severity) == ("x", "y", 5, "info")


def test_our_digest_sees_what_the_servers_hash_does_not() -> None:
    before, after = recorded_json(5), recorded_json(5)
    after["hot_arcs"][0]["content"] = after["hot_arcs"][0]["content"].replace("schema written", "schema dropped")
    assert before["hash"] == after["hash"]
    digests = {parse_feed(one, "x", EPOCH).digest for one in (before, after, recorded_json(6))}
    assert len(digests) == 2


def test_a_signal_is_an_alert_while_it_is_active() -> None:
    assert parse_signal(recorded_json(7), "x", EPOCH) is None
    alert = parse_signal(recorded_json(67), "x", EPOCH)
    assert alert is not None and alert.is_alert and alert.id == "amygdala-active" and alert.priority == 100
    in_feed = next(one for one in parse_feed(recorded_json(68), "x", EPOCH).entries if one.id == alert.id)
    assert in_feed.content == alert.content
