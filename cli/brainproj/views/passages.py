"""Sessions, passages, records and arcs for people: who, when, what; the text as it was said, made harmless."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..core.events import Flag
from ..core.text import clip, counted, one_line, printable
from ..core.times import from_micros
from .records import day_of, render_record

if TYPE_CHECKING:
    from ..browse import ArcText, CommitText, DocumentText, Passage, SessionText, Shown, TaskText
    from ..piecetext import PieceText
    from ..store.reading import StoredEvent

FOLDED = 160
"""Characters of a tool's call or result that a session shows; `show CITATION` has all."""


def render_shown(shown: "Shown") -> Iterator[str]:
    """Plain text, a part at a time."""
    from ..browse import ArcText, CommitText, DocumentText, Passage, TaskText
    from ..piecetext import PieceText
    from ..recordtext import RecordText

    if isinstance(shown, Passage):
        yield from _passage(shown)
    elif isinstance(shown, RecordText):
        yield render_record(shown)
    elif isinstance(shown, ArcText):
        yield _arc(shown)
    elif isinstance(shown, TaskText):
        yield _task(shown)
    elif isinstance(shown, DocumentText):
        yield _document(shown)
    elif isinstance(shown, CommitText):
        yield _commit(shown)
    elif isinstance(shown, PieceText):
        yield _piece(shown)
    else:
        yield from _session(shown)


def _session(session: "SessionText") -> Iterator[str]:
    name = one_line(session.project.name) if session.project else "no project"
    yield f"{session.agent} {one_line(session.session_id)} ({name})\n"
    for event in session.events:
        yield _event_line(event) if event.kind.startswith("tool") or event.speaker == "harness" else _event_text(event)


def _passage(passage: "Passage") -> Iterator[str]:
    event = passage.event
    name = one_line(passage.project.name) if passage.project else "no project"
    yield f"{one_line(passage.citation)} in session {one_line(event.session_id)} ({name})\n"
    for other in passage.before:
        yield _event_line(other)
    yield f"\n{_head(event)}\n{printable(passage.text)}\n"
    for other in passage.after:
        yield _event_line(other)


def _arc(shown: "ArcText") -> str:
    import json

    arc = shown.arc
    name = one_line(shown.project.name) if shown.project else "no project"
    begun, last = from_micros(arc.started_at), from_micros(arc.last_at)
    span = f"{begun.date() if begun else '–'} to {last.date() if last else '–'}"
    sessions = [f"  brainproj show {one_line(session)}" for session in json.loads(arc.sessions)]
    title = one_line(arc.title) if arc.title else "–"
    return "\n".join(
        [f"arc:{arc.arc_id}  {title} ({name})", f"{span}, {counted(arc.tool_calls, 'tool call')}, sessions:", *sessions]
    )


def _task(shown: "TaskText") -> str:
    task = shown.task
    name = one_line(shown.project.name) if shown.project else "no project"
    opened = from_micros(task.opened_at)
    lines = [f"{task.citation}  {one_line(task.title)} ({name})", f"{task.status.value}, opened {opened:%Y-%m-%d}"]
    if task.goal:
        lines.append(f"goal: {one_line(task.goal)}")
    sessions = [f"  brainproj show {one_line(session)}" for session in shown.sessions]
    return "\n".join([*lines, *(["sessions:", *sessions] if sessions else ["no session belongs to it yet"])])


def _document(shown: "DocumentText") -> str:
    one = shown.document
    name = one_line(shown.project.name) if shown.project else "no project"
    kind = one.kind if one.fetched else f"{one.kind}; only the link is kept, what stands there was not fetched"
    lines = [
        f"{one.citation}  {one_line(one.title)} ({name})",
        f"{kind}, revision {one.revision}, {day_of(one.changed_at)}",
    ]
    lines += [f"at {one_line(one.address)}"] if one.kind == "file" else []
    lines += [f"task: {shown.task}"] if shown.task else []
    earlier = [
        f"until {day_of(until)}: brainproj show {one.citation}@{revision}" for revision, _, until in shown.earlier
    ]
    return "\n".join([*lines, *earlier, "", printable(shown.text)])


def _commit(shown: "CommitText") -> str:
    commit = shown.commit
    head = f"{shown.citation}  {one_line(commit.subject)} ({one_line(shown.project.name)})"
    files = [f"  {one_line(path)}" for path in commit.files]
    return "\n".join([head, f"{commit.at:%Y-%m-%d %H:%M}, by {one_line(commit.author)}", *files])


def _piece(shown: "PieceText") -> str:
    piece = shown.piece
    name = one_line(shown.project.name) if shown.project else "no project"
    facts = [piece.kind.value, piece.status, f"{piece.at:%Y-%m-%d}" if piece.at else ""]
    lines = [f"{piece.citation}  {', '.join(fact for fact in facts if fact)} ({name})"]
    lines.append(f"told by the brain at {one_line(shown.where)}, read {day_of(shown.told_at)}")
    if piece.session_id and piece.session_id not in shown.here:
        lines.append(f"said in session {one_line(piece.session_id)}, whose transcript is not stored on this machine")
    if piece.sessions and not shown.here:
        lines.append("of sessions whose transcripts are not stored on this machine")
    lines += [f"its session here: brainproj show {one_line(one)}" for one in shown.here]
    return "\n".join([*lines, "", printable(piece.text)])


def _head(event: "StoredEvent") -> str:
    moment = from_micros(event.at)
    when = moment.strftime("%Y-%m-%d %H:%M") if moment else "–"
    who = event.speaker if event.kind != "tool_call" else "assistant"
    what = {"tool_call": f"calls {event.tool}", "tool_result": f"{event.tool or 'tool'} answers"}.get(
        event.kind, event.kind
    )
    if event.outcome and event.outcome not in ("ok", "unknown"):
        what += f", {event.outcome}"
    if event.agent_id:
        what += f" (sub-agent {event.agent_id[:8]})"
    if event.flags & Flag.ECHO:
        what += " (echo)"
    return one_line(f"{when}  {who}  {what}  {event.event_id}")


def _event_text(event: "StoredEvent") -> str:
    return f"{_head(event)}\n{printable(event.text)}\n"


def _event_line(event: "StoredEvent") -> str:
    return f"{_head(event)}  {clip(one_line(event.text), FOLDED)}"
