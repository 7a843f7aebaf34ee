"""The MCP server: protocol alone on stdout, one project, exact sources; over real pipes."""

import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from brainproj.store.codes import ALL_KINDS

from .cli import Cli
from .repositories import add_worktree
from .test_leaks import WORDS
from .test_leaks import places as places  # the fixture

TOOLS = [
    "map", "search", "expand", "attempts", "find_tasks", "resume", "propose_decision", "draft_handoff", "note",
]  # fmt: skip
OLD = "2025-06-18"
NEW = "2026-07-28"


class Client:
    """One JSON object a line, as a client writes them."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process, self.number, self.lines = process, 0, list[str]()

    def send(self, method: str, **parameters: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": parameters}) + "\n")
        self.process.stdin.flush()

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            self.lines.append(line)
            value: dict[str, Any] = json.loads(line)
            if value.get("id") == self.number:
                return value

    def begin(self) -> dict[str, Any]:
        answer = self.ask("initialize", protocolVersion=OLD, capabilities={}, clientInfo={"name": "t", "version": "1"})
        self.send("notifications/initialized")
        return dict(answer["result"])

    def call(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        """(text, whether it is an error)."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        return result["content"][0]["text"], bool(result.get("isError"))

    def text(self, tool: str, **arguments: Any) -> str:
        text, is_error = self.call(tool, **arguments)
        assert not is_error, text
        return text


@contextlib.contextmanager
def serving(folder: Path, *arguments: str, **environment: str) -> Iterator[Client]:
    command = [sys.executable, "-m", "brainproj", "mcp", *arguments]
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=folder, env={**os.environ, **environment}, text=True, **streams) as process:  # type: ignore[call-overload]
        client = Client(process)
        try:
            yield client
        finally:
            out, err = process.communicate(timeout=20)
            assert process.returncode == 0 and out == "" and err == ""


def test_both_revisions_and_exact_schemas(places: dict[str, Path]) -> None:
    with serving(places["alpha"]) as client:
        begun = client.begin()
        assert begun["protocolVersion"] == OLD and begun["serverInfo"]["name"] == "brainproj"
        assert len(begun["instructions"].encode()) < 2048
        for word in ("`search`", "`attempts`", "`expand`", "`map`", "`find_tasks`", "`resume`", "`propose_decision`"):
            assert word in begun["instructions"][:512]
        assert "never called agreed" in begun["instructions"]
        tools = client.ask("tools/list")["result"]["tools"]
        assert [tool["name"] for tool in tools] == TOOLS
        assert [tool["annotations"]["readOnlyHint"] for tool in tools] == [True] * 6 + [False] * 3
        assert all(len(tool["description"]) < 200 and not tool["annotations"]["destructiveHint"] for tool in tools)
        kinds = tools[1]["inputSchema"]["properties"]["kinds"]["anyOf"][0]["items"]
        assert kinds["type"] == "string" and kinds["enum"] == list(ALL_KINDS)
        assert tools[1]["inputSchema"]["required"] == ["query"] and "project" not in json.dumps(
            [t["inputSchema"] for t in tools]
        )
    with serving(places["alpha"]) as client:
        meta = {"io.modelcontextprotocol/protocolVersion": NEW, "io.modelcontextprotocol/clientCapabilities": {}}
        found = client.ask("server/discover", _meta=meta)["result"]
        assert NEW in found["supportedVersions"] and found["resultType"] == "complete"
        listed = client.ask("tools/list", _meta=meta)["result"]
        assert [tool["name"] for tool in listed["tools"]] == TOOLS
        answer = client.ask("tools/call", name="map", arguments={}, _meta=meta)["result"]
        assert "Map of alpha" in answer["content"][0]["text"]


def test_what_the_tools_answer(places: dict[str, Path], cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(places["alpha"])
    with serving(places["alpha"]) as client:
        client.begin()
        index = client.text("map")
        assert (
            index.startswith("Recalled from earlier sessions")
            and "axolotl lesson" in index
            and "1 failed call" in index
        )
        assert cli.ok("map").out.strip() in index
        hits = client.text("search", query="axolotl eats")
        address = hits.split("[")[1].split("]")[0]
        opened = client.text("expand", address=address)
        assert "The axolotl eats." in opened and "The axolotl eats." in cli.ok("show", address).out
        failed = client.text("attempts")
        assert "cat axolotl.txt" in failed and "failed: axolotl failed" in failed and "no later success" in failed
        assert "observed" not in client.text("attempts", query="nothing like it")
        assert "1 failed" not in client.text("search", query="cat", kinds=["tool_call"])
        assert client.text("search", query="nowhere at all").startswith("Nothing in alpha")
        for arguments, says in (
            ({"kinds": ["hunch"]}, "there is no kind hunch"),
            ({"since": "soon"}, "soon is no time"),
        ):
            text, is_error = client.call("search", query="x", **arguments)
            assert is_error and says in text
        text, is_error = client.call("expand", address="rec:999999")
        assert is_error and text.endswith("nothing in this project has the address rec:999999")


def test_a_note_is_kept_once_redacted_and_is_no_decision(
    places: dict[str, Path], cli: Cli, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    token = "ghp" + "_" + "a1B2c3D4" * 5
    monkeypatch.chdir(places["alpha"])
    with serving(places["alpha"], BRAINPROJ_AGENT="codex") as client:
        client.begin()
        said = client.text("note", text=f"The pond is heated at night. Token {token}")
        assert said.startswith("Kept as rec:")
        assert client.text("note", text=f"The pond is heated at night. Token {token}").startswith("It was kept before")
        assert "heated at night" in client.text("search", query="pond heated")
        assert "heated" in client.text("expand", address=said.removeprefix("Kept as ").rstrip("."))
        for text in ("", " \n", "x" * 5000):
            assert client.call("note", text=text)[1]
    record = next(one for one in cli.ok("records", "--json").json if one["kind"] == "note")
    assert record["status"] == "current" and record.get("confirmed_by") is None
    assert not [
        path for path in (home / ".brainproj").rglob("*") if path.is_file() and token.encode() in path.read_bytes()
    ]
    monkeypatch.chdir(places["beta"])
    assert cli.ok("search", "pond", "--json").json == []
    monkeypatch.chdir(places["alpha"])
    cli.ok("forget", record["citation"], "--yes")
    with serving(places["alpha"]) as client:
        client.begin()
        assert "stays so" in client.call("note", text=f"The pond is heated at night. Token {token}")[0]


def test_an_agent_proposes_and_drafts_and_makes_nothing_official(
    places: dict[str, Path], cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(places["alpha"])
    cited = cli.ok("search", "axolotl eats", "--json").json[0]["citation"]
    cli.ok("task", "new", "Feed it")
    with serving(places["alpha"], BRAINPROJ_AGENT="codex") as client:
        client.begin()
        decision = {"text": "Feed it at dusk.", "applies_to": ["./src/feed.py"], "evidence": [cited], "task": "feed"}
        said = client.text("propose_decision", **decision)
        assert said.startswith("Kept as rec:") and "not official until a person says so in a terminal" in said
        assert client.text("propose_decision", **decision).startswith("It was kept before, as rec:")
        parts = {"done": ["a bowl"], "failed": ["by day: it sleeps"], "remaining": ["a clock"], "evidence": [cited]}
        drafted = client.text("draft_handoff", task="feed", goal="It eats", **parts)
        assert "brainproj handoff approve feed-it" in drafted
        for tool, wrong in (
            ("propose_decision", {"text": " "}),
            ("propose_decision", {"text": "x" * 5000}),
            ("propose_decision", {"text": "x", "replaces": "rec:999"}),
            ("propose_decision", {"text": "x", "evidence": ["arc:zz"]}),
            ("draft_handoff", {"task": "nothing", "goal": "x"}),
            ("draft_handoff", {"task": "feed", "goal": " "}),
        ):
            assert client.call(tool, **wrong)[1], wrong
        pack = client.text("resume", task="feed")
        assert "No approved handoff. Agreed remaining work has not been recorded." in pack and "a clock" not in pack
        assert "Feed it at dusk" not in pack and "2 decisions only proposed, not agreed" in pack
    found = {one["kind"]: one for one in cli.ok("records", "--status", "proposed", "--json").json if one["task"]}
    assert (found["decision"]["task"], found["decision"]["applies_to"]) == ("task:feed-it", ["src/feed.py"])
    assert found["handoff"]["evidence"] == [cited] and found["handoff"]["confirmed_by"] is None
    assert found["handoff"]["text"].startswith("Goal: It eats\nDone:\n- a bowl\nFailed approaches:\n- by day")
    by = {one["attributes"].get("by") for one in cli.ok("review", "--json").json}
    assert by == {"codex", None}  # the one of the transcript was said in a session


def test_tasks_and_threads_of_work_are_found_and_resumed(
    places: dict[str, Path], cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(places["alpha"])
    with serving(places["alpha"]) as client:
        client.begin()
        found = client.text("find_tasks")
        arc = re.findall(r"\[(arc:\w+)\]", found)[0]
        assert "cat axolotl.txt" in client.text("resume", task=arc) and "axolotl failed" in client.text("resume")
        assert client.text("find_tasks", query="lantern").startswith("alpha has no task and no thread of work that has")
        cli.ok("task", "new", "Feed it")
        assert "[task:feed-it] Feed it · open" in client.text("find_tasks", query="FEED")
        pack = client.text("resume", task="feed", question="axolotl eats")
        assert "For the question: axolotl eats" in pack and "The axolotl eats." in pack
        assert ", of no task" in pack and "From elsewhere in this project:" in pack
        text, is_error = client.call("resume", task="lantern")
        assert is_error and "no task and no thread of work of alpha is called lantern" in text


@pytest.mark.parametrize("place", ["alpha", "beta", "alpha worktree"])
def test_no_word_of_another_project_by_any_tool_or_argument(places: dict[str, Path], cli: Cli, place: str) -> None:
    own = place.split()[0]
    other = next(name for name in WORDS if name != own)
    sessions = {one["project"]["name"]: one["session_id"] for one in cli.ok("sessions", "--all", "--json").json}
    cited = cli.ok("search", WORDS[other], "--project", other, "--json").json
    arcs = {name: cli.ok("arcs", "--project", name, "--json").json[0]["citation"] for name in WORDS}
    for name in WORDS:
        cli.ok("task", "new", f"{name} task", "--goal", f"the {WORDS[name]} sleeps", "--project", name)
    addresses = [hit["citation"] for hit in cited] + [
        sessions[other],
        sessions[other][:8],
        "rec:1",
        "rec:5",
        "arc:a",
        "",
    ]
    with serving(places[place]) as client:
        client.begin()
        answers = [
            client.call("map"),
            client.call("attempts"),
            client.call("attempts", query=WORDS[other]),
            client.call("attempts", file=f"{WORDS[other]}.txt"),
            client.call("find_tasks"),
            client.call("find_tasks", query=WORDS[other]),
            client.call("resume"),
            client.call("resume", question=f"{WORDS[other]} eats"),
            *(client.call("resume", task=task) for task in (WORDS[other], f"task:{other}-task", arcs[other])),
            client.call("propose_decision", text="x", evidence=[cited[0]["citation"]]),
            client.call("propose_decision", text="x", replaces="rec:1" if own != "alpha" else "rec:3"),
            client.call("propose_decision", text="x", task=f"{other}-task"),
            client.call("draft_handoff", task=f"{other}-task", goal="x"),
            client.call("draft_handoff", task=f"{own}-task", goal="x", evidence=[sessions[other]]),
        ]
        answers += [
            client.call("search", query=query)
            for query in (
                WORDS[other],
                f"{WORDS[other][:4]}*",
                f'"{WORDS[other]}"',
                "eats",
                f"x OR {WORDS[other]}",
                "eats) OR tags:p2",
            )
        ]
        answers += [client.call("expand", address=address) for address in addresses]
        answers += [
            client.call("search", query="eats", project=other),
            client.call("expand", address=cited[0]["citation"], cwd=str(places[other])),
        ]
    told = re.sub(
        r"(has the address|is called|For the question:) [^\n]*", "", "\n".join(text for text, _ in answers)
    )  # what was asked is not told
    assert WORDS[other] not in told and WORDS[own] in told
    assert sessions[other] not in told


def test_in_rank_another_project_is_labelled(places: dict[str, Path], cli: Cli, home: Path) -> None:
    cited = cli.ok("search", "bandicoot eats", "--project", "beta", "--json").json[0]["citation"]
    with serving(places["alpha"], BRAIN_PROJECT_SCOPE="rank") as client:
        client.begin()
        hits = client.text("search", query="eats")
        assert hits.index("axolotl") < hits.index("bandicoot") and "from another project (beta)" in hits
        assert "From another project (beta)." in client.text("expand", address=cited)


def test_a_folder_without_a_project_gets_nothing(places: dict[str, Path], home: Path) -> None:
    for folder, arguments in ((home, ()), (places["alpha"], ("--cwd", str(home)))):
        with serving(folder, *arguments) as client:
            client.begin()
            for tool, values in (
                ("map", {}),
                ("search", {"query": "eats"}),
                ("attempts", {}),
                ("expand", {"address": "rec:1"}),
                ("note", {"text": "x"}),
                ("find_tasks", {}),
                ("resume", {}),
                ("propose_decision", {"text": "x"}),
                ("draft_handoff", {"task": "x", "goal": "x"}),
            ):
                text, is_error = client.call(tool, **values)
                assert is_error and "this folder has no project" in text


def test_a_long_source_comes_in_pieces(places: dict[str, Path], cli: Cli, home: Path) -> None:
    from .test_ingest import ingest
    from .transcripts import prompt, session_id, write_claude

    sid = session_id(9)
    long = " ".join(f"word{number}" for number in range(4000))
    write_claude(home, sid, [prompt(sid, places["alpha"], long)], "-long")
    ingest(home)
    cited = cli.ok("search", "word3999", "--project", "alpha", "--json").json[0]["citation"]
    with serving(places["alpha"]) as client:
        client.begin()
        told, start = "", 0
        while True:
            piece = client.text("expand", address=cited, start=start)
            body, _, more = piece.partition("\n… ")
            told += body.partition("differ.\n")[2]
            if not more:
                break
            start = int(more.rpartition("start=")[2])
        assert long in told
        assert len(client.text("search", query="word*", limit=30)) <= 13_000


def test_lines_that_are_no_requests_end_nothing(places: dict[str, Path]) -> None:
    with serving(places["alpha"]) as client:
        client.begin()
        assert client.process.stdin is not None
        client.process.stdin.write("not json\n[]\n")
        client.process.stdin.flush()
        assert "Map of alpha" in client.text("map")
        assert client.call("nosuch")[1] or True
        assert "error" in client.ask("nosuch/method")
        assert client.call("expand", address=5)[1]
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in client.lines)


def test_what_came_in_meanwhile_is_answered(places: dict[str, Path], home: Path) -> None:
    from .test_ingest import ingest
    from .transcripts import prompt, session_id, write_claude

    tree = add_worktree(places["alpha"], places["alpha"].parent / "wt-new", "new")
    with serving(tree) as client:
        client.begin()
        assert client.text("search", query="zebra").startswith("Nothing")
        sid = session_id(8)
        write_claude(home, sid, [prompt(sid, tree, "count the zebra")], "-new")
        ingest(home)
        assert "count the zebra" in client.text("search", query="zebra")


def test_the_map_stays_small(places: dict[str, Path], cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from .test_ingest import ingest
    from .transcripts import prompt, reply, session_id, write_claude

    for number in range(60):
        sid = session_id(100 + number)
        marks = "".join(
            f"<!-- @lesson -->Lesson {number} {part}: {'long words ' * 30}<!-- @/lesson -->" for part in range(5)
        )
        write_claude(
            home,
            sid,
            [
                prompt(sid, places["alpha"], f"Task {number} " + "of many words " * 20),
                reply(sid, places["alpha"], marks),
            ],
            "-many",
        )
    ingest(home)
    monkeypatch.chdir(places["alpha"])
    found = cli.ok("map", "--json").json
    assert found["tokens"] <= 1000 and found["text"].count("\n") < 200
    assert "more: brainproj records --kind lesson" in found["text"]
    assert cli.ok("map", "--json").json["text"] == found["text"]
