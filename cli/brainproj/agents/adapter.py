"""What an agent's adapter offers. A new agent is a folder with an `adapter.py`, and a line in `agents/registry.py`.

Positions count bytes of the plain (unpacked) transcript. A reader is handed the lines of one transcript in order, from
the start or from where its `state()` was taken, and must give the same events whichever way it was split.

An `adapter.py` knows where transcripts are and imports the reader only when one is opened: a look that finds nothing
new must not pay for reading.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from ..core.events import Event, Gap, SessionFacts


class Found(NamedTuple):
    """A transcript on disk. `is_child`: it holds a sub-agent's part of another transcript's session."""

    path: str
    size_bytes: int
    mtime_ns: int
    inode: int
    is_child: bool


def find_one(folders: Iterable[str], path: str, *, is_child: bool) -> tuple[Path, Found] | None:
    """(home, transcript) at `path`, if one of these folders of an agent's home is on its way: what we are told is data.

    Which home it is tells the path alone: sessions may run with homes of their own.
    """
    for folder in folders:
        home, found, _ = path.rpartition(f"/{folder}/")
        if found and home.startswith("/") and "\0" not in path:
            try:
                seen = Path(path).stat()
            except (OSError, ValueError):
                return None
            return Path(home), Found(path, seen.st_size, seen.st_mtime_ns, seen.st_ino, is_child)
    return None


class Reader(Protocol):
    """Reads the lines of one transcript, in order."""

    facts: "SessionFacts"

    def read(self, record: Mapping[str, Any]) -> "list[Event] | Gap":
        """The events of one line (a JSON object of the wire); a Gap for a line of no known type. Never raises for
        what a line may hold: a member of another type than expected counts as absent."""

    def state(self) -> dict[str, Any]:
        """What a later reader of the same transcript needs to go on from here; plain JSON, small."""


class Adapter(Protocol):
    """All we know of one agent's transcripts."""

    @property
    def name(self) -> str:
        """The agent's name."""

    @property
    def version(self) -> int:
        """Raised when the adapter reads the same lines to other events; transcripts are then read again."""

    def find_transcripts(self, agent_home: Path) -> Iterator[Found]:
        """Every transcript below the agent's home. Unreadable folders are passed by."""

    def watched_folders(self, agent_home: Path) -> tuple[Path, ...]:
        """The folders below which transcripts are written; some may not be there yet."""

    def find_transcript(self, path: str) -> tuple[Path, Found] | None:
        """(agent's home, transcript at `path`); None for what is gone, or lies where this agent keeps none."""

    def read_titles(self, agent_home: Path) -> dict[str, str]:
        """Titles that the agent keeps beside its transcripts, by session id; they may change without the transcript."""

    def open_reader(self, path: str, agent_home: Path, state: Mapping[str, Any] | None) -> Reader:
        """A reader for one transcript; `state` is None at its start."""
