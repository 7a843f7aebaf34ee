"""Folder → `.git` → common dir, read from disk with `os` alone: what a repository says of itself, without git.

No git process is started: a hook cannot afford one, git follows `GIT_DIR`, refuses repositories of other owners, and
can run a program that a repository's configuration names. Nothing here follows an include or an `insteadOf`.
Hooks import this module: no dataclasses, enums, Path or typing.

Layout of the files: https://git-scm.com/docs/gitrepository-layout
"""

import os
import stat

CONFIG_LIMIT = 1 << 20
"""Bytes of a configuration that are read; a larger one is not a configuration a person wrote."""
POINTER_LIMIT = 1 << 16
"""Bytes of a `.git` file, `commondir` or `HEAD` that are read."""


HOLDERS = (".git", ".bare")
"""Names of a repository's directory that say nothing of it: what holds it has the name, and is its root."""


class GitUnreadable(Exception):
    """There is a repository, but what says which one cannot be read; `args[0]` is the path, `args[1]` the reason."""


class Checkout:
    """A git repository seen from one folder. All paths are real and absolute.

    top: the folder that holds `.git`, or the bare repository itself. git_dir: this checkout's own. common_dir: what
    all worktrees of the repository share. linked: whether this is a linked worktree.
    """

    __slots__ = ("common_dir", "git_dir", "linked", "top")

    def __init__(self, top: str, git_dir: str, common_dir: str) -> None:
        self.top = top
        self.git_dir = git_dir
        self.common_dir = common_dir
        self.linked = git_dir != common_dir


def find_checkout(folder: str, ignored_top: str | None = None) -> Checkout | None:
    """The deepest checkout that holds `folder` (a real, absolute path), or None.

    A checkout whose top is `ignored_top` (the home folder) does not count. Raises GitUnreadable where a `.git` is found
    that leads nowhere: the folder belongs to that repository, whichever it is, and to none above it.
    """
    while True:
        checkout = checkout_at(folder)
        if checkout is not None and folder != ignored_top:
            return checkout
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def checkout_at(folder: str) -> Checkout | None:
    """The checkout whose top is `folder`, or None. Raises GitUnreadable."""
    dot_git = folder + "/.git" if folder != "/" else "/.git"
    try:
        mode = os.stat(dot_git).st_mode
    except OSError as error:
        if isinstance(error, PermissionError):
            raise GitUnreadable(dot_git, error.strerror) from error
        if os.path.islink(dot_git):
            raise GitUnreadable(dot_git, "it points to nothing") from error
        return _bare_at(folder)
    if stat.S_ISDIR(mode):
        git_dir = os.path.realpath(dot_git)
        return Checkout(folder, git_dir, _common_dir(git_dir)) if _is_git_dir(git_dir) else _bare_at(folder)
    pointer = _read(dot_git, POINTER_LIMIT)
    if not pointer.startswith("gitdir:"):
        raise GitUnreadable(dot_git, "it is no `gitdir:` line")
    target = pointer[len("gitdir:") :].strip("\n\r ")
    if "\0" in target:
        raise GitUnreadable(dot_git, "it is no `gitdir:` line")
    git_dir = os.path.realpath(os.path.join(folder, target))
    if not os.path.isdir(git_dir):
        raise GitUnreadable(dot_git, "it points to " + target + ", which is not there")
    return Checkout(folder, git_dir, _common_dir(git_dir))


def _bare_at(folder: str) -> Checkout | None:
    return Checkout(folder, folder, folder) if _is_git_dir(folder) and os.path.isfile(folder + "/config") else None


def _is_git_dir(folder: str) -> bool:
    if not os.path.lexists(folder + "/HEAD"):
        return False
    return os.path.isdir(folder + "/objects") or os.path.isfile(folder + "/commondir")


def _common_dir(git_dir: str) -> str:
    if not os.path.lexists(git_dir + "/commondir"):
        return git_dir
    target = _read(git_dir + "/commondir", POINTER_LIMIT).strip("\n\r ")
    if "\0" in target:
        raise GitUnreadable(git_dir + "/commondir", "it is no path")
    return os.path.realpath(os.path.join(git_dir, target))


def _read(path: str, limit: int) -> str:
    """The text of a regular file: to open a pipe would mean to wait for whoever writes to it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise GitUnreadable(path, "it is no regular file")
            return os.read(descriptor, limit).decode("utf-8", "surrogateescape").replace("\r\n", "\n")
        finally:
            os.close(descriptor)
    except OSError as error:
        raise GitUnreadable(path, error.strerror) from error


def config_paths(checkout: Checkout) -> tuple[str, str]:
    """The files that name the remotes; either may be missing."""
    return (checkout.common_dir + "/config", checkout.git_dir + "/config.worktree")


def stamp_of(path: str) -> str:
    """A text that changes whenever a file may have changed; `-` for one that is missing."""
    try:
        seen = os.stat(path)
    except (OSError, ValueError):
        return "-"
    return f"{seen.st_mtime_ns}:{seen.st_size}:{seen.st_ino}"


def stamps_of(paths: list[str]) -> str:
    """The stamps of several files in one text, each after its path."""
    return "\0".join([line for path in paths for line in (path, stamp_of(path))])


def stamps_hold(text: str) -> bool:
    """Whether all files are as they were when `stamps_of` made the text."""
    lines = text.split("\0") if text else []
    return all(stamp_of(path) == stamp for path, stamp in zip(lines[::2], lines[1::2], strict=False))


def read_config(checkout: Checkout) -> dict[str, str]:
    """The settings we care for, as `remote.<name>.url`, `core.worktree` and `user.email`.

    The first address of a remote counts, and the last of what there is one of.

    Raises GitUnreadable where the configuration is there and cannot be read.
    """
    settings: dict[str, str] = {}
    for path in config_paths(checkout):
        if os.path.lexists(path):
            for name, value in _parse_config(_read(path, CONFIG_LIMIT)):
                if name.startswith("user."):
                    settings[name] = value
                else:
                    settings.setdefault(name, value)
    return settings


def remotes_of(settings: dict[str, str]) -> dict[str, str]:
    """Name → address of each remote, in the order of the file."""
    return {name[7:-4]: value for name, value in settings.items() if name.startswith("remote.") and value}


def _parse_config(text: str) -> list[tuple[str, str]]:
    """The remotes' addresses, `core.worktree` and the user of a git configuration, in order."""
    found = []
    for section, key, value in parse_items(text):
        is_user = section == "user" and key in ("name", "email")
        if is_user or (key == "url" and section.startswith("remote.")) or (key == "worktree" and section == "core"):
            found.append((section + "." + key, value))
    return found


def parse_items(text: str) -> list[tuple[str, str, str]]:
    """(section, key, value) of everything in a git configuration, in order; a subsection follows its section's dot.

    Syntax: https://git-scm.com/docs/git-config#_syntax
    """
    found = []
    section = ""
    lines = iter(text.split("\n"))
    for raw in lines:
        line = raw.strip(" \t\r")
        if line.startswith("["):
            section, line = _section(line)
        if not line or line[0] in "#;":
            continue
        key, _, value = line.partition("=")
        key = key.strip().lower()
        if _continues(value):
            parts = [value]
            while _continues(parts[-1]):
                parts[-1] = parts[-1].rstrip("\r")[:-1]
                parts.append(next(lines, ""))
            value = "".join(parts)
        found.append((section, key, _value(value)))
    return found


def _section(line: str) -> tuple[str, str]:
    """The section that a line opens, as `remote.origin`, and what follows on the line."""
    name = ""
    quoted = False
    position = 1
    while position < len(line):
        letter = line[position]
        if quoted and letter == "\\" and position + 1 < len(line):
            position += 1
            name += line[position]
        elif letter == '"':
            quoted = not quoted
        elif letter == "]" and not quoted:
            break
        else:
            name += letter
        position += 1
    head, _, rest = name.partition(" ")
    rest = rest.strip(" \t") if '"' in line else ""
    section = head.strip().lower() + ("." + rest if rest else "")
    return section, line[position + 1 :].strip(" \t\r")


def _continues(value: str) -> bool:
    value = value.rstrip("\r")
    return (len(value) - len(value.rstrip("\\"))) % 2 == 1


ESCAPES = {"n": "\n", "t": "\t", "b": "\b", "\\": "\\", '"': '"'}


def _value(text: str) -> str:
    """A configuration value without its quotes, escapes and comment."""
    value = ""
    pending = ""
    quoted = False
    letters = iter(text.strip(" \t\r"))
    for letter in letters:
        if letter == "\\":
            escape = next(letters, "")
            value += pending + ESCAPES.get(escape, escape)
            pending = ""
        elif letter == '"':
            quoted = not quoted
        elif letter in "#;" and not quoted:
            break
        elif letter in " \t" and not quoted:
            pending += letter
        else:
            value += pending + letter
            pending = ""
    return value if value.isascii() else _percent_encoded(value)


def _percent_encoded(value: str) -> str:
    """Bytes that are not UTF-8 as in an address, so that two that differ stay two."""
    return "".join("%%%02X" % (ord(letter) & 0xFF) if "\udc80" <= letter <= "\udcff" else letter for letter in value)


def main_root(checkout: Checkout, settings: dict[str, str]) -> str | None:
    """The main checkout of the repository: its top, the folder that holds the bare directory, or None if unknown."""
    common = checkout.common_dir
    if not checkout.linked and checkout.top != common:
        return checkout.top
    if "core.worktree" in settings and "\0" not in settings["core.worktree"]:
        return os.path.realpath(os.path.join(common, settings["core.worktree"]))
    parent, name = os.path.split(common)
    if name in HOLDERS:
        return parent
    return common if os.path.isfile(common + "/config") else None


def repository_name(checkout: Checkout) -> str:
    """The name of what holds the repository: `x/.git`, `x.git` and `x/.bare` are all `x`."""
    parent, name = os.path.split(checkout.common_dir)
    while name in HOLDERS and parent != "/":
        parent, name = os.path.split(parent)
    name = name[:-4] if name.endswith(".git") and len(name) > 4 else name
    return name.lstrip(".") or name


def branch_of(checkout: Checkout) -> str | None:
    """The branch that is checked out; None where HEAD is detached or cannot be read."""
    try:
        head = _read(checkout.git_dir + "/HEAD", POINTER_LIMIT).strip()
    except GitUnreadable:
        return None
    branch = head[len("ref: refs/heads/") :] if head.startswith("ref: refs/heads/") else ""
    return branch if branch and branch != ".invalid" else None


def is_reborn(common_dir: str, then: str, now: str) -> bool:
    """Whether another repository lies by now where the one with the birth mark `then` lay.

    A device may change its number with a restart. A new inode alone is a copy put back, and a new time alone may be a
    `description` that somebody wrote; git's own text in it is as old as the repository.
    """
    (_, inode_then, made_then), (_, inode, made) = then.split(":"), now.split(":")
    if made == made_then:
        return False
    if inode != inode_then:
        return True
    try:
        return _read(common_dir + "/description", POINTER_LIMIT).startswith("Unnamed repository")
    except GitUnreadable:
        return False


def birth_of(common_dir: str) -> str | None:
    """What stays with a repository when its folder is moved: device, inode, and when it was made.

    The inode alone is not enough: a file system gives it to the next folder made. `description` is written when the
    repository is and hardly ever again.
    """
    try:
        folder = os.stat(common_dir)
        made = os.stat(common_dir + "/description").st_mtime_ns
    except OSError:
        return None
    return f"{folder.st_dev}:{folder.st_ino}:{made}"
