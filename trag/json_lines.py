"""JSON held against the types of records: lines that people write, with all that is wrong with them at once in plain
words, and what this program kept.

bytes -> records, by pydantic, which is loaded with the first of them
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast

from annotated_types import Predicate

from trag.errors import OperatorError, TragError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from pydantic import TypeAdapter, ValidationError

Record = TypeVar("Record")
Words = Annotated[str, Predicate(str.strip)]
"""A text with something in it."""
_BREAKS = re.compile("[\x85\u2028\u2029]")
"""What ends a line for some readers, and JSON allows as it is."""
_SHOWN = 80
"""Characters of what was found."""
_TYPE = re.compile(r"str|int|tuple\[.*\]")
"""What stands in a place for one of several types that a value may have."""
_MUST_BE = {
    **dict.fromkeys(("string_type", "string_unicode"), "a text"),
    **dict.fromkeys(("predicate_failed", "string_too_short"), "a text that is not empty"),
    "string_pattern_mismatch": "a text like {pattern}",
    "string_too_long": "a text of {max_length:,} characters at most",
    **dict.fromkeys(("int_type", "int_parsing", "int_parsing_size", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    "tuple_type": "a list",
    "too_short": "a list that is not empty",
    "too_long": "a list of {max_length:,} at most",
    "dataclass_type": "an object",
    "literal_error": "{expected}",
    "greater_than": "more than {gt:,.10g}",
    "greater_than_equal": "{ge:,.10g} or more",
    "less_than": "less than {lt:,.10g}",
    "less_than_equal": "{le:,.10g} or less",
}
"""What a value must be, by the name of pydantic's error."""


@cache
def of(kind: Any) -> TypeAdapter[Any]:
    """What holds values against a type."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def made(
    kind: type[Record], values: str | bytes | Mapping[str, object], extra: Literal["forbid", "ignore"] = "forbid"
) -> Record:
    """The record of JSON, as strict as that is, or of values. `extra` are keys that it does not have. Raises ValueError
    with all that is wrong, in words."""
    from pydantic import ValidationError

    holds = of(cast(Any, kind))
    try:
        if isinstance(values, Mapping):
            return cast(Record, holds.validate_python(values, extra=extra))
        return cast(Record, holds.validate_json(values, strict=True, extra=extra))
    except ValidationError as error:
        raise ValueError("; ".join(in_words(error))) from error


def kept(kind: type[Record], text: str | bytes) -> Record:
    """The record that this program wrote as JSON, maybe an older version of it: keys that are not known are left out.
    Raises ValueError for anything else."""
    return cast(Record, of(cast(Any, kind)).validate_json(text))


def to_keep(record: DataclassInstance) -> bytes:
    """What `kept` reads."""
    return (json.dumps(asdict(record), ensure_ascii=False, indent=1, default=datetime.isoformat) + "\n").encode()


def read(
    source: bytes | Path,
    kind: type[Record],
    what: str,
    hint: str,
    wrong: Callable[[Record], Iterable[str]] = lambda _: (),
    *,
    name: str = "",
    extra: Literal["forbid", "ignore"] = "forbid",
) -> tuple[Record, ...]:
    """The record on each line of UTF-8 text, in a file or called `name`, with or without a byte order mark; empty lines
    are skipped. `wrong` says what else speaks against one; an `id` stands once in a file. `extra` are keys that the
    record does not have.

    Raises TragError with the number of every bad line and what is wrong with it, where a file cannot be read, and where
    there are none; `what` they are called, "" where there may be none.
    """
    name = name or str(source)
    try:
        content = source if isinstance(source, bytes) else source.read_bytes()
    except OSError as error:
        raise OperatorError(f"{name} cannot be read: {error.strerror}.", hint) from error
    problems: list[str] = []
    records: list[Record] = []
    ids: set[str] = set()
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            record = made(kind, line.decode(), extra)
        except UnicodeDecodeError as error:
            found = [f"is no UTF-8 text ({error})"]
        except ValueError as error:
            found = [str(error)]
        else:
            id = str(getattr(record, "id", ""))
            found = [*wrong(record), *([f'the id "{id}" occurs twice'] if id in ids else [])]
            ids |= {id} - {""}
            records.append(record)
        if found:
            problems.append(f"line {number}: {'; '.join(found)}")
    if problems:
        raise TragError(f"{name} cannot be used: " + "\n".join(problems), hint)
    if what and not records:
        raise TragError(f"{name} holds no {what}.", hint)
    return tuple(records)


def in_words(error: ValidationError) -> Iterator[str]:
    """All that is wrong with a value: where (lists count from 1), what must be there, and what was found."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in error.errors(include_url=False):
        kind, where = one["type"], _at(one["loc"][:-1])
        if kind == "json_invalid":
            yield f"is no JSON ({one['ctx']['error'].replace('line 1 column', 'character')})"
        elif kind == "missing":
            yield f'{where}needs "{one["loc"][-1]}"'
        elif kind in ("unexpected_keyword_argument", "extra_forbidden"):
            yield f'{where}unknown key "{one["loc"][-1]}"'
        elif not one["loc"]:
            yield "is no JSON object"
        elif kind != "too_short" or not one["input"]:  # what is wrong in a list counts as missing, too
            words = _MUST_BE[kind].format(**one.get("ctx", {})).replace("'", '"') if kind in _MUST_BE else one["msg"]
            given = json.dumps(one["input"], ensure_ascii=False, default=str)
            shown = given if len(given) <= _SHOWN else f"{given[:_SHOWN]}..."
            found.setdefault((_at(one["loc"]), shown), []).append(words)
    yield from (f"{where}must be {' or '.join(words)}, found {shown}" for (where, shown), words in found.items())


def _at(place: Sequence[str | int]) -> str:
    parts = (part for part in place if not _TYPE.fullmatch(str(part)))
    return "".join(f'"{part}" ' if isinstance(part, str) else f"{part + 1} " for part in parts)


def write(lines: Iterable[Mapping[str, object]]) -> bytes:
    """The text that `read` reads."""
    return "".join(as_line(values) + "\n" for values in lines).encode()


def as_line(value: object) -> str:
    """JSON that is one line to every reader, without its end."""
    return _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))
