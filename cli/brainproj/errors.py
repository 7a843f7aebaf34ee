"""Every error that brainproj raises on purpose.

    BrainError                     exit 1
    ├── NotFound                   exit 1
    ├── Ambiguous                  exit 1
    ├── Refused                    exit 1
    ├── FolderGone                 exit 1
    ├── TranscriptUnreadable       exit 1
    ├── BrainUnavailable           exit 1
    ├── UsageProblem               exit 2
    ├── ConfigMalformed            exit 3
    └── StoreUnusable              exit 4
        ├── StoreNewer             exit 4
        ├── StoreLocked            exit 4
        ├── StoreCorrupt           exit 4
        └── DiskFull               exit 4

An error carries what happened (`message`, lower case, no full stop), perhaps why or what it cost (`detail`, sentences)
and what to do next (`hint`, commands in backticks). Its class fixes the exit code; only `__main__` prints and exits.
"""


class BrainError(Exception):
    """Something we foresaw went wrong."""

    exit_code = 1

    def __init__(self, message: str, *, detail: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.hint = hint


class NotFound(BrainError):
    """The thing that was asked for is not in the store."""


class Ambiguous(BrainError):
    """A name or the beginning of an id fits more than one thing."""


class Refused(BrainError):
    """The command would do harm as it was called."""


class FolderGone(BrainError):
    """A folder that the command needs does not exist any more."""


class TranscriptUnreadable(BrainError):
    """A transcript cannot be opened or read."""


class BrainUnavailable(BrainError):
    """A brain is not there, or what it answers is none of its answers."""


class UsageProblem(BrainError):
    """The command line is well formed for Typer but makes no sense."""

    exit_code = 2


class ConfigMalformed(BrainError):
    """config.toml is not TOML."""

    exit_code = 3


class StoreUnusable(BrainError):
    """The store cannot be opened, read or written."""

    exit_code = 4


class StoreNewer(StoreUnusable):
    """The store was written by a newer brainproj."""


class StoreLocked(StoreUnusable):
    """Another process held the store for longer than we wait."""


class StoreCorrupt(StoreUnusable):
    """The store's file is damaged or is no store."""


class DiskFull(StoreUnusable):
    """There is too little room to write."""
