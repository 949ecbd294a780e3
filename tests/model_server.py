"""A scripted model behind an OpenAI-compatible address, for apps in processes of their own that are asked in tests.

A question about the chart is read as the expression that a table has for it; one for the documents is answered by the
sentence of the excerpts that shares most words with it. A line of a briefing is worded as the line itself.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import prompts
from prompts import NOT_FOUND
from trag.lexical import sentences, stems

NAME = "scripted"
_SECONDS = 0.03
"""Seconds for a word: a page can be watched while it is written."""
_KINDS = {messages[0].content: kind for kind, messages in prompts.starts().items()}
"""Which kind of prompt begins with a system text."""


def reply(messages: Sequence[Mapping[str, str]], expressions: Mapping[str, str], follow_ups: Mapping[str, str]) -> str:
    """What is written to the messages of a prompt."""
    kind = _KINDS.get(messages[0]["content"], "other")
    read, _, question = messages[-1]["content"].rpartition("Question: ")
    if kind == "chart_query":
        return expressions.get(question, "documents()")
    if "\nAnswered: " in messages[-1]["content"]:
        return "What is the colour of the roof?\n"
    if line := messages[-1]["content"].partition("\nLine: ")[2]:
        return f"{line.rstrip('.;')}."
    if kind == "condense":
        return follow_ups.get(question, question)
    wanted = stems(question)
    lines = [line.partition(": ")[2] if line.startswith("[") else line for line in read.splitlines()]
    said = [one for line in lines for one in sentences(line)]
    best = max(said, key=lambda one: len(stems(one) & wanted), default="")
    return best if stems(best) & wanted else NOT_FOUND


@contextmanager
def serving(expressions: Mapping[str, str], follow_ups: Mapping[str, str]) -> Iterator[str]:
    """The address of the model while the block runs. `expressions` are those of questions, `follow_ups` what some
    questions are as they stand alone; others stay as they are."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            words = reply(asked["messages"], expressions, follow_ups).split(" ")
            for number, word in enumerate(words):
                time.sleep(_SECONDS)
                self._send({"content": f"{' ' * bool(number)}{word}"}, "stop" if number == len(words) - 1 else None)
            self.wfile.write(b"data: [DONE]\n\n")

        def _send(self, delta: dict[str, str], end: str | None) -> None:
            choice: dict[str, Any] = {"index": 0, "delta": delta, "finish_reason": end}
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": NAME, "choices": [choice]}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
