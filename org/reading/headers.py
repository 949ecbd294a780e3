"""What the headers of a table mean: which column holds the name, which the parent, and so on.

Knows the words that people put above such columns; knows nothing about the cells below them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from org.reading.cells import clean

COLUMNS = ("id", "name", "parent", "type", "aliases", "description", "head", "email", "code")

# In the order of preference. In languages other than English without accents, as `fold` leaves them.
_SYNONYMS = {
    "parent": (
        "parent id|parent unit id|parent key|parent name|parent unit|parent unit name|parent department|"
        "parent org unit|"
        "parent organization|parent organisation|parent node|parent path|parent code|"
        "reports to|reporting to|report to|"
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
def means(header: str) -> str:
    """Our column that a header alone would be taken for, "" for none."""
    column = clean(header).lower()
    folded = fold(header)
    return column if column in COLUMNS else next((ours for ours, words in _MEANINGS.items() if folded in words), "")


def exact(headers: Sequence[str]) -> dict[str, int]:
    """The columns that are called just as ours are, whatever their case: column -> place. The first one counts."""
    found: dict[str, int] = {}
    for place, header in enumerate(headers):
        column = clean(header).lower()
        if column in COLUMNS:
            found.setdefault(column, place)
    return found


def guess(headers: Sequence[str], settled: dict[str, int]) -> dict[str, int]:
    """The columns that are missing among the settled ones and go by another well-known word: column -> place."""
    found: dict[str, int] = {}
    folded = [fold(header) for header in headers]
    for column, words in _MEANINGS.items():
        free = [place for place in range(len(folded)) if place not in {*settled.values(), *found.values()}]
        known = [(words[folded[place]], place) for place in free if folded[place] in words]
        if known and column not in settled:
            found[column] = min(known)[1]
    return found


def known(headers: Sequence[str]) -> int:
    """How many of the headers are known words; with both a name and a parent among them, ten more."""
    settled = exact(headers)
    found = settled | guess(headers, settled)
    return len(found) + 10 * ({"name", "parent"} <= found.keys())
