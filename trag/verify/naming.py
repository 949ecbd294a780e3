"""The units that an answer names: those of the chart, and those that look like units and are none.

Models shorten names and write them in capitals, so beside what the finder is sure of, names count without their kind.
Knows nothing about what an answer says of the units.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from weakref import WeakKeyDictionary

from org import namesakes
from org.answering import kinds
from org.answering.facts import Fact
from org.answering.sentences import is_post
from org.chart import Chart
from org.entities import EntityFinder, Mention
from org.finding import names
from org.finding.kinds import BODIES, KINDS_ABROAD, OFFICES
from org.finding.sentence import EVERYDAY
from trag.verify.support import Evidence

_NEAR = 200  # units of which the name is looked for to the letter, and types
_MOST_WORDS = 8
_KIND = (
    r"(?:Office|Division|Department|Committee|Council|Board|Unit|Centre|Center|Institute|Bureau|Service|Section|Panel|"
    r"Commission|Directorate|Secretariat|Agency|Team|Desk|Branch|Group|Sub-?[Cc]ommittee|Working Group|Task Force)"
)
_PLAIN = (
    r"(?:The|A|An|In|Under|Within|Its|Their|This|That|These|Each|Every|Any|All|Both|No|Yes|Directly|If|When|For|By|To|"
    r"Of|And|Your|Our|My|Another|Other|Which|What|Parent|Sub|Ask|Contact|Write|Send|Please|Next|New|One|Two|Three|"
    r"Four|Five|Six|Seven|Eight|Nine|Ten)"
)
_NAME = rf"(?!{_PLAIN}\b)[A-Z][\w'’-]*"
_AND_NAME = rf"(?: (?:(?:&|and|of|for|,) (?:the )?)?{_NAME})"
_UNKNOWN = re.compile(
    rf"\b{_KIND} (?:of|for) (?:the )?{_NAME}{_AND_NAME}{{0,5}}"
    rf"|\b(?!{_KIND}\b){_NAME}{_AND_NAME}{{0,5}}? {_KIND}\b(?! (?:of|for) [A-Z])"
)
_OF_TEXTS = {"section", "chapter", "part", "article"}  # "Section 12" may be one of a manual
# The same for the types of a chart, in whatever language with capital letters. A word before the kind counts within a
# sentence only, for at its beginning any word has a capital.
_CAPITAL = "".join(filter(str.isupper, map(chr, range(0x530))))
_LINK = r"(?:of|for|de|del|della|di|da|do|dos|das|du|des|für|fuer|von|vom|van|voor)"
_ARTICLE = r"(?:(?:the|la|le|las|les|los|el|il|lo|gli|der|die|das|den|dem|het|de) |d?ell['’]|[dl]['’])"
_OWN_NAME = rf"(?!{_PLAIN}\b)[{_CAPITAL}][\w'’-]*"
_AND_OWN_NAME = rf"(?: (?:(?:&|and|und|et|y|e|en|{_LINK}) {_ARTICLE}?)?{_OWN_NAME})"
_ITEM = re.compile(
    r"(?:^|\n)[ \t]*(?:[-*•·–]|\d{1,2}[.)])[ \t]+(?P<line>[^\n:(–]+)|[:,][ \t]+(?:and )?(?P<piece>[^\n:;,.()]+)"
    r"|\band (?P<last>[^\n:;,.()]+)"
)
_LOOKS_NAMED = re.compile(
    rf"(?:the )?(?:{_NAME}(?: (?:(?:of|for|and|&) )?(?:the )?{_NAME}){{1,6}}|[a-z][a-z0-9]*(?:-[a-z0-9]+)+)\W*"
)
_KIND_OF = re.compile(r"[a-z]+ of\b")
_NUMBER = re.compile(r"\d+(?: [a-z-]+s)?")  # "5 wards" is a number of wards, not Ward 5
_JOINED = re.compile(r"\b(?:of|and|or)\b|,")
_ARROW = re.compile(r"->|-->|=>|[→⟶⇒›»←⟵>/|](?=\s)")
_WORD = re.compile(r"[^\W_][\w'’./-]*[\w'’]|[^\W_]|&")
_SMALL = re.compile(
    r"(?<!\w)(?<!\bthe )(?<!\ba )(?<!\ban )(?<!\bour )(?<!\byour )(?<!\bits )(?<!\btheir )(?<!\bthis )(?<!\bthat )"
    r"(?<!\beach )(?<!\bevery )(?<!\bany )(?<!\bno )(?<!-)[a-z][a-z]+(?![\w-])"
)
_SLUG = re.compile(r"(?<![\w-])[a-z0-9]+(?:[-_.][a-z0-9]+)+(?![\w-])")
_BESIDE = re.compile(r"\W*(?:$|[.,;>/\n→)]|(?:is|are|and|under|has|sits|falls|reports|belongs|does|includes|or)\b)")
_POSSESSIVE = re.compile(r"['’]s$")
_FIGURE = re.compile(r" \d+\b")
_CAPITAL_BEFORE = re.compile(rf"(?<=[\w,’'] )(?!{_PLAIN}\b)[A-Z][\w'’-]+ (?:& )?$")

_cores: WeakKeyDictionary[Chart, dict[str, tuple[str, ...]]] = WeakKeyDictionary()
_own_kinds: WeakKeyDictionary[Chart, re.Pattern[str]] = WeakKeyDictionary()


def mentions(
    text: str, about: Sequence[Mention], wanted: Iterable[Sequence[Fact]], chart: Chart, finder: EntityFinder
) -> tuple[Mention, ...]:
    """The units that the answer names, each with all the units of its name, in the order of the text."""
    near = dict.fromkeys(unit for mention in about for unit in mention.units)
    near |= dict.fromkeys(unit for facts in wanted for fact in facts for unit in (*fact.one_of, *fact.all_of))
    near |= dict.fromkeys(above.id for unit in list(near)[:_NEAR] for above in chart.path(unit)[:-1])
    read = (mention for mention in _found(text, chart, finder) if not _is_word(mention, near.keys(), chart))
    found = [*read, *_shortened(text, chart), *_small(text, chart), *_after_article(text, chart)]
    for unit in [chart.unit(one) for one in list(near)[:_NEAR]]:
        for form in _forms(unit.name):
            places = re.finditer(rf"(?<![\w-]){re.escape(form)}(?![\w-])", text)
            found += [Mention((unit.id,), place[0], place.start(), place.end()) for place in places]
    found = [_told_apart(mention, text, chart) for mention in found]
    chosen: list[Mention] = []
    for mention in sorted(found, key=lambda one: (one.start - one.end, -len(one.units))):
        if not any(mention.start < other.end and other.start < mention.end for other in chosen):
            chosen.append(mention)
    return tuple(sorted(chosen, key=lambda mention: mention.start))


def unknown(
    text: str,
    known: Sequence[Mention],
    wanted: Iterable[Sequence[Fact]],
    evidence: Sequence[Evidence],
    chart: Chart,
    finder: EntityFinder,
) -> tuple[str, ...]:
    """What looks like a unit's name in the answer, by an English word for its kind or by a type of the chart, while
    neither the chart nor any source has it.

    In the answer to a question for a list, every item that is written as a name counts.
    """
    letters = list(text)
    for mention in known:
        letters[mention.start : mention.end] = "\ue000" * (mention.end - mention.start)
    masked = "".join(letters)
    found = [match[0] for pattern in (_UNKNOWN, _of_own_kinds(chart)) for match in pattern.finditer(masked)]
    if any(fact.exactly and fact.all_of for facts in wanted for fact in facts):
        items = (match[match.lastgroup or 0].strip() for match in _ITEM.finditer(masked))
        found += [item for item in items if _LOOKS_NAMED.fullmatch(item)]
    texts = [" ".join(item.text.lower().split()) for item in evidence]
    bare = (re.sub(r"^the\s+|\W+$", "", name) for name in found)
    plain = {name: " ".join(name.lower().split()) for name in bare}
    return tuple(
        name
        for name, form in plain.items()
        if not any(form in one for one in texts) and not _is_in_chart(name, chart, finder)
    )


def _is_in_chart(name: str, chart: Chart, finder: EntityFinder) -> bool:
    """Whether a unit may be called so: "each Surgery Department" mentions none, and yet there is one."""
    return bool(chart.named(name)) or any(mention.text == name for mention in finder.find(name))


def _of_own_kinds(chart: Chart) -> re.Pattern[str]:
    """What looks like the name of a unit of one of the chart's types: "Faculty of X", "X Faculty", "Abteilung X"."""
    pattern = _own_kinds.get(chart)
    if pattern is None:
        below = (
            unit.type for unit in chart.units.values() if unit.parent is not None
        )  # other companies have names too
        types = [noun for noun in dict.fromkeys(below) if noun[:1].isalpha() and noun != noun.swapcase()][:_NEAR]
        kinds = [noun for noun in types if not is_post(noun) and not re.fullmatch(_KIND, noun, re.IGNORECASE)]
        counted = {_plain(unit.name).rstrip("0123456789") for unit in chart.units.values()}
        numbered = [noun for noun in types if f"{_plain(noun)} " in counted and _plain(noun) not in _OF_TEXTS]
        pattern = _own_kinds[chart] = _named_by(kinds, numbered)
    return pattern


def _named_by(kinds: Sequence[str], numbered: Sequence[str]) -> re.Pattern[str]:
    """Names with one of the kinds, written with a capital, and of the kinds that the chart numbers, "Ward 9"."""
    ways = [rf"\b{_either(numbered)} \d+\b(?![-.,]\w)"] if numbered else []
    if kinds:
        every = _either(kinds)
        ways += [
            rf"\b{every} (?:{_LINK} {_ARTICLE}?|d['’]){_OWN_NAME}{_AND_OWN_NAME}{{0,5}}",
            rf"(?<=\w )(?!{every}\b){_OWN_NAME}{_AND_OWN_NAME}{{0,5}}? {every}\b(?! {_LINK}\b)",
        ]
    if abroad := [kind for kind in kinds if KINDS_ABROAD.issuperset(names.key(kind).split(" "))]:
        ways.append(rf"\b{_either(abroad)} {_OWN_NAME}{_AND_OWN_NAME}{{0,5}}")
    return re.compile("|".join(ways) or r"(?!)")


def _either(kinds: Sequence[str]) -> str:
    """Any of the kinds with a capital, the longest first."""
    longest = sorted(kinds, key=len, reverse=True)
    return "(?:" + "|".join(f"{re.escape(kind[0].upper())}(?i:{re.escape(kind[1:])})" for kind in longest) + ")"


def _found(text: str, chart: Chart, finder: EntityFinder) -> list[Mention]:
    """What the finder reads in the text, without what only a question may mean by it."""
    plain = _ARROW.sub(lambda match: ";" * len(match[0]), text)
    kept: list[Mention] = []
    for _ in range(2):  # once more where a reading was wrong: it may have hidden another
        found = [_without_apostrophe(mention, chart) for mention in finder.find(plain, narrow=False)]
        kept = [whole for mention in found if (whole := _whole(mention, text, chart))]
        wrong = [mention for mention in found if not any(mention.start <= one.start < mention.end for one in kept)]
        wrong += [mention for mention in found if any(mention.start < one.start < mention.end for one in kept)]
        if not wrong:
            break
        for mention in wrong:
            first = _JOINED.search(plain, mention.start, mention.end)
            start, end = first.span() if first else (mention.start, mention.end)
            plain = plain[:start] + ";" * (end - start) + plain[end:]
    return kept


def _whole(mention: Mention, text: str, chart: Chart) -> Mention | None:
    """The mention as a name: with its parenthesis, without a kind that belongs to no name ("a unit of X").

    None when it is a number, part of a longer name, or words that only happen to stand together.
    """
    if mention.text.islower() and _is_type(mention, chart) and not _is_small(mention, chart):
        return None
    if _NUMBER.fullmatch(mention.text) or _is_part(mention, text, chart):
        return None
    if mention.text.count("(") > mention.text.count(")") and text[mention.end : mention.end + 1] == ")":
        return Mention(mention.units, mention.text + ")", mention.start, mention.end + 1)
    if _is_given(mention, chart) or not _JOINED.search(mention.text):
        return mention
    if _KIND_OF.match(mention.text):
        return None
    for unit in mention.units:
        for name in (chart.unit(unit).name, *chart.unit(unit).aliases):
            if match := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", mention.text, re.I):
                start = mention.start + match.start()
                return Mention(mention.units, match[0], start, start + len(match[0]))
    has_comma = any("," in chart.unit(unit).name for unit in mention.units)
    return mention if has_comma or "," not in mention.text else None


def _without_apostrophe(mention: Mention, chart: Chart) -> Mention:
    """The mention without the "'s" behind it, unless that belongs to a name of the unit: "St. Luke's"."""
    bare = _POSSESSIVE.sub("", mention.text)
    forms = (form for one in mention.units for form in (chart.unit(one).name, *chart.unit(one).aliases))
    if bare == mention.text or any(_plain(mention.text) in _plain(form) for form in forms):
        return mention
    units = tuple(unit.id for unit in chart.named(bare)) or mention.units
    return Mention(units, bare, mention.start, mention.start + len(bare))


def _told_apart(mention: Mention, text: str, chart: Chart) -> Mention:
    """The mention with the brackets behind it, where they tell which unit of a shared name is meant."""
    units = [chart.unit(unit) for unit in mention.units]
    told, end = namesakes.told_in_brackets(units, text, mention.end, chart)
    return Mention((told[0].id,), text[mention.start : end], mention.start, end) if len(told) == 1 else mention


def _is_type(mention: Mention, chart: Chart) -> bool:
    """Whether the words are a type of the chart: "four works councils" is not the Works Council."""
    key = kinds.type_key(mention.text)
    return any(kinds.type_key(noun) == key for noun in chart.types[:_NEAR])


def _is_word(mention: Mention, near: Set[str], chart: Chart) -> bool:
    """Whether a single word in small letters is only a word: a model writes "Archives", not "the archive"."""
    alone = mention.text.islower() and re.fullmatch(r"\w+", mention.text) is not None and mention.text.isascii()
    return alone and not near & set(mention.units) and not _is_small(mention, chart)


def _is_small(mention: Mention, chart: Chart) -> bool:
    return any(chart.unit(unit).name.islower() for unit in mention.units)


def _is_part(mention: Mention, text: str, chart: Chart) -> bool:
    """Whether a shortened name is part of a longer one that the chart does not have: "Quantum [Strategy Unit]",
    "[Ward] 9"."""
    more = _CAPITAL_BEFORE.search(text, max(0, mention.start - 40), mention.start) or _FIGURE.match(text, mention.end)
    return bool(more) and not _is_given(mention, chart)


def _is_given(mention: Mention, chart: Chart) -> bool:
    """Whether the mention is a name or an alias to the letter."""
    typed = _plain(mention.text).removeprefix("the ")
    forms = (form for one in mention.units for form in (chart.unit(one).name, *chart.unit(one).aliases))
    return any(_plain(form).removeprefix("the ") == typed for form in forms)


def _forms(name: str) -> Iterator[str]:
    """A name, and the name without its kind."""
    yield name
    core, _, kind = name.rpartition(" ")
    if len(core) > 3 and names.key(kind) in OFFICES | BODIES:
        yield core


def _after_article(text: str, chart: Chart) -> Iterator[Mention]:
    """Names to the letter where the article tells of one of a unit's parts: "a Civil Division chamber"."""
    for match in _UNKNOWN.finditer(text):
        if units := tuple(unit.id for unit in chart.named(match[0])):
            yield Mention(units, match[0], match.start(), match.end())


def _small(text: str, chart: Chart) -> Iterator[Mention]:
    """Names of one word in small letters, "treasurer", where no article makes them a plain word."""
    for match in _SMALL.finditer(text):
        units = tuple(unit.id for unit in chart.named(match[0]) if unit.name == match[0])
        plain = match[0] in EVERYDAY or match[0].endswith("s")
        if units and (not plain or _BESIDE.match(text, match.end())):
            yield Mention(units, match[0], match.start(), match.end())
    for match in _SLUG.finditer(text):
        if units := tuple(unit.id for unit in chart.named(match[0])):
            yield Mention(units, match[0], match.start(), match.end())


def _shortened(text: str, chart: Chart) -> Iterator[Mention]:
    """Names without their kind, in capitals: "Data Protection" of the Data Protection Office."""
    cores = _cores.get(chart)
    if cores is None:
        cores = _cores[chart] = _without_kind(chart)
    words = list(_WORD.finditer(text))
    for place, first in enumerate(words):
        if not first[0][0].isupper():
            continue
        for last in words[place + 1 : place + _MOST_WORDS]:
            stretch = _POSSESSIVE.sub("", text[first.start() : last.end()])
            if "\n" in stretch:
                break
            if units := cores.get(_plain(stretch)):
                yield Mention(units, stretch, first.start(), first.start() + len(stretch))


def _without_kind(chart: Chart) -> dict[str, tuple[str, ...]]:
    """Names of two words or more without the word for their kind, where no more than a few units share one."""
    found: dict[str, list[str]] = defaultdict(list)
    endings = OFFICES | BODIES | {"centre"}
    for unit in chart.units.values():
        name = _plain(unit.name)
        core, _, kind = name.rpartition(" ")
        if " " in core and kind in endings:
            found[core].append(unit.id)
    return {core: tuple(units) for core, units in found.items() if len(units) <= 6}


def _plain(name: str) -> str:
    return name.casefold().replace("&", "and").replace("’", "'")
