"""The cells of a table: cleaned of what nobody sees, guarded against spreadsheets that would run them as formulas, and
what those of a header mean: which column holds the name, which the parent, and so on."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

MAX_CELL = 32_767
"""Characters, as many as a spreadsheet keeps. The path of 65 names of MAX_NAME characters fits."""

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
# Not the whitespace among the controls, which becomes one space. Neither half of a surrogate pair nor a non-character
# can be written to a file.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]")
# Zero-width joiners are part of words in scripts whose letters join, Arabic and Indic, and of pictures made of several;
# variation selectors are part of Chinese characters, Mongolian letters and pictures. Anywhere else nobody sees them.
_HIDING = "\u200c\u200d\u180b-\u180d\ufe00-\ufe0f\U000e0100-\U000e01ef"
_PICTURES = "\u203c-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_JOINED = (
    "\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1cd0-\u1cff\ua8e0-\ua8ff\uaa60-\uaa7f"
    f"\ufb50-\ufdff\ufe70-\ufefc\ufe0f{_PICTURES}"
)
_VARIED = f"\u1000-\u109f\u1820-\u18aa\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff{_PICTURES}"
_ANY_HIDING = re.compile(f"[{_HIDING}]")
_HIDDEN = re.compile(
    f"(?<![{_VARIED}])[\u180b-\u180d\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
    f"|(?<![{_JOINED}\u200c\u200d])[\u200c\u200d]+|[\u200c\u200d]+(?![{_JOINED}])"
)
SIGNS = frozenset("=+-@＝＋－＠﹢﹣﹦﹫")
"""With one of these a formula begins; of the full-width ones, in some spreadsheets."""
_ANY_SIGN = re.escape("".join(sorted(SIGNS)))
_NUMBER = re.compile(r"[-+]?[\d\s().,/-]*")
_GUARDED = re.compile(rf"'*[\t\r\n\0]*[{_ANY_SIGN}\t\r\n\0]")


def clean(cell: str) -> str:
    """The cell in one Unicode form, without invisible and control characters, its spaces single."""
    if cell.isascii():
        return " ".join((cell if cell.isprintable() else _CONTROL.sub("", cell)).split())
    cell = unicodedata.normalize("NFC", _CONTROL.sub("", _INVISIBLE.sub("", cell)))
    cell = " ".join(cell.split())
    shown = _HIDDEN.sub("", cell) if _ANY_HIDING.search(cell) else cell
    return cell if shown == cell else clean(shown)


def has_invisible(cell: str) -> bool:
    """Whether cleaning takes something out that a reader could not have seen."""
    if cell.isascii():
        return False
    return bool(_INVISIBLE.search(cell) or (_ANY_HIDING.search(cell) and _HIDDEN.search(cell)))


def seen(cell: str) -> str:
    """What a reader tells a clean cell from others by: no joiners and selectors, in whatever case."""
    return (cell if cell.isascii() else _ANY_HIDING.sub("", cell)).casefold()


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet would run a clean cell: it begins with a sign and is neither a dash nor a number."""
    return cell[:1] in SIGNS and len(cell) > 1 and _NUMBER.fullmatch(cell) is None


def guard(cell: str) -> str:
    """The cell for a CSV file: with an apostrophe in front where a spreadsheet would run it as a formula.

    So is one that has apostrophes before the sign already, so that `unguard` always gives the cell back.
    """
    return "'" + cell if _GUARDED.match(cell) else cell


def csv_text(rows: Iterable[Iterable[str]]) -> str:
    """Rows as CSV that spreadsheet programs run nothing of."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([guard(cell) for cell in row] for row in rows)
    return text.getvalue()


def unguard(cell: str) -> str:
    """The cell of a CSV file as it was before it was guarded."""
    return cell[1:] if cell[:1] == "'" and _GUARDED.match(cell) else cell


COLUMNS = ("id", "name", "parent", "type", "aliases", "description", "head", "email", "code")
TOP = "top"
"""Under which a choice of columns has the name of a unit to put above several that have no parent."""

# In the order of preference. In languages other than English without accents, as `fold` leaves them.
_SYNONYMS = {
    "parent": (
        "parent id|parent unit id|parent key|parent name|parent unit|parent unit name|parent department|"
        "parent org unit|"
        "parent organization|parent organisation|parent node|parent path|parent code|"
        "reports to|reporting to|report to|"
        "manager id|supervisor id|boss id|reports to id|pid|manager email|manager e mail|supervisor email|"
        "superior organization|superior organisation|parent department code|parent department id|parent unit code|"
        "reports into|belongs to|part of|superior|superior unit|higher unit|upper unit|under|"
        "ubergeordnet|ubergeordnete einheit|ubergeordnete organisationseinheit|gehort zu|untersteht|berichtet an|"
        "unite parente|unite superieure|rattachement|rattache a|depend de|unidad superior|depende de|padre|reporta a|"
        "unita superiore|dipende da|riporta a|unidade superior|subordinado a|bovenliggende eenheid|valt onder|"
        "rapporteert aan|jednostka nadrzedna|ust birim|bagli oldugu birim|родитель|вышестоящее подразделение|"
        "подчиняется|الجهة الاعلى|الوحدة الام|يتبع|الجهة التابعة|上级|上级部门|上级单位|上位組織|親組織"
    ),
    "name": (
        "unit name|unit|org unit|org unit name|organizational unit|organisational unit|organization unit|"
        "department name|department|dept|dept name|entity|entity name|node|node name|division|office|team|title|label|"
        "bezeichnung|einheit|organisationseinheit|abteilung|nom|unite|nom de l'unite|service|departement|"
        "nombre|unidad|departamento|nome|unita|unidade|naam|eenheid|afdeling|nazwa|jednostka|ad|birim|birim adi|"
        "название|наименование|подразделение|отдел|الاسم|اسم الوحدة|الوحدة|الادارة|القسم|"
        "名称|部门|部門|单位|名前|組織名"
    ),
    "id": (
        "unit id|org id|org unit id|organization id|organisation id|department id|dept id|node id|record id|key|uid|"
        "identifier|unit key|kennung|identifiant|identificador|identificatore|идентификатор|المعرف|编号"
    ),
    "type": (
        "unit type|org type|kind|category|typ|art|type d'unite|tipo|tipo de unidad|soort|rodzaj|tur|birim turu|"
        "тип|النوع|نوع الوحدة|类型|種別"
    ),
    "aliases": (
        "alias|acronym|acronyms|abbreviation|abbreviations|abbr|short name|other names|also known as|aka|synonyms|"
        "abkurzung|kurzel|kurzname|sigle|acronyme|abreviation|sigla|siglas|acronimo|abreviatura|afkorting|skrot|"
        "kisaltma|сокращение|аббревиатура|الاختصار|اختصار|简称|略称"
    ),
    "description": (
        "desc|about|purpose|mandate|mission|remit|responsibilities|beschreibung|aufgabe|aufgaben|descripcion|"
        "descrizione|descricao|omschrijving|opis|aciklama|описание|الوصف|وصف|描述|说明|説明"
    ),
    "head": (
        "head of unit|unit head|head name|led by|lead|leader|manager|director|chief|person in charge|leiter|leiterin|"
        "leitung|responsable|chef|jefe|responsabile|dirigente|chefe|hoofd|kierownik|mudur|руководитель|начальник|"
        "المدير|الرئيس|رئيس الوحدة|负责人|主管|責任者"
    ),
    "email": (
        "e mail|mail|email address|e mail address|contact email|unit email|courriel|correo|correo electronico|"
        "posta elettronica|e posta|eposta|электронная почта|почта|البريد الالكتروني|邮箱|电子邮件|メール"
    ),
    "code": (
        "unit code|org code|department code|dept code|cost center|cost centre|kostenstelle|codigo|codice|kod|код|"
        "الرمز|رمز الوحدة|代码|コード"
    ),
}
_MEANINGS = {
    column: {word: rank for rank, word in enumerate([column, *words.split("|")])} for column, words in _SYNONYMS.items()
}
# The two parts of a person's name where each has a column.
_GIVEN = frozenset(
    "first name|firstname|given name|givenname|forename|preferred name|legal first name|employee first name|vorname|"
    "prenom|nombre|nombres|nome|voornaam|imie|имя|الاسم الاول|名".split("|")
)
_FAMILY = frozenset(
    "last name|lastname|surname|family name|familyname|sn|legal last name|employee last name|nachname|familienname|"
    "nom de famille|nom|apellido|apellidos|cognome|sobrenome|achternaam|nazwisko|фамилия|اسم العائلة|姓".split("|")
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BETWEEN = re.compile(r"[\s_\-./:*()\[\]#]+")
_ALEF = str.maketrans("أإآ", "ااا")


@lru_cache(maxsize=4_096)
def fold(header: str) -> str:
    """A header without case, accents, and the signs that people put between and around its words."""
    spaced = _BETWEEN.sub(" ", _CAMEL.sub(" ", clean(header))).strip()
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", spaced) if not unicodedata.combining(sign))
    return plain.casefold().translate(_ALEF).replace("ı", "i")


@lru_cache(maxsize=4_096)
def column_meant(header: str) -> str:
    """Our column that a header alone would be taken for, "" for none."""
    column = clean(header).lower()
    if column in COLUMNS:
        return column
    return next((ours for ours, words in _MEANINGS.items() if fold(header) in words), "")


def meant_in_path(header: str) -> str:
    """The same of a key that is a path, as "parent.externalCode" is, whose first step counts."""
    return column_meant(header) or column_meant(header.partition(".")[0])


def given_and_family(headers: Sequence[str]) -> tuple[int, int] | None:
    """The places of the columns with a person's first and last name, None where there are not both."""
    folded = [fold(header) for header in headers]
    given = next((place for place, header in enumerate(folded) if header in _GIVEN), None)
    family = next((place for place, header in enumerate(folded) if header in _FAMILY), None)
    return None if given is None or family is None else (given, family)


def name_rank(header: str) -> int:
    """How well a heading, by any of its words, is one of names; the less the better."""
    words = _MEANINGS["name"]
    return min((words[word] for word in (fold(header), *fold(header).split()) if word in words), default=len(words))


def exact_columns(headers: Sequence[str]) -> dict[str, int]:
    """The columns that are called just as ours are, whatever their case: column -> place. The first one counts."""
    found: dict[str, int] = {}
    for place, header in enumerate(headers):
        column = clean(header).lower()
        if column in COLUMNS:
            found.setdefault(column, place)
    return found


def guess_columns(headers: Sequence[str], settled: dict[str, int]) -> dict[str, int]:
    """The columns that are missing among the settled ones and go by another well-known word: column -> place."""
    found: dict[str, int] = {}
    folded = [fold(header) for header in headers]
    for column, words in _MEANINGS.items():
        free = [place for place in range(len(folded)) if place not in {*settled.values(), *found.values()}]
        known = [(words[folded[place]], place) for place in free if folded[place] in words]
        if known and column not in settled:
            found[column] = min(known)[1]
    return found


def known_headers(headers: Sequence[str]) -> int:
    """How many of the headers are known words; with both a name and a parent among them, ten more."""
    settled = exact_columns(headers)
    found = settled | guess_columns(headers, settled)
    return len(found) + 10 * ({"name", "parent"} <= found.keys())
