"""A small OpenID provider on loopback: Authlib's authorization server behind http.server.

python openid_provider.py PORT: client "assistant", secret "of the client". Whoever types a name is let in; `wrong`
names what is not as it should be in the token.
"""

import json
import sys
import time
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from authlib.common.security import generate_token
from authlib.oauth2.rfc6749 import AuthorizationServer, ClientMixin, OAuth2Request
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import UserInfo
from authlib.oidc.core.grants import OpenIDCode
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

PORT = int(sys.argv[1])
ISSUER = f"http://127.0.0.1:{PORT}"
KEY = RSAKey.generate_key(2048, {"kid": "one"})
OTHER = RSAKey.generate_key(2048, {"kid": "one"})
GROUPS = {"ada": ["staff", "board"], "lee": ["staff", "leads"], "out": ["visitors"]}


@dataclass
class Code:
    """A code that was given, and what for."""

    code: str
    redirect_uri: str
    scope: str
    nonce: str
    challenge: str
    login: str
    wrong: str
    at: float = field(default_factory=time.time)
    code_challenge: str = ""
    code_challenge_method: str = "S256"

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return self.scope

    def get_nonce(self) -> str:
        return self.nonce + ("x" if self.wrong == "nonce" else "")

    def get_auth_time(self) -> int:
        return int(self.at)

    def get_acr(self) -> None: ...

    def get_amr(self) -> None: ...


CODES: dict[str, Code] = {}


class Client(ClientMixin):
    """The one client."""

    client_id = "assistant"

    def get_client_id(self) -> str:
        return self.client_id

    def get_default_redirect_uri(self) -> str:
        return ""

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        parts = urlsplit(redirect_uri)
        return parts.hostname in ("127.0.0.1", "localhost") and parts.path == "/sign-in/back"

    def check_client_secret(self, client_secret: str) -> bool:
        return client_secret == "of the client"

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == "client_secret_basic"

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "authorization_code"


class Asked(OAuth2Request):
    """A request as http.server reads it."""

    def __init__(self, method: str, uri: str, headers: Any, data: dict[str, str]) -> None:
        super().__init__(method, uri, headers=headers)
        self.payload = BasicOAuth2Payload(data)
        self.given = data

    @property
    def args(self) -> dict[str, str]:
        return self.given

    @property
    def form(self) -> dict[str, str]:
        return self.given


class Grant(AuthorizationCodeGrant):
    """The code flow; a code works once."""

    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic"]  # noqa: RUF012

    def save_authorization_code(self, code: str, request: Asked) -> Code:
        given = request.given
        kept = Code(
            code,
            given["redirect_uri"],
            given["scope"],
            given.get("nonce", ""),
            given.get("code_challenge", ""),
            request.user,
            given.get("wrong", ""),
        )
        kept.code_challenge = kept.challenge
        CODES[code] = kept
        return kept

    def query_authorization_code(self, code: str, client: Client) -> Code | None:
        return CODES.get(code)

    def delete_authorization_code(self, authorization_code: Code) -> None:
        del CODES[authorization_code.code]

    def authenticate_user(self, authorization_code: Code) -> Code:
        return authorization_code


class Tokens(OpenIDCode):
    """ID tokens, sound unless something wrong was asked for."""

    def exists_nonce(self, nonce: str, request: Asked) -> bool:
        return any(code.nonce == nonce for code in CODES.values())

    def resolve_client_private_key(self, client: Client) -> RSAKey:
        return KEY

    def get_client_claims(self, client: Client) -> dict[str, Any]:
        return {"iss": ISSUER, "aud": [client.client_id]}

    def get_encode_header(self, client: Client) -> dict[str, str]:
        return {"alg": "RS256", "kid": "one"}

    def generate_user_info(self, user: Code, scope: str) -> UserInfo:
        login = user.login
        subject = f"subject of {login}" + (" the second" if user.wrong == "subject" else "")
        return UserInfo(
            sub=subject,
            preferred_username=login,
            name=login.capitalize(),
            groups=[] if user.wrong == "groups" else GROUPS.get(login, []),
            email=f"{login}@x",
        )

    def encode_id_token(self, token: dict[str, Any], request: Asked) -> str:
        sound: str = super().encode_id_token(token, request)
        wrong = request.user.wrong
        if not wrong:
            return sound
        claims = jwt.decode(sound, KEY).claims
        claims |= {
            "aud": {"aud": ["another"]},
            "iss": {"iss": "http://127.0.0.1:1"},
            "exp": {"exp": int(time.time()) - 3600, "iat": int(time.time()) - 7200},
        }.get(wrong, {})
        if wrong == "none":
            return jwt.encode({"alg": "none"}, claims, None, ["none"])
        if wrong == "hmac":  # our public key taken for a secret
            return jwt.encode(
                {"alg": "HS256", "kid": "one"}, claims, OctKey.import_key(KEY.as_pem(private=False)), ["HS256"]
            )
        return jwt.encode({"alg": "RS256", "kid": "one"}, claims, OTHER if wrong == "key" else KEY)


class Server(AuthorizationServer):
    """Authlib's server, without a framework."""

    def query_client(self, client_id: str) -> Client | None:
        return Client() if client_id == Client.client_id else None

    def save_token(self, token: dict[str, Any], request: Asked) -> None: ...

    def send_signal(self, name: str, *args: Any, **more: Any) -> None: ...

    def create_oauth2_request(self, request: Asked) -> Asked:
        return request

    def handle_response(self, status: int, body: Any, headers: Any) -> tuple[int, str, Any]:
        return status, json.dumps(body) if isinstance(body, dict) else body, headers


SERVER = Server()
SERVER.register_token_generator("default", BearerTokenGenerator(lambda *_, **__: generate_token(42)))
SERVER.register_grant(Grant, [Tokens(require_nonce=True), CodeChallenge(required=True)])


class Handler(BaseHTTPRequestHandler):
    """Discovery, keys, the page to sign in on, and tokens."""

    def do_GET(self) -> None:
        path, given = urlsplit(self.path).path, dict(parse_qsl(urlsplit(self.path).query))
        if path == "/.well-known/openid-configuration":
            told = {
                "issuer": ISSUER,
                "authorization_endpoint": f"{ISSUER}/authorize",
                "token_endpoint": f"{ISSUER}/token",
                "jwks_uri": f"{ISSUER}/keys",
                "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            }
            self.answer(200, json.dumps(told), [("content-type", "application/json")])
        elif path == "/keys":
            keys = {"keys": [KEY.as_dict(private=False)]}
            self.answer(200, json.dumps(keys), [("content-type", "application/json")])
        elif path == "/authorize" and "login" in given:
            request = Asked("GET", f"{ISSUER}{self.path}", self.headers, given)
            if given.get("wrong") == "denied":
                back = f"{given['redirect_uri']}?error=access_denied&state={given['state']}"
                self.answer(302, "", [("location", back)])
                return
            request.user = given["login"]
            grant = SERVER.get_consent_grant(request, given["login"])
            self.answer(*SERVER.create_authorization_response(request, given["login"], grant))
        elif path == "/authorize":
            hidden = "".join(f'<input type="hidden" name="{escape(k)}" value="{escape(v)}">' for k, v in given.items())
            page = f'<form>{hidden}<label>Login<input name="login"></label><button>Go</button></form>'
            self.answer(200, page, [("content-type", "text/html")])
        else:
            self.answer(204 if path == "/favicon.ico" else 404, "", [])

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        request = Asked("POST", f"{ISSUER}{self.path}", self.headers, dict(parse_qsl(body)))
        self.answer(*SERVER.create_token_response(request))

    def answer(self, status: int, body: str, headers: list[tuple[str, str]]) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("content-length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: Any) -> None: ...


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
