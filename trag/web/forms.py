"""What a form on a page says when it is sent. Knows no form."""

from __future__ import annotations

from fastapi import Request
from starlette.datastructures import ImmutableMultiDict


async def filled(request: Request) -> ImmutableMultiDict[str, str]:
    """The fields of a form, each as often as it was sent."""
    async with request.form() as form:
        return ImmutableMultiDict([(name, value) for name, value in form.multi_items() if isinstance(value, str)])
