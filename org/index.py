"""Every phrase that may name a unit of a chart, and how sure it is.

Chart -> Index.  Knows how units are called; knows nothing about sentences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from org import names
from org.chart import Chart

MOST_SHARING = 6  # more units than this behind a shortened name, and it is no name any more


class Rank(IntEnum):
    """How sure a reading is: of two equally long ones the surer counts."""

    GIVEN = 0  # a name or an alias
    DERIVED = 1  # another form of it: without its parenthesis, its initials, cut before an "and"
    HEAD = 2  # what stands before the remit: "Deputy Director"
    KIND = 3  # the core with a kind of unit: "finance department" of the Finance Division
    ADDED = 4  # a name with a kind added to it: "HR department"
    BARE = 5  # the core alone


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a unit as people write it."""

    unit: str
    written: str
    rank: Rank


@dataclass(frozen=True, slots=True)
class Core:
    """A unit by its name without its kind. `is_whole` is false for a single word that is one side of an "and";
    `is_alone` is true where the core may stand without any kind: one word of an alias is too little for that."""

    unit: str
    kind: str
    is_whole: bool
    is_alone: bool


@dataclass(frozen=True, slots=True)
class Index:
    """What a phrase, in canonical words, may mean. `types` gives a type of the chart by its phrase, `kinds` are the
    single words for a kind of unit, the chart's types among them."""

    names: Mapping[str, Sequence[Name]]
    cores: Mapping[str, Sequence[Core]]
    types: Mapping[str, str]
    kinds: frozenset[str]

    def units(self, phrase: str) -> frozenset[str]:
        """All units that a phrase may mean."""
        sharing = {name.unit for name in self.names.get(phrase, ())}
        return frozenset(sharing.union(core.unit for core in self.cores.get(phrase, ())))


def build(chart: Chart) -> Index:
    """The index of all names, aliases, and what follows from them."""
    types = _types(chart)
    kinds = names.OFFICES | names.BODIES | {kind for kind in types if kind and " " not in kind}
    named: dict[str, list[Name]] = defaultdict(list)
    cores: dict[str, list[Core]] = defaultdict(list)
    heads: dict[str, list[Name]] = defaultdict(list)
    for unit in chart.units.values():
        for written in dict.fromkeys((unit.name, *unit.aliases)):
            named[names.key(written)].append(Name(unit.id, written, Rank.GIVEN))
            for other in names.other_names(written):
                named[names.key(other)].append(Name(unit.id, other, Rank.DERIVED))
            for core in names.cores(written, kinds):
                is_whole = not core.is_part or " " in core.text
                is_alone = is_whole and (written == unit.name or " " in core.text)
                cores[core.text].append(Core(unit.id, core.kind, is_whole, is_alone))
        if head := names.head_name(unit.name):
            heads[names.key(head)].append(Name(unit.id, f"the {head}", Rank.HEAD))
    for phrase, sharing in heads.items():
        if phrase not in names.OFFICES and len(sharing) <= (MOST_SHARING if " " in phrase else 1):
            named[phrase] += sharing  # "the Board", but "the office" may be anyone's
    root = chart.root  # "the Foundation"
    for word in dict.fromkeys((names.key(root.name).rpartition(" ")[2], names.key(root.type))):
        if word and " " not in word and word not in named:
            named[word].append(Name(root.id, f"the {word}", Rank.HEAD))
    return Index(dict(named), dict(cores), types, kinds)


def _types(chart: Chart) -> dict[str, str]:
    """The chart's types by their phrases, as first spelled; of a unit without a type, the kind that its name tells."""
    types: dict[str, str] = {}
    for unit_type in (*chart.types, *(names.kind_in(unit.name) for unit in chart.units.values() if not unit.type)):
        key = names.key(unit_type)
        types.setdefault(key, unit_type)
        if key.count(" ") >= 2:  # "SIG" for a special interest group
            types.setdefault("".join(word[0] for word in key.split(" ")), unit_type)
    return types
