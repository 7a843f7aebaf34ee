"""Asking a brain over HTTP, with manners: the only place that sends the token, and only to the origin it is for.

Every request is bounded: in time (its own, and a deadline for all), in size, in number. Whatever comes instead of an
answer (nothing, a web page, half a body, another host's redirect) is one `BrainUnavailable` with one line of why, in
which neither token nor body stands. httpx2 goes on where httpx was left; it takes proxies and certificates from the
environment, and verifies them.
"""

import contextlib
import json
import queue
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2

from ..core.brain import Brain, origin_of, redirect_target
from ..core.text import clip, one_line
from ..errors import BrainUnavailable

BODY_LIMIT = 8 << 20
"""Bytes of an answer: a file of 5 MiB is the largest that a kernel reads out (formats/kernel.md 2)."""
PARALLEL = 4
REDIRECTS_AT_MOST = 3
REDIRECTS = frozenset({301, 302, 303, 307, 308})
WHY_LETTERS = 200
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status, and the object in the body; None where the body is no JSON object."""

    status: int
    value: Mapping[str, Any] | None
    said: str
    """What an error says of itself: `detail`, a text or the kernel framework's list."""

    @property
    def is_good(self) -> bool:
        """Whether it is what was asked for."""
        return 200 <= self.status < 300 and self.value is not None


@dataclass(slots=True)
class BrainClient:
    """A brain, for as long as `limit_s`, for `requests_at_most` requests. Close it."""

    brain: Brain
    limit_s: float = 12.0
    requests_at_most: int = 35
    asked: int = 0
    _deadline: float = 0.0
    _http: httpx2.Client | None = None
    _counting: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._deadline = time.monotonic() + self.limit_s

    def __enter__(self) -> "BrainClient":
        return self

    def __exit__(self, *_: object) -> None:
        if self._http is not None:
            with contextlib.suppress(Exception):
                self._http.close()

    @property
    def left(self) -> int:
        """How many requests there may be yet."""
        return self.requests_at_most - self.asked

    def get(self, path: str, /, **query: str | int) -> Mapping[str, Any]:
        """The object at a path. Raises BrainUnavailable for everything else, also for what is not there."""
        found = self.find(path, **query)
        if found is None:
            raise BrainUnavailable(f"{self.brain.name} has no {path}", hint="is BRAIN_URL that of a brain's API?")
        return found

    def find(self, path: str, /, **query: str | int) -> Mapping[str, Any] | None:
        """The object at a path; None where there is none (404). Raises BrainUnavailable."""
        answer = self.send("GET", path, query)
        if answer.status == 404 and answer.value is not None:
            return None
        return self.checked(answer, path)

    def checked(self, answer: Answer, path: str) -> Mapping[str, Any]:
        """The object of a good answer. Raises BrainUnavailable."""
        if answer.is_good and answer.value is not None:
            return answer.value
        name = self.brain.name
        if answer.status in (401, 403):
            what = "refuses the token" if self.brain.token else "wants a token"
            raise BrainUnavailable(f"{name} {what} ({answer.status})", hint="set BRAIN_HTTP_TOKEN")
        if 200 <= answer.status < 300:
            raise BrainUnavailable(f"{name} answers {path} with {answer.said}, not with a JSON object")
        said = f": {answer.said}" if answer.said else ""
        raise BrainUnavailable(f"{name} answers {path} with {answer.status}{said}")

    def ask(self, task: Callable[[], T]) -> T:
        """The result of what makes requests, within the deadline. Raises BrainUnavailable."""
        return self.at_once([task])[0]

    def at_once(self, tasks: Sequence[Callable[[], T]]) -> list[T]:
        """The results of some tasks, a few at a time. Raises BrainUnavailable at the first failure or the deadline.

        They run in threads of their own that nobody waits for afterwards: neither a name that does not resolve nor a
        server that trickles holds us longer than the deadline.
        """
        waiting: queue.SimpleQueue[tuple[int, Callable[[], T]]] = queue.SimpleQueue()
        done: queue.SimpleQueue[tuple[int, T | BaseException]] = queue.SimpleQueue()
        for number, task in enumerate(tasks):
            waiting.put((number, task))

        def work() -> None:
            while True:
                try:
                    number, task = waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    done.put((number, task()))
                except BaseException as error:
                    done.put((number, error))

        for _ in range(min(PARALLEL, len(tasks))):
            threading.Thread(target=work, daemon=True).start()
        results: dict[int, T] = {}
        while len(results) < len(tasks):
            try:
                number, result = done.get(timeout=max(self._deadline - time.monotonic(), 0.001))
            except queue.Empty:
                raise BrainUnavailable(f"{self.brain.name} did not answer within {self.limit_s:.0f} s") from None
            if isinstance(result, BrainUnavailable):
                raise result
            if isinstance(result, BaseException):  # of a shape that nobody thought of: no reason to stop all else
                name = type(result).__name__
                raise BrainUnavailable(f"{self.brain.name} answers what cannot be understood ({name})") from result
            results[number] = result
        return [results[number] for number in range(len(tasks))]

    # one request ----------------------------------------------------------------------------------------------------

    def send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str | int] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request, whatever is answered; to be called in a task. Raises BrainUnavailable where nothing is."""
        self._count()
        url = self.brain.url + path
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8")
        sent = {"accept": "application/json", "accept-encoding": "identity", **(headers or {})}
        if content is not None:
            sent["content-type"] = "application/json"
        if self.brain.token:
            sent["authorization"] = f"Bearer {self.brain.token}"
        with self._explained():
            http = self._client()
            for _ in range(REDIRECTS_AT_MOST + 1):
                with http.stream(method, url, params=query or None, content=content, headers=sent) as response:
                    if response.status_code not in REDIRECTS:
                        return self._read(response)
                    url, query = self._follow(str(response.url), response.headers.get("location", "")), None
        raise BrainUnavailable(f"{self.brain.name} redirects in a circle")

    def _client(self) -> httpx2.Client:
        with self._counting:
            if self._http is None:
                limits = httpx2.Limits(max_connections=PARALLEL, max_keepalive_connections=PARALLEL)
                self._http = httpx2.Client(timeout=self.brain.timeout_s, limits=limits, follow_redirects=False)
            return self._http

    def _count(self) -> None:
        with self._counting:
            if self.asked >= self.requests_at_most:
                raise BrainUnavailable(f"more than {self.requests_at_most} requests would be needed")
            self.asked += 1

    def _follow(self, url: str, location: str) -> str:
        """Where a redirect leads, if that is the same origin."""
        target = redirect_target(url, location)
        if origin_of(target) != self.brain.origin:
            to = urlsplit(target).netloc.rpartition("@")[2] or "nowhere"
            raise BrainUnavailable(
                f"{self.brain.name} redirects to {one_line(clip(to, WHY_LETTERS))}, which is not followed",
                detail="The token and what is remembered go to the address in BRAIN_URL and nowhere else.",
                hint="if that is where the brain lives now, set BRAIN_URL to it",
            )
        return target

    def _read(self, response: httpx2.Response) -> Answer:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise BrainUnavailable(f"{self.brain.name} answers in an encoding that was not asked for")
        raw = bytearray()
        for piece in response.iter_raw():
            raw += piece
            if len(raw) > BODY_LIMIT:
                raise BrainUnavailable(f"{self.brain.name} answers with more than {BODY_LIMIT >> 20} MiB")
            if time.monotonic() > self._deadline:
                raise BrainUnavailable(f"{self.brain.name} did not answer within {self.limit_s:.0f} s")
        try:
            value = json.loads(bytes(raw).decode("utf-8"))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            kind = response.headers.get("content-type", "something").partition(";")[0]
            return Answer(response.status_code, None, self._clean(kind))
        return Answer(response.status_code, value, self._clean(_detail(value.get("detail"))))

    def _clean(self, text: str) -> str:
        """A server's words as they may be shown: one short line, without the token, should it say it back."""
        text = one_line(text)
        return clip(text.replace(self.brain.token, "…") if self.brain.token else text, WHY_LETTERS)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what goes wrong on the way into one line."""
        name, timeout_s = self.brain.name, self.brain.timeout_s
        try:
            yield
        except httpx2.ConnectTimeout:
            raise BrainUnavailable(f"{name} cannot be reached within {timeout_s:g} s") from None
        except httpx2.TimeoutException:
            raise BrainUnavailable(f"{name} did not go on answering for {timeout_s:g} s") from None
        except httpx2.RemoteProtocolError:
            raise BrainUnavailable(f"{name} broke off its answer, or does not speak HTTP") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
            why = self._clean(_words(error)) or type(error).__name__
            raise BrainUnavailable(f"{name} cannot be reached ({why})") from None


def _one_detail(one: Mapping[str, Any]) -> str:
    where = one.get("loc")
    place = ".".join(map(str, where)) if isinstance(where, list) else ""
    return f"{place} {one.get('msg', '')}".strip()


PYTHONS = re.compile(r"\[(?:Errno -?\d+|[A-Z]+: [A-Z_]+)\] ?|\(_ssl\.c:\d+\)")


def _words(error: Exception) -> str:
    """What went wrong, without the numbers that only Python knows."""
    text = str(error)
    return "it speaks no TLS: is http:// meant?" if "WRONG_VERSION_NUMBER" in text else PYTHONS.sub("", text).strip()


def _detail(detail: object) -> str:
    """What an error says: the service's own text, or the framework's list of what was malformed."""
    if isinstance(detail, str):
        return detail
    if isinstance(detail, list):
        return "; ".join(_one_detail(one) for one in detail[:5] if isinstance(one, dict))
    return ""
