"""Puts right the typing errors in the words of a question, as far as they come near the words of known names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise

from rapidfuzz import process
from rapidfuzz.distance import OSA

from org.linking.names import Word, canonical

_SHORTEST = 4  # letters of a word that is put right beside a word that stands beside it in a name
_SHORTEST_BY_KIND = 6  # of a word that is put right beside a word for a kind of unit
_SHORTEST_ALONE = 8  # letters of any other: shorter ones have too many honest neighbours
_SHORTEST_MOVED = 7  # where no letter stands in another's place: "payrol" is no other word, "protect" for "project" is
_SHORTEST_KNOWN = 7  # of a word that is known, but not beside these neighbours
_MOST = 40  # words looked up in one text, so that a long text does not take long
_NEAREST = 4  # words weighed for one
_ARABIC_PREFIXES = "بفكلو"
_LETTERS = re.compile(r"([a-z]) (?:and|&) ([a-z])", re.IGNORECASE)  # a name of two letters, or two in a list
# What may stand within a word that is typed as two; an "and" or a comma tells two things apart.
_GAP = re.compile(r"[^\S\n]+|[-_\u2010\u2011]")


class Speller:
    """Knows the words of the phrases `names`, and the `kinds` of unit, which may stand beside the word of any name.
    Words `skipped` are never taken for slips."""

    def __init__(self, names: Iterable[str], kinds: frozenset[str], skipped: frozenset[str]) -> None:
        self._pairs: set[str] = set()
        self.known: set[str] = set()
        self._alone: set[str] = set()
        for name in names:
            words = name.split(" ")
            if len(words) == 1:
                self._alone.add(name)
            self.known.update(words)
            self._pairs.update(f"{first} {second}" for first, second in pairwise(words))
        self._kinds = kinds
        self._skipped = skipped
        # A slip leaves the beginning or the end of a word alone, so that few words have to be compared.
        self._similar: dict[str, list[str]] = defaultdict(list)
        for word in sorted(self.known.union(kinds)):
            if len(word) >= _SHORTEST and word.isalpha():
                for part in _parts(word):
                    self._similar[part].append(word)

    def repair(self, text: str, found: Sequence[Word]) -> tuple[Word, ...]:
        """The words `found` in `text` with one or two letters, a missing or an extra space put right; and as two words
        the letters of a list, "A and B", which are one only in a name such as "R and D"."""
        repaired: list[Word] = []
        near = self._near(found)
        place = 0
        while place < len(found):
            word = found[place]
            following = found[place + 1] if place + 1 < len(found) else None
            if (
                following
                and word.text + following.text in self.known
                and f"{word.text} {following.text}" not in self._pairs
                and _GAP.fullmatch(text, word.end, following.start)
                and not (word.text[-1:].isdigit() and following.text[:1].isdigit())  # two figures side by side are two
            ):
                repaired.append(Word(word.text + following.text, word.start, following.end, following.plural))
                place += 2
                continue
            if word.text not in self.known and (letters := _LETTERS.fullmatch(text, word.start, word.end)):
                repaired += (Word(letters[at].lower(), *letters.span(at), plural=False) for at in (1, 2))
                place += 1
                continue
            before = repaired[-1].text if repaired else ""
            after = [following.text, *near[place + 1]] if following else []
            repaired += self._put_right(word, before, after, near[place])
            place += 1
        return tuple(repaired)

    def _near(self, found: Sequence[Word]) -> list[list[str]]:
        """For each word the words of names that it may be a slip of, the nearest first."""
        near: list[list[str]] = []
        lookups = 0
        for word in found:
            text = word.text
            is_settled = text in self._skipped or text in self._kinds or not text.isalpha()
            is_known = text in self.known
            shortest = _SHORTEST_KNOWN if is_known else _SHORTEST
            if is_settled or len(text) < shortest or lookups == _MOST:
                near.append([])
                continue
            lookups += 1
            alike = dict.fromkeys(chain.from_iterable(self._similar.get(part, ()) for part in _parts(text)))
            alike.pop(text, None)
            close = process.extract(text, list(alike), scorer=OSA.distance, score_cutoff=2, limit=_NEAREST)
            most = 1 if text in self.known else 2
            near.append(
                [other for other, slips, _ in close if slips <= (most if max(len(text), len(other)) > 8 else 1)]
            )
        return near

    def _put_right(self, word: Word, before: str, after: Sequence[str], near: Sequence[str]) -> Iterator[Word]:
        """One word in place of another needs a neighbour that it has in a name. An unknown word makes do with less: a
        kind of unit beside it, or its own length."""
        text = word.text
        is_known = text in self.known or text in self._kinds or text in self._skipped
        beside = [
            other
            for other in (text, *near)
            if f"{before} {other}" in self._pairs or any(f"{other} {following}" in self._pairs for following in after)
        ]
        if not beside and text not in self._alone and (halves := self._halves(word)):
            yield from halves
            return
        if not is_known and not beside:
            has_kind = before in self._kinds or not self._kinds.isdisjoint(after)
            for other in near:
                is_moved = len(text) != len(other) or sorted(text) == sorted(other)
                alone = _SHORTEST_MOVED if is_moved else _SHORTEST_ALONE
                if max(len(text), len(other)) >= (_SHORTEST_BY_KIND if has_kind else alone):
                    beside.append(other)
        yield Word((beside or [text])[0], word.start, word.end, word.plural)

    def _halves(self, word: Word) -> list[Word]:
        """An unknown word as the two of a name that it runs together, or without an Arabic "for", "in" or "and"."""
        text = word.text + "s" * word.plural
        if len(text) > word.end - word.start:
            return []  # not as it was typed: its letters have no place of their own
        if text[0] in _ARABIC_PREFIXES and text[1:] in self.known:
            return [Word(text[1:], word.start + 1, word.end, plural=False)]
        for cut in range(2, len(text) - 1):
            left, (right, _) = text[:cut], canonical(text[cut:])
            if f"{left} {right}" in self._pairs:
                middle = word.start + cut
                return [Word(left, word.start, middle, plural=False), Word(right, middle, word.end, plural=False)]
        return []


def _parts(word: str) -> list[str]:
    """The beginning of a word, and its first letter with its end: of a short word with one letter of it, too."""
    parts = [f"{word[:3]}-", f"{word[0]}-{word[-2:]}"]
    return [*parts, f"{word[0]}-{word[-1]}"] if len(word) < 7 else parts
