"""The last errors of llama.cpp, in its own words.

It logs some through a callback and prints others; nothing of it goes to the terminal.
"""

from __future__ import annotations

import ctypes
from collections import deque

import llama_cpp

_ERROR = 4  # GGML_LOG_LEVEL_ERROR
_lines: deque[str] = deque(maxlen=8)


@llama_cpp.llama_log_callback  # type: ignore[untyped-decorator]
def _listen(level: int, text: bytes, _: ctypes.c_void_p) -> None:
    if level == _ERROR:
        _lines.append(text.decode("utf-8", "replace").strip())


llama_cpp.llama_log_set(_listen, ctypes.c_void_p(0))


def clear() -> None:
    """Forget what was said so far."""
    _lines.clear()


def reason() -> str:
    """What was said since `clear`, in one line, "" for nothing."""
    return "; ".join(dict.fromkeys(_lines)).rstrip(".")
