"""Reading a fixture whole, or in parts, as the ingest does, and the expectations that come with it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from brainproj.agents.adapter import Adapter, Reader
from brainproj.agents.lines import iter_lines, open_transcript, parse_objects
from brainproj.core.events import Event, Gap, SessionFacts

from ..conftest import TRANSCRIPTS

EXPECTED: dict[str, dict[str, Any]] = json.loads((TRANSCRIPTS / "expected.json").read_text())


def expected_of(agent_format: str) -> dict[str, dict[str, Any]]:
    """The expectations for one format, by the file's path below the transcripts folder."""
    return {name: wanted for name, wanted in EXPECTED.items() if wanted["format"] == agent_format and "types" in wanted}


@dataclass
class Reading:
    """What came out of one transcript."""

    facts: SessionFacts = field(default_factory=SessionFacts)
    events: list[Event] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    bad_lines: int = 0
    records: int = 0
    split_lines: int = 0
    state: Mapping[str, Any] = field(default_factory=dict)


def feed(reader: Reader, records: list[dict[str, Any]], reading: Reading) -> None:
    """Hand records to a reader and gather what comes."""
    for record in records:
        found = reader.read(record)
        if isinstance(found, Gap):
            reading.gaps.append(found)
        else:
            reading.events += found
    reading.facts = reader.facts
    reading.state = reader.state()


def read_lines(path: Path) -> tuple[list[dict[str, Any]], Reading]:
    """All objects of a transcript, and how many lines there were and were bad."""
    reading = Reading()
    records: list[dict[str, Any]] = []
    with open_transcript(str(path)) as file:
        for line in iter_lines(file, str(path)):
            if not line.raw.strip():
                continue
            reading.records += 1
            objects = parse_objects(line.raw)
            reading.bad_lines += not objects
            reading.split_lines += len(objects) > 1
            records += objects
    return records, reading


def read_transcript(adapter: Adapter, path: Path, agent_home: Path, split_at: int | None = None) -> Reading:
    """Read a transcript in one go, or with a second reader from `split_at` on, its state written as JSON between."""
    records, reading = read_lines(path)
    reader = adapter.open_reader(str(path), agent_home, None)
    if split_at is not None:
        feed(reader, records[:split_at], reading)
        reader = adapter.open_reader(str(path), agent_home, json.loads(json.dumps(reader.state())))
        records = records[split_at:]
    feed(reader, records, reading)
    return reading
