"""What a brain tells of a project: its true project, never another's, and the same memory whichever source it is from."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from brainproj.attribution import Attribution
from brainproj.brain.client import BrainClient
from brainproj.brain.feed import read_feed
from brainproj.brain.vault import read_vault
from brainproj.config import read_config
from brainproj.core.block import render_project_block
from brainproj.core.brain import parse_brain
from brainproj.core.catalogue import KnownProject
from brainproj.core.feedanswer import hot_rows
from brainproj.core.memory import ProjectMemory
from brainproj.errors import BrainUnavailable
from brainproj.identity import Resolver
from brainproj.paths import find_paths
from brainproj.recall import LocalSource, ProjectMemorySource, read_recall_settings
from brainproj.sources import KernelSource, VaultSource
from brainproj.store.database import open_store

from ..hooks.sessions import Fleet
from ..repositories import add_worktree, make_repository
from ..transcripts import prompt, session_id, write_claude
from .server import (
    TOKEN,
    Brain,
    arc_text,
    entry,
    hot_table,
    log_text,
    recorded_json,
    tick_file,
)

NOW = datetime.now(UTC)
TODAY = NOW.date()
ALPHA, BETA = session_id(0), session_id(1)
OTHER = "99999999-0000-4000-8000-000000000000"


def day(ago: int) -> str:
    return (TODAY - timedelta(days=ago)).isoformat()


def log_path(ago: int, folder: str = "left/reference") -> str:
    return f"{folder}/lessons-{day(ago)}.md"


CLIENTS: list[BrainClient] = []


@pytest.fixture(autouse=True)
def closing() -> Iterator[None]:
    """No connection outlives its test."""
    yield
    while CLIENTS:
        CLIENTS.pop().__exit__()


class Asked:
    """The two projects of a fleet, and a brain to ask of them."""

    def __init__(self, fleet: Fleet, brain: Brain) -> None:
        self.fleet, self.brain = fleet, brain
        paths = find_paths({}, fleet.home)
        self.config = read_config(paths.config_path)
        self.db = open_store(paths.brain_db)
        self.resolver = Resolver(paths, self.config, self.db, NOW)
        self.settings = read_recall_settings(self.config, {})

    def project(self, name: str) -> KnownProject:
        return self.resolver.catalogue.get(name)

    def attribution(self) -> Attribution:
        return Attribution(self.db, self.fleet.ready(), self.resolver)

    def client(self) -> BrainClient:
        CLIENTS.append(BrainClient(parse_brain(self.brain.url, TOKEN)))
        return CLIENTS[-1]

    def vault(self) -> VaultSource:
        client = self.client()
        return VaultSource(client, read_feed(client, NOW), self.attribution(), self.settings)

    def kernel(self, name: str) -> KernelSource:
        client, project = self.client(), self.project(name)
        feed = read_feed(client, NOW, (project.name, project.key))
        return KernelSource(client, feed, self.attribution(), project)

    def memory(self, name: str) -> ProjectMemory:
        return self.vault().fetch(self.project(name), NOW)


@pytest.fixture
def asked(fleet: Fleet, brain: Brain) -> Iterator[Asked]:
    yield Asked(fleet, brain)


def put(brain: Brain, *arcs: tuple[str, str, list[str], str | None], heat: int = 5) -> None:
    """Arcs of the brain: (id, title, sessions, the kernel's own word for the project)."""
    rows = []
    for number, (arc_id, title, sessions, project) in enumerate(arcs):
        brain.vault[f"clusters/{day(0)}/{arc_id}.md"] = arc_text(arc_id, title, sessions, project, heat=heat - number)
        rows.append((arc_id, heat - number, "active", title))
    brain.feed["hot_arcs"] = [hot_table(rows, day(0))]


def titles(memory: ProjectMemory) -> list[str]:
    return [arc.title for arc in memory.arcs]


# whose an arc is: design 5 -------------------------------------------------------------------------------------------------


def test_the_sessions_of_an_arc_say_whose_it_is_and_the_kernels_word_only_where_they_say_nothing(
    asked: Asked, brain: Brain
) -> None:
    put(
        brain,
        ("2026-11-29-of-alpha-by-session", "Wrongly called beta", [ALPHA], "beta"),
        ("2026-11-29-of-beta-by-session", "Wrongly called fix-tz", [OTHER, BETA], "fix-tz"),
        ("2026-11-29-of-alpha-by-name", "Nobody here knows its session", [OTHER], "alpha"),
        ("2026-11-29-of-nobody", "A third project", [OTHER], "gamma"),
        ("2026-11-29-of-unknown", "The kernel does not know", [], "unknown"),
        ("2026-11-29-of-both", "One thread in two projects", [ALPHA, BETA], "alpha"),
    )
    told = asked.vault()
    assert titles(told.fetch(asked.project("alpha"), NOW)) == ["Wrongly called beta", "Nobody here knows its session"]
    assert titles(told.fetch(asked.project("beta"), NOW)) == ["Wrongly called fix-tz"]
    assert told.tell(NOW).left_out == {"arcs of no known project": 2, "arcs of several projects": 1}


@pytest.mark.parametrize("how", ["worktree", "alias", "scratch", "case"])
def test_names_that_the_store_has_seen_count(fleet: Fleet, brain: Brain, tmp_path: Path, how: str, cli: Any) -> None:
    name = {"worktree": "fix-tz", "alias": "The-Alpha", "scratch": "probe", "case": "ALPHA"}[how]
    if how == "worktree":
        cli.ok("resolve", add_worktree(fleet.folder("alpha"), tmp_path / "wt" / name, "x"))
    elif how == "alias":
        cli.ok("projects", "alias", "git.example.com/acme/alpha", name)
    elif how == "scratch":
        folder = fleet.home / "scratchpad" / "alpha" / name
        folder.mkdir(parents=True)
        cli.ok("resolve", folder)
    put(brain, ("2026-11-29-a", "Told by a name", [], name))
    assert titles(Asked(fleet, brain).memory("alpha")) == ["Told by a name"]


def test_a_name_that_two_projects_have_is_nobodys(fleet: Fleet, brain: Brain, tmp_path: Path, cli: Any) -> None:
    """The kernel calls a repository by its folder; another one of that name is another project."""
    cli.ok("resolve", make_repository(tmp_path / "quarry" / "alpha", "https://git.example.com/quarry/alpha"))
    put(brain, ("2026-11-29-a", "Of one of the two", [], "alpha"))
    asked = Asked(fleet, brain)
    told = asked.vault()
    assert all(told.fetch(one, NOW).is_empty for one in asked.resolver.catalogue.projects)
    assert told.tell(NOW).left_out == {"arcs of a name that several projects have": 1}


def test_what_a_hook_saw_outranks_what_was_read(asked: Asked, brain: Brain) -> None:
    """A session of which no transcript is stored, and a sub-agent by its own id."""
    asked.fleet.hook("start", OTHER, asked.fleet.folder("beta"))
    asked.fleet.hook("subagent_start", OTHER, asked.fleet.folder("beta"))
    brain.vault[log_path(0)] = log_text(
        (f"{day(0)}T01:00:00+00:00", OTHER, "Of the session."), (f"{day(0)}T02:00:00+00:00", "sub-1xx", "Of nobody."),
        (f"{day(0)}T03:00:00+00:00", "sub-1", "Too short an id."),
    )  # fmt: skip
    assert [item.text for item in asked.memory("beta").lessons] == ["Of the session."]


def test_agentihooks_index_tells_the_projects_of_sessions_too(asked: Asked, brain: Brain) -> None:
    folder = asked.fleet.home / ".agentihooks" / "brain"
    folder.mkdir(parents=True)
    row = '{"session_id": "%s", "project": "x", "remote": "git@git.example.com:acme/beta.git", "cwd": "/gone"}\n'
    (folder / "project-sessions.jsonl").write_text(row % OTHER)
    put(brain, ("2026-11-29-a", "Of beta by its index", [OTHER], "alpha"))
    assert titles(asked.memory("beta")) == ["Of beta by its index"] and asked.memory("alpha").is_empty


# merged arcs and copies ---------------------------------------------------------------------------------------------------


def test_a_merged_arc_belongs_to_the_projects_of_both_files_each_with_its_own_part(
    fleet: Fleet, brain: Brain, tmp_path: Path
) -> None:
    """The real kernel's file of a merge across projects: ostler's frontmatter, tinsmith's text below it."""
    ids = {"ostler": "4741d457-8bf3-5be0-9de0-e9273d2cda06", "tinsmith": "9502f019-ffdb-5994-8240-fe68d3b43acd"}
    for name, sid in ids.items():
        folder = make_repository(tmp_path / "code" / name, f"https://git.example.com/acme/{name}")
        write_claude(fleet.home, sid, [prompt(sid, folder, f"Work on {name}")], f"-{name}")
    fleet.read()
    arc = "2026-11-20-plan-the-move-of-the-staging-dns-zone-to-28b24084bec1"
    brain.feed["hot_arcs"] = [hot_table([(arc, 5, "complete", "merged-thread")])]
    brain.vault[f"left/{arc}.md"] = tick_file("arc-after-cross-project-merge.md")
    asked = Asked(fleet, brain)
    assert titles(asked.memory("ostler")) == ["Plan the move of the staging DNS zone to the new provider"]
    assert titles(asked.memory("tinsmith")) == ["Split the tinsmith lexer from the parser so they compile sep"]
    told = asked.vault().tell(NOW).pieces
    assert "tinsmith" not in told[asked.project("ostler").key][0].text
    assert "DNS" not in told[asked.project("tinsmith").key][0].text


def test_of_a_merge_in_one_project_the_whole_arc_counts_with_its_summary(asked: Asked, brain: Brain) -> None:
    second = asked.fleet.write(5, asked.fleet.folder("alpha"), ["More for the axolotl"])
    asked.fleet.read()
    one, two = "2026-11-20-one-aaaa", "2026-11-21-two-bbbb"
    text = arc_text(one, "One", [ALPHA], "alpha", summary="One and two together")
    text += f"\n## Merged from {two}\n\n# Two\n\n## Source sessions\n\n- home-bridge://sessions/{second} (9 turns)\n"
    brain.vault |= {f"left/{one}.md": text, f"left/{two}.merged.md": arc_text(two, "Two", [second], "alpha")}
    brain.feed["hot_arcs"] = [hot_table([(one, 5, "active", "x"), (two, 4, "merged", "y")])]
    memory = Asked(asked.fleet, brain).memory("alpha")
    assert titles(memory) == ["One and two together"] and set(memory.arcs[0].sessions) == {ALPHA, second}


def test_the_project_of_what_was_merged_is_that_of_its_own_file(asked: Asked, brain: Brain) -> None:
    """Nobody here knows the sessions: the file that was merged still has its own word."""
    one, two = "2026-11-20-one-aaaa", "2026-11-21-two-bbbb"
    text = arc_text(one, "One", [OTHER], "alpha") + f"\n## Merged from {two}\n\n# Two\n\nbody\n"
    brain.vault |= {
        f"left/{one}.md": text,
        f"clusters/{day(0)}/{two}.merged.md": arc_text(two, "Two", [OTHER[:-1] + "1"], "beta"),
    }
    brain.feed["hot_arcs"] = [hot_table([(one, 5, "active", "x")])]
    told = asked.vault()
    assert titles(told.fetch(asked.project("alpha"), NOW)) == ["One"]
    assert titles(told.fetch(asked.project("beta"), NOW)) == ["Two"]


def test_of_two_copies_the_one_in_the_regions_folder_counts(asked: Asked, brain: Brain) -> None:
    arc = "2026-11-29-write-the-dead-letter-table-for-webhooks-4d1089e937bb"
    brain.vault |= {
        f"clusters/2026-11-30/{arc}.md": recorded_json(14)["content"],
        f"frontal-lobe/conscious/{arc}.md": tick_file("arc-conscious-with-summary.md").replace("project: harborlight", "project: alpha"),
    }  # fmt: skip
    brain.feed = recorded_json(5)
    assert titles(asked.memory("alpha"))[0].startswith("harborlight gains a dead letter table")


def test_incidents_and_rows_that_lead_nowhere_are_counted(asked: Asked, brain: Brain) -> None:
    incident = "amygdala-2026-11-30T00-56-51Z-host-check"
    brain.vault[f"amygdala/{incident}.md"] = tick_file("incident-arc.md")
    brain.vault["left/2026-11-29-no-frontmatter.md"] = "# nothing"
    rows = [
        (incident, 10, "active", "ns2 unreachable"),
        ("2026-11-29-no-frontmatter", 3, "active", "x"),
        ("2026-11-29-gone", 2, "active", "x"),
    ]
    brain.feed["hot_arcs"] = [hot_table(rows)]
    assert asked.vault().tell(NOW).left_out == {"arcs of no known project": 1, "rows that lead to no arc": 2}


# lessons ------------------------------------------------------------------------------------------------------------------


def test_lessons_are_told_by_their_sessions_each_once_the_newest_first(asked: Asked, brain: Brain) -> None:
    brain.vault[log_path(1)] = log_text(
        (f"{day(1)}T01:00:00+00:00", ALPHA, "Pin the pool size."), (f"{day(1)}T02:00:00+00:00", BETA, "Of beta."),
        (f"{day(1)}T03:00:00+00:00", None, "Of nobody."), (f"{day(1)}T04:00:00+00:00", OTHER, "Of another machine."),
        (f"{day(1)}T05:00:00+00:00", ALPHA, "Pin the   pool size."),
    )  # fmt: skip
    brain.vault[log_path(0)] = log_text(
        (f"{day(0)}T01:00:00+00:00", ALPHA, "The newer one.\n\n## With a heading\n\nof its own.")
    )
    told = asked.vault()
    lessons = told.fetch(asked.project("alpha"), NOW).lessons
    assert [item.text for item in lessons] == [
        "The newer one.\n\n## With a heading\n\nof its own.",
        "Pin the   pool size.",
    ]
    assert told.tell(NOW).left_out == {"lessons without a session": 1, "lessons of unknown sessions": 1}


def test_as_many_days_are_read_as_the_setting_says_and_a_log_that_moved_is_found(asked: Asked, brain: Brain) -> None:
    for ago, folder in (
        (0, "left/reference"),
        (12, "left"),
        (13, "left/reference"),
        (14, "left/reference"),
        (20, "left"),
    ):
        brain.vault[log_path(ago, folder)] = log_text((f"{day(ago)}T01:00:00+00:00", ALPHA, f"{ago} days ago"))
    assert [item.text for item in asked.memory("alpha").lessons] == ["0 days ago", "12 days ago", "13 days ago"]
    asked.settings = replace(asked.settings, stale_lesson_days=1)
    assert [item.text for item in asked.memory("alpha").lessons] == ["0 days ago"]


# cost ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("arcs", "days"), [(10, 14), (10, 60), (0, 60), (3, 14), (10, 0), (1, 1)])
def test_a_cold_reading_takes_at_most_35_requests_a_few_at_a_time(
    asked: Asked, brain: Brain, arcs: int, days: int
) -> None:
    known = [
        (f"2026-11-{10 + number}-arc-number-{number}", f"Arc {number}", [ALPHA], "alpha") for number in range(arcs)
    ]
    put(brain, *known, heat=10)
    for number in range(arcs):  # both copies, and one merged
        brain.vault[f"left/{known[number][0]}.md"] = arc_text(
            known[number][0], f"Arc {number}", [f"{number}{OTHER[1:]}"], "alpha"
        )
        brain.vault[f"left/{known[number][0]}.merged.md"] = arc_text(
            known[number][0], f"Arc {number}", [f"{number}{OTHER[1:]}"], "alpha"
        )
    asked.settings = replace(asked.settings, stale_lesson_days=days)
    told = asked.vault()
    memory = told.fetch(asked.project("alpha"), NOW)
    told.fetch(asked.project("beta"), NOW)
    assert len(brain.asked) <= 35 and brain.most_at_once["*"] <= 4
    assert len(memory.arcs) == arcs
    reads = [one.query["path"] for one in brain.asked if one.path == "/vault/read" and "lessons" in one.query["path"]]
    assert len({path.rpartition("/")[2] for path in reads}) >= min(days, 14)
    assert told.tell(NOW).left_out.get("days of lessons that were not read", 0) == days - len(
        {path.rpartition("/")[2] for path in reads}
    )


def test_half_a_reading_is_none(asked: Asked, brain: Brain) -> None:
    put(brain, ("2026-11-29-a", "Of alpha", [ALPHA], "alpha"))
    answer = brain.answer

    def fail(one: Any) -> tuple[int, Any]:
        return (500, {"detail": "vault"}) if one.path == "/vault/read" and day(9) in one.query["path"] else answer(one)

    brain.answer = fail  # type: ignore[method-assign, assignment]
    with pytest.raises(BrainUnavailable):
        asked.memory("alpha")


# a kernel that knows projects ------------------------------------------------------------------------------------------------


def scoped(project: KnownProject, *entries: dict[str, Any], **echo: Any) -> dict[str, Any]:
    return {
        "project": {"key": project.key, "name": project.name},
        **echo,
        "hot_arcs": [],
        "inject_blocks": [],
        "entries": list(entries),
    }


INTENT = f"## What the operator is likely doing ({TODAY.isoformat()} 00:58 UTC)\n\nAlpha's pool is being pinned."


def test_a_kernels_own_feed_of_a_project_is_its_memory_and_its_intent_the_focus(asked: Asked, brain: Brain) -> None:
    alpha = asked.project("alpha")
    brain.scoped[alpha.key] = scoped(
        alpha,
        hot_table([("2026-11-29-of-alpha", 6, "active", "Pin the pool"), ("2026-11-28-older", 2, "complete", "Older")]),
        entry("lessons", "Lessons", f"- **{day(1)}** Pools leak.\n- A lesson without a day"),
        entry("operator-intent", "Intent", INTENT), entry("signals", "Signals", "- the pool is full", project="alpha"),
        entry("signals-fleet", "Signals", "- disks are full"),
    )  # fmt: skip
    source = asked.kernel("alpha")
    memory = source.fetch(alpha, NOW)
    assert titles(memory) == ["Pin the pool", "Older"]
    assert [(item.text, item.at.date() if item.at else None) for item in memory.lessons] == [
        ("Pools leak.", date.fromisoformat(day(1))), ("A lesson without a day", None),
    ]  # fmt: skip
    assert memory.focus is not None and memory.focus.title == "Alpha's pool is being pinned."
    assert [one.id for one in source.tell(NOW).entries] == ["signals"]
    assert brain.asked[-1].query == {"project": "alpha", "key": "git.example.com/acme/alpha"}


def test_rows_of_another_project_are_dropped_and_counted(asked: Asked, brain: Brain) -> None:
    alpha = asked.project("alpha")
    table = hot_table([("2026-11-29-of-alpha", 6, "active", "Mine")])
    table["content"] = (
        table["content"]
        .replace("What it is |", "What it is | Project |")
        .replace("|---|---|---|---|---|", "|---|---|---|---|---|---|")
    )
    lines = table["content"].splitlines()
    lines[-1] += " alpha |"
    lines += [
        "| 2026-11-29-of-beta | 5 | left | active | Bandicoot | beta |",
        "| 2026-11-29-of-x | 5 | left | active | Xenops | elsewhere |",
    ]
    table["content"] = "\n".join(lines)
    brain.scoped[alpha.key] = scoped(
        alpha, table, entry("lessons-beta", "Lessons", "- bandicoot one\n- bandicoot two", project="beta"),
        entry("lessons-far", "Lessons", "- of the same name", project="alpha", key="git.example.com/quarry/alpha"),
        entry("lessons-own", "Lessons", "- axolotl", project="renamed", key="git.example.com/acme/alpha"),
        entry("intent", "Intent", "Bandicoot", remote="https://git.example.com/acme/beta.git"),
    )  # fmt: skip
    source = asked.kernel("alpha")
    memory = source.fetch(alpha, NOW)
    assert titles(memory) == ["Mine"] and [item.text for item in memory.lessons] == ["axolotl"]
    assert memory.focus is not None and memory.focus.title == "Mine"
    assert source.tell(NOW).left_out == {"rows of other projects": 6}


@pytest.mark.parametrize(
    "echo",
    [{"project": "beta"}, {"project": {"key": "git.example.com/quarry/alpha", "name": "alpha"}}, {"project": "nobody"}],
)
def test_an_answer_for_another_project_is_no_answer(asked: Asked, brain: Brain, echo: dict[str, Any]) -> None:
    alpha = asked.project("alpha")
    brain.scoped[alpha.key] = {**scoped(alpha, entry("lessons", "Lessons", "- bandicoot")), **echo}
    with pytest.raises(BrainUnavailable, match="answers for"):
        asked.kernel("alpha").fetch(alpha, NOW)


def test_an_old_kernel_is_told_by_its_answer(asked: Asked, brain: Brain) -> None:
    """The recorded answer to `?project=`: the whole feed, without a word of any project."""
    brain.feed = recorded_json(6)
    assert not asked.kernel("alpha").feed.is_scoped
    brain.feed["entries"].append(entry("lessons", "Lessons", "- x", project="alpha"))
    assert not asked.kernel("alpha").feed.is_scoped


# one memory, three sources ----------------------------------------------------------------------------------------------------


def told_alike(memory: ProjectMemory) -> ProjectMemory:
    """The memory without the addresses, and without the place it is from: those differ, and must."""
    arcs = tuple(replace(arc, address="a", sessions=(), heat=0) for arc in memory.arcs)
    lessons = tuple(replace(item, address="l") for item in memory.lessons)
    return replace(memory, origin="x", arcs=arcs, lessons=lessons, focus=arcs[0] if arcs else None)


def test_the_same_memory_gives_the_same_block_from_each_of_the_three_sources(fleet: Fleet, brain: Brain) -> None:
    ids = [
        fleet.write(number, fleet.folder("beta"), [text], lesson=f"Lesson {number}.")
        for number, text in ((7, "Mend the fence"), (1, "Feed the bandicoot"))
    ]
    fleet.read()
    asked = Asked(fleet, brain)
    beta = asked.project("beta")
    local = LocalSource(asked.db).fetch(beta, NOW)
    arc = local.arcs[0]
    arc_id = f"{day(0)}-mend-the-fence-aaaa"
    put(brain, (arc_id, arc.title, list(arc.sessions), "beta"))
    brain.vault[log_path(0)] = log_text(*((f"{day(0)}T00:00:00+00:00", ids[0], item.text) for item in local.lessons))
    brain.scoped[beta.key] = scoped(beta, hot_table([(arc_id, 5, arc.status, arc.title)]),
                                    entry("lessons", "Lessons", "\n".join(f"- {day(0)}: {item.text}" for item in local.lessons)))  # fmt: skip
    sources: list[ProjectMemorySource] = [LocalSource(asked.db), asked.vault(), asked.kernel("beta")]
    assert [one.name for one in sources] == ["local", "vault", "kernel"]
    texts = [render_project_block(told_alike(one.fetch(beta, NOW)), 4096, TODAY).text for one in sources]
    lines = [sorted(text.splitlines()) for text in texts]
    assert "Lesson 7." in texts[0] and "axolotl" not in texts[0]
    assert lines[0] == lines[1] == lines[2]


def test_the_budget_of_requests_counts_what_was_asked_before(asked: Asked, brain: Brain) -> None:
    put(brain, ("2026-11-29-a", "Of alpha", [ALPHA], "alpha"))
    client = asked.client()
    rows = hot_rows(read_feed(client, NOW).entries)
    client.asked = 33
    vault = read_vault(client, rows, TODAY, 14)
    assert len(vault.arcs) == 1 and vault.unread_days == 14 and client.left == 0
