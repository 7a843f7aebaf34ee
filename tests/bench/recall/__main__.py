"""How well a question about earlier work finds the passage that answers it. Run it with `just bench-recall`.

Prints two Markdown tables: all answerers, and brainproj by kind of question.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .answerers import Answerer, Brainproj, EmptyMemory, Found, Given, Ripgrep
from .files import write_history
from .histories import HELD_OUT_FROM, PROPOSED, REPLACED, Question, is_echo, make_history


@dataclass(frozen=True, slots=True)
class Mark:
    """How one question was answered. place: of the right passage, from 1; None: it is not among the five."""

    question: Question
    place: int | None
    forbidden: int
    is_stale: bool
    """What was true before is given ahead of what is true now."""
    is_silent: bool
    tokens: int


def mark(question: Question, given: Given) -> Mark:
    """Compare what was given with what is known to be right."""
    place = stale = None
    for number, found in enumerate(given.found, 1):
        if is_echo(found.text) or not found.is_own:
            continue
        if place is None and question.answer is not None and question.answer in found.text:
            place = number
        if stale is None and question.stale is not None and question.stale in found.text:
            stale = number
    forbidden = sum(is_echo(found.text) or not found.is_own or _misleads(question, found) for found in given.found)
    is_stale = stale is not None and (place is None or stale < place)
    return Mark(question, place, forbidden, is_stale, not given.found, given.tokens)


def _misleads(question: Question, found: Found) -> bool:
    """Whether a decision that does not hold is given as if it did."""
    not_in_force = {REPLACED: question.stale, PROPOSED: question.answer}.get(question.kind)
    return not_in_force is not None and not_in_force in found.text and not any(word in found.said for word in TOLD)


TOLD = ("superseded", "proposed", "rejected", "retired")
"""What says that a decision is not in force."""


def weigh_packs(seeds: Iterable[int]) -> list[tuple[int, int, int]]:
    """(tokens, decisions in it that do not hold, decisions in force that it lacks) of a pack for each decision asked of."""
    weighed = []
    for seed in seeds:
        history = make_history(seed)
        with tempfile.TemporaryDirectory(prefix="brainproj-recall-") as folder:
            home = Path(folder).resolve()
            write_history(home, history)
            memory = Brainproj(home)
            memory.confirm(history.decisions)
            for one in history.decisions:
                if one.project not in {question.project for question in history.questions}:
                    continue
                pack = memory.pack(one.project, one.question)
                part = pack.text[: pack.text.index("Handoff:")]  # what stands before it was decided
                own = [other for other in history.decisions if other.project == one.project]
                wrong = sum(
                    (other.old or "\0") in part or (not other.is_confirmed and other.text in part) for other in own
                )
                lacking = sum(other.is_confirmed and other.text not in part for other in own)
                weighed.append((pack.tokens, wrong, lacking))
    return weighed


def ask_all(seeds: Iterable[int], *, with_rg: bool) -> dict[str, list[Mark]]:
    """The marks of each answerer over the histories of these seeds."""
    marks: dict[str, list[Mark]] = defaultdict(list)
    for seed in seeds:
        history = make_history(seed)
        with tempfile.TemporaryDirectory(prefix="brainproj-recall-") as folder:
            home = Path(folder).resolve()
            files = write_history(home, history)
            ours = Brainproj(home)
            ours.confirm(history.decisions)
            answerers: list[Answerer] = [EmptyMemory(), ours]
            if with_rg:
                answerers[1:1] = [
                    Ripgrep(home, files, all_words=True, own_only=False),
                    Ripgrep(home, files, all_words=False, own_only=False),
                    Ripgrep(home, files, all_words=False, own_only=True),
                ]
            for answerer in answerers:
                for question in history.questions:
                    marks[answerer.name].append(mark(question, answerer.ask(question.project, question.text)))
    return marks


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default=f"{HELD_OUT_FROM}-{HELD_OUT_FROM + 7}", help="from-to, or one")
    parser.add_argument(
        "--misses", action="store_true", help="also the questions that brainproj did not answer at once"
    )
    chosen = parser.parse_args()
    first, _, last = chosen.seeds.partition("-")
    with_rg = shutil.which("rg") is not None
    if not with_rg:
        print("rg is not installed: its rows are left out", file=sys.stderr)
    seeds = range(int(first), int(last or first) + 1)
    marks = ask_all(seeds, with_rg=with_rg)
    print("| memory | hit@1 | hit@5 | forbidden hits | old before new | silent where there is no answer | tokens |")
    print("|---|---|---|---|---|---|---|")
    for name, rows in marks.items():
        answerable = [row for row in rows if row.question.answer is not None]
        changed = [row for row in rows if row.question.stale is not None]
        other = [row for row in rows if row.question.answer is None]
        print(
            f"| {name} | {_share(row.place == 1 for row in answerable)} | {_share(bool(row.place) for row in answerable)}"
            f" | {sum(row.forbidden for row in rows)} | {sum(row.is_stale for row in changed)} of {len(changed)}"
            f" | {_share(row.is_silent for row in other)} | {statistics.mean(row.tokens for row in rows):.0f} |"
        )
    print("\n| question | number | hit@1 | hit@5 | silent |\n|---|---|---|---|---|")
    kinds = dict.fromkeys(row.question.kind for row in marks["brainproj"])
    for kind in kinds:
        rows = [row for row in marks["brainproj"] if row.question.kind == kind]
        hits = [_share(row.place == 1 for row in rows), _share(bool(row.place) for row in rows)]
        if rows[0].question.answer is None:
            hits = ["–", "–"]
        print(f"| {kind} | {len(rows)} | {hits[0]} | {hits[1]} | {_share(row.is_silent for row in rows)} |")
    packs = weigh_packs(seeds)
    print(
        "\n| packs | tokens | most | decisions that do not hold, as in force | decisions in force left out |\n|---|---|---|---|---|"
    )
    mean, most = statistics.mean(pack[0] for pack in packs), max(pack[0] for pack in packs)
    print(
        f"| {len(packs)} | {mean:.0f} | {most} | {sum(pack[1] for pack in packs)} | {sum(pack[2] for pack in packs)} |"
    )
    if chosen.misses:
        for row in marks["brainproj"]:
            if (row.question.answer is not None and row.place != 1) or (
                row.question.answer is None and not row.is_silent
            ):
                print(f"{row.place} {row.question}")


def _share(those: Iterable[bool]) -> str:
    values = list(those)
    return f"{sum(values) / len(values):.0%}" if values else "–"


if __name__ == "__main__":
    main()
