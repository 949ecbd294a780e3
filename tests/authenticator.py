"""An authenticator app, from RFC 4226 and RFC 6238 alone."""

import base64
import hmac
import struct
import time


def code(key: str, steps: int = 0) -> str:
    """What it shows now, or so many steps of 30 seconds later."""
    counter = struct.pack(">Q", int(time.time()) // 30 + steps)
    digest = hmac.digest(base64.b32decode(key), counter, "sha1")
    start = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[start : start + 4])[0] & 0x7FFFFFFF) % 10**6:06}"
