"""Manners on the network: the token goes to one origin, and whatever comes instead of an answer is one line of why."""

import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from brainproj.brain.client import BrainClient
from brainproj.brain.feed import read_feed
from brainproj.brain.markers import Fate, send_marker
from brainproj.core.brain import NoBrain, parse_brain
from brainproj.core.times import EPOCH
from brainproj.errors import BrainUnavailable

from . import server
from .server import TOKEN, Brain, recorded, recorded_json, redirect, serve, status

LOCALHOST = "http://localhost:{}"


def client_of(brain: Brain, token: str = TOKEN, timeout_s: float = 0.5, limit_s: float = 3.0) -> BrainClient:
    return BrainClient(parse_brain(brain.url, token, timeout_s), limit_s)


@pytest.fixture
def brain() -> Iterator[Brain]:
    with serve(Brain(feed=recorded_json(5))) as served:
        yield served


@pytest.mark.parametrize(
    ("text", "url", "name"),
    [
        ("http://127.0.0.1:8103", "http://127.0.0.1:8103", "127.0.0.1:8103"),
        (" https://Brain.Example.com/ ", "https://brain.example.com", "brain.example.com"),
        ("https://brain.example.com:443/kernel//", "https://brain.example.com/kernel", "brain.example.com"),
        ("http://[::1]:8103/?x=1#y", "http://[::1]:8103", "[::1]:8103"),
    ],
)
def test_an_address_is_read_and_shown_without_what_is_no_part_of_it(text: str, url: str, name: str) -> None:
    found = parse_brain(text)
    assert (found.url, found.name) == (url, name)


@pytest.mark.parametrize(
    "text",
    [
        "brain.example.com",
        "ftp://brain",
        "http://",
        "https://ada:s3cret@brain.example.com",
        "http://a b",
        "http://[::1",
        "http://x:y",
        "http://x:99999",
    ],
)
def test_what_is_no_address_is_said_without_what_it_holds(text: str) -> None:
    with pytest.raises(NoBrain) as caught:
        parse_brain(text)
    assert "s3cret" not in str(caught.value)


def test_a_token_that_no_header_can_carry_is_refused() -> None:
    with pytest.raises(NoBrain):
        parse_brain("http://brain.example.com", "tok\r\nX-Evil: 1")


def test_the_recorded_feed_is_read(brain: Brain) -> None:
    with client_of(brain) as client:
        feed = read_feed(client, EPOCH)
    assert [one.id for one in feed.entries] == [
        "hot-arcs-2026-11-30",
        "inject",
        "signals",
        "operator-intent",
        "last-tick-diff",
    ]
    assert not feed.is_scoped
    assert brain.asked[0].headers["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (server.html, "answers /feed with text/html, not with a JSON object"),
        (server.half, "broke off its answer"),
        (server.no_http, "does not speak HTTP"),
        (server.endless, "answers with more than 8 MiB"),
        (server.hang, "did not go on answering for 0.5 s"),
        (server.trickle, "did not answer within 3 s"),
        (server.text_500, "answers /feed with 500"),
        (status(200, [1, 2]), "not with a JSON object"),
        (status(422, recorded_json(23)), "answers /feed with 422: query.path Field required"),
        (status(503, {"detail": "vault not mounted"}), "answers /feed with 503: vault not mounted"),
        (status(404, {"detail": "Not Found"}), "has no /feed"),
        (status(401, recorded_json(3)), "refuses the token (401)"),
    ],
    ids=lambda value: value.__name__ if callable(value) else None,
)
def test_what_is_no_answer_is_one_line_within_its_time(brain: Brain, fault: server.Fault, said: str) -> None:
    brain.faults["/feed"] = fault
    began = time.monotonic()
    with client_of(brain) as client, pytest.raises(BrainUnavailable) as caught:
        read_feed(client, EPOCH)
    assert said in caught.value.message and "\n" not in caught.value.message
    assert TOKEN not in str(caught.value.message) and time.monotonic() - began < 4.5


def test_nobody_there_and_no_such_host_are_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{taken.getsockname()[1]}"
    for url in (closed, "http://brain.invalid"):
        with BrainClient(parse_brain(url), 5.0) as client, pytest.raises(BrainUnavailable, match="cannot be reached"):
            read_feed(client, EPOCH)


def test_without_a_token_none_is_sent_and_the_brain_says_that_it_wants_one(brain: Brain) -> None:
    with client_of(brain, token="") as client, pytest.raises(BrainUnavailable, match="wants a token"):
        read_feed(client, EPOCH)
    assert "authorization" not in brain.asked[0].headers


def test_a_server_that_says_the_token_back_does_not_get_it_shown(brain: Brain) -> None:
    brain.faults["/feed"] = status(500, {"detail": f"bad header Bearer {TOKEN}\n\x1b[31m" + "x" * 9000})
    with client_of(brain) as client, pytest.raises(BrainUnavailable) as caught:
        read_feed(client, EPOCH)
    assert TOKEN not in caught.value.message and "\x1b" not in caught.value.message and len(caught.value.message) < 300


# redirects: case 32 -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed_to_another_origin(brain: Brain, number: int) -> None:
    """Another host name, though it is the same machine; neither token nor text reaches it."""
    with serve(Brain(token=None)) as other:
        elsewhere = LOCALHOST.format(other.url.rpartition(":")[2])
        brain.faults["*"] = redirect(f"{elsewhere}/feed", number)
        with client_of(brain) as client, pytest.raises(BrainUnavailable) as caught:
            read_feed(client, EPOCH)
        assert f"redirects to {elsewhere[7:]}" in caught.value.message and brain.url[7:] in caught.value.message
        with client_of(brain) as client, pytest.raises(BrainUnavailable):
            send_marker(client, {"type": "lesson", "content": "Pin the pool.", "attrs": {}}, "k")
        assert other.asked == []


def test_a_redirect_within_the_origin_is_followed_and_a_circle_ends(brain: Brain) -> None:
    brain.faults["/feed"] = redirect("/kernel/feed")
    brain.faults["/kernel/feed"] = status(200, recorded_json(5))
    with client_of(brain) as client:
        assert len(read_feed(client, EPOCH).entries) == 5
    brain.faults["/kernel/feed"] = redirect("/feed", 308)
    with client_of(brain) as client, pytest.raises(BrainUnavailable, match="in a circle"):
        read_feed(client, EPOCH)


def test_a_redirect_to_plain_http_is_another_origin() -> None:
    client = BrainClient(parse_brain("https://brain.example.com"))
    for to in (
        "http://brain.example.com/feed",
        "https://brain.example.com:8443/",
        "//evil.example.com/",
        "",
        "mailto:x",
    ):
        if to == "":
            assert client._follow("https://brain.example.com/feed", to) == "https://brain.example.com/feed"
        else:
            with pytest.raises(BrainUnavailable):
                client._follow("https://brain.example.com/feed", to)


# the environment ----------------------------------------------------------------------------------------------------------


def test_the_proxy_of_the_environment_is_asked(brain: Brain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", brain.url)
    with BrainClient(parse_brain("http://brain.example.com", TOKEN, 0.5), 3.0) as client:
        assert len(read_feed(client, EPOCH).entries) == 5
    assert brain.asked[0].headers["host"] == "brain.example.com"


@contextmanager
def tls(folder: Path) -> Iterator[tuple[str, Path]]:
    """A kernel behind TLS, and the certificate that vouches for it."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    served = server.Server(("127.0.0.1", 0), server.Handler)
    served.brain = Brain(feed=recorded_json(5))
    served.socket = context.wrap_socket(served.socket, server_side=True)
    threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"https://localhost:{served.server_address[1]}", certificate
    finally:
        served.shutdown()
        served.server_close()


def test_a_certificate_is_verified_by_what_the_environment_trusts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tls(tmp_path) as (url, certificate):
        with (
            BrainClient(parse_brain(url, TOKEN), 5.0) as client,
            pytest.raises(BrainUnavailable, match="cannot be reached"),
        ):
            read_feed(client, EPOCH)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with BrainClient(parse_brain(url, TOKEN), 5.0) as client:
            assert len(read_feed(client, EPOCH).entries) == 5


# markers ------------------------------------------------------------------------------------------------------------------

BODY = {"type": "lesson", "content": "Pin the pool size.", "attrs": {}}


@pytest.mark.parametrize(
    ("answer", "fate"),
    [
        (recorded(27)["response"], Fate.DELIVERED),
        (recorded(28)["response"], Fate.DELIVERED),
        (recorded(41)["response"], Fate.REFUSED),
        (recorded(42)["response"], Fate.REFUSED),
        (recorded(43)["response"], Fate.REFUSED),
        (recorded(44)["response"], Fate.REFUSED),
        (recorded(45)["response"], Fate.FAILED),
        (recorded(46)["response"], Fate.REFUSED),
        ({"status": 400, "json": {"detail": "marker target already exists: /vault/amygdala/x.md"}}, Fate.FAILED),
        ({"status": 201, "json": {"ok": True, "idempotency_key": "another", "marker_type": "lesson"}}, Fate.FAILED),
        (
            {"status": 201, "json": {"ok": True, "idempotency_key": "cap-lesson-1", "marker_type": "signal"}},
            Fate.FAILED,
        ),
        ({"status": 201, "json": {"ok": False, "idempotency_key": "cap-lesson-1"}}, Fate.FAILED),
        ({"status": 202, "json": {"accepted": True}}, Fate.FAILED),
    ],
)
def test_what_became_of_a_marker_is_read_from_its_own_answer(
    brain: Brain, answer: dict[str, object], fate: Fate
) -> None:
    if answer["json"] is None:
        brain.faults["/marker"] = server.text_500
    else:
        brain.refuse = lambda _: (int(str(answer["status"])), answer["json"])
    with client_of(brain) as client:
        sent = send_marker(client, BODY, "cap-lesson-1")
    assert sent.fate is fate and (sent.fate is Fate.DELIVERED or sent.why)
    assert brain.asked[0].headers["x-idempotency-key"] == "cap-lesson-1"


@pytest.mark.parametrize("number", [502, 503, 504])
def test_a_brain_that_is_away_is_no_markers_fault(brain: Brain, number: int) -> None:
    brain.refuse = lambda _: (number, {"detail": "vault write failed: disk"})
    with (
        client_of(brain) as client,
        pytest.raises(BrainUnavailable, match=f"takes no markers now \\({number}: vault write"),
    ):
        send_marker(client, BODY, "k")
