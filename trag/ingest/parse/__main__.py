"""The child process of `trag.ingest.reading`: reads one document from its standard input, writes one line of JSON.

python -m trag.ingest.parse LIMITS SUFFIX
"""

from __future__ import annotations

import sys

from trag.ingest.parse import parse
from trag.sandbox import serve

if __name__ == "__main__":
    if sys.argv[-1] == ".pdf":
        import trag.ingest.parse.pdf  # noqa: F401  loads PDFium's library, which `serve` would refuse
    serve(lambda content, arguments: parse(content, arguments[0]).to_json())
