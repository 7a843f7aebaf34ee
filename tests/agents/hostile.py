"""Lines as no agent writes them."""

import copy
from typing import Any

from hypothesis import strategies as st


def change_one_place(
    data: st.DataObject, lines: list[dict[str, Any]], values: st.SearchStrategy[Any]
) -> dict[str, Any]:
    """One of the lines, with any one member of it, however deep, made one of the values."""
    record: dict[str, Any] = copy.deepcopy(data.draw(st.sampled_from(lines)))
    place: Any = record
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], (dict, list)) or not place[key] or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = data.draw(values)
    return record
