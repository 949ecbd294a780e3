"""Every phrase that may name a unit of a chart, and how sure it is.

Chart -> Index.  Knows how units are called; knows nothing about sentences.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from org.chart import Chart
from org.finding import names
from org.finding.kinds import BODIES, GENERAL, OFFICES

MOST_SHARING = 6  # more units than this behind a shortened name, and it is no name any more
_POSSESSIVE = re.compile(r"(?:['’]s|s['’])\s+\w+$")
_MOST_HAVING = 30  # more names than this that have a word, and it tells none of them


class Rank(IntEnum):
    """How words name a unit, roughly the surest way first."""

    GIVEN = 0  # a name or an alias
    DERIVED = 1  # another form of it: without its parenthesis, its initials, cut before an "and"
    HEAD = 2  # what stands before the remit, "Deputy Director"; a kind that one unit alone is of, "the council"
    KIND = 3  # the core with a kind of unit: "finance department" of the Finance Division
    SITE = 4  # a name that many share, beside the site that it is at: "juniper library"
    SOME = 5  # some of its words, the kind among them: "coral reef team" of the Coral Reef Monitoring Team
    ADDED = 6  # a name with a kind added to it: "HR department"
    BARE = 7  # the core alone
    LEAD = 8  # the word that begins it, and no other name: "cyber"


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a unit as people write it. A nickname shares no word with the unit's own name."""

    unit: str
    written: str
    rank: Rank
    is_nickname: bool = False


@dataclass(frozen=True, slots=True)
class Core:
    """A unit by its name without its kind. `is_whole` is false for a single word that is one side of an "and";
    `is_alone` is true where the core may stand without any kind: not the "3" of Ward 3, nor the Patients' of their
    Forum."""

    unit: str
    written: str
    kind: str
    is_whole: bool
    is_alone: bool
    is_part: bool


@dataclass(frozen=True, slots=True)
class Index:
    """What a phrase, in canonical words, may mean. `types` gives a type of the chart by its phrase, `kinds` are the
    single words for a kind of unit, the chart's types among them; `root` is the unit that is the organization.
    `offices` are the units with a type that is no body: HR, a department, has no "HR committee".
    `by_word` gives the names (unit, key) of three words or more that have a word that few have, `leads` the names of
    units with others below them by the word that begins them. `wholes` are words for the organization, as "company",
    that are the type of no other unit."""

    chart: Chart

    names: Mapping[str, Sequence[Name]]
    cores: Mapping[str, Sequence[Core]]
    types: Mapping[str, str]
    kinds: frozenset[str]
    root: str
    offices: frozenset[str]
    by_word: Mapping[str, Sequence[tuple[str, str]]]
    leads: Mapping[str, Sequence[tuple[str, str]]]
    wholes: frozenset[str]

    def units(self, phrase: str) -> frozenset[str]:
        """All units that a phrase may mean."""
        sharing = {name.unit for name in self.names.get(phrase, ())}
        return frozenset(sharing.union(core.unit for core in self.cores.get(phrase, ())))


def build(chart: Chart) -> Index:
    """The index of all names, aliases, and what follows from them."""
    types = _types(chart)
    common = OFFICES | BODIES
    kinds = common | {kind for kind in types if kind and " " not in kind}
    no_leads = common | {"a"}  # "A Division", but any sentence may begin with an "A"
    named: dict[str, list[Name]] = defaultdict(list)
    cores: dict[str, list[Core]] = defaultdict(list)
    heads: dict[str, list[Name]] = defaultdict(list)
    long: list[tuple[str, str]] = []
    leads: dict[str, list[tuple[str, str]]] = defaultdict(list)
    only: dict[str, list[Name]] = defaultdict(list)
    root = chart.root
    root_key = names.key(names.without_legal_form(root.name))
    for unit in chart.units.values():
        own = names.key(unit.name)
        own_words = set(own.split(" "))
        is_above = bool(chart.children(unit.id))
        unit_type = names.key(unit.type)
        head = names.head_name(unit.name)
        keys = [own]
        for written in dict.fromkeys((unit.name, *unit.aliases)):
            key = names.key(written)
            is_nickname = own_words.isdisjoint(key.split(" ")) and not names.is_acronym(written)
            first, _, rest = key.partition(" ")
            if is_above and rest and first not in no_leads and len(leads[first]) <= _MOST_HAVING:
                leads[first].append((unit.id, key))
            if key.count(" ") > 1:
                long.append((unit.id, key))
            named[key].append(Name(unit.id, written, Rank.GIVEN, is_nickname))
            if not written.isascii() and (spelled := names.key(names.spelled_out(written))) != key:
                named[spelled].append(Name(unit.id, written, Rank.GIVEN, is_nickname))
            if rest in kinds and (len(first) == 1 or first.isdecimal()):  # "Division A"
                named[f"{rest} {first}"].append(Name(unit.id, written, Rank.DERIVED))
            elif rest and first == "a":  # "A Cappella"
                named[rest].append(Name(unit.id, written, Rank.DERIVED))
            for other in names.other_names(written):
                keys.append(names.key(other))
                named[keys[-1]].append(Name(unit.id, other, Rank.DERIVED))
            if " " in unit_type and first == unit_type.rpartition(" ")[2] and rest:  # "Station 3", a fire station
                named[f"{unit_type} {rest}"].append(Name(unit.id, written, Rank.DERIVED))
            for core in names.cores(written, kinds, unit_type):
                is_whole = not core.is_part or " " in core.text
                is_alone = (is_whole or core.is_side) and len(core.text) > 2 and not _POSSESSIVE.search(written)
                cores[core.text].append(Core(unit.id, written, core.kind, is_whole, is_alone, core.is_part))
        compound = names.key(head) if "-" in head else ""  # "Directorate-General"
        for part in (unit_type, compound):
            for abbreviated in _abbreviated(keys, part) if " " in part else ():
                named[abbreviated].append(Name(unit.id, unit.name, Rank.DERIVED))
        for short in _without_root(own, root_key) if unit.id != root.id else ():
            named[short].append(Name(unit.id, unit.name, Rank.DERIVED))
        last = own.rpartition(" ")[2]
        if last != own and last in kinds and last not in GENERAL and len(only[last]) < 2:
            only[last].append(Name(unit.id, unit.name, Rank.HEAD))
        if head:
            heads[names.key(head)].append(Name(unit.id, f"the {head}", Rank.HEAD))
    for phrase, sharing in heads.items():
        if phrase not in OFFICES and len(sharing) <= (MOST_SHARING if " " in phrase else 1):
            named[phrase] += sharing  # "the Board", but "the office" may be anyone's
    for kind, ending in only.items():
        if len(ending) == 1 and kind not in named and kind not in cores:
            named[kind] = ending
    called = [word for word in (names.key(root.name).rpartition(" ")[2], names.key(root.type)) if word]
    for word in dict.fromkeys(called):
        if " " not in word and word not in named:  # "the Foundation"
            named[word].append(Name(root.id, f"the {word}", Rank.HEAD))
    below = {names.key(kind) for kind in {unit.type for unit in chart.units.values() if unit.id != root.id}}
    wholes = frozenset(
        word for word in called if word not in below and {name.unit for name in named.get(word, ())} == {root.id}
    )
    few = {core: _few(sharing) if len(sharing) > MOST_SHARING else sharing for core, sharing in cores.items()}
    typed = {unit_type: names.key(unit_type) for unit_type in chart.types}
    offices = frozenset(unit.id for unit in chart.units.values() if typed.get(unit.type) in OFFICES - BODIES)
    return Index(chart, dict(named), few, types, kinds, root.id, offices, _by_word(long, kinds), _rare(leads), wholes)


def _abbreviated(keys: Iterable[str], part: str) -> Iterator[str]:
    """Names with the type, or the head, of several words cut to its initials: "flat products BU", "DG trade"."""
    initials = "".join(word[0] for word in part.split(" "))
    for key in keys:
        if key.endswith(f" {part}"):
            yield f"{key.removesuffix(part)}{initials}"
        elif key.startswith(f"{part} "):
            yield f"{initials}{key.removeprefix(part)}"


def _without_root(key: str, root: str) -> Iterator[str]:
    """A name that begins with the organization's, without it or with its first word alone: "chamber choir" of the
    Northern Broadcasting Chamber Choir, "halden poland" of Halden Pharma Poland."""
    if key.startswith(f"{root} "):
        rest = key.removeprefix(f"{root} ")
        if " " in rest:
            yield rest
        if " " in root:
            yield f"{root.partition(' ')[0]} {rest}"


def _few(sharing: Sequence[Core]) -> list[Core]:
    """Of each kind no more units than one too many, so that a core that thousands share costs a question no time."""
    kept: dict[str, list[Core]] = defaultdict(list)
    for core in sharing:
        if len(kept[core.kind]) <= MOST_SHARING:
            kept[core.kind].append(core)
    return [core for some in kept.values() for core in some]


def _by_word(long: Sequence[tuple[str, str]], kinds: frozenset[str]) -> dict[str, list[tuple[str, str]]]:
    by_word: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name in long:
        for word in name[1].split(" "):
            if word not in kinds and len(by_word[word]) <= _MOST_HAVING:
                by_word[word].append(name)
    return _rare(by_word)


def _rare(by_word: Mapping[str, list[tuple[str, str]]]) -> dict[str, list[tuple[str, str]]]:
    return {word: having for word, having in by_word.items() if 0 < len(having) <= _MOST_HAVING}


def _types(chart: Chart) -> dict[str, str]:
    """The chart's types by their phrases, as first spelled; of a unit without a type, the kind that its name tells."""
    types: dict[str, str] = {}
    for unit_type in (*chart.types, *(names.kind_in(unit.name) for unit in chart.units.values() if not unit.type)):
        key = names.key(unit_type)
        types.setdefault(key, unit_type)
        if key.count(" ") >= 2:  # "SIG" for a special interest group
            types.setdefault("".join(word[0] for word in key.split(" ")), unit_type)
    return types
