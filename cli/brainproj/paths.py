"""Where things are: our home and what is in it, and the agents' own homes. From an environment and a home folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Paths:
    """Every place that brainproj reads or writes."""

    user_home: Path
    home: Path
    claude_home: Path
    codex_home: Path
    cursor_home: Path
    config_home: Path
    agentihooks_home: Path
    broadcast_path: Path
    brain_feed: Path
    ledgers: Path

    @property
    def brain_db(self) -> Path:
        """What is kept."""
        return self.home / "brain.db"

    @property
    def git_configs(self) -> tuple[Path, Path]:
        """What a person told git for all repositories; the later one counts."""
        return self.config_home / "git" / "config", self.user_home / ".gitconfig"

    @property
    def ready_db(self) -> Path:
        """What hooks look up; can be made anew."""
        return self.home / "ready.db"

    @property
    def launcher(self) -> Path:
        """What the agents' settings name; no upgrade changes its path."""
        return self.home / "hook"

    @property
    def ledger_path(self) -> Path:
        """What we have put into files of others, and how to take it out again."""
        return self.home / "installed.json"

    @property
    def install_lock(self) -> Path:
        """Held by the one install or uninstall."""
        return self.home / "install.lock"

    @property
    def spool_path(self) -> Path:
        """What hooks could not write to ready.db."""
        return self.home / "spool.jsonl"

    @property
    def feed_dir(self) -> Path:
        """Entries that a person gives to every session on this machine."""
        return self.home / "feed"

    @property
    def worker_lock(self) -> Path:
        """Held by the one worker that hooks start."""
        return self.home / "worker.lock"

    @property
    def outbox_lock(self) -> Path:
        """Held by the one who sends markers to a brain."""
        return self.home / "outbox.lock"

    @property
    def watch_lock(self) -> Path:
        """Held by the one `watch` that runs."""
        return self.home / "watch.lock"

    @property
    def watch_state(self) -> Path:
        """What `watch` tells of itself: since when, how far behind."""
        return self.home / "watch.json"

    @property
    def config_path(self) -> Path:
        """The person's settings."""
        return self.home / "config.toml"

    @property
    def log_path(self) -> Path:
        """What went wrong and was not shown in full."""
        return self.home / "logs" / "brainproj.log"

    @property
    def ingest_lock(self) -> Path:
        """Held by the one writer."""
        return self.home / "ingest.lock"


def find_paths(environment: Mapping[str, str], user_home: Path) -> Paths:
    """The places that an environment names, else the usual ones below the person's home folder."""

    def place(name: str, default: Path) -> Path:
        value = environment.get(name)
        return Path(value).expanduser() if value else default

    agentihooks_home = place("AGENTIHOOKS_HOME", user_home / ".agentihooks")
    return Paths(
        user_home=user_home,
        home=place("BRAINPROJ_HOME", user_home / ".brainproj"),
        claude_home=place("CLAUDE_CONFIG_DIR", user_home / ".claude"),
        codex_home=place("CODEX_HOME", user_home / ".codex"),
        cursor_home=place("CURSOR_CONFIG_DIR", user_home / ".cursor"),
        config_home=place("XDG_CONFIG_HOME", user_home / ".config"),
        agentihooks_home=agentihooks_home,
        brain_feed=place("BRAIN_SOURCE_PATH", agentihooks_home / "brain-feed"),
        ledgers=place("LEDGER_DIR", user_home / "development-ledger"),
        # agentihooks itself ignores AGENTIHOOKS_HOME for this one file
        broadcast_path=place("BROADCAST_FILE", user_home / ".agentihooks" / "broadcast.json"),
    )


def user_home(environment: Mapping[str, str]) -> Path:
    """The person's home folder: `HOME`, else what the system says."""
    return Path(environment["HOME"]) if environment.get("HOME") else Path.home()
