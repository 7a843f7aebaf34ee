"""Who may import whom, and which part may import which library (design 4). A new arrow is a change of this table."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "cli" / "brainproj"
MODULES = sorted(path.relative_to(ROOT).with_suffix("").as_posix() for path in ROOT.rglob("*.py"))

VERBS = {
    "agentstates", "attempts", "decide", "documents", "evidence", "freshness", "library", "projectlist", "recap", "recordtext", "resume", "sleep", "subject", "health", "reach", "restore", "spool", "status", "tasks", "transfer",
    "browse", "capture", "cursor_folders", "cursor_rule", "declare", "demo", "edges", "folders", "forget", "identity", "ingest", "live", "locks", "notes", "owners", "partial", "preview", "projectmap",
    "attribution", "asking", "brainloop", "brains", "brainstate", "brainwork", "piecetext", "mark", "sources", "feeds", "follow", "gitexclude", "hooked", "install", "intake", "launcher", "persons", "places", "recall", "refresh", "reports", "repositories", "scratch", "search", "sessions", "share", "toolresults", "unready", "who", "wordforms",
}  # fmt: skip
LOW = {"config", "errors", "files", "gitdir", "gitinfo", "gitlog", "log", "paths", "processes"}
ALLOWED: dict[str, set[str]] = {
    "__init__": set(),
    "worker": {"agents", "core", "hooks", "store", *VERBS, *LOW},
    "hooks": {"agents", "gitdir", "hooks", "store", "worker"},
    "__main__": {"commands", "errors", "identity", "log", "paths", "store", "views", "__init__"},
    "commands": {"commands", "servers", "views", "agents", "foreign", "hooks", "store", "core", *VERBS, *LOW},
    "servers": {"servers", "views", "store", "core", "__init__", *VERBS, *LOW},
    "views": {"views", "core", "errors", *VERBS, "store"},
    "verbs": {"hooks", "store", "agents", "foreign", "brain", "core", *VERBS, *LOW},
    "store": {"store", "core", "errors"},
    "agents": {"agents", "core", "errors", "files", "paths", "processes"},
    "foreign": {"foreign", "core", "errors", "files", "paths", "processes"},
    "brain": {"brain", "core", "errors"},
    "core": {"core", "errors"},
    "config": {"core", "errors", "files"},
    "files": {"errors"},
    "paths": {"core", "errors"},
    "processes": {"core"},
    "log": {"core"},
    "gitdir": set(),
    "gitinfo": {"gitdir"},
    "gitlog": {"gitdir"},
    "errors": set(),
}
"""Part → the parts it may import."""

LIBRARIES: dict[str, set[str]] = {
    "typer": {"commands", "__main__"},
    "rich": {"views", "commands/sessions"},
    "httpx2": {"brain/client"},
    "tomlkit": {"config", "install/servers"},
    "zstandard": {"store", "agents"},
    "watchfiles": {"follow"},
    "mcp": {"servers"},
    "pydantic": {"servers"},
    "snowballstemmer": {"wordforms"},
    "orjson": {"agents/lines"},
    "sqlite3": {"store", "verbs", "commands", "servers", "agents/codex/live", "hooks", "worker"},
}
"""Library → the parts that may import it. Verbs and commands name sqlite3 only for the type of a connection."""

PAYLOADS = tuple(one for one in MODULES if one.endswith("/payload"))
HOOKS = tuple(one for one in MODULES if one.startswith("hooks/"))
BARE = ("gitdir", "store/ready", "agents/call", *PAYLOADS, *HOOKS)
"""Modules that hooks import: no dataclasses, enums, Path or typing (but where a type checker reads)."""


def part_of(module: str) -> str:
    top = module.partition("/")[0]
    return "verbs" if top in VERBS else top


def imports_of(module: str) -> list[tuple[str, str]]:
    """(kind, name) of everything a module imports: `own` parts, or `library` names."""
    tree = ast.parse((ROOT / f"{module}.py").read_text("utf-8"))
    package = ["brainproj", *module.split("/")[:-1]]
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [("library", alias.name.partition(".")[0]) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0:
                found.append(("library", (node.module or "").partition(".")[0]))
                continue
            base = package[: len(package) - node.level + 1]
            target = [*base, *(node.module.split(".") if node.module else [])]
            names = [target[1]] if len(target) > 1 else [alias.name for alias in node.names]
            found += [("own", name if name != "__version__" else "__init__") for name in names]
    return found


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_one_way(module: str) -> None:
    allowed = ALLOWED[part_of(module)]
    for kind, name in imports_of(module):
        if kind == "own":
            assert name in allowed, f"{module} imports {name}"
        elif name in LIBRARIES:
            places = LIBRARIES[name]
            assert part_of(module) in places or module in places, f"{module} imports {name}"
        else:
            assert name in sys.stdlib_module_names or name == "brainproj", f"{module} imports {name}"


@pytest.mark.parametrize("module", [one for one in MODULES if one.startswith("core/")])
def test_core_does_no_input_or_output(module: str) -> None:
    tree = ast.parse((ROOT / f"{module}.py").read_text("utf-8"))
    forbidden = {"os", "sys", "pathlib", "subprocess", "socket", "time", "sqlite3", "io", "tempfile"}
    assert not forbidden & {name for kind, name in imports_of(module) if kind == "library"}
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & {"open", "print", "input", "exec", "eval"}
    assert "datetime.now" not in (ROOT / f"{module}.py").read_text("utf-8")


@pytest.mark.parametrize("module", BARE)
def test_the_modules_of_hooks_are_bare(module: str) -> None:
    tree = ast.parse((ROOT / f"{module}.py").read_text("utf-8"))
    unchecked = [
        node for node in tree.body if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    ]
    libraries = {alias.name for node in unchecked if isinstance(node, ast.Import) for alias in node.names}
    libraries |= {node.module or "" for node in unchecked if isinstance(node, ast.ImportFrom) and node.level == 0}
    assert libraries <= {"os", "stat", "sys", "time", "json", "sqlite3", "_signal"}


def test_exiting_and_printing_have_one_place() -> None:
    for module in MODULES:
        tree = ast.parse((ROOT / f"{module}.py").read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                text = ast.unparse(node.func)
                assert text != "sys.exit" or module == "__main__", f"{module} exits"
                assert text != "print", f"{module} prints"


def test_packages_say_nothing_of_their_own() -> None:
    for path in ROOT.rglob("__init__.py"):
        lines = [line for line in path.read_text().splitlines() if line and not line.startswith(('"', "__version__"))]
        assert lines == [], path


@pytest.mark.parametrize("module", MODULES)
def test_a_file_is_one_idea(module: str) -> None:
    assert len((ROOT / f"{module}.py").read_text("utf-8").splitlines()) <= 400


def test_every_module_and_public_name_says_what_it_is() -> None:
    for module in MODULES:
        tree = ast.parse((ROOT / f"{module}.py").read_text("utf-8"))
        if not module.endswith("__init__"):
            assert ast.get_docstring(tree), module
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                assert ast.get_docstring(node), f"{module}.{node.name}"


def users_of(name: str) -> set[str]:
    """The modules that name a function, but for the one that defines it."""
    found = set()
    for module in MODULES:
        tree = ast.parse((ROOT / f"{module}.py").read_text("utf-8"))
        named = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        named |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
        if name in named:
            found.add(module)
    return found


def test_only_a_persons_commands_make_anything_official() -> None:
    """No server, hook or other verb can: an Act is given by `require_person` alone, and a status is set with one."""
    assert users_of("require_person") == {"commands/decide", "commands/handoff", "commands/review", "commands/share"}
    assert users_of("keep_act") == {"decide", "share"}
    assert {"decide"} <= users_of("set_status") <= {"decide", "tasks", "transfer"}  # tasks have a status of their own
    makers = {
        module for module in MODULES if "Act(" in (ROOT / f"{module}.py").read_text("utf-8").replace("StoredAct(", "")
    }
    assert makers == {"persons", "store/projects"}  # the latter's is of config.toml
