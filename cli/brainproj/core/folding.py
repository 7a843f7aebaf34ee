"""The same thing said twice: a title and the prompt it was cut from, one command's output made again.

Equal texts are one already (the store keeps each once), and a record is one with the passage it was made from. What two
people, two times or two runs said differently is never joined: outputs must differ in nothing but how long they took.
"""

import re

SHORTEST = 12
"""Letters: a shorter title is in many prompts by chance."""
LONGEST = 4000
"""Letters of an output that is compared with others; a longer one stays for itself."""
PASSING = re.compile(r"\bin \d+\.\d+ ?s(?:econds)?\b|Wall time: [\d.]+ seconds|Chunk ID: \S+")
"""What a test runner and Codex put around an output: how long it took, and a name for it that never comes again."""


def says_again(title: str, said: str) -> bool:
    """Whether a title was cut from what was said; an ellipsis at its end is the cut."""
    title = " ".join(title.rstrip("…").casefold().split())
    return len(title) >= SHORTEST and title in " ".join(said[:LONGEST].casefold().split())


def same_output(text: str) -> str | None:
    """What an output has in common with the same one made at another time; None where it is too long to say."""
    return PASSING.sub("#", text) if len(text) <= LONGEST else None
