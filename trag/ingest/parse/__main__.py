"""The child process: limits itself, reads one file from its standard input, writes one line of JSON.

    python -m trag.ingest.parse SUFFIX LIMITS

It is given no file name and no secret, may start no process and open no connection, and is killed when it exceeds its
limits.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import resource
import sys

from trag.errors import TragError
from trag.ingest.blocks import OUT_OF_MEMORY, TOO_MUCH_OUTPUT
from trag.ingest.parse import parse


def main() -> int:
    """0 with an answer, also when the answer is a refusal; anything else is explained by the parent."""
    suffix, limits = sys.argv[1], json.loads(sys.argv[2])
    for name, value in limits.items():
        # The soft limit is the one that says which it was; the hard one for the processor would only kill.
        resource.setrlimit(getattr(resource, name), (value, value + 1))
    sys.addaudithook(_refuse)
    logging.disable()  # parsers log every oddity of a damaged file, without end
    try:
        content = sys.stdin.buffer.read()
        try:
            answer = parse(content, suffix).to_json()
        except TragError as error:
            answer = json.dumps({"refused": [error.message, error.hint]})
        sys.stdout.write(answer)
        sys.stdout.flush()
    except MemoryError:
        return OUT_OF_MEMORY
    except OSError as error:
        if error.errno == errno.EFBIG:
            return TOO_MUCH_OUTPUT
        raise
    return 0


def _refuse(event: str, _: object) -> None:
    """No document needs the network or another program; a parser that tries is stopped, whatever made it try."""
    if event.startswith(
        ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "ctypes.dlopen")
    ):
        raise PermissionError(f"a document made the parser attempt {event}")


if __name__ == "__main__":
    # Nothing is left to clean up, and a full output would fail once more at an ordinary exit.
    os._exit(main())
