"""Scratch folders: `<scratch root>/<repo>/<task>`, where agents try things out (formats/agentihooks.md 5.3)."""

import os

from .config import Config
from .paths import Paths


def find_scratch_root(config: Config, paths: Paths) -> str:
    """The real path of the scratch root."""
    root = config.scratch_root
    below_home = str(paths.user_home) + root[1:] if root == "~" or root.startswith("~/") else root
    return os.path.realpath(os.path.expanduser(below_home))


def scratch_name(real: str, root: str) -> str | None:
    """`<repo>` where `real` is a task's folder or deeper; None elsewhere."""
    if real == root or not is_inside(real, root):
        return None
    parts = real[len(root) :].strip("/").split("/")
    return parts[0] if len(parts) >= 2 else None


def is_inside(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies below it; both are real paths."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
