"""A kernel's `/feed` and `/signal`: what it says to the whole fleet, or of one project where it knows projects."""

from datetime import datetime

from ..core.entries import Entry
from ..core.feedanswer import FeedAnswer, parse_feed, parse_signal
from .client import BrainClient


def read_feed(client: BrainClient, now: datetime, project: tuple[str, str] | None = None) -> FeedAnswer:
    """The feed; project: the (name, key) that it is asked of. A kernel that knows no projects answers with all of it.

    Raises BrainUnavailable.
    """
    query = {"project": project[0], "key": project[1]} if project else {}
    return parse_feed(client.ask(lambda: client.get("/feed", **query)), client.brain.source, now)


def read_signal(client: BrainClient, now: datetime) -> Entry | None:
    """The alert that is in force; None for none, and where the brain has no such thing. Raises BrainUnavailable."""
    answer = client.ask(lambda: client.find("/signal"))
    return parse_signal(answer, client.brain.source, now) if answer is not None else None
