"""`[table.column]` in a template, SQL or text: where a value of that column is to be put (GRAMMAR, appendix C).

Forgiving of case and of quotation marks around it. Knows nothing about SQL or about values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.source import Table

PLACEHOLDER = re.compile(r"""(?P<quote>['"`]?)\[(?P<inside>[^\[\]'"`]+\.[^\[\]'"`]+)\](?P=quote)""")


def named(inside: str, tables: Sequence[Table]) -> tuple[str, str] | None:
    """The table and the column that the inside of a placeholder names; either may have a dot in its own name."""
    wanted = inside.strip().casefold()
    return next(
        (
            (table.name, column.name)
            for table in tables
            for column in table.columns
            if f"{table.name}.{column.name}".casefold() == wanted
        ),
        None,
    )


def canonical(text: str, tables: Sequence[Table]) -> str:
    """A text with its known placeholders in the schema's own letters and without quotation marks around them."""

    def put(match: re.Match[str]) -> str:
        found = named(match["inside"], tables)
        return f"[{found[0]}.{found[1]}]" if found else match[0]

    return PLACEHOLDER.sub(put, text)


def standing_in(text: str) -> tuple[str, ...]:
    """The placeholders in a text, each once."""
    return tuple(dict.fromkeys(f"[{match['inside']}]" for match in PLACEHOLDER.finditer(text)))


def filled(text: str, values: Mapping[str, str]) -> str:
    """A text with a value for each of its placeholders."""
    return PLACEHOLDER.sub(lambda match: values[f"[{match['inside']}]"], text)
