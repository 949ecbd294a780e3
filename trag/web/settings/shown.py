"""The logo and the accent colour as every page loads them, also the one to sign in on."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.responses import Response

from trag.appearance import style
from trag.web.responses import there

if TYPE_CHECKING:
    from trag.home import Home

_A_YEAR = "private, max-age=31536000"
"""The address of a logo names its version."""


def mount(app: FastAPI, home: Home) -> None:
    """Their routes in `app`."""
    kept = home.records.appearances

    def css() -> Response:
        return Response(style(kept.current()), media_type="text/css", headers={"cache-control": "no-cache"})

    def logo() -> Response:
        png = base64.b64decode(there(kept.logo() or None))
        return Response(png, media_type="image/png", headers={"cache-control": _A_YEAR})

    app.get("/appearance.css")(css)
    app.get("/logo.png")(logo)
