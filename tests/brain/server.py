"""A kernel on loopback that says what the real one said (tests/data/kernel), or fails as a network does."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ..conftest import DATA

KERNEL = DATA / "kernel"
TOKEN = "-".join(("tok", "demo"))


def recorded(number: int) -> dict[str, Any]:
    """A recorded pair of request and response, by its number."""
    found = sorted(KERNEL.glob(f"{number:02d}-*.json"))
    pair: dict[str, Any] = json.loads(found[0].read_text())
    return pair


def recorded_json(number: int) -> dict[str, Any]:
    """The object that the real kernel answered with."""
    value: dict[str, Any] = recorded(number)["response"]["json"]
    return value


def tick_file(name: str) -> str:
    """A file that the real kernel wrote."""
    return (KERNEL / "tick" / name).read_text("utf-8")


def search_answer(query: str, paths: list[str]) -> dict[str, Any]:
    """The shape of `/vault/search` (recorded pair 13)."""
    results = [
        {"path": path, "score": 31, "match_count": 1, "tokens_matched": 1, "tokens_total": 1, "filename_match": True,
         "snippets": [], "title": path.rpartition("/")[2][:-3]}
        for path in paths
    ]  # fmt: skip
    return {"query": query, "count": len(results), "results": results}


@dataclass
class Asked:
    """One request, as it came."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


Fault = Callable[["Handler"], None]


@dataclass
class Brain:
    """What the kernel has. vault: path → content. faults: path → how it fails, in the place of an answer."""

    feed: dict[str, Any] = field(default_factory=lambda: {"hot_arcs": [], "inject_blocks": [], "entries": []})
    signal: dict[str, Any] = field(default_factory=lambda: {"active": False})
    vault: dict[str, str] = field(default_factory=dict)
    scoped: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Project's key → its own feed, of a kernel that knows projects."""
    faults: dict[str, Fault] = field(default_factory=dict)
    markers: list[dict[str, Any]] = field(default_factory=list)
    refuse: Callable[[dict[str, Any]], tuple[int, Any] | None] = lambda _: None
    asked: list[Asked] = field(default_factory=list)
    token: str | None = TOKEN
    url: str = ""
    most_at_once: dict[str, int] = field(default_factory=dict)
    """Path → how many requests for it there were at one time; `*` for all."""
    _now: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _keys: dict[str, dict[str, Any]] = field(default_factory=dict)

    def paths_asked(self) -> list[str]:
        return [one.path for one in self.asked]

    def answer(self, asked: Asked) -> tuple[int, Any]:
        """(status, body) as the kernel's code would have it."""
        if self.token and asked.headers.get("authorization") != f"Bearer {self.token}":
            number = 2 if "authorization" not in asked.headers else 3
            return 401, recorded_json(number)
        match asked.method, asked.path:
            case "GET", "/feed":
                scoped = self.scoped.get(asked.query.get("key", ""))
                return 200, scoped or self.feed
            case "GET", "/signal":
                return 200, self.signal
            case "GET", "/vault/search":
                words = asked.query["q"].split()
                found = sorted(path for path in self.vault if any(word in path for word in words))
                return 200, search_answer(asked.query["q"], found[: int(asked.query.get("limit", "20"))])
            case "GET", "/vault/read":
                content = self.vault.get(asked.query["path"])
                if content is None:
                    return 404, recorded_json(19)
                size = len(content.encode("utf-8", "surrogatepass"))
                return 200, {"path": asked.query["path"], "size_bytes": size, "content": content, "truncated": False}
            case "POST", "/marker":
                return self._marker(asked)
        return 404, {"detail": "Not Found"}

    def _marker(self, asked: Asked) -> tuple[int, Any]:
        key = asked.headers.get("x-idempotency-key", "")
        if refused := self.refuse(asked.body):
            return refused
        if key in self._keys:
            return 201, {**self._keys[key], "idempotent_replay": True}
        self.markers.append(asked.body)
        answer = {**recorded_json(27), "idempotency_key": key, "marker_type": asked.body["type"]}
        self._keys[key] = answer
        return 201, answer

    @contextmanager
    def counting(self, path: str) -> Iterator[None]:
        with self._lock:
            for what in (path, "*"):
                self._now[what] = self._now.get(what, 0) + 1
                self.most_at_once[what] = max(self.most_at_once.get(what, 0), self._now[what])
        try:
            yield
        finally:
            with self._lock:
                for what in (path, "*"):
                    self._now[what] -= 1


class Handler(BaseHTTPRequestHandler):
    """Answers from the Brain of its server."""

    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_GET(self) -> None:
        self._do()

    def do_POST(self) -> None:
        self._do()

    def _do(self) -> None:
        brain = self.server.brain
        parts = urlsplit(self.path)
        with brain.counting(parts.path):
            query = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
            raw = self.rfile.read(int(self.headers.get("content-length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, parts.path, query, headers, json.loads(raw) if raw else None)
            brain.asked.append(asked)
            fault = brain.faults.get(parts.path) or brain.faults.get("*")
            if fault is not None:
                fault(self)
                return
            status, body = brain.answer(asked)
            self.send(status, json.dumps(body).encode(), "application/json")

    def send(self, status: int, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is said."""


class Server(ThreadingHTTPServer):
    """One Brain behind a port."""

    daemon_threads = True
    brain: Brain

    def handle_error(self, *_: object) -> None:
        """A client that went away is no news."""


@contextmanager
def serve(brain: Brain) -> Iterator[Brain]:
    """The Brain on a port of its own."""
    server = Server(("127.0.0.1", 0), Handler)
    server.brain = brain
    brain.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield brain
    finally:
        server.shutdown()
        server.server_close()


# faults ------------------------------------------------------------------------------------------------------------


def html(handler: Handler) -> None:
    handler.send(200, b"<!doctype html><title>Sign in</title>", "text/html; charset=utf-8")


def half(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"hot_arcs": [{"id": "hot-arcs')
    handler.close_connection = True
    handler.connection.close()


def endless(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.end_headers()
    handler.close_connection = True
    for _ in range(1200):
        handler.wfile.write(b" " * 65536)


def trickle(handler: Handler) -> None:
    """A header's letter now and then: no single wait is long."""
    for letter in "HTTP/1.1 200 OK\r\nx: " + "y" * 1000:
        handler.wfile.write(letter.encode())
        handler.wfile.flush()
        time.sleep(0.1)


def hang(handler: Handler) -> None:
    time.sleep(30)


def text_500(handler: Handler) -> None:
    """As the kernel answers a marker whose content is no text (recorded pair 45)."""
    handler.send(500, b"Internal Server Error", "text/plain; charset=utf-8")


def no_http(handler: Handler) -> None:
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.6\r\n")
    handler.close_connection = True


def status(number: int, body: Any) -> Fault:
    return lambda handler: handler.send(number, json.dumps(body).encode(), "application/json")


def redirect(to: str, number: int = 307) -> Fault:
    return lambda handler: handler.send(number, b"", "text/plain", location=to)


# a vault as the real kernel writes it --------------------------------------------------------------------------------


def arc_text(
    arc_id: str, title: str, sessions: list[str], project: str | None, *, heat: int = 5, status: str = "active",
    summary: str | None = None,
) -> str:  # fmt: skip
    """An arc's file, as `cluster.py` writes it (recorded pair 14)."""
    lines = ["---", f"cluster_id: {arc_id}", f"title: {title}", "region: left-hemisphere", f"status: {status}",
             f"heat: {heat}", "source_sessions:", *(f"  - {one}" for one in sessions)]  # fmt: skip
    lines += [f"project: {project}"] if project is not None else []
    lines += [f"created: {datetime.now(UTC).isoformat()}", "edges: []"]
    lines += [f"summary: {summary}"] if summary else []
    body = ["---", "", f"# {title}", "", "## Ignition", "", f"> {title}", "", "## Source sessions", ""]
    return "\n".join(
        [*lines, *body, *(f"- home-bridge://sessions/{one} (9 turns, 0.8h, branch=main)" for one in sessions), ""]
    )


def hot_table(rows: list[tuple[str, int, str, str]], day: str = "2026-11-30") -> dict[str, Any]:
    """The entry of hot arcs, with rows of (id, heat, status, what it is)."""
    lines = [f"| {one[0]} | {one[1]} | left-hemisphere | {one[2]} | {one[3]} |" for one in rows]
    content = "\n".join(
        [
            f"## Hot Arcs — {day}",
            "",
            "| Arc ID | Heat | Region | Status | What it is |",
            "|---|---|---|---|---|",
            *lines,
        ]
    )
    return entry(f"hot-arcs-{day}", "Active Hot Arcs", content, 10)


def entry(
    entry_id: str, title: str, content: str, priority: int = 5, severity: str = "info", **metadata: str
) -> dict[str, Any]:
    """An entry of the feed."""
    known = {"id": entry_id, "title": title, "priority": str(priority), "ttl": "3600", "severity": severity}
    return {"id": entry_id, "title": title, "content": content, "priority": priority, "ttl": 3600, "severity": severity,
            "metadata": {**known, **metadata}}  # fmt: skip


def log_text(*lessons: tuple[str, str | None, str]) -> str:
    """A daily log: (time, session, text)."""
    return "".join(
        f"## {at} — agent" + (f" — `{session}`" if session else "") + f"\n\n{text}\n\n" for at, session, text in lessons
    )
