"""The child process of `trag.charts.files`: reads one chart file from its standard input, writes its table as JSON.

python -m trag.charts LIMITS SUFFIX SHEET ENCODING
"""

from __future__ import annotations

import gc

from org.reading.table import read
from trag.sandbox import serve

if __name__ == "__main__":
    gc.disable()  # a short life, and millions of cells without a circle: looking for some takes a third of the time
    serve(lambda content, arguments: read(content, f"chart{arguments[0]}", *arguments[1:]).to_json())
