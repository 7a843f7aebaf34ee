"""The agents that our hooks can be put into, one line each."""

from .claude.settings import INTEGRATION as CLAUDE
from .codex.settings import INTEGRATION as CODEX
from .cursor.settings import INTEGRATION as CURSOR
from .integration import Integration

INTEGRATIONS: tuple[Integration, ...] = (CLAUDE, CODEX, CURSOR)
