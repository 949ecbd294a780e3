"""Files for people to keep: an original, a table of what a page shows, or lines that are made as they are sent.

Knows nothing about what is in them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from fastapi.responses import Response, StreamingResponse

from org.reading.cells import guard


def attachment(content: bytes, name: str, media: str) -> Response:
    """A response that the browser saves under `name` and never shows, whatever is in it."""
    return Response(content, media_type=media, headers=_saved_as(name))


def streamed(lines: Iterable[str], name: str, media: str) -> StreamingResponse:
    """The same of lines that are never all in memory."""
    return StreamingResponse(lines, media_type=media, headers=_saved_as(name))


def table(lines: Iterable[Sequence[str]], name: str) -> Response:
    """Rows as CSV that spreadsheet programs open rightly and run nothing of."""
    return attachment("".join(map(csv_line, lines)).encode("utf-8-sig"), name, "text/csv; charset=utf-8")


def csv_line(cells: Iterable[str]) -> str:
    """One row of such a table."""
    line = io.StringIO(newline="")
    csv.writer(line).writerow([guard(cell) for cell in cells])
    return line.getvalue()


def _saved_as(name: str) -> dict[str, str]:
    """What a browser is told of a file (RFC 6266)."""
    plain = re.sub(r"[^A-Za-z0-9 ._()-]", "_", name)
    return {
        "content-disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
        "cache-control": "no-store",
    }
