"""Which of many decisions are about the same as another: on its place, or in like words; looked up, not compared."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from .records import clean_place
from .words import telling_words

FEWEST = 2
"""Words in common below which two texts have nothing to do with each other."""
ALIKE = 0.5
"""From this share of the shorter's words on two decisions may repeat or contradict each other; better one too many."""
CROWD = 40
"""Decisions on one place beyond which the place alone says nothing: it is half the project."""


class PlaceIndex:
    """Places by what they are about: the same words, a folder that holds one, or what lies in one."""

    def __init__(self, places: Iterable[tuple[str, int]]) -> None:
        self._exact: dict[str, set[int]] = defaultdict(set)
        self._under: dict[str, set[int]] = defaultdict(set)
        for place, number in places:
            plain = clean_place(place).casefold()
            self._exact[plain].add(number)
            for parent in _parents(plain):
                self._under[parent].add(number)

    def find(self, place: str) -> set[int]:
        """The numbers of those that are about this place too."""
        plain = clean_place(place).casefold()
        found = self._exact.get(plain, set()) | self._under.get(plain, set())
        for parent in _parents(plain):
            found = found | self._exact.get(parent, set())
        return found


def _parents(place: str) -> list[str]:
    """The folders that hold a path."""
    parts = place.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts)) if parts[end - 1]]


class Neighbours:
    """Decisions by their places and words. Each is (number, text, places)."""

    def __init__(self, decisions: Iterable[tuple[int, str, Sequence[str]]]) -> None:
        on_places: list[tuple[str, int]] = []
        self._by_word: dict[str, list[int]] = defaultdict(list)
        self._sizes: dict[int, int] = {}
        for number, text, places in decisions:
            on_places += [(place, number) for place in places]
            words = telling_words(text)
            self._sizes[number] = len(words)
            for word in words:
                self._by_word[word].append(number)
        self._index = PlaceIndex(on_places)

    def find(self, number: int, text: str, places: Sequence[str]) -> dict[int, tuple[float, list[str]]]:
        """(share of words, places in common) of each decision about the same as this one, but for itself."""
        words = telling_words(text)
        common = Counter(other for word in words for other in self._by_word.get(word, ()))
        found: dict[int, tuple[float, list[str]]] = {}
        for other, count in common.items():
            share = count / min(len(words), self._sizes[other])
            if count >= FEWEST and share >= ALIKE:
                found[other] = (share, [])
        for place in places:
            near = self._index.find(place)
            for other in near if len(near) <= CROWD else ():
                share, shared = found.get(other, (0.0, []))
                found[other] = (share, [*shared, place])
        found.pop(number, None)
        return found
