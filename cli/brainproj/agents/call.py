"""A hook's payload, whichever agent sent it: the few members that we use, checked. Hooks import this module.

Ids and paths are data from outside, of any length and with any characters; none of them is ever part of a file's name.
"""

Payload = dict[str, object]
"""A JSON object of the wire."""
ID_LIMIT = 1024
"""Characters; real ids have 36."""
PATH_LIMIT = 8192


class Call:
    """One call of a hook. moment "": nothing is to be done at this event. session_id "": the payload has none.

    event: as the payload calls it. listed: as the settings call it, which differs where an agent runs another's hooks.
    """

    __slots__ = ("agent", "agent_id", "cwd", "event", "listed", "moment", "session_id", "transcripts")

    def __init__(
        self,
        agent: str,
        event: str,
        moment: str | None,
        session_id: object,
        agent_id: object,
        cwd: object,
        transcripts: tuple[object, ...],
        listed: str | None = None,
    ) -> None:
        self.agent = agent
        self.event = event
        self.moment = moment or ""
        self.session_id = text_of(session_id, ID_LIMIT) or ""
        self.agent_id = text_of(agent_id, ID_LIMIT)
        self.cwd = text_of(cwd, PATH_LIMIT)
        self.transcripts = [path for path in (text_of(one, PATH_LIMIT) for one in transcripts) if path]
        self.listed = listed or event


def text_of(value: object, limit: int) -> str | None:
    """A member as text that can be stored; None where it is no text, empty or far too long."""
    if not isinstance(value, str) or not value or len(value) > limit:
        return None
    return value.encode("utf-8", "backslashreplace").decode()
