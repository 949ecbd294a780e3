"""A small OpenID provider on loopback, for what a sound one never does: python openid_provider.py PORT

Its client is "assistant" with the secret "of the client". Whoever gives a name is let in; `wrong` names what is not as
it should be in the token.
"""

import base64
import hashlib
import json
import secrets
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

PORT = int(sys.argv[1])
ISSUER = f"http://127.0.0.1:{PORT}"
CLIENT, SECRET = "assistant", "of the client"
KEY, OTHER = (RSAKey.generate_key(2048, {"kid": "one"}) for _ in range(2))
GROUPS = {"ada": ["staff", "board"], "lee": ["staff", "leads"]}
ABOUT = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/authorize",
    "token_endpoint": f"{ISSUER}/token",
    "jwks_uri": f"{ISSUER}/keys",
    "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
}
CODES: dict[str, dict[str, str]] = {}
"""What was asked for with each code that was given and not used."""


def id_token(asked: dict[str, str]) -> str:
    """Sound, unless something wrong was asked for."""
    login, wrong, now = asked["login"], asked["wrong"], int(time.time())
    claims: dict[str, Any] = {
        "iss": ISSUER,
        "aud": [CLIENT],
        "sub": f"subject of {login}" + (" the second" if wrong == "subject" else ""),
        "iat": now,
        "exp": now + 3600,
        "nonce": asked["nonce"] + ("x" if wrong == "nonce" else ""),
        "preferred_username": login,
        "name": login.capitalize(),
        "groups": [] if wrong == "groups" else GROUPS[login],
    }
    claims |= {
        "aud": {"aud": ["another"]},
        "iss": {"iss": "http://127.0.0.1:1"},
        "exp": {"exp": now - 3600, "iat": now - 7200},
    }.get(wrong, {})
    if wrong == "none":
        return jwt.encode({"alg": "none"}, claims, None, ["none"])
    if wrong == "hmac":  # our public key taken for a secret
        return jwt.encode(
            {"alg": "HS256", "kid": "one"}, claims, OctKey.import_key(KEY.as_pem(private=False)), ["HS256"]
        )
    return jwt.encode({"alg": "RS256", "kid": "one"}, claims, OTHER if wrong == "key" else KEY)


class Handler(BaseHTTPRequestHandler):
    """Discovery, keys, codes and tokens."""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        asked = dict(parse_qsl(parts.query, keep_blank_values=True))
        if parts.path == "/.well-known/openid-configuration":
            self.answer(200, ABOUT)
        elif parts.path == "/keys":
            self.answer(200, {"keys": [KEY.as_dict(private=False)]})
        else:
            given = {"error": "access_denied"} if asked["wrong"] == "denied" else {"code": secrets.token_urlsafe()}
            CODES[given.get("code", "")] = asked
            self.answer(302, {}, f"{asked['redirect_uri']}?{urlencode(given | {'state': asked['state']})}")

    def do_POST(self) -> None:
        sent = dict(parse_qsl(self.rfile.read(int(self.headers["content-length"])).decode()))
        asked = CODES.pop(sent["code"], None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(sent["code_verifier"].encode()).digest()).decode()
        client = base64.b64decode(self.headers["authorization"].removeprefix("Basic ")).decode()
        sound = asked is not None and all(
            (
                [*map(unquote, client.split(":"))] == [CLIENT, SECRET],
                sent["grant_type"] == "authorization_code",
                sent["redirect_uri"] == asked["redirect_uri"],
                (asked["code_challenge_method"], asked["code_challenge"]) == ("S256", challenge.rstrip("=")),
            )
        )
        if asked is None or not sound:
            self.answer(400, {"error": "invalid_grant"})
        else:
            self.answer(200, {"access_token": "x", "token_type": "Bearer", "id_token": id_token(asked)})

    def answer(self, status: int, body: dict[str, Any], location: str = "") -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        if location:
            self.send_header("location", location)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None: ...


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
