"""What git is told for all of a person's repositories, its includes followed; read by GitPython, no command is run.

Only verbs that work beside the agents and commands import this: GitPython takes 80 ms. A repository's own configuration
is read by `gitdir`, which follows no include: a repository can name any file.
"""

import os
from configparser import Error
from pathlib import Path
from types import SimpleNamespace

from .gitdir import Checkout, branch_of


def read_user(files: tuple[Path, ...], checkout: Checkout | None) -> tuple[str | None, str | None]:
    """(name, address) that a person told git, in this checkout or in none; what cannot be read says nothing."""
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")  # git need not be installed
    from git.config import GitConfigParser

    there = [str(file) for file in files if file.is_file()]
    # all that a condition of an include asks of a repository
    repository = SimpleNamespace(git_dir=checkout.git_dir, active_branch=branch_of(checkout)) if checkout else None
    try:
        with GitConfigParser(there, read_only=True, repo=repository) as settings:  # type: ignore[arg-type]
            name, address = (settings.get("user", what, fallback=None) for what in ("name", "email"))
    except (Error, OSError, ValueError, RecursionError, UnicodeDecodeError):
        return None, None
    return str(name) if name else None, str(address) if address else None
