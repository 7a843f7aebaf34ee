"""What a kind of document is read by: one file of this folder, behind one Protocol, and a line in `registry`."""

from dataclasses import dataclass
from typing import Protocol

TEXT_BYTES = 1 << 20
"""Of a document that is kept; a longer one says little by search, and belongs into the repository."""


@dataclass(frozen=True, slots=True)
class Material:
    """What was read. address: what it is found again by. fetched: whether `text` is what stands there."""

    kind: str
    address: str
    title: str
    text: str
    fetched: bool


class DocumentSource(Protocol):
    """Reads one kind of document."""

    kind: str

    def takes(self, given: str, folder: str) -> bool:
        """Whether what a person gave, in this folder, is of this kind."""

    def read(self, given: str, folder: str, root: str | None) -> Material:
        """The document as it is now. root: the project's checkout. Raises NotFound, Refused."""
