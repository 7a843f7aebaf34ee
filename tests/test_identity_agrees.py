"""Whatever happens to repositories, a hook says what `resolve` says, or that it does not know: a random walk, seeded."""

import contextlib
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from brainproj.errors import BrainError

from .repositories import add_worktree, git, make_repository
from .test_identity import World, world

__all__ = ["world"]
NAMES = ("alpha", "beta", "gamma", "delta")
STEPS = 60
ENVIRONMENTS: list[dict[str, str]] = [
    *[{}] * 6, {"BRAINPROJ_PROJECT": "alpha"}, {"BRAINPROJ_PROJECT": "nobody"}, {"AGENTIHOOKS_SWARM": "s1"},
]  # fmt: skip


def remote(owner: str, name: str) -> str:
    return f"https://git.example.com/{owner}/{name}.git"


def changes(world: World, pick: random.Random) -> list[Callable[[str, str], object]]:
    """What can happen to the repository called by the first name; the second names another."""
    place, home = world.place, world.home

    def configure(name: str, other: str) -> None:
        tables = [
            f'[projects.{name}pkg]\npath = "{place / name / "pkg"}"\n',
            f'[projects."git.example.com/acme/{other}"]\naliases = ["{pick.choice(NAMES)}x"]\n',
            f'[swarms]\ns1 = "{place / other}"\n',
        ]
        world.configure("\n".join(table for table in tables if pick.random() < 0.4))

    def snapshot(name: str, other: str) -> None:
        folder = home / ".agentihooks" / "swarm" / "s1"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "snapshot.json").write_text(json.dumps({"repo": str(place / other)}))

    return [
        lambda name, other: make_repository(place / name),
        lambda name, other: make_repository(place / name, remote("acme", other)),
        lambda name, other: git(
            place / name, "remote", "set-url", "origin", remote(pick.choice(("acme", "fork")), other)
        ),
        lambda name, other: git(place / name, "remote", "remove", "origin"),
        lambda name, other: git(
            place / name, "remote", "add", pick.choice(("origin", "upstream")), remote("acme", other)
        ),
        lambda name, other: shutil.rmtree(place / name),
        lambda name, other: shutil.rmtree(place / name / ".git"),
        lambda name, other: make_repository(
            place / name / "inner", remote("in", other) if pick.random() < 0.5 else None
        ),
        lambda name, other: shutil.rmtree(place / name / "inner"),
        lambda name, other: add_worktree(place / name, place / f"wt-{name}", f"w{pick.randrange(10**6)}"),
        lambda name, other: shutil.rmtree(place / f"wt-{name}"),
        lambda name, other: (place / name).rename(place / f"mv-{name}"),
        lambda name, other: (place / f"mv-{name}").rename(place / name),
        lambda name, other: git(place, "clone", "-q", str(place / name), f"cl-{name}"),
        lambda name, other: (home / "scratchpad" / name / "t" / "u").mkdir(parents=True),
        lambda name, other: make_repository(
            home / "scratchpad" / name / "t", remote("acme", other) if pick.random() < 0.5 else None
        ),
        lambda name, other: shutil.rmtree(home / "scratchpad" / name),
        lambda name, other: (place / name / "pkg" / "x").mkdir(parents=True),
        configure,
        snapshot,
    ]


def folders(world: World) -> list[Path]:
    found = [world.place, world.home]
    for name in NAMES:
        base = world.place / name
        found += [base, base / "sub", base / "inner", base / "inner" / "deep", base / "pkg", base / "pkg" / "x"]
        found += [world.place / f"{kind}-{name}" / part for kind in ("wt", "mv", "cl") for part in ("", "inner", "pkg")]
        found += [world.home / "scratchpad" / name / part for part in ("t", "t/u")]
    return found


@pytest.mark.parametrize("seed", range(6))
def test_a_hook_never_says_anything_else(world: World, seed: int) -> None:
    pick = random.Random(seed)
    done, asked, known = [], 0, 0
    possible = changes(world, pick)
    world.resolve(world.place)
    for _ in range(STEPS):
        number, name, other = pick.randrange(len(possible)), pick.choice(NAMES), pick.choice(NAMES)
        with contextlib.suppress(Exception):  # what cannot be done is not done
            possible[number](name, other)
            done.append((number, name, other))
        for folder in pick.sample(folders(world), 5):
            environment = pick.choice(ENVIRONMENTS)
            said = world.ask_hook(folder, **environment)
            answer = ""
            with contextlib.suppress(BrainError):
                answer = world.key(folder, **environment) or ""
            asked += 1
            known += said is not None
            assert said in (None, answer), (folder, environment, done[-8:])
    assert known > asked / 3
