"""What a file says of its own validity -> the fields of its record: dates read where they are plain, documents found by
their names. What is not plain is kept as it stands, for a person to settle."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import PurePath

from store.records import Records
from store.standing import STATUSES, Found
from trag.dates import days
from trag.ingest.reading import Stated
from trag.validity_fields import DATES, LANGUAGE, merged


def keep(name: str, stated: Sequence[Stated], records: Records, *, by: str) -> int:
    """Keep what a file says of its own validity; how many fields somebody is to be asked about. What people have set
    stays, and so does what the file said before where it says the same."""
    before = records.validity.of(name)
    if not stated and not before.found:
        return 0
    said = found(stated, name, [each.name for each in records.library.documents()])
    after = merged(before, said)
    if after != before:
        records.validity.put({name: after}, by=by, instead_of={name: before})
    return sum(not one.value for one in said)


def found(stated: Sequence[Stated], name: str, documents: Collection[str]) -> tuple[Found, ...]:
    """The fields that a file called `name` states, each once: where two places differ, or the words may mean several
    things, its value is "" and somebody is asked. `documents` are the names of those that are there."""
    read: dict[str, Found] = {}
    for one in stated:
        each = _read(one, name, documents)
        before = read.get(each.field)
        if before is None or (each.words == before.words and not before.value):
            read[each.field] = each
        elif each.value != before.value:
            words = f"{before.words} / {each.words}"
            read[each.field] = replace(each, words=words, place=f"{before.place}, {each.place}", value="")
    return tuple(read.values())


def _read(one: Stated, name: str, documents: Collection[str]) -> Found:
    if one.field in DATES:
        meant = days(one.words, end=one.field == "valid_to")
        return Found(one.field, one.words, one.place, str(meant[0]) if len(meant) == 1 else "")
    if one.field == "owner":  # which unit it is the chart says, when somebody looks
        return Found("person", one.words, one.place, one.words)
    if one.field == "status":
        value = next((each for each in STATUSES if each == one.words.casefold()), "")
    elif one.field == "language":
        value = one.words if LANGUAGE.fullmatch(one.words) else ""
    else:
        named = [_document(part.strip(), documents, name) for part in one.words.split(";")]
        value = "\n".join(sorted(named)) if all(named) else ""
    return Found(one.field, one.words, one.place, value)


def _document(words: str, documents: Collection[str], name: str) -> str:
    """The one document that is called so, with or without its suffix and folder; "" for none or several."""
    called = words.casefold()
    matching = [
        each for each in documents if each != name and called in (each.casefold(), PurePath(each).stem.casefold())
    ]
    return matching[0] if len(matching) == 1 else ""
