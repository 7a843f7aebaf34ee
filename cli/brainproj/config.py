"""Settings: the defaults, config.toml, the environment; which one won; and changes that keep comments and order.

Precedence, everywhere: flag, environment, the project's table, config.toml, default. No file inside a repository is
read. A value of the wrong type or kind is named in `Config.problems` and its default used; a file that is not TOML is
an error (exit 3).
"""

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import ConfigMalformed
from .files import write_whole

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


class Scope(StrEnum):
    """How far a reader looks: its own project, its own project first, or everywhere."""

    STRICT = "strict"
    RANK = "rank"
    OFF = "off"


class SetBy(StrEnum):
    """Which setting won."""

    DEFAULT = "default"
    CONFIG = "config"
    PROJECT = "project"
    ENVIRONMENT = "environment"
    FLAG = "flag"


NUMBERS = {
    "payload_max_bytes": 4096,
    "hot_arcs_top_n": 10,
    "stale_lesson_days": 14,
    "stale_signal_days": 3,
    "project_memory_ttl": 600,
    "refresh_tool_calls": 20,
}
"""Settings that are whole numbers, with their defaults (design 9)."""
KNOWN: Mapping[str, Any] = {
    "scope": None,
    "projects": {"*": {"path": None, "name": None, "aliases": None, "scope": None}},
    "swarms": None,
    "hosts": None,
    "scratch": {"root": None},
    "capture": {"exclude": {"agents": None, "folders": None, "projects": None}},
    "redaction": {"hide": None, "keep": None},
    "persons": {"*": {"aliases": None}},
    "brain": dict.fromkeys(("url", "token_file", "http_timeout", "enabled", "markers", "marker_paths", *NUMBERS)),
}
"""Every setting there is. None: what is in it is looked at elsewhere."""


@dataclass(frozen=True, slots=True)
class ProjectTable:
    """`[projects."KEY"]`: what a person said of one project. `path` is set for a declared folder."""

    key: str
    path: str | None = None
    name: str | None = None
    aliases: tuple[str, ...] = ()
    scope: Scope | None = None


@dataclass(frozen=True, slots=True)
class BrainTable:
    """`[brain]` but for its numbers: where a kernel is, and what may go there. token_file: holds the token."""

    url: str | None = None
    token_file: str | None = None
    timeout_s: float | None = None
    is_enabled: bool = True
    sends_markers: bool = True
    sends_paths: bool = True


@dataclass(frozen=True, slots=True)
class Config:
    """config.toml, checked. `problems` names what was malformed and so left at its default."""

    scope: Scope | None = None
    projects: Mapping[str, ProjectTable] = field(default_factory=dict)
    swarms: Mapping[str, str] = field(default_factory=dict)
    hosts: Mapping[str, str] = field(default_factory=dict)
    scratch_root: str = "~/scratchpad"
    exclude_agents: tuple[str, ...] = ()
    exclude_folders: tuple[str, ...] = ()
    exclude_projects: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    persons: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name → addresses, logins and ids that are one person's."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    brain: BrainTable = field(default_factory=BrainTable)
    problems: tuple[str, ...] = ()


def read_config(path: Path) -> Config:
    """The settings in `path`; the defaults where it is missing. Raises ConfigMalformed."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return Config()
    except OSError as error:
        return Config(problems=(f"{path} cannot be read ({error.strerror}); defaults are used",))
    import tomllib

    try:
        document = tomllib.loads(raw.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigMalformed(
            f"{path} is not TOML: {error}", hint="mend the file; nothing was changed by this command"
        ) from error
    return _Checker(path).config(document)


class _Checker:
    """Reads the members of config.toml one by one and notes what does not fit."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[str] = []

    def config(self, document: Mapping[str, Any]) -> Config:
        self.known(document, KNOWN, "")
        capture = self.table(document, "capture")
        exclude = self.table(capture, "exclude", "capture.")
        redaction = self.table(document, "redaction")
        return Config(
            scope=self.scope(document.get("scope"), "scope"),
            projects=self.project_tables(document),
            swarms=self.texts_by_name(document, "swarms"),
            hosts=self.texts_by_name(document, "hosts"),
            scratch_root=self.text(self.table(document, "scratch").get("root"), "scratch.root") or "~/scratchpad",
            exclude_agents=self.texts(exclude.get("agents"), "capture.exclude.agents"),
            exclude_folders=self.texts(exclude.get("folders"), "capture.exclude.folders"),
            exclude_projects=self.texts(exclude.get("projects"), "capture.exclude.projects"),
            hide=self.patterns(redaction.get("hide"), "redaction.hide"),
            keep=self.patterns(redaction.get("keep"), "redaction.keep"),
            persons=self.person_tables(document),
            numbers=self.whole_numbers(document),
            brain=self.brain_table(self.table(document, "brain")),
            problems=tuple(self.problems),
        )

    def known(self, table: Mapping[str, Any], names: Mapping[str, Any], prefix: str) -> None:
        """Note members that nobody knows: a setting with a slip in its name is no setting."""
        for name, value in table.items():
            if "*" in names:
                inner = names["*"]
            elif name in names:
                inner = names[name]
            else:
                from difflib import get_close_matches

                near = f"; is {prefix}{match[0]} meant?" if (match := get_close_matches(name, names, 1)) else ""
                self.problems.append(f"{self.path}: {prefix}{name} is no setting{near}")
                continue
            if inner and isinstance(value, dict):
                self.known(value, inner, f"{prefix}{name}.")

    def bad(self, name: str, value: object, wanted: str) -> None:
        self.problems.append(f"{self.path}: {name} is {value!r} and must be {wanted}; it was left out")

    def table(self, holder: Mapping[str, Any], name: str, prefix: str = "") -> Mapping[str, Any]:
        value = holder.get(name, {})
        if isinstance(value, dict):
            return value
        self.bad(prefix + name, value, "a table")
        return {}

    def text(self, value: object, name: str) -> str | None:
        if value is None or (isinstance(value, str) and value and "\0" not in value):
            return value
        self.bad(name, value, "a text")
        return None

    def texts(self, value: object, name: str) -> tuple[str, ...]:
        if value is None:
            return ()
        if isinstance(value, list) and all(isinstance(item, str) and item and "\0" not in item for item in value):
            return tuple(value)
        self.bad(name, value, "a list of texts")
        return ()

    def patterns(self, value: object, name: str) -> tuple[str, ...]:
        import re

        good = []
        for pattern in self.texts(value, name):
            try:
                re.compile(pattern)
            except re.error as error:
                self.problems.append(
                    f"{self.path}: {name} holds what is no regular expression ({error}); it was left out"
                )
            else:
                good.append(pattern)
        return tuple(good)

    def texts_by_name(self, document: Mapping[str, Any], name: str) -> dict[str, str]:
        found = {key: self.text(value, f"{name}.{key}") for key, value in self.table(document, name).items()}
        return {key: value for key, value in found.items() if value}

    def whole_numbers(self, document: Mapping[str, Any]) -> dict[str, int]:
        """`[brain]`: the settings by the names they have in the environment, without `BRAIN_` and in small letters."""
        found = {}
        for name, value in self.table(document, "brain").items():
            if name not in NUMBERS:
                continue
            if not isinstance(value, int) or isinstance(value, bool):
                self.bad(f"brain.{name}", value, "a whole number")
            else:
                found[name] = value
        return found

    def brain_table(self, table: Mapping[str, Any]) -> BrainTable:
        """`[brain]` but for its numbers."""
        timeout_s = table.get("http_timeout")
        if timeout_s is not None and (isinstance(timeout_s, bool) or not isinstance(timeout_s, (int, float))):
            self.bad("brain.http_timeout", timeout_s, "a number of seconds")
            timeout_s = None
        return BrainTable(
            url=self.text(table.get("url"), "brain.url"),
            token_file=self.text(table.get("token_file"), "brain.token_file"),
            timeout_s=float(timeout_s) if timeout_s is not None and 0 < timeout_s <= 600 else None,
            is_enabled=self.yes_or_no(table.get("enabled"), "brain.enabled"),
            sends_markers=self.yes_or_no(table.get("markers"), "brain.markers"),
            sends_paths=self.yes_or_no(table.get("marker_paths"), "brain.marker_paths"),
        )

    def yes_or_no(self, value: object, name: str) -> bool:
        if value is None or isinstance(value, bool):
            return value is not False
        self.bad(name, value, "true or false")
        return True

    def person_tables(self, document: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
        """`[persons."NAME"]`: what a person said of who somebody is."""
        return {
            name: self.texts(
                self.table(document["persons"], name, "persons.").get("aliases"), f"persons.{name}.aliases"
            )
            for name in self.table(document, "persons")
        }

    def scope(self, value: object, name: str) -> Scope | None:
        if value is None or value in list(Scope):
            return None if value is None else Scope(str(value))
        self.bad(name, value, "strict, rank or off")
        return None

    def project_tables(self, document: Mapping[str, Any]) -> dict[str, ProjectTable]:
        tables = {}
        for key in self.table(document, "projects"):
            table = self.table(document["projects"], key, "projects.")
            name = f"projects.{key}"
            tables[key] = ProjectTable(
                key=key,
                path=self.text(table.get("path"), name + ".path"),
                name=self.text(table.get("name"), name + ".name"),
                aliases=self.texts(table.get("aliases"), name + ".aliases"),
                scope=self.scope(table.get("scope"), name + ".scope"),
            )
        return tables


@dataclass(frozen=True, slots=True)
class ScopeSetting:
    """The scope in force, which setting won, and what the others say (None: nothing)."""

    effective: Scope
    set_by: SetBy
    everywhere: Scope | None
    project: Scope | None
    problems: tuple[str, ...] = ()


def scope_in_force(
    config: Config, environment: Mapping[str, str], project_keys: Iterable[str] = (), flag: Scope | None = None
) -> ScopeSetting:
    """The scope for a project (any of its keys), by precedence."""
    tables = (config.projects[key] for key in project_keys if key in config.projects)
    own = next((table.scope for table in tables if table.scope), None)
    problems: tuple[str, ...] = ()
    spoken = environment.get("BRAIN_PROJECT_SCOPE", "")
    if spoken and spoken not in list(Scope):
        problems = (f"BRAIN_PROJECT_SCOPE is {spoken!r} and must be strict, rank or off; it was left out",)
        spoken = ""
    ranked = (
        (flag, SetBy.FLAG),
        (Scope(spoken) if spoken else None, SetBy.ENVIRONMENT),
        (own, SetBy.PROJECT),
        (config.scope, SetBy.CONFIG),
        (Scope.STRICT, SetBy.DEFAULT),
    )
    effective, set_by = next((scope, by) for scope, by in ranked if scope is not None)
    return ScopeSetting(effective, set_by, config.scope, own, problems)


def whole_number(config: Config, environment: Mapping[str, str], setting: str, problems: list[str]) -> int:
    """A setting of NUMBERS: the environment's `BRAIN_…`, else config.toml's, else its default.

    A malformed one of the environment is named in `problems` and left out.
    """
    name = "BRAIN_" + setting.upper()
    default = config.numbers.get(setting, NUMBERS[setting])
    text = environment.get(name, "").strip()
    if not text:
        return default
    try:
        return int(text)
    except ValueError:
        problems.append(f"{name} is {text!r} and must be a whole number; {default} is used")
        return default


# writing -----------------------------------------------------------------------------------------------------------


def set_scope(path: Path, scope: Scope, project_key: str | None) -> None:
    """Write the scope for all, or for one project, into config.toml."""
    with _editing(path) as document:
        if project_key is None:
            document["scope"] = scope.value
        else:
            _project_table(document, project_key)["scope"] = scope.value


def write_project(path: Path, table: ProjectTable) -> None:
    """Write `[projects."KEY"]` so that it says what `table` says; what it has beside that stays."""
    wanted: dict[str, object] = {
        "path": table.path,
        "name": table.name,
        "aliases": list(table.aliases) or None,
        "scope": table.scope.value if table.scope else None,
    }
    with _editing(path) as document:
        if not any(wanted.values()):
            document.get("projects", {}).pop(table.key, None)
            if not document.get("projects", True):
                document.pop("projects")
            return
        written = _project_table(document, table.key)
        for name, value in wanted.items():
            if value is None:
                written.pop(name, None)
            elif written.get(name) != value:
                written[name] = value


def _project_table(document: "TOMLDocument", key: str) -> Any:
    import tomlkit

    if "projects" not in document:
        document["projects"] = tomlkit.table(is_super_table=True)
    projects: Any = document["projects"]
    if key not in projects:
        projects[key] = tomlkit.table()
    return projects[key]


@contextlib.contextmanager
def _editing(path: Path) -> "Iterator[TOMLDocument]":
    """config.toml as a document; written back whole (a file beside it, then renamed) when the block ends well."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    target = Path(os.path.realpath(path))
    try:
        before = target.read_bytes().decode("utf-8") if target.exists() else ""
        document = tomlkit.parse(before)
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        raise ConfigMalformed(f"{path} cannot be changed: {error}", detail="The file was left as it was.") from error
    yield document
    after = tomlkit.dumps(document)
    if len(after) < len(before):  # a table was taken out: the blank lines before it go too
        after = after.rstrip("\n") + "\n" if after.strip() else ""
    if after != before:
        write_whole(target, after.encode("utf-8"))
