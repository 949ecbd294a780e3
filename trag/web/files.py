"""Files for people to keep: an original, or a table of what a page shows.

Knows nothing about what is in them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from fastapi.responses import Response

from org.reading.cells import guard


def attachment(content: bytes, name: str, media: str) -> Response:
    """A response that the browser saves under `name` and never shows, whatever is in it (RFC 6266)."""
    plain = re.sub(r"[^A-Za-z0-9 ._()-]", "_", name)
    headers = {
        "content-disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
        "cache-control": "no-store",
    }
    return Response(content, media_type=media, headers=headers)


def table(lines: Iterable[Sequence[str]], name: str) -> Response:
    """Rows as CSV that spreadsheet programs open rightly and run nothing of."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([guard(cell) for cell in line] for line in lines)
    return attachment(text.getvalue().encode("utf-8-sig"), name, "text/csv; charset=utf-8")
