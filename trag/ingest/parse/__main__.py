"""The children of `trag.ingest.reading`: each reads one document from its standard input, writes one line of JSON.

arguments: SUFFIX LENGTH

After the document come LENGTH bytes, a line for each page of it that is a picture and was read.
"""

from __future__ import annotations

from trag.ingest.parse.formats import load, parse
from trag.ingest.scans import ScannedPage
from trag.sandbox import serve


def answer(content: bytes, suffix: str, length: int) -> str:
    """The reading of a document that is followed by `length` bytes of scanned pages."""
    size = len(content) - length
    return parse(content[:size], suffix, [*map(ScannedPage.from_json, content[size:].decode().splitlines())]).to_json()


if __name__ == "__main__":
    serve(
        lambda content, arguments: answer(content, arguments[0], int(arguments[1])),
        lambda arguments: load(arguments[0]),
    )
