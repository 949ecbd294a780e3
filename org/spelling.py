"""Put right the typing errors in the words of a question, as far as they come near the words of known names.

Knows words; knows nothing about units.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

from org.names import Word

_SHORTEST = 6  # letters: shorter words have too many honest neighbours
_MOST = 40  # unknown words looked up in one text, so that a long text does not take long


class Speller:
    """Knows the words of all names: `known` are left alone, the words of the phrases `names` may be meant."""

    def __init__(self, known: Collection[str], names: Iterable[str]) -> None:
        self._known = known
        self._similar: dict[tuple[str, int], list[str]] = defaultdict(list)
        for word in sorted({word for name in names for word in name.split(" ") if len(word) >= _SHORTEST}):
            self._similar[word[0], len(word)].append(word)

    def repair(self, found: Sequence[Word], taken: Collection[int]) -> tuple[Word, ...]:
        """The words with one or two letters, a missing or an extra space put right, except at the places `taken`."""
        repaired: list[Word] = []
        lookups = 0
        place = 0
        while place < len(found):
            word = found[place]
            place += 1
            if place - 1 in taken or word.text in self._known or lookups == _MOST:
                repaired.append(word)
                continue
            lookups += 1
            following = found[place] if place < len(found) and place not in taken else None
            if following and word.text + following.text in self._known:
                repaired.append(Word(word.text + following.text, word.start, following.end, following.plural))
                place += 1
            else:
                repaired += self._split(word) or [self._closest(word)]
        return tuple(repaired)

    def _split(self, word: Word) -> list[Word]:
        if len(word.text) != word.end - word.start:
            return []  # shortened when it was made canonical: its letters have no place of their own
        for cut in range(3, len(word.text) - 2):
            left, right = word.text[:cut], word.text[cut:]
            if left in self._known and right in self._known:
                middle = word.start + cut
                return [Word(left, word.start, middle, plural=False), Word(right, middle, word.end, plural=False)]
        return []

    def _closest(self, word: Word) -> Word:
        """The word of a name that this one is a slip of, else itself. "Officer" is no slip of "office"."""
        size = len(word.text)
        if size < _SHORTEST:
            return word
        slips = 1 if size < 9 else 2
        lengths = range(size - slips, size + slips + 1)
        near = [other for length in lengths for other in self._similar.get((word.text[0], length), ())]
        close = process.extractOne(word.text, near, scorer=OSA.distance, score_cutoff=slips)
        if close is None or word.text.startswith(close[0]) or close[0].startswith(word.text):
            return word
        return Word(close[0], word.start, word.end, word.plural)
