"""What a check says: what is wrong, how bad that is, and a remedy that can be pasted."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """How bad it is. A note needs nobody's attention."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a person should know. `fix`: what `doctor --fix` does about it; only ever to files of our own."""

    id: str
    severity: Severity
    what: str
    remedy: str
    fix: Callable[[], None] | None = field(default=None, compare=False)

    def value(self) -> dict[str, str]:
        """As JSON."""
        return {"id": self.id, "severity": self.severity.value, "what": self.what, "remedy": self.remedy}


def needs_attention(findings: "tuple[Finding, ...] | list[Finding]") -> bool:
    """Whether any of them is more than a note."""
    return any(one.severity is not Severity.NOTE for one in findings)
