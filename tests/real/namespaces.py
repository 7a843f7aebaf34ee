"""The scripted model, in which a step may name a tool of a namespace: `{"tool": "NAMESPACE.NAME", "input": {...}}`.

Codex 0.171 keeps `spawn_agent` in the namespace `multi_agent_v1`, and takes a call of it only where the namespace
stands in a member of its own (seen in its requests).
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "data" / "e2e"))
from scripted_model import Handler, main  # type: ignore[import-not-found]

PLAIN = Handler._send
NAMESPACED = re.compile(rb'"name": "(\w+)\.(\w+)"')


def send(self: Handler, body: object, kind: str = "application/json") -> None:
    """Answer as the scripted model does, the namespace apart from the name."""
    if isinstance(body, bytes):
        body = NAMESPACED.sub(rb'"namespace": "\1", "name": "\2"', body)
    PLAIN(self, body, kind)


Handler._send = send
main()
