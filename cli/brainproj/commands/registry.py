"""The commands, a line each: name, module, and the help that the list of commands shows.

Only the module of the command that is run is imported; a test holds each help line against the command's own.
"""

from typing import NamedTuple


class Entry(NamedTuple):
    """One command. `module` holds `app`, a Typer."""

    name: str
    module: str
    help: str


COMMANDS = (
    Entry("install", "install", "Put the memory into the agents on this machine; `uninstall` takes it out again."),
    Entry("preview", "preview", "Show the exact text that a session in this folder is given."),
    Entry("sessions", "sessions", "List the live sessions by project; with --all the whole index."),
    Entry("search", "search", "Find what was said, done or decided in this project."),
    Entry("attempts", "attempts", "List what was tried and failed in this project, and what helped later."),
    Entry("show", "show", "Open the exact source at an address, with what stands around it."),
    Entry("who", "who", "Tell whose sessions these are; of a person what they worked on, of a file or task who did."),
    Entry("task", "task", "Name pieces of work, and see which sessions belong to them."),
    Entry(
        "resume",
        "resume",
        "Show what it takes to go on with a task: goal, decisions, handoff, what failed, what was done last.",
    ),
    Entry("decide", "decide", "Record a decision, or confirm a proposed one; only a person at a terminal can."),
    Entry(
        "review",
        "review",
        "Go through what agents proposed, one by one: confirm, edit, reject; only a person at a terminal can.",
    ),
    Entry(
        "sleep", "sleep", "List what to look at again: decisions that may contradict, proposals alone, what is stale."
    ),
    Entry("handoff", "handoff", "Hand a task on: drafts, and what a person approved."),
    Entry("add", "add", "Keep a file, a link or a note with this project; a file that changed gets a new revision."),
    Entry("documents", "documents", "List the files, links and notes that are kept with this project."),
    Entry("map", "map", "Show the small index of what this project's memory holds, and what opens it."),
    Entry("arcs", "arcs", "List the threads of work of this project, the hottest last."),
    Entry("records", "records", "List decisions, lessons and other records of this project."),
    Entry("brain", "brain", "Show what the brain told of this project, and which markers it did not take."),
    Entry("backfill", "backfill", "Read the transcripts of Claude Code, Codex and Cursor into the store."),
    Entry("watch", "watch", "Follow the agents' transcripts, so that what is said is found within a second."),
    Entry("mcp", "mcp", "Serve this folder's memory to an agent over the Model Context Protocol."),
    Entry("resolve", "resolve", "Tell which project a folder belongs to, and why."),
    Entry("projects", "projects", "List the known projects; declare, alias, merge."),
    Entry("status", "status", "Show how everything stands: store, agents, lag, scope, and what needs attention."),
    Entry("doctor", "doctor", "Check everything, run each installed hook once, and say what to do."),
    Entry("scope", "scope", "Show or set how far a session's memory reaches."),
    Entry("share", "share", "Let a signal of one project reach every session on this machine."),
    Entry("forget", "forget", "Remove what is stored, for good; it does not come back with the next backfill."),
    Entry("uninstall", "uninstall", "Take the memory out of the agents again, without a trace in their files."),
    Entry("statusline", "statusline", "Print a status line for Claude Code; `install --statusline` adds it."),
    Entry("backup", "backup", "Write the whole store to a file, readable by you alone; nothing needs to be stopped."),
    Entry("restore", "restore", "Go back to a backup; the store that is there now is moved aside, not deleted."),
    Entry("export", "export", "Write one project's memory to stdout as JSONL: redacted again, ids kept."),
    Entry("import", "import_", "Take in a project's memory that `export` wrote; twice adds nothing."),
    Entry("completion", "completion", "Print the completion script of a shell."),
    Entry("demo", "demo", "Show it all on two small made-up repositories, in a temporary home."),
)
"""In the order in which a newcomer needs them."""
