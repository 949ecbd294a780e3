"""English sentences said in another way, and with one thing changed so that they say another. A change gives None where
the sentence has nothing to change."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

from trag.table_rows import read_row

_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_FIGURE = re.compile(r"(?<![\w.,/-])\d{1,3}(?:[, ]\d{3})+(?![\d.,]*\d)|(?<![\w/-])\d+(?:\.\d+)?(?![\d/-])(?![.,]\d)")
_SPELT = re.compile(rf"\b(?:{'|'.join(_WORDS[2:])}|fifteen|twenty|thirty|forty|fifty|sixty|ninety)\b", re.I)
_TENS = "fifteen twenty thirty forty fifty sixty ninety".split()
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MEASURES = (
    ("minutes", "hours", "days", "weeks", "months", "years"),
    ("minute", "hour", "day", "week", "month", "year"),
    ("euros", "crowns", "francs", "dollars", "pounds", "florins", "marks"),
    ("EUR", "USD", "GBP", "CHF"),
    ("metres", "kilometres", "centimetres"),
    ("kilograms", "tonnes", "grams"),
    ("per cent", "per mille"),
    ("working days", "calendar days", "months"),
)
_NO = (
    (r"\bmust not\b", "must"),
    (r"\bmay not\b", "may"),
    (r"\bcannot\b", "can"),
    (r"\bdoes not (\w+)\b", r"does \1"),
    (r"\b(is|are|was|were|will|shall|has|have|do|need) not\b", r"\1"),
    (r"\bNo\b(?!\.)", "Every"),
    (r"\bno\b(?!\.)", "a"),
    (r"\bnever\b", "always"),
    (r"\bonly\b", "also"),
    (r"\b(must|may|shall|will|can|should)\b(?! not)", r"\1 not"),
    (r"\b(is|are|was|were)\b(?! not| no\b)", r"\1 not"),
    (r"\bwithout\b", "with"),
    (r"\bwith\b", "without"),
)
_DUTY = (
    (r"\bmay\b(?! not)", ("must", "has to", "is required to")),
    (r"\bmust\b(?! not)", ("may", "can, if it wishes,", "may choose to")),
    (r"\bshall\b(?! not)", ("may", "is free to")),
    (r"\b(?:is|are) (?:required|obliged) to\b", ("may", "can")),
    (r"\bshould\b", ("must", "must always")),
    (r"\bcan\b(?!not)", ("must", "has to")),
)
_COMPARISON = (
    ("at least", "at most"),
    ("not less than", "not more than"),
    ("not later than", "not earlier than"),
    ("no more than", "no fewer than"),
    ("more than", "less than"),
    ("before", "after"),
    ("above", "below"),
    ("over", "under"),
    ("earlier", "later"),
    ("up to", "from"),
    ("within", "after"),
    ("all", "some"),
    ("every", "some"),
    ("each", "one"),
    ("both", "either"),
    ("and", "or"),
    ("first", "last"),
    ("unless", "if"),
    ("except", "including"),
    ("increase", "decrease"),
    ("oldest", "youngest"),
    ("approves", "rejects"),
    ("internal", "external"),
    ("full", "half"),
    ("twice", "once"),
    ("permanent", "temporary"),
)
_TRUE = (
    (r"\bmust\b(?! not)", ("has to", "is required to", "needs to", "shall")),
    (r"\bshall\b(?! not)", ("must", "is to")),
    (r"\bmay\b(?! not)", ("can", "is allowed to", "is permitted to")),
    (r"\bmay not\b", ("must not", "is not allowed to", "is not permitted to", "cannot")),
    (r"\bat least\b", ("no fewer than", "a minimum of", "not less than")),
    (r"\bat most\b", ("no more than", "a maximum of", "up to")),
    (r"\b(?:not|no) more than\b", ("at most", "up to")),
    (r"\bnot less than\b", ("at least", "a minimum of")),
    (r"\bbefore\b", ("prior to", "ahead of")),
    (r"\bnot later than\b", ("by", "no later than")),
    (r"\bper cent\b", ("%", "percent")),
    (r"\bevery year\b", ("each year", "annually", "once a year")),
    (r"\ba year\b", ("per year", "each year", "annually")),
    (r"\bconsists of\b", ("is made up of", "comprises", "is composed of")),
    (r"\bappoints\b", ("names", "selects")),
    (r"\bappointed\b", ("named", "chosen")),
    (r"\bchosen\b", ("selected", "picked")),
    (r"\bdecides on\b", ("makes the decision on", "rules on")),
    (r"\bis responsible for\b", ("has responsibility for", "is in charge of", "takes care of")),
    (r"\bmeets\b", ("holds its meetings", "convenes")),
    (r"\breceives\b", ("gets", "is given")),
    (r"\bonly\b", ("solely", "exclusively")),
    (r"\bif\b", ("in case", "provided that", "when")),
    (r"\bunless\b", ("except where", "except when")),
    (r"\bwhoever\b", ("anyone who", "a person who", "those who")),
    (r"\bin writing\b", ("in written form",)),
    (r"\bsends\b", ("forwards", "submits")),
    (r"\bwithin\b(?= \w+ (?:day|week|month|year|hour)s?\b)", ("in no more than", "no later than")),
    (r"\bpays\b", ("covers", "bears")),
    (r"\bis open to\b", ("is available to", "can be joined by")),
    (r"\bends\b", ("finishes", "comes to an end")),
    (r"\bbegins\b", ("starts", "commences")),
    (r"\bstarts\b", ("begins",)),
    (r"\bremoved\b", ("taken off",)),
    (r"\breport(s?) to\b", (r"report\1 directly to",)),
    (r"\bassists\b", ("helps", "supports")),
    (r"\bapproves\b", ("gives its approval to", "signs off")),
    (r"\bevery\b", ("each",)),
    (r"\beach\b", ("every",)),
    (r"\bcosts\b", ("is priced at", "comes to")),
    (r"\bprovides\b", ("offers", "gives")),
    (r"\bkeeps\b", ("maintains", "holds")),
    (r"\bstaff\b", ("employees", "personnel")),
    (r"\bbuy\b", ("purchase",)),
    (r"\bask(s?) for\b", (r"request\1",)),
    (r"\bneed(s?)\b", (r"require\1",)),
    (r"\babout\b(?= \d)", ("around", "roughly", "approximately")),
    (r"\bas well as\b", ("and also",)),
    (r"\balso\b", ("in addition", "additionally")),
    (r"\bdo not\b", ("don't",)),
    (r"\bdoes not\b", ("doesn't",)),
    (r"\bis not\b", ("isn't",)),
)
_CONDITION = re.compile(
    r"(?:,? (?:and )?(?:if|unless|except|provided|only if|only when|only where|save that|so long as|as long as|until|"
    r"other than|subject to|with the consent|with the approval|in the case of|after|before|without)\b[^,.;:]{8,}?)"
    r"(?=[.;]|, )",
    re.I,
)
_LEADING = re.compile(r"^(?:If|Unless|Where|When|Until|Except|Only if|In case|Provided|After|Before)\b[^,.;]{6,}, (\w)")
_BRACKETS = re.compile(r" \([^()]{3,}\)")
_LISTS = re.compile(
    r"(?P<first>[\w'’ -]{3,60}?), (?P<more>[^,.;:]{3,60}), (?P<mark>and|or) (?P<last>[^,.;:]{3,60})(?=[.,;])"
)
_NAME = re.compile(r"\b(?:the )?[A-Z][\w'’-]+(?: (?:of|for|and|the|[A-Z][\w'’-]+))* ?[A-Z]?[\w'’-]*\b")
_WHO = re.compile(r"\b[Tt]he [a-z]{4,}(?= (?:must|may|shall|is|has|decides|pays|approves|sends|keeps))")
_LEADS = (
    "In addition, ", "Additionally, ", "Furthermore, ", "Moreover, ", "Also, ", "In particular, ", "Importantly, ",
    "Overall, ", "In summary, ", "Specifically, ", "Notably, ",
)  # fmt: skip
_COMMON = frozenset(
    """a after all an any applications as at before both by each every for if in it members no nobody on one only other
    staff such the there these they this those two when where whoever""".split()
)
"""Words that begin sentences and are no names."""
_EMPTY = tuple(Path(__file__).with_name("empty_words.txt").read_text(encoding="utf-8").splitlines())
"""Words that fit every unit ($unit, $other) or end every sentence: what models write where they know nothing."""
_LONG = 220  # characters of a sentence that is not made longer


def _small(text: str) -> str:
    """For the middle of a sentence, where names and acronyms keep their capitals."""
    return text[0].lower() + text[1:] if text.split(" ", 1)[0].casefold() in _COMMON else text


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _once(pattern: str, other: str, text: str, chance: random.Random) -> str | None:
    """One of the places where the pattern stands, replaced."""
    found = [*re.finditer(pattern, text)]
    if not found:
        return None
    one = chance.choice(found)
    return text[: one.start()] + one.expand(other) + text[one.end() :]


def paraphrase(text: str, chance: random.Random) -> str | None:
    """The same with some words exchanged for others of the same meaning, or in another order."""
    said = text
    order = chance.sample(_TRUE, len(_TRUE))
    changed = 0
    for pattern, others in order:
        if changed < 3 and (found := _once(pattern, chance.choice(others), said, chance)):
            said, changed = found, changed + 1
    if chance.random() < 0.5:
        said = _spelling(said, chance)
    if chance.random() < 0.6:
        said = _reordered(said)
    if chance.random() < 0.25:
        said = chance.choice(_LEADS) + _small(said)
    return said if said != text else None


def _spelling(text: str, chance: random.Random) -> str:
    """A small number as a word, or as a figure; a date the other way round."""
    if found := re.search(r"\b(\d{1,2}) (" + "|".join(_MONTHS) + r")\b", text):
        return f"{text[: found.start()]}{found[2]} {found[1]}{text[found.end() :]}"
    found = re.search(r"(?<![\w.,:/-])(\d{1,2})(?= [a-z]{3})", text)
    if found and 2 <= int(found[1]) < len(_WORDS):
        return text[: found.start()] + _WORDS[int(found[1])] + text[found.end() :]
    if found := re.search(r"\b(" + "|".join(_WORDS[2:]) + r")\b", text):
        return text[: found.start()] + str(_WORDS.index(found[1])) + text[found.end() :]
    if found := re.search(r"\b(EUR|USD|GBP|CHF|SQD|LMD) ([\d,.]*\d)", text):
        return f"{text[: found.start()]}{found[2]} {found[1]}{text[found.end() :]}"
    return text


def _reordered(text: str) -> str:
    """The condition in front behind the rest, or the one behind in front."""
    if found := re.match(
        r"^((?:If|Unless|Where|When|Until|After|Before|From|In|On|For|At)\b[^,.;:]{6,}), ([^.;:]+)\.$", text
    ):
        return f"{_upper(found[2])} {found[1][0].lower()}{found[1][1:]}."
    if found := re.match(r"^([^.;:,]+?),? ((?:if|unless|when|where|until)\b[^,.;:]{6,})\.$", text):
        return f"{_upper(found[2])}, {_small(found[1])}."
    if found := re.match(r"^([^.;:]+); ([^.;:]+)\.$", text):
        return f"{_upper(found[2])}, and {_small(found[1])}."
    return text


def attributed(text: str, heading: str, chance: random.Random) -> str:
    """The same, with where it stands."""
    document, _, section = heading.partition(", ")
    last = re.sub(r"^(?:Rule|Article|Section|Art\.?|§|No\.?)? ?[\d.IVX]+[.):]? ", "", section.rsplit(" > ", 1)[-1])
    name = re.sub(r"\.\w+$", "", document).replace("-", " ").replace("_", " ")
    lead = chance.choice(
        (
            f"According to the {name}, ",
            f"Under {last}, ",
            f"The {name} states that ",
            f"As regards {last}, ",
            f"The {name} says: ",
            f"In the section on {last}, ",
        )
    )
    return lead + _small(text)


def shortened(text: str, chance: random.Random) -> str | None:
    """Less than was said, but nothing else: without brackets, one half of two, or a list with an item less."""
    ways: list[str] = []
    if _BRACKETS.search(text):
        ways.append(_BRACKETS.sub("", text, count=1))
    halves = [half.strip() for half in re.split(r"; (?!or |otherwise)", text.rstrip(".")) if len(half.split()) > 4]
    if len(halves) > 1 and "–" not in text:
        ways.append(_upper(chance.choice(halves)) + ".")
    if (
        found := re.match(
            r"^([^,;:–]{25,}), (?:and|but) ((?:the|a|an|it|they|he|she|no|each|every|its) [^;:–]{15,})\.$", text
        )
    ) and not re.match(r"(?:If|Where|When|Unless)\b", text):
        ways.append(found[1] + ".")
        ways.append(_upper(found[2]) + ".")
    if (found := re.match(r"^([^,;:]{20,}), (?:which|who|where) [^;:]{10,}\.$", text)) and " not " not in found[1]:
        ways.append(found[1] + ".")
    found = _LISTS.search(text)
    if found and found["mark"] == "and" and not re.search(r"\b(?:only|consists|not|no|all)\b", text):
        ways.append(f"{text[: found.end('first')]} and {found['last']}{text[found.end() :]}")
    if found := re.match(r"^(?P<caption>.*?) – (?P<first>[^;]+); (?P<rest>.+)\.$", text):
        cells = found["rest"].split("; ")
        if len(cells) > 1:
            ways.append(f"{found['caption']} – {found['first']}; {chance.choice(cells)}.")
    return chance.choice(ways) if ways else None


def fused(first: str, second: str, chance: random.Random) -> str | None:
    """Two sentences as one."""
    if any(one.endswith((":", "?")) or len(one) > _LONG for one in (first, second)) or " – " in first + second:
        return None
    one = first.rstrip(".")
    mark = chance.choice((", and ", "; ", ", while ", ". Also, ", ", and "))
    return f"{one}{mark}{_small(second)}"


def listed(lead: str, items: Sequence[str]) -> str:
    """A lead-in and items as one sentence."""
    said = [item.rstrip(".;,") for item in items]
    return f"{lead.rstrip(':')} {', '.join(said[:-1])}{' and ' if len(said) > 1 else ''}{said[-1]}."


def row(text: str, other: str | None, chance: random.Random) -> str | None:
    """A row of a table in words; with a cell of another row of that table, where one is given."""
    own = read_row(text)
    if own is None or len(own.cells) < 2:
        return None
    cells = list(own.cells)
    place = chance.randrange(1, len(cells))
    if other is not None:
        beside = read_row(other)
        if beside is None or beside.caption != own.caption:
            return None
        values = dict(beside.cells)
        if values.get(cells[place][0], cells[place][1]) == cells[place][1]:
            return None
        cells[place] = (cells[place][0], values[cells[place][0]])
    key, (name, value) = cells[0][1], cells[place]
    if not (key and value and name):
        return None
    return chance.choice(
        (
            f"For {key}, the {_small(name).lower()} is {value}.",
            f"{key}: {name.lower()} {value}.",
            f"The {name.lower()} for {key} is {value}.",
            f"{key} has {value} as its {name.lower()}.",
            f"In the case of {key}, {name.lower()} is set at {value}.",
        )
    )


def other_number(text: str, chance: random.Random) -> str | None:
    """Another figure, or another number in words."""
    figures = [one for one in _FIGURE.finditer(text) if one.start() > 3]
    spelt = [*_SPELT.finditer(text)]
    if figures and (not spelt or chance.random() < 0.7):
        one = chance.choice(figures)
        digits = one[0].replace(",", "").replace(" ", "")
        value = float(digits)
        if 1900 < value < 2100 or ("." not in digits and value < 40):
            value += chance.choice((-3, -2, -1, 1, 2, 3, 5, 10))
        else:
            value *= chance.choice((0.1, 0.5, 0.8, 1.2, 1.5, 2, 10))
        if value <= 0:
            return None
        other = f"{value:.1f}" if "." in digits else f"{round(value):,}" if "," in one[0] else f"{round(value)}"
        return text[: one.start()] + other + text[one.end() :] if other != one[0] else None
    if spelt:
        one = chance.choice(spelt)
        small = one[0].casefold() in _WORDS
        other = chance.choice([word for word in (_WORDS[2:] if small else _TENS) if word != one[0].casefold()])
        return text[: one.start()] + (other.title() if one[0][0].isupper() else other) + text[one.end() :]
    return None


def number_from(text: str, window: str, chance: random.Random) -> str | None:
    """A figure exchanged for another that the window holds."""
    own = [one for one in _FIGURE.finditer(text) if one.start() > 3]
    others = sorted({one[0] for one in _FIGURE.finditer(window)} - {one[0] for one in own})
    if not own or not others:
        return None
    one = chance.choice(own)
    return text[: one.start()] + chance.choice(others) + text[one.end() :]


def other_measure(text: str, chance: random.Random) -> str | None:
    """Weeks for days, one currency for another."""
    kinds = [
        (found, kind)
        for kind in _MEASURES
        for word in kind
        if (found := re.search(rf"(?<=[\w%] ){word}\b|\b{word}(?= \d)", text))
    ]
    if not kinds:
        return None
    found, kind = chance.choice(kinds)
    other = chance.choice([word for word in kind if word != found[0]])
    return text[: found.start()] + other + text[found.end() :]


def other_date(text: str, chance: random.Random) -> str | None:
    """Another month, day of the week, or day of a month."""
    found = [
        *((one, kind) for kind in (_MONTHS, _DAYS) for one in re.finditer(rf"\b(?:{'|'.join(kind)})(?=s?\b)", text))
    ]
    found = [(one, kind) for one, kind in found if one[0] != "May" or re.search(r"\d $", text[: one.start()])]
    if not found:
        return None
    one, kind = chance.choice(found)
    other = chance.choice([word for word in kind if word != one[0]])
    return text[: one.start()] + other + text[one.end() :]


def negated(text: str, chance: random.Random) -> str | None:
    """The opposite."""
    if re.match(r"(?:Yes|No)\b[,.]", text) and chance.random() < 0.7:
        yes = text.startswith("Yes")
        return ("No" if yes else "Yes") + text[3 if yes else 2 :]
    fitting = [change for change in _NO if re.search(change[0], text)]
    if not fitting:
        return None
    pattern, other = fitting[0] if chance.random() < 0.5 else chance.choice(fitting)
    return _once(pattern, other, text, chance)


def unconditional(text: str, chance: random.Random) -> str | None:
    """Without its condition, exception or restriction."""
    ways = []
    if found := _CONDITION.search(text):
        ways.append(text[: found.start()] + text[found.end() :])
    if found := _LEADING.match(text):
        ways.append(_upper(text[found.start(1) :]))
    if re.search(r"\bonly\b", text):
        ways.append(re.sub(r"\bonly ", "", text, count=1))
    ways = [way for way in ways if len(way.split()) > 4]
    return _upper(chance.choice(ways)) if ways else None


def other_duty(text: str, chance: random.Random) -> str | None:
    """May for must, and the like."""
    fitting = [change for change in _DUTY if re.search(change[0], text)]
    if not fitting:
        return None
    pattern, others = chance.choice(fitting)
    return _once(pattern, chance.choice(others), text, chance)


def other_comparison(text: str, chance: random.Random) -> str | None:
    """At most for at least, after for before, or for and."""
    both = [*_COMPARISON, *((second, first) for first, second in _COMPARISON if (first, second) != ("up to", "from"))]
    fitting = [one for one in both if re.search(rf"\b{one[0]}\b", text)]
    fitting = [one for one in fitting if one[0] != "and"] or fitting
    if not fitting:
        return None
    first, second = chance.choice(fitting)
    return _once(rf"\b{first}\b", second, text, chance)


def renamed(text: str, window: str, units: Sequence[str], chance: random.Random) -> str | None:
    """A unit or another name in it exchanged for one of the window or of the organization."""
    named = [unit for unit in units if len(unit) > 3 and unit in text]
    if named:
        own = chance.choice(named)
        others = [unit for unit in units if unit in window and unit not in text] or [
            unit for unit in units if unit not in text
        ]
        return text.replace(own, chance.choice(others), 1) if others else None
    own_names = [one for one in _NAME.finditer(text) if one.start() > 0 and len(one[0]) > 4] + [*_WHO.finditer(text)]
    others = sorted({one[0].strip() for one in _NAME.finditer(window) if len(one[0]) > 5 and one[0] not in text})
    if not own_names or not others:
        return None
    one = chance.choice(own_names)
    other = chance.choice(others)
    if one[0][:4].casefold() == "the " and other[:4].casefold() != "the ":
        other = f"{one[0][:4]}{other}"
    return text[: one.start()] + other + text[one.end() :]


def crossed(first: str, second: str, chance: random.Random) -> str | None:
    """Who the first sentence is about, and what the second says of another."""
    cut = r"\b(?:must|may|shall|is|are|has|have|will|can|was|were|decides|pays|receives|appoints|meets|needs)\b"
    one, two = re.search(cut, first), re.search(cut, second)
    if not one or not two or one.start() < 4 or two.start() < 4 or " – " in first + second:
        return None
    if first[: one.start()].casefold() == second[: two.start()].casefold():
        return None
    return first[: one.start()] + second[two.start() :]


def embroidered(text: str, heading: str, units: Sequence[str], window: str, chance: random.Random) -> str | None:
    """A sentence with an ending that nobody wrote, or one that would fit everything."""
    line = chance.choice(_EMPTY)
    if line.startswith(",") and (not text.endswith(".") or " – " in text or len(text) > _LONG):
        return None
    named = [unit for unit in units if unit in window] or list(units[:1])
    last = heading.rsplit(" > ", 1)[-1].partition(", ")[2] or heading.rsplit(" > ", 1)[-1]
    unit, other = (
        f"the {chance.choice(among)}" if among and chance.random() < 0.7 else f"the {last}" for among in (named, units)
    )
    line = line.replace("$unit", unit).replace("$other", other)
    return text[:-1] + line if line.startswith(",") else _upper(line)
