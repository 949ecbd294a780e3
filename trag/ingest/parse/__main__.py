"""The child process of `trag.ingest.reading`: reads one document from its standard input, writes one line of JSON.

python -m trag.ingest.parse LIMITS SUFFIX
"""

from __future__ import annotations

from trag.ingest.parse import parse
from trag.sandbox import serve

if __name__ == "__main__":
    serve(lambda content, arguments: parse(content, arguments[0]).to_json())
