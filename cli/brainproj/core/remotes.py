"""Remotes: every spelling of one repository's address, read to one key.

The transport, the user, the password, the port, the host's case, a final slash and `.git` do not count (cases/05);
host and path do. Nothing of a credential survives `parse_remote` (cases/06).
"""

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote

SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
SCP = re.compile(r"(?:[^@/\[\]]+@)?(\[[0-9A-Fa-f:.%]+\]|[^:/\[\]@]+):(.*)", re.DOTALL)
UNSAFE = re.compile(r"[\x00-\x20\x7f-\x9f]")
SAME_HOST = {
    "www.github.com": "github.com",
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
"""Other names under which a forge serves the same repositories (its documentation: SSH over the HTTPS port)."""


class Remote(NamedTuple):
    """A repository on a server: `host/path` as written, and `key`, the same in lower case."""

    host: str
    path: str

    @property
    def key(self) -> str:
        """What two spellings of one repository have in common."""
        return f"{self.host}/{self.path}".lower()

    @property
    def shown(self) -> str:
        """`host/path` for people."""
        return f"{self.host}/{self.path}"

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


class LocalPath(NamedTuple):
    """A remote that is a folder of this machine; it may be relative to the repository."""

    path: str


def parse_remote(url: str, hosts: Mapping[str, str] | None = None) -> Remote | LocalPath | None:
    """What `url` points to, or None where it points to nothing that can be a repository.

    `hosts` maps an ssh alias to its real host. Forms: https://git-scm.com/docs/git-clone#_git_urls
    """
    url = url.strip()
    if url.startswith(("ext::", "fd::")) or not url:
        return None
    if match := SCHEME.fullmatch(url):
        scheme, rest = match[1].lower(), match[2]
        if scheme == "file":
            return LocalPath(_unquoted("/" + rest.partition("/")[2]))
        authority, _, path = rest.partition("/")
        return _remote(_host_of(authority), _unquoted(re.split("[?#]", path, maxsplit=1)[0]), hosts)
    if "::" in url.partition("/")[0] and not url.startswith(("[", "git@[")):
        return parse_remote(url.partition("::")[2], hosts)  # a remote helper: transport::address
    if url.startswith(("/", "./", "../", "~")):
        return LocalPath(url)
    if match := SCP.fullmatch(url):
        return _remote(match[1], match[2], hosts)
    return LocalPath(url)


def _host_of(authority: str) -> str:
    """The host of `user:password@host:port`."""
    host = authority.rpartition("@")[2]
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]


def _remote(host: str, path: str, hosts: Mapping[str, str] | None) -> Remote | None:
    host = host.lower().rstrip(".")
    host = (hosts or {}).get(host, host).lower()
    host = SAME_HOST.get(host, host)
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if parts and parts[-1].lower() == ".git":
        parts.pop()
    if parts and parts[-1].lower().endswith(".git"):
        parts[-1] = parts[-1][:-4]
    if not host or not parts or ".." in parts or UNSAFE.search(host):
        return None
    return Remote(host, UNSAFE.sub("-", "/".join(parts)))


def choose_remote(remotes: Mapping[str, str]) -> str | None:
    """The address that names a repository: `origin`, else `upstream`, else the only one."""
    for name in ("origin", "upstream"):
        if remotes.get(name):
            return remotes[name]
    return next(iter(remotes.values())) if len(remotes) == 1 else None


def _unquoted(path: str) -> str:
    """A path without percent signs; as it is where they stand for no text, so that two that differ stay two."""
    plain = unquote(path)
    return path if "\ufffd" in plain else plain
