"""How one row of a chart may name another: by its own words, an address, the name of a directory entry, a name turned
round, or with a number in brackets."""

from __future__ import annotations

import re
from functools import lru_cache

MAIL = re.compile(r"[^@\s,;<>()]+@[^@\s,;<>()]+\.[^@\s.,;<>()]+")
NOTHING = frozenset("- – — -- --- . / # * 0 -1 n/a na none null nil (none) (root) root".split())
"""What stands for no parent, where it is no row's name."""
_ENTRY = re.compile(r"\s*(?:CN|OU|UID)\s*=\s*((?:\\.|[^,\\])+)", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(.)")
_BRACKETED = re.compile(r"(.*\S)\s*[(\[<]\s*([^()\[\]<>]+?)\s*[)\]>]")
_JOINED = re.compile(r"(\S+(?: \S+)*?)\s+[-–|:/]\s+(.+)|([\w.]*\d[\w.]*)\s*[:|]\s*(.+)")


def bare(name: str) -> str:
    """The name without a number in brackets behind it."""
    bracketed = _BRACKETED.fullmatch(name)
    return bracketed[1] if bracketed and any(map(str.isdigit, bracketed[2])) else name


@lru_cache(maxsize=65_536)
def spellings(text: str) -> tuple[str, ...]:
    """The forms under which a clean text may be looked for, folded, the likeliest first.

    "CN=Tobin Hale,OU=Staff" gives itself and "tobin hale", "Tobin Hale (1002)" itself, "tobin hale" and "1002", an
    address itself and what stands before its @, "Hale, Tobin" itself and "tobin hale".
    """
    found = [text.casefold()]
    if entry := _ENTRY.match(text):
        found.append(_ESCAPE.sub(r"\1", entry[1]).strip().casefold())
    elif MAIL.fullmatch(text):
        local = text.partition("@")[0].casefold()
        found += [local, " ".join(re.split(r"[._]", local))]
    elif bracketed := _BRACKETED.fullmatch(text):
        found += [bracketed[1].casefold(), bracketed[2].casefold()]
    elif joined := _JOINED.fullmatch(text):
        found += [part.casefold() for part in joined.groups() if part]
    if text.endswith(".0") and text[:-2].isdecimal():
        found.append(text[:-2])
    found += [turned for form in found if (turned := turned_round(form))]
    return tuple(dict.fromkeys(filter(None, found)))


def turned_round(name: str) -> str:
    """Gives "tobin hale" for "hale, tobin", "" for a text without a comma, or with several."""
    last, comma, first = name.partition(",")
    return f"{first.strip()} {last.strip()}" if comma and "," not in first and first.strip() and last.strip() else ""
