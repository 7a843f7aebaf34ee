"""The kinds of documents there are, in the order in which they are asked whether something is theirs."""

from . import files, links, notes
from .source import DocumentSource

SOURCES: tuple[DocumentSource, ...] = (links, files, notes)
