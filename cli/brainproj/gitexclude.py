"""Files of ours in somebody's checkout: git is told to leave them alone, and none is written that git tracks.

No git process is started: the index names every tracked file, and `info/exclude` is a list of lines.
"""

from pathlib import Path

INDEX_LIMIT = 256 << 20
"""Bytes of an index that are looked through; one of a million files has half of it."""


def exclude_path(common_dir: str) -> Path:
    """The list of what git leaves alone in every checkout of a repository, which no commit holds."""
    return Path(common_dir) / "info" / "exclude"


def is_tracked(git_dir: str, place: str) -> bool:
    """Whether the index of a checkout may hold a file: paths stand there in full, and names at least in version 4."""
    indexes = [Path(git_dir) / "index", *Path(git_dir).glob("sharedindex.*")]  # a split index names the rest there
    return any(_names(index, place) for index in indexes)


def _names(path: Path, place: str) -> bool:
    try:
        with path.open("rb") as file:
            index = file.read(INDEX_LIMIT)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return place.encode() in index or (index[4:8] == b"\0\0\0\4" and place.rpartition("/")[2].encode() in index)
