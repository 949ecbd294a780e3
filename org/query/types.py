"""The types of a chart by what people call them: "committee" means "Committee", and every type that ends in it.

Noun -> types as the chart spells them.  Knows no word of any language but the English plural.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from weakref import WeakKeyDictionary

from org.chart import Chart
from org.query.sentences import plural

_NONE = ("", frozenset[str]())

_meanings: WeakKeyDictionary[Chart, dict[str, tuple[str, frozenset[str]]]] = WeakKeyDictionary()


def meant(noun: str, chart: Chart) -> tuple[str, frozenset[str]]:
    """A noun as the chart spells it, and the types that it means, whatever its case and number: the type itself, else
    all that end in the noun, where they are several (country offices and field offices are offices). Empty for a noun
    that is no type of the chart."""
    return _all(chart).get(_plain(noun), _NONE)


def nouns(chart: Chart) -> tuple[str, ...]:
    """Every noun for types of the chart, as the chart spells it: its types, then the endings that several share."""
    return tuple(dict.fromkeys(spelled for spelled, _ in _all(chart).values()))


def _all(chart: Chart) -> dict[str, tuple[str, frozenset[str]]]:
    if chart not in _meanings:
        exact: dict[str, list[str]] = defaultdict(list)
        wider: dict[str, dict[str, list[str]]] = defaultdict(dict)
        spelled: dict[str, str] = {}
        for kind in chart.types:
            exact[_plain(kind)].append(kind)
            for noun in (kind, *_endings(kind)):
                spelled.setdefault(_plain(noun), " ".join(noun.split()))
                wider[_plain(noun)].setdefault(_plain(kind), []).append(kind)
        shared = {key: chain.from_iterable(kinds.values()) for key, kinds in wider.items() if len(kinds) > 1}
        found = {key: (spelled[key], frozenset(kinds)) for key, kinds in (exact | shared | exact).items() if key}
        _meanings[chart] = {plural(key): meaning for key, meaning in found.items()} | found
    return _meanings[chart]


def _endings(kind: str) -> list[str]:
    """ "Field Office" and "Office" of "Regional Field Office"; three at most, for nobody asks for more."""
    words = kind.split()
    return [" ".join(words[place:]) for place in range(max(1, len(words) - 3), len(words))]


def _plain(noun: str) -> str:
    return " ".join(noun.casefold().split())
