"""Steps that another program does: its answer to one POST of JSON, at an address that whoever runs the assistant set.

What an address answers is taken as a step's outputs and nothing else: no redirect is followed, no proxy used, and an
answer that is late, too large or no JSON is a failure.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping, Sequence
from time import monotonic
from urllib.parse import urlsplit

from trag.errors import TragError
from trag.settings import Settings
from trag.workflow.running import StepFailed

SECONDS = 20.0
"""For the whole of an answer."""
LARGEST = 2**20
"""Bytes of an answer."""
_PIECE = 2**16


def addresses(settings: Settings) -> Mapping[str, str]:
    """The address of each step that another program does, by the id of its action. Raises TragError for what is no
    address, or no pair of both."""
    found = {}
    for each in filter(None, map(str.strip, settings.hooks.split(","))):
        action, sign, address = (part.strip() for part in each.partition("="))
        if not (action and sign and _is_address(address)):
            raise TragError(
                f"hooks: {each!r} is not ACTION=ADDRESS.", 'Write "post_invoice=https://ledger.example.org/invoices".'
            )
        found[action] = address
    return found


def call(address: str, sent: Mapping[str, object], gives: Sequence[str]) -> Mapping[str, object]:
    """What an address answers under the names that a step gives. Raises StepFailed for any other answer, and none."""
    parts = urlsplit(address)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=SECONDS)
    until = monotonic() + SECONDS
    try:
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        body = json.dumps(sent, ensure_ascii=False).encode()
        connection.request("POST", path, body, {"Content-Type": "application/json", "Accept": "application/json"})
        answer = connection.getresponse()
        if 300 <= answer.status < 400:
            raise StepFailed("The other program sends on to another address, which is not followed.")
        if not 200 <= answer.status < 300:
            raise StepFailed(f"The other program answers with the error {answer.status}.")
        content = b""
        while piece := answer.read1(_PIECE):
            content += piece
            if len(content) > LARGEST:
                raise StepFailed("The answer of the other program is too large.")
            if monotonic() > until:
                raise StepFailed("The other program takes too long.")
    except (OSError, http.client.HTTPException) as error:
        if isinstance(error, TimeoutError):
            raise StepFailed("The other program takes too long.") from error
        raise StepFailed(f"The other program cannot be reached: {type(error).__name__}.") from error
    finally:
        connection.close()
    return _outputs(content, gives)


def _outputs(content: bytes, gives: Sequence[str]) -> Mapping[str, object]:
    try:
        found = json.loads(content) if content.strip() else {}
    except (ValueError, RecursionError) as error:
        raise StepFailed("The answer of the other program is no JSON.") from error
    missing = [name for name in gives if not isinstance(found, dict) or name not in found]
    if missing:
        raise StepFailed(f"The answer of the other program has no {missing[0]}.")
    return {name: found[name] for name in gives}


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and not parts.username
    except ValueError:
        return False
