"""A chart indexed for making questions: its tree, which names mean one unit and no other, its types.

What cannot be told apart for sure is left out: a measure may ask less, never wrongly.
"""

from __future__ import annotations

import re
import string
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from org.chart import Chart, Unit

EVERYDAY = frozenset(
    "a act all am an and any are as ask at be but by can chart company did do does else everything everyone few"
    " for from get give go good had has have he hello help her here hi him his how i if in is it its level list"
    " may me more most must my name need new no nobody none not nothing now number of off old on one or org"
    " organisation organization other our out over own part path per please see set she so some somebody someone"
    " such table than thanks that the them then there these they thing this those to too top two type under unit"
    " units up us use via was way we were what when where which who whole why will with within yes yet you your".split()
)
"""Words of any question: as a name one of them must be set apart, and as gold it would be met by anything."""
BODIES = frozenset(
    "academy agency board branch bureau center centre centrum college commission committee council department desk"
    " directorate division faculty group institute laboratory lab library ministry office panel programme program"
    " school secretariat section sector service services squad team trust unit wing workshop".split()
)
"""What units are: a name may end with one, or open with it and "of", and people leave it away."""
_SMALL = frozenset(
    "a an and at by d da de del della der des di du e el et for fur für in l la le of on the to und y".split()
)
_ENOUGH = 2  # units of a type, to know that one is not the only one
_WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile("[\u0300-\u036f]")
_PLAIN = str.maketrans({"ł": "l", "ø": "o", "ı": "i", "đ": "d", "æ": "ae", "œ": "oe"})
_GENERAL = frozenset("body element entity item level node organisation organization part thing unit".split())
"""What people call any unit, whatever its type."""


class Tree:
    """A chart by its units, in the order of its tree: each unit before those under it; built once for all its facts.

    A unit's place in `order` is `place[its id]`, and `depth[its place]` tells how many units are above it.
    """

    def __init__(self, chart: Chart) -> None:
        self._chart = chart
        self.root = chart.root
        self.order: tuple[Unit, ...] = (chart.root, *chart.descendants(chart.root.id))
        self.place = {unit.id: place for place, unit in enumerate(self.order)}
        self.depth = [chart.depth(unit.id) for unit in self.order]

    def parent(self, unit: Unit) -> Unit:
        """The unit right above; the root is its own."""
        return unit if unit.parent is None else self._chart.unit(unit.parent)

    def above(self, unit: Unit) -> tuple[Unit, ...]:
        """Every unit above, the closest first."""
        return self._chart.path(unit.id)[-2::-1]

    def children(self, unit: Unit) -> Sequence[Unit]:
        """The units right under it."""
        return self._chart.children(unit.id)

    def total(self, unit: Unit) -> int:
        """How many units are under it at any depth."""
        return self._chart.total(unit.id)

    def below(self, unit: Unit) -> Sequence[Unit]:
        """The units under it at any depth."""
        return self._chart.descendants(unit.id)

    def within(self, places: Sequence[int], unit: Unit) -> Sequence[int]:
        """Those of the ascending `places` that are under the unit."""
        start = self.place[unit.id] + 1
        return places[bisect_left(places, start) : bisect_left(places, start + self.total(unit))]

    def is_under(self, unit: Unit, above: Unit) -> bool:
        """Whether the unit is under the other at any depth; no unit is under itself."""
        return self._chart.is_under(unit.id, above.id)


def words(text: str) -> tuple[str, ...]:
    """The words of a text without case, and Latin ones without accents."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFKD", text.casefold())))
        text = text.translate(_PLAIN)
    return tuple(_WORD.findall(text.casefold()))


def key(text: str) -> str:
    """What two writings of one name share: its words without "of", "the" and the like, else all its words or signs."""
    return _key(words(text), text)


def holds(text: str, phrase: str) -> bool:
    """Whether a phrase stands in a text as whole words, whatever its case."""
    text, phrase = text.casefold(), phrase.casefold()
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not (_is_letter(text[start - 1 : start]) or _is_letter(text[end : end + 1])):
            return True
        start = text.find(phrase, start + 1)
    return False


def plural(noun: str) -> str:
    """A type of unit in the plural, as the chart would be asked for it; written out where English has no sure one."""
    if not re.fullmatch(r"[A-Za-z]+(?:[ -][A-Za-z]+)*", noun) or re.search(r"\b(?:of|de|for)\b", noun):
        return f'units of type "{noun}"'
    if re.search(r"(?<![aiosu])s$|[^s]ies$", noun):
        return noun
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if re.search(r"(?:s|x|z|ch|sh)$", noun) else f"{noun}s"


def singular(noun: str) -> str:
    """The words of a type without plural endings: not always English, but the same for all its spellings."""
    return " ".join(re.sub(r"ie$", "y", word.removesuffix("s")) for word in words(noun))


class Names:
    """Every name and alias of a chart by its words; built once for all questions."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._by_key: dict[str, list[int]] = defaultdict(list)
        self._by_word: dict[str, list[int]] = defaultdict(list)
        self._initials: dict[str, list[int]] = defaultdict(list)
        self._written = Counter(unit.name.casefold() for unit in tree.order)
        self._paths = Counter(self._path(unit) for unit in tree.order[1:])
        self._keys: dict[str, str] = {}
        self._types: dict[str, list[int]] = defaultdict(list)
        self._columns: set[str] = set()
        for place, unit in enumerate(tree.order):
            for name in (unit.name, *unit.aliases):
                found = words(name)
                self._keys[name] = _key(found, name)
                _append(self._by_key[self._keys[name]], place)
                for word in found:
                    _append(self._by_word[word], place)
                if letters := initials(name):
                    _append(self._initials[letters], place)
            self._columns.update(word for header, _ in unit.attributes for word in (key(header), *words(header)))
            if unit.type.strip() and len(self._types[key(unit.type)]) < _ENOUGH:
                for form in dict.fromkeys(map(key, (unit.type, singular(unit.type), plural(unit.type)))):
                    self._types[form].append(place)
        self.speakable: tuple[Unit, ...] = tuple(
            unit for unit in tree.order if self.sure(unit) or self.told_by_parent(unit)
        )
        """The units that a question can name for sure, in the order of the tree."""

    def _path(self, unit: Unit) -> tuple[str, str]:
        return self._tree.parent(unit).name.casefold(), unit.name.casefold()

    def is_known(self, phrase: str) -> bool:
        """Whether some unit goes by this name."""
        return key(phrase) in self._by_key

    def is_type(self, phrase: str) -> bool:
        """Whether a type of the chart is called so, in the singular or the plural."""
        return key(phrase) in self._types

    def is_column(self, phrase: str) -> bool:
        """Whether the chart has a column of its own called so: what it may tell after all."""
        return key(phrase) in self._columns

    def has_word(self, word: str) -> bool:
        """Whether it is a word of some name."""
        return word in self._by_word

    def is_sure(self, name: str, unit: Unit) -> bool:
        """Whether one of the unit's own names is that of no other unit, and of no type that another has."""
        place, found = self._tree.place[unit.id], self._keys[name]
        return self._by_key[found] == [place] and all(other == place for other in self._types.get(found, ()))

    def sure(self, unit: Unit) -> tuple[str, ...]:
        """The names and aliases that mean this unit alone, its name first."""
        return tuple(name for name in (unit.name, *unit.aliases) if name.strip() and self.is_sure(name, unit))

    def told_by_parent(self, unit: Unit) -> tuple[str, ...]:
        """The names of the parent that tell a unit with a shared name from all of that name; none where they cannot."""
        parent = self._tree.parent(unit)
        if parent is unit or not words(unit.name):
            return ()
        found = tuple(name for name in self.sure(parent) if words(name) and self._keys[name] not in EVERYDAY)
        if not found:
            return ()
        sharing = self._tree.within(self._by_key[self._keys[unit.name]], parent)
        either = {self._tree.place[unit.id], self._tree.place[parent.id]}
        return tuple(
            name
            for name in found
            if len(sharing) == 1 and either.issuperset(self.holding((*words(unit.name), *words(name))))
        )

    def holding(self, some: Iterable[str]) -> Sequence[int]:
        """The places of the units that have all these words in their names and aliases, ascending."""
        rows = sorted((self._by_word.get(word, []) for word in set(some)), key=len)
        if not rows:
            return ()
        first, *others = rows
        return [one for one in first if all(one in row[(at := bisect_left(row, one)) : at + 1] for row in others)]

    def is_short_for(self, text: str, unit: Unit) -> bool:
        """Whether no other unit has all these words in its names, and no type is called so."""
        return list(self.holding(words(text))) == [self._tree.place[unit.id]] and not self.is_type(text)

    def are_initials(self, letters: str, unit: Unit) -> bool:
        """Whether these letters begin the words of this unit's names alone, and are no word of any name or type."""
        word = letters.casefold()
        own = self._initials.get(letters, []) == [self._tree.place[unit.id]]
        return own and not (self.has_word(word) or self.is_type(word) or word in EVERYDAY)

    def label(self, unit: Unit) -> str:
        """The unit as gold writes it: its name, "Parent > Name" where that is shared, "" where both are."""
        if ">" in unit.name or not unit.name.strip():
            return ""
        if self._written[unit.name.casefold()] == 1:
            return unit.name
        parent = self._tree.parent(unit)
        is_one = parent is not unit and self._paths[self._path(unit)] == 1 and ">" not in parent.name
        return f"{parent.name} > {unit.name}" if is_one else ""

    def labels(self, units: Iterable[Unit]) -> tuple[str, ...]:
        """All of them as gold writes them down; none when one cannot be."""
        found = tuple(self.label(unit) for unit in units)
        return found if all(found) else ()

    def item(self, unit: Unit) -> tuple[str, ...]:
        """The words by which an answer names this unit and no other; none when its name may mean anything."""
        usable = tuple(name for name in self.sure(unit) if len(name) > 1 and self._keys[name] not in EVERYDAY)
        return usable if usable and usable[0] == unit.name else ()


def initials(name: str) -> str:
    """The acronym that people would make of a name of three words or more, "DPO"; "" when they would make none."""
    found = re.split(r"[ &-]+", name) if re.fullmatch(r"[A-Za-z]+(?:[ &-]+[A-Za-z]+)*", name) else []
    large = [word for word in found if word.lower() not in _SMALL]
    if not 3 <= len(large) <= 6 or not all(word[0].isupper() for word in large):
        return ""
    return "".join(word[0] for word in large)


def near(word: str) -> Iterator[str]:
    """The word, and all that are one slip away from it: a letter more, less, other, or two the wrong way round."""
    yield word
    for place in range(len(word) + 1):
        start, end = word[:place], word[place:]
        yield start + end[1:]
        yield from (start + letter + end for letter in string.ascii_lowercase)
        yield from (start + letter + end[1:] for letter in string.ascii_lowercase)
        yield start + end[1:2] + end[:1] + end[2:]


def _key(found: Sequence[str], text: str) -> str:
    return " ".join([word for word in found if word not in _SMALL] or found) or text.casefold()


def _is_letter(character: str) -> bool:
    return character == "_" or character.isalnum()


def _append(places: list[int], place: int) -> None:
    if not places or places[-1] != place:
        places.append(place)


class Types:
    """The types of a chart by their words; built once for all its facts."""

    def __init__(self, tree: Tree, names: Names) -> None:
        self._tree, self._names = tree, names
        self._places: dict[str, list[int]] = defaultdict(list)
        spelled: dict[str, str] = {}
        for place, unit in enumerate(tree.order):
            if noun := unit.type.strip():
                self._places[_kind(noun)].append(place)
                spelled.setdefault(_kind(noun), noun)
        self._alike: dict[str, list[int]] = {}
        by_word: dict[str, set[str]] = defaultdict(set)
        for kind in spelled:
            for word in kind.split():
                by_word[word].add(kind)
        self._plain = {
            kind: noun
            for kind, noun in spelled.items()
            if kind
            and not _GENERAL.intersection((kind, key(noun)))
            # No other type has all its words: a "standing committee" is a committee too.
            and len(set.intersection(*(by_word[word] for word in kind.split()))) == 1
        }
        self.nouns: tuple[str, ...] = tuple(self._plain.values())
        """Each type that can be asked for, as the chart first spells it."""

    def noun(self, unit: Unit) -> str:
        """The unit's type as people would say it, "" where they would mean more by it than the chart does."""
        return self._plain.get(_kind(unit.type), "")

    def is_news(self, unit: Unit) -> bool:
        """Whether the unit has such a type, and its names do not tell it already."""
        kind = _kind(unit.type)
        names = (unit.name, *unit.aliases)
        return kind in self._plain and not any(all(word in name.casefold() for word in kind.split()) for name in names)

    def is_of(self, unit: Unit, noun: str) -> bool:
        """Whether the chart gives the unit this type."""
        return _kind(unit.type) == _kind(noun)

    def under(self, noun: str, unit: Unit) -> Sequence[Unit] | None:
        """The units of a plain type under a unit, in the order of the tree; None where a person could count others in,
        as their names say that type and the chart another."""
        kind = _kind(noun)
        if kind not in self._alike:
            forms = (self._plain[kind], plural(self._plain[kind]))
            found = {place for form in forms for place in self._names.holding(words(form))}
            self._alike[kind] = sorted(place for place in found if _kind(self._tree.order[place].type) != kind)
        if self._tree.within(self._alike[kind], unit):
            return None
        return [self._tree.order[place] for place in self._tree.within(self._places.get(kind, []), unit)]


@lru_cache(maxsize=4096)
def _kind(noun: str) -> str:
    """What the spellings of one type share, singular or plural, whatever the order of its words."""
    return " ".join(sorted(set(singular(noun).split())))
