"""What employees call a unit: its name, an alias, an acronym, a short form, or its name in a hurry, with a slip in it.

Unit -> the words for it in one question, which mean that unit and no other.  Knows nothing about what is asked.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterator
from random import Random

from org.chart import Unit
from trag.evaluate.chart_cases.names import EVERYDAY, Names, initials, key, words

BODIES = frozenset(
    "academy agency board branch bureau center centre centrum college commission committee council department desk"
    " directorate division faculty group institute laboratory lab library ministry office panel programme program"
    " school secretariat section sector service services squad team trust unit wing workshop".split()
)
"""What units are: a name may end with one, or open with it and "of", and people leave it away."""
_SHORTEST = 5  # letters of a short form: "it" would be short for the IT Office
_LONG = 10  # letters of a name that people make slips in
_SLIPS = 7  # letters of the word with the slip
_OPEN = re.compile(r"(?:['’]s?|&| and| of| for)$", re.IGNORECASE)  # "Chief Executive's" would be somebody else's
_ACRONYM = re.compile(r"[A-Z]{2,6}")


def call(unit: Unit, names: Names, chance: Random, *, hurried: bool) -> str:
    """What one employee calls the unit; "" when no words mean it alone. In a hurry case, accents and signs go."""
    called = _called(unit, names, chance)
    if key(called) in EVERYDAY and not _ACRONYM.fullmatch(called):
        return f'the one called "{called}"'
    article = "the " if called and _takes_article(called) and chance.random() < (0.4 if hurried else 0.9) else ""
    is_made_up = called.isupper() and called not in (unit.name, *unit.aliases)  # too far off in small letters
    return article + (_hurried(called, chance) if hurried and not is_made_up and chance.random() < 0.85 else called)


def _called(unit: Unit, names: Names, chance: Random) -> str:
    sure = names.sure(unit)
    ways: list[tuple[float, str]] = []
    if unit.name in sure[:1]:
        ways.append((5, unit.name))
        ways += [(1, short) for short in _shorts(unit.name) if names.is_short_for(short, unit)]
        letters = initials(unit.name)
        if letters and names.are_initials(letters, unit):
            ways.append((1, letters))
        if slip := _slip(unit.name, names, chance):
            ways.append((1, slip))
    aliases = [name for name in sure if name != unit.name and key(name) not in EVERYDAY]
    ways += [(4 / len(aliases), alias) for alias in aliases]
    if not ways:
        return _by_parent(unit, names, chance)
    return chance.choices([called for _, called in ways], [weight for weight, _ in ways])[0]


def _by_parent(unit: Unit, names: Names, chance: Random) -> str:
    """A shared name, with the unit above that tells which is meant."""
    parents = names.told_by_parent(unit)
    if not parents:
        return ""
    parent = chance.choice(parents)
    article = "the " if _takes_article(parent) else ""
    return chance.choice(
        (f"{unit.name} of {article}{parent}", f"{unit.name} ({parent})", f"{unit.name} in {article}{parent}")
    )


def _shorts(name: str) -> Iterator[str]:
    """A name without what it is: "Travel" for the Travel Desk, "Medicine" for the Department of Medicine."""
    tokens = name.split()
    if len(tokens) > 1 and tokens[-1].casefold() in BODIES:
        tokens = tokens[:-1]
    elif len(tokens) > 2 and tokens[0].casefold() in BODIES and tokens[1].casefold() in ("of", "for"):
        tokens = tokens[3 if tokens[2].casefold() == "the" else 2 :]
    else:
        return
    short = " ".join(tokens)
    if len("".join(words(short))) >= _SHORTEST and not _OPEN.search(short):
        yield short


def _slip(name: str, names: Names, chance: Random) -> str:
    """The name with one slip of the fingers in a long word, which makes no other word of the chart; "" when there is
    no such word."""
    long = [match for match in re.finditer(r"[A-Za-z]+", name) if len(match[0]) >= _SLIPS]
    if len(name) < _LONG or not long:
        return ""
    match = chance.choice(long)
    place = chance.randrange(1, len(match[0]) - 1)
    before, here, there, after = match[0][:place], match[0][place], match[0][place + 1], match[0][place + 2 :]
    slipped = chance.choice(
        (f"{before}{there}{here}{after}", f"{before}{there}{after}", f"{before}{here}{here}{there}{after}")
    )
    is_clear = slipped != match[0] and not any(
        other != match[0].casefold() and (names.has_word(other) or names.is_type(other))
        for other in near(slipped.casefold())
    )
    return name[: match.start()] + slipped + name[match.end() :] if is_clear else ""


def near(word: str) -> Iterator[str]:
    """The word, and all that are one slip away from it: a letter more, less, other, or two the wrong way round."""
    yield word
    for place in range(len(word) + 1):
        start, end = word[:place], word[place:]
        yield start + end[1:]
        yield from (start + letter + end for letter in string.ascii_lowercase)
        yield from (start + letter + end[1:] for letter in string.ascii_lowercase)
        yield start + end[1:2] + end[:1] + end[2:]


def _takes_article(called: str) -> bool:
    """Whether English puts "the" before it."""
    if _ACRONYM.fullmatch(called):
        return True
    tokens = called.casefold().split()
    return len(tokens) > 1 and tokens[0] != "the" and (tokens[-1] in BODIES or tokens[0] in BODIES or " of " in called)


def _hurried(called: str, chance: Random) -> str:
    """In small letters, often without accents and signs, as long as nothing else is meant then."""
    text = " ".join(
        token if token.isupper() and token.casefold() in EVERYDAY else token.lower() for token in called.split(" ")
    )
    if chance.random() < 0.5:
        text = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not "\u0300" <= letter <= "\u036f")
        text = unicodedata.normalize("NFC", text)
    if chance.random() < 0.3:
        text = text.replace(" & ", " and ").replace("’", "'")
    if chance.random() < 0.3 and " " not in text:
        text = text.replace("-", " ").replace("_", " ").strip() or text
    return text if words(text) == words(called) or key(text) == key(called) else called
