"""How names are written: one canonical form for the many spellings of a name, and the other names it goes by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Set
from dataclasses import dataclass
from functools import lru_cache

# Words that say what kind of unit a name is for. Employees swap them within a family: "the finance department" for the
# Finance Division; never across: a finance committee is not the Finance Division.
OFFICES = frozenset((
    "agency", "area", "branch", "bureau", "cell", "center", "clinic", "cluster", "crew", "department", "desk",
    "directorate", "division", "facility", "function", "group", "hub", "institute", "laboratory", "office", "program",
    "project", "secretariat", "section", "sector", "service", "squad", "subdivision", "subsection", "subteam",
    "subunit", "taskteam", "team", "tribe", "unit",
    "abteilung", "bereich", "buro", "buero", "dezernat", "fachbereich", "gruppe", "referat", "sachgebiet",
    "stabsstelle", "zentrum",
    "agence", "cellule", "direction", "equipe", "pole", "unite",
    "centro", "departamento", "direccion", "direcao", "divisao", "escritorio", "gabinete", "gerencia", "nucleo",
    "oficina", "seccion", "secretaria", "servicio", "servico", "setor", "unidad", "unidade",
    "direzione", "dipartimento", "settore", "ufficio",
    "baskanligi", "birimi", "dairesi", "ekibi", "merkezi", "mudurlugu", "ofisi", "subesi",
    "اداره", "دايره", "شعبه", "فريق", "قسم", "قطاع", "مركز", "مكتب", "وحده",
))  # fmt: skip
BODIES = frozenset((
    "assembly", "board", "circle", "commission", "committee", "conference", "congress", "council", "court", "forum",
    "group", "jury", "network", "panel", "parliament", "senate", "steeringgroup", "subcommission", "subcommittee",
    "subgroup", "subpanel", "taskforce", "tribunal", "union", "workinggroup", "workingparty",
    "ausschuss", "beirat", "comision", "comissao", "comitato", "conseil", "consejo", "conselho",
    "consiglio", "junta", "komitesi", "komisyonu", "kurulu", "kommission",
    "لجنه", "مجلس", "هييه",
))  # fmt: skip
# Words for any unit, even where a chart has one of them as a type.
GENERAL = frozenset(("unit", "entity", "body", "element", "organ", "level"))

_LETTERS = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'", "＇": "'", "_": " ", "ı": "i", "ø": "o", "ł": "l", "đ": "d",
     "ð": "d", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه", "ـ": None}
)  # fmt: skip
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_WORD = re.compile(
    r"(?:working|steering)[\s-]+(?:group|party)s?\b|task[\s-]+(?:force|team)s?\b"
    r"|sub[\s-]?(?:committee|commission|division|group|panel|section|team|unit)s?\b"
    r"|(?:[a-z]\.){2,}"
    r"|\b(?:[a-z]{1,3}&[a-z]|[a-z]&[a-z]{1,3}|[a-z] (?:&|and) [a-z])\b"
    r"|\b[a-z]-(?=[a-z]{2})[a-z]{1,60}"  # "x-ray" and "e-learning" are one word
    r"|\bde l[ao]s?\b"
    r"|\b[dl] (?=[aeiouh][a-z]{3})[a-z]{1,60}"  # "commission d audit"
    # scripts written without spaces: each sign is a word
    r"|[\u0e00-\u0e7f\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]"
    # bounded, so that what is remembered of hostile text stays small
    r"|[^\W_]{1,60}(?:'[^\W_]{1,60}){0,3}"
)
_ELISION = re.compile(r"^(?:[cdjlmnst]|qu|un|dell?|all|nell|sull)[' ](?=\w{3})")
_TURKISH_CASE = re.compile(r"(?<=\w{3})'(?:n?[iu]n|[dt][ae]n?|[yn]?[aeiu])$")
_ARABIC_ARTICLE = re.compile(r"^(?:وال|بال|كال|فال|لل|ال)(?=\w{3})")
_ARABIC_LETTERS = re.compile(r"[\u0621-\u064a]")
_NOT_WORD = re.compile(r" and |[\s.'&-]+")
_ABROAD = frozenset((
    "de", "dela", "delas", "delos", "del", "della", "der", "des", "du", "et", "fuer", "fur", "und", "von",
))  # fmt: skip
_DROPPED = frozenset(("the", "of", "for", "on", "in", "and", "a", "an", *_ABROAD))
_LETTER = re.compile(r"A [^\W_]+$|.*[^\W_][ -]A$")  # "A Division", "Watch A"
_SAME = {
    "centre": "center", "programme": "program", "organisation": "organization", "defence": "defense",
    "dept": "department", "div": "division", "lab": "laboratory",
    "st": "saint", "maths": "math", "cttee": "committee", "wg": "workinggroup",
    "tf": "taskforce", "intl": "international", "govt": "government", "admin": "administration", "mgmt": "management",
    "comite": "committee", "comms": "communication",
    "departement": "department", "dev": "development",
    "enquiry": "inquiry", "ops": "operation", "info": "information", "tech": "technology", "first": "1st",
    "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th",
    "north": "northern", "south": "southern", "east": "eastern", "west": "western",
}  # fmt: skip
_PARENTHESIS = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]\s*")
_CAPITALIZED = re.compile(r"(?<![^\W_])[A-Z](?=\w)")
_TITLED = re.compile(r"-[A-Z]?[a-z]+$")
_REMIT = re.compile(r"\s+(?:for|of|in|at)\s+|\s*(?:,|:| - | – )\s*")
_LEGAL_FORMS = frozenset((
    "ab", "ag", "as", "asa", "bv", "co", "corp", "gmbh", "inc", "kg", "kk", "limited", "llc", "llp", "ltd", "ltda",
    "nv", "oy", "oyj", "plc", "pty", "sa", "sas", "se", "sl", "slu", "sp z oo", "spa", "srl",
))  # fmt: skip
_LEGAL_ENDS = frozenset(form.rpartition(" ")[2] for form in _LEGAL_FORMS)


@dataclass(frozen=True, slots=True)
class Word:
    """One canonical word and where it stands in the text. `plural` is whether an ending was taken off."""

    text: str
    start: int
    end: int
    plural: bool


def words(text: str, kept: Set[str] = frozenset()) -> list[Word]:
    """The canonical words of a text: no case, accents, possessives, plurals, articles or "of"; British as American.

    `kept` are articles and the like that stay where they are in capitals, for a chart with a Section "A".
    """
    folded, places = _fold(text)
    found = []
    for match in _WORD.finditer(folded):
        word, plural = canonical(match[0])
        found.append(Word(word, places[match.start()], places[match.end()], plural))
    return [word for word in found if word.text not in _DROPPED or (word.text in kept and text[word.start].isupper())]


def key(text: str) -> str:
    """The canonical words joined by spaces; names with the same key are spellings of one another."""
    return " ".join(_texts(text) or [canonical(word)[0] for word in _WORD.findall(_fold(text)[0])])


def dropped(keys: Collection[str]) -> frozenset[str]:
    """The words that `words` would drop of those keys that are all articles and the like, or have the letter A."""
    found = (key.split(" ") for key in keys if key.partition(" ")[0] in _DROPPED)
    words = frozenset(word for some in found if _DROPPED.issuperset(some) for word in some)
    return words | {"a"} if any(key.startswith("a ") or key.endswith(" a") for key in keys) else words


@lru_cache(maxsize=64)  # one name is asked about several times in a row
def _texts(text: str) -> tuple[str, ...]:
    """The canonical words alone, for names, of which a chart may have 100,000."""
    found = [canonical(word)[0] for word in _WORD.findall(_fold(text)[0])]
    is_lettered = "a" in found and _LETTER.match(text) is not None
    return tuple(word for word in found if word not in _DROPPED or (word == "a" and is_lettered))


def _fold(text: str) -> tuple[str, range | list[int]]:
    """Lower case without accents, and for each letter of it (and its end) the place in the text that it stands for."""
    if text.isascii():
        return text.lower().replace("_", " ").replace("`", "'"), range(len(text) + 1)
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        folded = _fold_letter(letter)
        letters.append(folded)
        places += [place] * len(folded)
    places.append(len(text))
    return "".join(letters), places


@lru_cache(maxsize=4096)
def _fold_letter(letter: str) -> str:
    plain = unicodedata.normalize("NFKD", letter.lower().translate(_LETTERS))
    return "".join(part for part in plain if unicodedata.category(part) not in ("Mn", "Cf")).translate(_LETTERS)


@lru_cache(maxsize=65536)
def canonical(word: str) -> tuple[str, bool]:
    """One word of folded text as `words` gives it, without possessive, elided article and plural ending; whether a
    plural was taken off."""
    if not word.isalnum():
        word = _ELISION.sub("", _TURKISH_CASE.sub("", word.removesuffix("'s")))
        word = _NOT_WORD.sub("", word)
    if _ARABIC_LETTERS.match(word):
        return _ARABIC_ARTICLE.sub("", word), False
    stem = word
    if len(word) > 4 and word.endswith("ies"):
        stem = word[:-3] + "y"
    elif word.endswith(("eaux", "eaus")):
        stem = word[:-1]
    elif len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        stem = word[:-2]
    elif len(word) > 3 and word[-1] == "s" and word[-2] not in "su" and word not in _SAME:
        stem = word[:-1]
    plural = stem != word
    if "ae" in stem and len(stem) > 5:  # "paediatric"
        stem = stem.replace("ae", "e")
    if stem.endswith("ical") and len(stem) > 9:  # "geographical"
        stem = stem[:-2]
    if "isation" in stem:
        stem = stem.replace("isation", "ization")
    if stem.endswith("our") and len(stem) > 5:  # "harbour"
        stem = f"{stem[:-3]}or"
    return _SAME.get(stem, stem), plural


def without_parenthesis(name: str) -> str:
    """Gives "Service Desk" of "Service Desk (1st Line)"."""
    return _PARENTHESIS.sub(" ", name).strip() if "(" in name or "[" in name else name


def without_legal_form(name: str) -> str:
    """Gives "Halden Polska" of "Halden Polska Sp. z o.o."."""
    if name.rpartition(" ")[2].replace(".", "").lower() not in _LEGAL_ENDS:  # as nearly all
        return name
    found = name.split(" ")
    for size in (3, 1, 1):  # "Pty. Ltd."
        if len(found) > size and " ".join(found[-size:]).replace(".", "").lower() in _LEGAL_FORMS:
            found = found[:-size]
    return " ".join(found).rstrip(",")


def spelled_out(name: str) -> str:
    """Gives "kuestenamt" for "Küstenamt", as people write it without the keys for it."""
    return name if name.isascii() else name.casefold().translate(_GERMAN)


def other_names(name: str) -> Iterator[str]:
    """What else a name is called: without its parenthesis, legal form or hyphens, or by an acronym."""
    bare = without_parenthesis(name)
    if bare and bare != name:
        yield bare
        yield from filter(is_acronym, _PARENTHESIS.findall(name))
    if (short := without_legal_form(bare)) not in ("", bare):
        yield short
    if is_acronym(short := initials(bare)):
        yield short
    if "-" in name and name[1:2] != "-":
        yield name.replace("-", "")


def head_name(name: str) -> str:
    """What stands before the remit: "Deputy Director" of "Deputy Director for Operations", "" when there is none."""
    bare = without_parenthesis(name)
    remit = _REMIT.search(bare)
    head = bare[: remit.start()] if remit else bare
    # "Finance, Pay and Tax Office", "New Products, Pricing and Conduct Committee"
    is_list = remit is not None and not remit[0].strip().isalpha() and (" " not in head or head.endswith("s"))
    return "" if head == name or is_list else head


def kind_in(name: str) -> str:
    """The word for its kind in a name, as written: "office" of "Ethics Office", "" when there is none."""
    bare = without_parenthesis(name)
    found, head = words(bare), words(head_name(bare))
    ends = [*head[-1:], found[-1], found[0]] if len(found) > 1 else []
    return next((bare[word.start : word.end].lower() for word in ends if word.text in OFFICES | BODIES), "")


def is_acronym(name: str) -> bool:
    """Whether a name is written as an acronym: one word of 2 to 8 signs, two or more of them capitals; not "X-Ray"."""
    is_short = 2 <= len(name) <= 8 and " " not in name
    return is_short and sum(map(str.isupper, name)) >= 2 and not _TITLED.search(name)


def initials(name: str) -> str:
    """The acronym that people would make of a name with 3 to 6 words in capitals, "" of any other."""
    first = "".join(_CAPITALIZED.findall(without_parenthesis(name)))
    return first if 3 <= len(first) <= 6 and first.isascii() else ""
