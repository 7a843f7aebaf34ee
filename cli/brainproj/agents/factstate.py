"""`SessionFacts` as plain JSON and back, for a reader's state."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ..core.events import PromptedBy, SessionFacts
from ..core.times import parse_time, render_time


def facts_to_state(facts: SessionFacts) -> dict[str, Any]:
    """The facts that differ from a fresh session's."""
    fresh = SessionFacts()
    state: dict[str, Any] = {}
    for field in fields(SessionFacts):
        value = getattr(facts, field.name)
        if value != getattr(fresh, field.name):
            state[field.name] = render_time(value) if field.name.endswith("_at") else value
    return state


def facts_from_state(state: Mapping[str, Any]) -> SessionFacts:
    """The facts that `facts_to_state` wrote."""
    facts = SessionFacts()
    for field in fields(SessionFacts):
        if field.name in state:
            value = state[field.name]
            if field.name.endswith("_at"):
                value = parse_time(value)
            elif field.name == "prompted_by":
                value = PromptedBy(value)
            elif field.name == "cwds":
                value = list(value)
            setattr(facts, field.name, value)
    return facts
