"""The identity table: one row a situation. Each row builds it with real git and says what `resolve` must answer."""

import json
import os
import shutil
import socket
from datetime import UTC, datetime
from pathlib import Path

import pytest

from brainproj.agents.call import text_of
from brainproj.config import read_config
from brainproj.core.project import Resolution, Rule
from brainproj.errors import Ambiguous, NotFound
from brainproj.hooks.place import find_project
from brainproj.identity import Resolver
from brainproj.paths import find_paths
from brainproj.places import Places
from brainproj.store import publish
from brainproj.store.database import open_store

from .conftest import CASES
from .repositories import add_worktree, git, make_repository, run_setup, subfolder

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SHOP = "https://git.example.com/acme/shop.git"


class World:
    """A home, a store and a place for repositories; `resolve` asks with a fresh resolver, as each command does."""

    def __init__(self, home: Path, place: Path) -> None:
        self.home = home
        self.place = place
        self.paths = find_paths({}, home)

    def resolve(self, folder: Path | str, explicit: str | None = None, **environment: str) -> Resolution:
        """The answer, after the hook was asked the same and gave the same."""
        db = open_store(self.paths.brain_db)
        config = read_config(self.paths.config_path)
        resolution = None
        try:
            resolver = Resolver(self.paths, config, db, NOW, places=Places(self.paths, config))
            resolution = resolver.resolve(str(folder), environment, explicit)
            assert resolver.notes == []
            return resolution
        finally:
            db.close()
            if explicit is None:
                identity = resolution.identity if resolution else None
                assert self.ask_hook(folder, **environment) == (identity.key if identity else "")

    def ask_hook(self, folder: Path | str, **environment: str) -> str | None:
        """What a hook in this folder takes for its project: the key, '' for none, None for "to be found out"."""
        ready = publish.open_ready(self.paths.ready_db)
        assert ready is not None
        try:
            cwd = text_of(str(folder), 8192)
            return find_project(ready, str(self.paths.home), str(self.home), cwd, environment)
        finally:
            ready.close()

    def key(self, folder: Path | str, **environment: str) -> str | None:
        identity = self.resolve(folder, **environment).identity
        return identity.key if identity else None

    def configure(self, text: str) -> None:
        self.paths.home.mkdir(exist_ok=True)
        self.paths.config_path.write_text(text)


@pytest.fixture
def world(home: Path, tmp_path: Path) -> World:
    place = tmp_path / "places"
    place.mkdir()
    return World(home, place)


def expect(
    resolution: Resolution, *, key: str | None, name: str | None = None, rule: Rule, worktree: str | None = None
) -> None:
    """Hold a resolution against what it must be; every answer gives a reason in a sentence."""
    assert resolution.rule == rule
    assert resolution.why
    if key is None:
        assert resolution.identity is None
        return
    assert resolution.identity is not None
    assert resolution.identity.key == key
    assert resolution.identity.worktree == worktree
    if name:
        assert resolution.identity.name == name


# checkouts and worktrees ---------------------------------------------------------------------------------------------


def test_checkout_and_subfolder(world: World) -> None:
    shop = make_repository(world.place / "shop", SHOP)
    expect(world.resolve(shop), key="git.example.com/acme/shop", name="shop", rule=Rule.GIT)
    below = world.resolve(subfolder(shop, "services", "api"))
    expect(below, key="git.example.com/acme/shop", rule=Rule.GIT)
    assert below.identity and below.identity.root == str(shop)
    assert below.identity.branch == "main"


def test_case_01_subfolders_of_a_linked_worktree(world: World) -> None:
    place = run_setup(CASES / "01-worktree-subfolder", world.place / "c")
    folders = ("code/shop", "code/shop/services/api", "wt/feature-x", "wt/feature-x/services/api")
    found = [world.resolve(place / folder).identity for folder in folders]
    assert {identity.name for identity in found if identity} == {"shop"}
    assert len({identity.key for identity in found if identity}) == 1
    assert [identity.worktree for identity in found if identity] == [None, None, "feature-x", "feature-x"]
    assert [identity.branch for identity in found if identity] == ["main", "main", "feature-x", "feature-x"]
    assert {identity.root for identity in found if identity} == {str(place / "code/shop")}


def test_case_03_bare_repositories_and_their_worktrees(world: World) -> None:
    place = run_setup(CASES / "03-bare-hub", world.place / "c")
    found = [
        world.resolve(place / f).identity
        for f in ("widget", "widget/main", "gadget/main", "elsewhere/fix", "store/tool.git")
    ]
    assert [identity.name for identity in found if identity] == ["widget", "widget", "gadget", "tool", "tool"]
    keys = [identity.key for identity in found if identity]
    assert keys[0] == keys[1] != keys[2]
    assert keys[3] == keys[4]


def test_worktree_inside_the_checkout_as_claude_makes_it(world: World) -> None:
    shop = make_repository(world.place / "shop", SHOP)
    inside = add_worktree(shop, shop / ".claude" / "worktrees" / "fix-1", "worktree-fix-1")
    expect(world.resolve(inside), key="git.example.com/acme/shop", rule=Rule.GIT, worktree="fix-1")


def test_worktree_deleted_since(world: World) -> None:
    shop = make_repository(world.place / "shop", SHOP)
    away = add_worktree(shop, world.place / "wt" / "x", "x")
    subfolder(away, "deep", "er")
    assert world.key(away / "deep") == "git.example.com/acme/shop"
    git(shop, "worktree", "remove", "--force", str(away))
    expect(world.resolve(away), key="git.example.com/acme/shop", rule=Rule.KNOWN, worktree="x")
    expect(world.resolve(away / "deep" / "er"), key="git.example.com/acme/shop", rule=Rule.KNOWN, worktree="x")
    expect(world.resolve(world.place / "wt"), key=None, rule=Rule.NONE)
    expect(world.resolve(world.place / "wt" / "y"), key=None, rule=Rule.NONE)


def test_worktree_inside_the_checkout_deleted_since(world: World) -> None:
    shop = make_repository(world.place / "shop", SHOP)
    inside = add_worktree(shop, shop / ".claude" / "worktrees" / "x", "x")
    assert world.key(shop)
    git(shop, "worktree", "remove", "--force", str(inside))
    expect(world.resolve(inside), key="git.example.com/acme/shop", rule=Rule.KNOWN)


def test_worktree_whose_repository_is_gone(world: World) -> None:
    """A `.git` file that leads nowhere is not a reason to take the repository above it."""
    outer = make_repository(world.place / "outer", "https://git.example.com/acme/outer")
    shop = make_repository(world.place / "shop")
    inside = add_worktree(shop, outer / "vendored", "v")
    shutil.rmtree(shop)
    expect(world.resolve(inside), key=None, rule=Rule.NONE)


def test_submodule_is_a_project_of_its_own(world: World) -> None:
    library = make_repository(world.place / "library")
    shop = make_repository(world.place / "shop", SHOP)
    git(shop, "submodule", "--quiet", "add", str(library), "vendor/lib")
    module = world.resolve(shop / "vendor" / "lib")
    assert module.identity and module.identity.key == world.key(library) != world.key(shop)
    git(shop / "vendor" / "lib", "remote", "remove", "origin")
    World(world.home / "fresh", world.place).home.mkdir()
    alone = World(world.home / "fresh", world.place).resolve(shop / "vendor" / "lib").identity
    assert alone and alone.name == "lib" and alone.key.startswith("local/lib-")
    assert alone.root == str(shop / "vendor" / "lib")


def test_separate_git_dir(world: World) -> None:
    folder = world.place / "work"
    folder.mkdir()
    subfolder(world.place, "stores")
    git(folder, "init", "-q", "--separate-git-dir", str(world.place / "stores" / "engine.git"))
    found = world.resolve(folder).identity
    assert found and found.name == "engine" and found.root == str(folder)


def test_case_02_four_repositories_of_one_name(world: World) -> None:
    place = run_setup(CASES / "02-same-folder-name", world.place / "c")
    keys = {world.key(place / owner / "app") for owner in ("acme", "globex", "alone1", "alone2")}
    assert len(keys) == 4


# remotes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        line.split("\t")
        for line in (CASES / "05-remote-spellings" / "remotes.tsv").read_text().splitlines()
        if not line.startswith("#")
    ],
)
def test_case_05_spellings_of_one_remote(world: World, left: str, right: str, verdict: str) -> None:
    keys = [world.key(make_repository(world.place / side, url)) for side, url in (("a", left), ("b", right))]
    assert (keys[0] == keys[1]) == (verdict == "same")


def test_a_port_is_no_part_of_the_path(world: World) -> None:
    shop = make_repository(world.place / "x", "ssh://git@git.example.com:2222/team/widget.git")
    assert world.key(shop) == "git.example.com/team/widget"


def test_case_06_credentials_in_remotes(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    from brainproj.__main__ import run

    place = run_setup(CASES / "06-credentials-in-remote", world.place / "c")
    plain = make_repository(world.place / "plain", "https://git.example.com/acme/r.git")
    before = (place / "r1" / ".git" / "config").read_bytes()
    for number in range(1, 5):
        assert run(["resolve", str(place / f"r{number}")]) == 0
        assert run(["resolve", str(place / f"r{number}"), "--json"]) == 0
    assert run(["projects"]) == 0
    assert run(["projects", "--json"]) == 0
    said = capfd.readouterr()
    assert "git.example.com/acme/u" in said.out
    assert "S3CRETVALUE" not in said.out + said.err
    for file in world.paths.home.rglob("*"):
        assert not file.is_file() or b"S3CRETVALUE" not in file.read_bytes()
    assert world.key(place / "r1") == world.key(plain)
    assert (place / "r1" / ".git" / "config").read_bytes() == before


def test_origin_then_upstream_then_the_only_one(world: World) -> None:
    a, b = "https://h.example/o/a", "https://h.example/o/b"
    assert world.key(make_repository(world.place / "1", a, upstream=b)) == "h.example/o/a"
    assert world.key(make_repository(world.place / "2", upstream=b, other=a)) == "h.example/o/b"
    assert world.key(make_repository(world.place / "3", other=a)) == "h.example/o/a"
    several = world.key(make_repository(world.place / "4", one=a, two=b))
    assert several and several.startswith("local/4-")


def test_clones_are_one_project_and_a_path_remote_counts_for_its_target(world: World) -> None:
    shop = make_repository(world.place / "shop", SHOP)
    git(world.place, "clone", "-q", str(shop), "clone")
    git(world.place, "clone", "-q", "file://" + str(world.place / "clone"), "clone-of-clone")
    assert world.key(world.place / "clone-of-clone") == world.key(world.place / "clone") == world.key(shop)
    alone = make_repository(world.place / "alone")
    git(world.place, "clone", "-q", str(alone), "alone-clone")
    assert world.key(world.place / "alone-clone") == world.key(alone)
    lost = make_repository(world.place / "lost", str(world.place / "nowhere"))
    key = world.key(lost)
    assert key and key.startswith("local/lost-")


def test_path_remotes_in_a_circle_count_as_none(world: World) -> None:
    a = make_repository(world.place / "a", str(world.place / "b"))
    make_repository(world.place / "b", str(a))
    key = world.key(a)
    assert key and key.startswith("local/")


def test_fork_by_remote_rename_keeps_its_project(world: World) -> None:
    shop = make_repository(world.place / "shop", SHOP)
    assert world.key(shop) == "git.example.com/acme/shop"
    git(shop, "remote", "rename", "origin", "upstream")
    git(shop, "remote", "add", "origin", "https://git.example.com/me/shop.git")
    expect(world.resolve(shop), key="git.example.com/acme/shop", rule=Rule.GIT)


def test_two_clones_with_different_origin_are_two_projects(world: World) -> None:
    mine = make_repository(world.place / "mine", "https://git.example.com/me/shop", upstream=SHOP)
    theirs = make_repository(world.place / "theirs", SHOP)
    assert world.key(mine) != world.key(theirs)


def test_a_remote_that_appears_renames_the_project(world: World) -> None:
    shop = make_repository(world.place / "shop")
    before = world.key(shop)
    assert before and before.startswith("local/shop-")
    git(shop, "remote", "add", "origin", SHOP)
    expect(world.resolve(shop), key="git.example.com/acme/shop", rule=Rule.GIT)
    named = world.resolve("/", explicit=before)
    expect(named, key="git.example.com/acme/shop", rule=Rule.EXPLICIT)


def test_a_remote_that_changes_makes_a_new_project_and_a_proposal(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    from brainproj.__main__ import run

    shop = make_repository(world.place / "shop", SHOP)
    assert world.key(shop) == "git.example.com/acme/shop"
    git(shop, "remote", "set-url", "origin", "https://git.example.com/new/shop")
    assert world.key(shop) == "git.example.com/new/shop"
    assert run(["projects", "--json"]) == 0
    listed = {project["key"]: project for project in json.loads(capsys.readouterr().out)}
    proposal = listed["git.example.com/new/shop"]["proposals"][0]
    assert proposal["with"] == "git.example.com/acme/shop"
    assert run(proposal["command"].split()[1:]) == 0
    assert (
        world.resolve("/", explicit="git.example.com/acme/shop").identity
        == world.resolve("/", explicit="git.example.com/acme/shop").identity
    )
    merged = world.resolve("/", explicit="git.example.com/acme/shop").identity
    assert merged and merged.key == "git.example.com/new/shop"
    git(shop, "remote", "remove", "origin")
    last = world.key(shop)
    assert last and last.startswith("local/shop-")


def test_ssh_aliases_of_config_toml(world: World) -> None:
    world.configure('[hosts]\ngh = "github.com"\n')
    shop = make_repository(world.place / "x", "gh:acme/shop.git")
    assert world.key(shop) == "github.com/acme/shop"


# what must not mislead it ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "variables",
    [
        {"GIT_DIR": "two/.git"},
        {"GIT_DIR": "two/.git", "GIT_WORK_TREE": "two"},
        {"GIT_DIR": "/nonexistent"},
        {"GIT_COMMON_DIR": "two/.git"},
        {"GIT_CEILING_DIRECTORIES": "one", "GIT_INDEX_FILE": "two/.git/index", "GIT_PREFIX": "sub/"},
    ],
)
def test_case_04_git_variables_do_not_count(
    world: World, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = run_setup(CASES / "04-git-variables-in-environment", world.place / "c")
    for name, value in variables.items():
        monkeypatch.setenv(name, value if value.startswith("/") else str(place / value))
    for folder in ("one", "one/sub"):
        found = world.resolve(place / folder, **dict(os.environ)).identity
        assert found and found.name == "one"


def test_symlinks_lead_to_the_same_project(world: World) -> None:
    shop = make_repository(world.place / "shop")
    (world.place / "link").symlink_to(shop)
    assert world.key(world.place / "link") == world.key(shop)
    moved = world.place / "gitdirs" / "shop"
    shutil.move(shop / ".git", moved)
    (shop / ".git").symlink_to(moved)
    assert world.resolve(shop).identity is not None


def test_a_repository_of_another_owner(world: World) -> None:
    shop = make_repository(world.place / "shop", SHOP)
    if os.geteuid() == 0:
        for file in (shop, *shop.rglob("*")):
            os.chown(file, 12345, 12345)
    assert world.key(shop) == "git.example.com/acme/shop"


HOSTILE = """[core]
\tfsmonitor = touch {flag}
\tpager = touch {flag}
[include]
\tpath = {other}
[url "https://evil.example/"]
\tinsteadOf = https://git.example.com/
[credential]
\thelper = "!touch {flag}"
[remote "origin"] ; a comment
\turl = "https://git.example.com/acme/\\
shop.git" # and one more
\tURL = https://second.example/x/y
[Remote "odd \\"name\\" ]"]
\turl = https://git.example.com/odd/one
[branch "x"]
"""


def test_a_hostile_configuration_runs_nothing_and_is_read_as_written(world: World) -> None:
    shop = make_repository(world.place / "shop")
    flag, other = world.place / "flag", world.place / "other"
    other.write_text('[remote "origin"]\n\turl = https://evil.example/x/y\n')
    (shop / ".git" / "config").write_text(HOSTILE.format(flag=flag, other=other))
    assert world.key(shop) == "git.example.com/acme/shop"
    assert not flag.exists()


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\0[remote", b'[remote "origin', b"[" * 100_000, b"url=x\n" * 1000, b"\\\n" * 500]
)
def test_a_broken_configuration_is_no_remote(world: World, content: bytes) -> None:
    shop = make_repository(world.place / "shop")
    (shop / ".git" / "config").write_bytes(content)
    key = world.key(shop)
    assert key and key.startswith("local/shop-")


def test_home_is_no_project_even_as_a_repository(world: World) -> None:
    make_repository(world.home, "https://git.example.com/me/dotfiles")
    expect(world.resolve(world.home), key=None, rule=Rule.NONE)
    expect(world.resolve(subfolder(world.home, "Documents")), key=None, rule=Rule.NONE)
    inside = make_repository(world.home / "src" / "shop", SHOP)
    expect(world.resolve(inside), key="git.example.com/acme/shop", rule=Rule.GIT)


def test_odd_git_entries_are_no_checkout(world: World) -> None:
    for name in ("empty-folder", "text", "fifo", "socket"):
        subfolder(world.place, name)
    (world.place / "empty-folder" / ".git").mkdir()
    (world.place / "text" / ".git").write_text("not a pointer")
    os.mkfifo(world.place / "fifo" / ".git")
    server = socket.socket(socket.AF_UNIX)
    old = Path.cwd()
    os.chdir(world.place / "socket")
    server.bind(".git")
    os.chdir(old)
    for name in ("empty-folder", "text", "fifo", "socket"):
        expect(world.resolve(world.place / name), key=None, rule=Rule.NONE)
    server.close()


def test_an_unreadable_configuration_gives_no_other_project(world: World) -> None:
    """Root reads everything, so the file is one that cannot be opened as a file."""
    shop = make_repository(world.place / "shop", SHOP)
    known = world.key(shop)
    (shop / ".git" / "config").unlink()
    (shop / ".git" / "config").mkdir()
    expect(world.resolve(shop), key=known, rule=Rule.KNOWN)
    other = make_repository(world.place / "other", SHOP)
    (other / ".git" / "config").unlink()
    (other / ".git" / "config").mkdir()
    expect(world.resolve(other), key=None, rule=Rule.NONE)


# declared folders ----------------------------------------------------------------------------------------------------------


def test_declared_folders_deepest_wins(world: World) -> None:
    shop = make_repository(world.place / "shop", SHOP)
    package = subfolder(shop, "packages", "pay")
    notes = subfolder(world.place, "notes")
    inner = make_repository(notes / "code", "https://git.example.com/acme/code")
    world.configure(f'[projects.pay]\npath = "{package}"\nname = "Payments"\n[projects.notes]\npath = "{notes}"\n')
    expect(world.resolve(subfolder(package, "src")), key="pay", name="Payments", rule=Rule.DECLARED)
    expect(world.resolve(shop), key="git.example.com/acme/shop", rule=Rule.GIT)
    expect(world.resolve(subfolder(notes, "a")), key="notes", rule=Rule.DECLARED)
    expect(world.resolve(inner), key="git.example.com/acme/code", rule=Rule.GIT)
    tree = add_worktree(shop, world.place / "wt", "wt")
    expect(world.resolve(subfolder(tree, "packages", "pay")), key="pay", rule=Rule.DECLARED, worktree="wt")
    expect(world.resolve(tree), key="git.example.com/acme/shop", rule=Rule.GIT, worktree="wt")


def test_declaring_the_checkout_itself(world: World) -> None:
    shop = make_repository(world.place / "shop", SHOP)
    world.configure(f'[projects.mine]\npath = "{shop}"\n')
    expect(world.resolve(shop), key="mine", rule=Rule.DECLARED)


# scratch -------------------------------------------------------------------------------------------------------------------


def test_scratch_in_all_its_forms(world: World) -> None:
    task = subfolder(world.home, "scratchpad", "shop", "dns-probe")
    expect(world.resolve(task), key="scratch/shop", name="shop", rule=Rule.SCRATCH)
    world.resolve(make_repository(world.place / "shop", SHOP))
    expect(world.resolve(task), key="git.example.com/acme/shop", rule=Rule.SCRATCH)
    expect(world.resolve("/", explicit="scratch/shop"), key="git.example.com/acme/shop", rule=Rule.EXPLICIT)
    expect(world.resolve(subfolder(task, "deeper")), key="git.example.com/acme/shop", rule=Rule.SCRATCH)
    expect(world.resolve(task.parent), key=None, rule=Rule.NONE)
    expect(world.resolve(task.parent.parent), key=None, rule=Rule.NONE)
    local = make_repository(world.home / "scratchpad" / "shop" / "trial")
    expect(world.resolve(local), key="git.example.com/acme/shop", rule=Rule.SCRATCH)
    cloned = make_repository(world.home / "scratchpad" / "shop" / "clone", "https://git.example.com/other/thing")
    expect(world.resolve(cloned), key="git.example.com/other/thing", rule=Rule.GIT)
    world.resolve(make_repository(world.place / "b" / "shop", "https://git.example.com/globex/shop"))
    two = world.resolve(task)
    expect(two, key=None, rule=Rule.SCRATCH)
    assert set(two.candidates) == {"git.example.com/acme/shop", "git.example.com/globex/shop"}
    assert all(key in two.why for key in two.candidates)


def test_scratch_root_is_configurable_and_takes_aliases(world: World) -> None:
    world.resolve(make_repository(world.place / "shop", SHOP))
    pad = subfolder(world.place, "pad", "store", "t1")
    world.configure(
        f'[scratch]\nroot = "{world.place}/pad"\n[projects."git.example.com/acme/shop"]\naliases = ["store"]\n'
    )
    expect(world.resolve(pad), key="git.example.com/acme/shop", rule=Rule.SCRATCH)


# swarm ---------------------------------------------------------------------------------------------------------------------


def test_swarm_from_config_then_from_snapshot(world: World) -> None:
    shop = make_repository(world.place / "shop", SHOP)
    other = make_repository(world.place / "other", "https://git.example.com/acme/other")
    tree = add_worktree(shop, world.place / "wt", "wt")
    world.configure(f'[swarms]\nalpha = "{shop}"\n')
    snapshot = subfolder(world.home, ".agentihooks", "swarm", "beta") / "snapshot.json"
    snapshot.write_text(json.dumps({"config": {"slug": "beta", "repo": str(other)}}))
    for slug, key in (("alpha", "git.example.com/acme/shop"), ("beta", "git.example.com/acme/other")):
        expect(world.resolve(world.place, AGENTIHOOKS_SWARM=slug), key=key, rule=Rule.SWARM)
    expect(
        world.resolve(tree, AGENTIHOOKS_SWARM="alpha"), key="git.example.com/acme/shop", rule=Rule.SWARM, worktree="wt"
    )
    expect(world.resolve(tree, AGENTIHOOKS_SWARM="beta"), key="git.example.com/acme/other", rule=Rule.SWARM)
    for slug in ("gamma", "../beta", "", "a" * 5000):
        expect(world.resolve(shop, AGENTIHOOKS_SWARM=slug), key="git.example.com/acme/shop", rule=Rule.GIT)
    snapshot.write_text("[" * 100_000)
    expect(world.resolve(shop, AGENTIHOOKS_SWARM="beta"), key="git.example.com/acme/shop", rule=Rule.GIT)


# explicit ------------------------------------------------------------------------------------------------------------------


def test_explicit_names(world: World) -> None:
    shop = make_repository(world.place / "shop", SHOP)
    world.resolve(shop)
    world.configure('[projects."git.example.com/acme/shop"]\naliases = ["store"]\n')
    for spelling in ("git.example.com/acme/shop", "shop", "Shop", "store"):
        expect(world.resolve("/", explicit=spelling), key="git.example.com/acme/shop", rule=Rule.EXPLICIT)
        expect(world.resolve("/", BRAINPROJ_PROJECT=spelling), key="git.example.com/acme/shop", rule=Rule.EXPLICIT)
    with pytest.raises(NotFound, match="no project is called nothing"):
        world.resolve("/", explicit="nothing")
    world.resolve(make_repository(world.place / "b" / "shop", "https://git.example.com/globex/shop"))
    with pytest.raises(Ambiguous) as ambiguous:
        world.resolve("/", explicit="shop")
    assert ambiguous.value.detail and "globex/shop" in ambiguous.value.detail


# folders that are not there, or odd ------------------------------------------------------------------------------------------


def test_vanished_folders_are_never_guessed(world: World) -> None:
    shop = make_repository(world.place / "shop", SHOP)
    src = subfolder(shop, "src")
    expect(world.resolve(shop / "gone"), key=None, rule=Rule.NONE)
    world.resolve(src)
    expect(world.resolve(shop / "gone"), key="git.example.com/acme/shop", rule=Rule.KNOWN)
    shutil.rmtree(shop)
    expect(world.resolve(src), key="git.example.com/acme/shop", rule=Rule.KNOWN)
    expect(world.resolve(world.place / "shop2"), key=None, rule=Rule.NONE)
    (world.place / "a-file").write_text("")
    for odd in ("", "/nonexistent/shop", "\0", "relative/shop", str(world.place / "a-file")):
        expect(world.resolve(odd), key=None, rule=Rule.NONE)


@pytest.mark.parametrize(
    "name", ["a b", "日本語", "my.site_v2 x", "-rf", "new\nline", "ünïcödé", "x" * 200, "%41", "'q\"uote"]
)
def test_odd_folder_names(world: World, name: str) -> None:
    repository = make_repository(world.place / name)
    found = world.resolve(subfolder(repository, "deep")).identity
    assert found and found.name == name
    assert found.key.startswith("local/")


def test_a_moved_repository_without_a_remote_stays_itself(world: World) -> None:
    before = make_repository(world.place / "old" / "tool")
    key = world.key(before)
    shutil.move(world.place / "old", world.place / "new")
    expect(world.resolve(world.place / "new" / "tool"), key=key, rule=Rule.GIT)
    copied = shutil.copytree(world.place / "new" / "tool", world.place / "copy")
    assert world.key(copied) != key
    assert world.key(world.place / "new" / "tool") == key


def test_a_new_repository_in_the_place_or_inode_of_a_deleted_one(world: World) -> None:
    """File systems give an inode to the next folder made: the inode alone must not bring another's memory."""
    keys = set()
    for number in range(8):
        repository = make_repository(world.place / f"n{number}")
        keys.add(world.key(repository))
        shutil.rmtree(repository)
    assert len(keys) == 8


def test_a_read_only_store_still_answers(world: World) -> None:
    shop = make_repository(world.place / "shop", SHOP)
    db = open_store(world.paths.brain_db, write=False)
    resolver = Resolver(world.paths, read_config(world.paths.config_path), db, NOW)
    assert resolver.resolve(str(shop)).identity
    assert not world.paths.home.exists()


# what lies in a place now, and what lay there before -----------------------------------------------------------------


def test_a_new_repository_where_one_moved_away(world: World) -> None:
    old = make_repository(world.place / "app")
    key = world.key(old)
    old.rename(world.place / "moved")
    new = make_repository(world.place / "app")
    if os.stat(new / ".git" / "description").st_mtime_ns == os.stat(world.place / "moved/.git/description").st_mtime_ns:
        os.utime(new / ".git" / "description")
    for _ in range(2):  # and so it stays
        assert world.key(new) not in (None, key)
        assert world.key(world.place / "moved") == key


def test_the_new_one_seen_first_or_last(world: World) -> None:
    old = make_repository(world.place / "app")
    key = world.key(old)
    old.rename(world.place / "moved")
    assert world.key(world.place / "moved") == key
    assert world.key(make_repository(world.place / "app")) not in (None, key)


@pytest.mark.parametrize("remote_first", [False, True])
def test_made_anew_in_the_same_folder(world: World, remote_first: bool) -> None:
    """`rm -rf .git; git init`: another repository, also where the first had a remote meanwhile."""
    app = make_repository(world.place / "app")
    keys = [world.key(app)]
    if remote_first:
        git(app, "remote", "add", "origin", SHOP)
        keys.append(world.key(app))
        assert keys[1] == "git.example.com/acme/shop"
    shutil.rmtree(app / ".git")
    make_repository(app)
    assert world.key(app) not in (None, *keys)
    assert world.key(app) == world.key(app)


def test_a_description_that_was_written_and_a_copy_put_back_change_nothing(world: World) -> None:
    app = make_repository(world.place / "app")
    key = world.key(app)
    (app / ".git" / "description").write_text("the app\n")
    assert world.key(app) == key
    shutil.copytree(app, world.place / "copy", symlinks=True)
    shutil.rmtree(app)
    (world.place / "copy").rename(app)
    assert world.key(app) == key


def test_a_hidden_bare_repository_claims_nothing_beside_it(world: World) -> None:
    """`git init --bare ~/.dotfiles` is a project; folders beside it, gone or not, are none of it."""
    bare = world.home / ".dotfiles"
    git(world.home, "init", "-q", "--bare", str(bare))
    found = world.resolve(bare)
    assert found.identity and found.identity.name == "dotfiles" and found.identity.root == str(bare)
    expect(world.resolve(world.home / "code" / "never"), key=None, rule=Rule.NONE)
    expect(world.resolve(world.home), key=None, rule=Rule.NONE)


def test_a_configuration_cannot_claim_another_folder(world: World) -> None:
    victim = make_repository(world.place / "victim", SHOP)
    assert world.key(victim) == "git.example.com/acme/shop"
    thief = make_repository(world.place / "thief", "https://git.example.com/evil/thief.git")
    git(thief, "config", "core.worktree", str(victim))
    world.resolve(thief / ".git")
    world.resolve(thief)
    shutil.rmtree(victim)
    assert world.key(victim) == "git.example.com/acme/shop"


@pytest.mark.parametrize("cwd", [".", "src/app", r"C:\code\beta", "~/dev", "~"])
def test_only_a_whole_path_is_a_folder(world: World, cwd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(make_repository(world.place / "here", SHOP))
    world.resolve(world.place / "here")
    expect(world.resolve(cwd), key=None, rule=Rule.NONE)


@pytest.mark.parametrize(
    "content", [b"", b"garbage", "\ufeffgitdir: x".encode(), "gitdir: x".encode("utf-16"), b"gitdir: a\0b", None]
)
def test_a_git_file_that_leads_nowhere_hides_the_repository_above(world: World, content: bytes | None) -> None:
    shop = make_repository(world.place / "shop", SHOP)
    inner = subfolder(shop, "inner")
    if content is None:
        os.mkfifo(inner / ".git")
    else:
        (inner / ".git").write_bytes(content)
    assert world.key(inner) is None
    assert world.key(shop) == "git.example.com/acme/shop"


@pytest.mark.parametrize("name", ["config", "HEAD", "commondir", "description"])
def test_a_pipe_in_a_repository_makes_nobody_wait(world: World, name: str) -> None:
    shop = make_repository(world.place / "shop", SHOP)
    (shop / ".git" / name).unlink(missing_ok=True)
    os.mkfifo(shop / ".git" / name)
    assert world.key(shop) in (None, "git.example.com/acme/shop")


@pytest.mark.parametrize("url", ["/a\0b", "file:///a\0b"])
def test_no_byte_of_a_configuration_is_an_error(world: World, url: str) -> None:
    shop = make_repository(world.place / "shop")
    key = world.key(shop)
    with (shop / ".git" / "config").open("ab") as config:
        config.write(f'[remote "origin"]\n\turl = {url}\n'.encode())
    assert world.key(shop) == key


def test_addresses_that_are_no_text_stay_apart(world: World) -> None:
    keys = set()
    for odd in (b"\xff", b"\xfe"):
        shop = make_repository(world.place / f"shop-{odd.hex()}")
        with (shop / ".git" / "config").open("ab") as config:
            config.write(b'[remote "origin"]\n\turl = https://git.example.com/acme/' + odd + b".git\n")
        keys.add(world.key(shop))
    assert keys == {"git.example.com/acme/%ff", "git.example.com/acme/%fe"}
