"""The address of a brain: a kernel over HTTP, how it is shown, and which origin it is.

A token belongs to one origin (scheme, host, port), so two addresses are compared by that and never by their text.
"""

from dataclasses import dataclass, field
from urllib.parse import SplitResult, urljoin, urlsplit

PORTS = {"http": 80, "https": 443}


class NoBrain(ValueError):
    """Why a text is no address of a brain, in words that follow its name."""


@dataclass(frozen=True, slots=True)
class Brain:
    """Where a brain is. `url`: without a final slash, user, query or fragment; the token is never shown."""

    url: str
    token: str = field(default="", repr=False)
    timeout_s: float = 3.0

    @property
    def origin(self) -> str:
        """`scheme://host:port`, the port always."""
        return origin_of(self.url)

    @property
    def name(self) -> str:
        """Its host, with the port where that is not the scheme's own, as it is shown."""
        return urlsplit(self.url).netloc

    @property
    def source(self) -> str:
        """How a block says where something is from."""
        return f"the brain at {self.name}"


def parse_brain(text: str, token: str = "", timeout_s: float = 3.0) -> Brain:
    """The brain at an address. Raises NoBrain."""
    text = text.strip()
    if any(letter.isspace() or not letter.isprintable() for letter in text):
        raise NoBrain("has white space in it")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise NoBrain(f"is no address ({error})") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise NoBrain("must begin with http:// or https:// and name a host")
    if parts.username is not None or parts.password is not None:
        raise NoBrain("holds a user or password; give the token in BRAIN_HTTP_TOKEN")
    token = token.strip()
    if not token.isascii() or not token.isprintable():
        raise NoBrain("comes with a token that no header can carry")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    shown = host if port in (None, PORTS[parts.scheme]) else f"{host}:{port}"
    clean = SplitResult(parts.scheme, shown, parts.path.rstrip("/"), "", "")
    return Brain(clean.geturl(), token, timeout_s)


def origin_of(url: str) -> str:
    """`scheme://host:port` of a URL; empty for what is none."""
    try:
        parts = urlsplit(url)
        port = parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:
        return ""
    return f"{parts.scheme}://{(parts.hostname or '').lower()}:{port}" if parts.hostname else ""


def redirect_target(url: str, location: str) -> str:
    """Where a redirect from `url` leads."""
    return urljoin(url, location)
