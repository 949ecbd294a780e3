"""What a form on a page says when it is sent, and numbers in it or in an address. Knows no form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, TypeVar

from fastapi import Depends, Request
from starlette.datastructures import ImmutableMultiDict

from trag.errors import TragError
from trag.record import LONGEST_REMARK

DIGITS = 10
"""Those of the longest number that is read."""
_First = TypeVar("_First")
_Second = TypeVar("_Second")


async def filled(request: Request) -> ImmutableMultiDict[str, str]:
    """The fields of a form, each as often as it was sent."""
    async with request.form() as form:
        return ImmutableMultiDict([(name, value) for name, value in form.multi_items() if isinstance(value, str)])


Form = Annotated[ImmutableMultiDict[str, str], Depends(filled)]
"""The fields of a form as a route takes them: read before it, so that it can be a plain function, run in a thread."""


def number(text: str, otherwise: int = 0) -> int:
    """A whole number from 0 on, `otherwise` for what is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= DIGITS else otherwise


def whole(form: Mapping[str, str], name: str, *, most: int) -> int:
    """A field of a form as a whole number from 1 to `most`. Raises TragError for anything else."""
    found = number(form.get(name, ""))
    if not 1 <= found <= most:
        raise TragError(f"The {name} must be a whole number from 1 to {most:,}.", "Correct it and try again.")
    return found


def both(first: Callable[[], _First], second: Callable[[], _Second]) -> tuple[_First, _Second]:
    """What two fields say. Raises one TragError for all that is wrong with them."""
    try:
        one = first()
    except TragError as error:
        try:
            second()
        except TragError as other:
            raise TragError(f"{error.message} {other.message}", error.hint) from other
        raise
    return one, second()


def remark(text: str) -> str:
    """A comment on an answer, or a corrected one, as it is kept. Raises TragError for one that is too long."""
    kept = text.replace("\r\n", "\n").strip()
    if len(kept) > LONGEST_REMARK:
        raise TragError(f"A text may have {LONGEST_REMARK:,} characters, this one has {len(kept):,}.", "Shorten it.")
    return kept
