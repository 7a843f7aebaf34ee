"""Real repositories for tests, made with git itself."""

import os
import subprocess
from pathlib import Path

IDENTITY = {
    "GIT_AUTHOR_NAME": "Dev", "GIT_AUTHOR_EMAIL": "dev@example.com",
    "GIT_COMMITTER_NAME": "Dev", "GIT_COMMITTER_EMAIL": "dev@example.com",
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
}  # fmt: skip


def git(folder: Path, *arguments: str) -> str:
    """Run git in `folder`, free of the caller's git variables."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-c", "protocol.file.allow=always", *arguments]
    done = subprocess.run(command, cwd=folder, env={**clean, **IDENTITY}, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def make_repository(folder: Path, remote: str | None = None, **remotes: str) -> Path:
    """A repository with one commit."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "start")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    for name, url in remotes.items():
        git(folder, "remote", "add", name, url)
    return folder


def add_worktree(repository: Path, folder: Path, branch: str) -> Path:
    """A linked worktree on a new branch."""
    git(repository, "worktree", "add", "-q", "-b", branch, str(folder))
    return folder


def subfolder(folder: Path, *names: str) -> Path:
    """A folder below `folder`, made."""
    below = folder.joinpath(*names)
    below.mkdir(parents=True, exist_ok=True)
    return below


def run_setup(case: Path, folder: Path) -> Path:
    """Run a case's `setup.sh DIR`."""
    subprocess.run(["sh", str(case / "setup.sh"), str(folder)], check=True, capture_output=True)
    return folder
