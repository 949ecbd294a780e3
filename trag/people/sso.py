"""Single sign-on by OpenID Connect: discovery, the code flow with PKCE, state and nonce, an ID token that is checked,
and userinfo for what it leaves out; groups of the provider become a role and a unit here. Authlib speaks the protocol.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from store.person import Role
from trag.errors import OperatorError, TragError
from trag.people.accounts import LONGEST
from trag.people.external_identity import Claim
from trag.people.permissions import ROLES, role_of
from trag.settings import Settings

log = logging.getLogger(__name__)

LASTS = 600.0
"""Seconds that somebody may take at the provider."""
MOST = 10_000
"""People who may be there at once; the one who went first is forgotten."""
COOL_DOWN = 30.0
"""Seconds for which a provider that did not tell of itself is left alone."""
FRESH = 600.0
"""Seconds for which its addresses and keys are believed to be what they were."""
ALGORITHMS = ("RS256", "PS256", "ES256", "RS512", "PS512", "ES512", "RS384", "PS384", "ES384", "EdDSA")
"""Signatures that are believed; never one that the provider's public key or our own secret could make."""
SILENT = ("The sign-in service did not answer a moment ago.", "Try again in half a minute.")
STRANGER = (
    "The sign-in service does not accept this assistant.",
    "An admin can compare sso_client and sso_secret with what is registered there.",
)
BROKEN_OFF = (
    "You are not signed in.",
    "The sign-in service was left, or did not let you in. Try again, or ask an admin.",
)
OVER = ("Signing in took too long, or was begun in another window.", "Sign in again.")


@dataclass(frozen=True, slots=True)
class PendingSignIn:
    """Somebody on the way to the provider, and what must come back. `browser` is held by their browser alone."""

    url: str
    state: str
    browser: str
    nonce: str
    verifier: str
    back: str
    after: str
    ends: float


class SingleSignOn:
    """One provider. Any thread may use it that can afford to wait for a provider; it is asked for its addresses when
    the first person comes."""

    def __init__(self, settings: Settings) -> None:
        """Raises TragError for settings that do not fit together."""
        self._settings = settings
        self._issuer = issuer_of(settings.sso_issuer)
        self._roles = roles(settings.sso_roles)
        self._units = pairs("sso_units", settings.sso_units)
        self._lock = threading.Lock()
        self._pending: OrderedDict[str, PendingSignIn] = OrderedDict()
        self._asking = threading.Lock()
        self._client: Any = None
        self._old_at = 0.0
        self._alone_until = 0.0

    def begin(self, back: str, after: str) -> PendingSignIn:
        """Where to send a browser that comes back to `back`, and then goes on to `after`. Raises TragError when the
        provider is silent."""
        with _plain_errors():
            made = self._provider().create_authorization_url(back)
        browser, ends = secrets.token_urlsafe(32), time.monotonic() + LASTS
        pending = PendingSignIn(
            made["url"], made["state"], browser, made["nonce"], made["code_verifier"], back, after, ends
        )
        with self._lock:
            self._pending[pending.state] = pending
            while len(self._pending) > MOST:
                self._pending.popitem(last=False)
        return pending

    def finish(self, state: str, code: str, browser: str) -> tuple[Claim, str]:
        """Who came back to this browser, welcome or not, and where they wanted to go. Raises TragError for whoever did
        not begin here, and for a token that is not sound."""
        with self._lock:
            pending = self._pending.pop(state, None)
        same = pending is not None and secrets.compare_digest(pending.browser.encode(), browser.encode())
        if pending is None or not same or time.monotonic() > pending.ends:
            raise TragError(*OVER)
        with _plain_errors():
            provider = self._provider()
            token = self._token(provider, pending, code)
            claims = self._with_userinfo(provider, token, self._checked(provider, token, pending.nonce))
        return self._claim(claims), pending.after

    def _token(self, provider: Any, pending: PendingSignIn, code: str) -> Any:
        """What the provider gives for a code. Raises TragError where it accepts the secret in none of the ways that it
        says it takes: many take each client's in one of them only."""
        from authlib.integrations.base_client import OAuthError

        refused: Exception | None = None
        for way in _client_auth(self._settings, provider.server_metadata):
            try:
                return provider.fetch_access_token(pending.back, code=code, code_verifier=pending.verifier, **way)
            except OAuthError as error:
                if error.error != "invalid_client":
                    raise
                refused = error
        log.warning("the sign-in service does not accept the client: %s", refused)
        raise TragError(*STRANGER) from refused

    def _checked(self, provider: Any, token: Any, nonce: str) -> Mapping[str, Any]:
        """The claims of an ID token that is sound. Where its signature is not, the keys are asked for once more: they
        may have changed and kept their names."""
        from joserfc.errors import BadSignatureError

        values = {"iss": provider.server_metadata["issuer"], "aud": self._settings.sso_client}
        options = {name: {"essential": True, "value": value} for name, value in values.items()}
        try:
            claims = provider.parse_id_token(token, nonce, claims_options=options)
        except BadSignatureError:
            provider.fetch_jwk_set(force=True)
            claims = provider.parse_id_token(token, nonce, claims_options=options)
        if claims is None:
            raise TragError("The sign-in service sent no ID token.", "An admin can look at its settings.")
        return dict(claims)

    def _with_userinfo(self, provider: Any, token: Any, claims: Mapping[str, Any]) -> Mapping[str, Any]:
        """What is known of somebody: the claims of the ID token and, where one that is needed is not among them, those
        of userinfo. Raises TragError where that is about somebody else."""
        needed = {self._settings.sso_name} | ({self._settings.sso_groups} if self._roles or self._units else set())
        if needed <= claims.keys() or "userinfo_endpoint" not in provider.server_metadata:
            return claims
        more = provider.userinfo(token=token)
        if more.get("sub") != claims["sub"]:
            raise TragError("The sign-in service told of somebody else.", "Try again, or ask an admin.")
        return {**more, **claims}

    def _claim(self, claims: Mapping[str, Any]) -> Claim:
        subject = f"{claims['iss']} {claims['sub']}"
        value = claims.get(self._settings.sso_groups)
        listed = value if isinstance(value, list) else [value]
        groups = [each for each in listed if isinstance(each, str)]
        found = [self._roles[group] for group in groups if group in self._roles]
        if self._roles and not found:
            return Claim("", "", "sso", subject, welcome=False)
        name = claims.get(self._settings.sso_name)
        if not isinstance(name, str) or not name:
            raise TragError(
                f"The sign-in service tells no {self._settings.sso_name}.",
                "An admin can choose another claim: sso_name.",
            )
        if self._settings.sso_name == "email" and claims.get("email_verified") is not True:
            raise TragError(
                "The sign-in service has not checked your email address.", "Confirm it there, then try again."
            )
        return Claim(
            name=name,
            shown=str(claims.get("name") or name)[:LONGEST],
            how="sso",
            subject=subject,
            role=max(found, key=ROLES.index) if found else None,
            unit=next((self._units[group] for group in groups if group in self._units), "") if self._units else None,
        )

    def _provider(self) -> Any:
        """The provider, once it has told of itself: one asks it, who comes meanwhile waits, and nobody asks again soon
        where it failed. Raises TragError then."""
        with self._asking:
            if self._client is None or time.monotonic() > self._old_at:
                if time.monotonic() < self._alone_until:
                    raise TragError(*SILENT)
                try:
                    self._client = _discovered(self._settings, self._issuer)
                except BaseException:
                    self._alone_until = time.monotonic() + COOL_DOWN
                    raise
                self._old_at = time.monotonic() + FRESH
            return self._client


def issuer_of(address: str) -> str:
    """The address of a provider, without a slash at its end. Raises TragError where anybody on the way could read."""
    if not address.startswith(("https://", "http://127.0.0.1:", "http://localhost:")):
        raise TragError("sso_issuer must be an https:// address.", "Copy it from the provider's own page.")
    return address.rstrip("/")


def roles(text: str) -> dict[str, Role]:
    """The role that each group gives, as settings write it: "staff=employee, leads=reviewer". Raises TragError."""
    found: dict[str, Role] = {}
    for group, wanted in pairs("sso_roles", text).items():
        role = role_of(wanted)
        if role is None:
            raise TragError(f"sso_roles: {wanted!r} is no role.", f"Use one of {', '.join(ROLES)}.")
        found[group] = role
    return found


def pairs(setting: str, text: str) -> dict[str, str]:
    """Reads "a=b, c=d" of a setting. Raises TragError for what is none."""
    found = {}
    for each in filter(None, map(str.strip, text.split(","))):
        group, sign, value = each.rpartition("=")
        if not (sign and group.strip() and value.strip()):
            raise TragError(f"{setting}: {each!r} is not GROUP=VALUE.", 'Write "group=value, other=value".')
        found[group.strip()] = value.strip()
    return found


def _discovered(settings: Settings, issuer: str) -> Any:
    """Authlib's client of the provider, with what the provider tells of itself."""
    from authlib.integrations.base_client.sync_app import BaseApp, OAuth2Mixin
    from authlib.integrations.base_client.sync_openid import OpenIDMixin
    from authlib.integrations.httpx_client import OAuth2Client

    class Provider(OpenIDMixin, OAuth2Mixin, BaseApp):  # type: ignore[misc]
        """Authlib's client as every framework's is made, without a framework."""

        client_cls = OAuth2Client

    provider = Provider(
        framework=None,
        name="sso",
        client_id=settings.sso_client,
        client_secret=settings.sso_secret or None,
        server_metadata_url=f"{issuer}/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid profile email",
            "code_challenge_method": "S256",
            "timeout": 10.0,
            "leeway": 0,  # a token for userinfo is used at once, however short it lasts
        },
    )
    metadata = provider.load_server_metadata()
    if str(metadata.get("issuer", "")).rstrip("/") != issuer:
        raise OperatorError(
            f"The sign-in service calls itself {metadata.get('issuer')!r}.",
            f"sso_issuer says {issuer!r}.",
            "The sign-in service is another one than the settings name.",
        )
    metadata["id_token_signing_alg_values_supported"] = list(ALGORITHMS)
    if (settings.sso_roles or settings.sso_units) and settings.sso_groups in metadata.get("scopes_supported", ()):
        provider.client_kwargs["scope"] += f" {settings.sso_groups}"
    return provider


def _client_auth(settings: Settings, metadata: Mapping[str, Any]) -> list[dict[str, Any]]:
    """How this assistant may say who it is when it asks for a token, best first: for Authlib to send along."""
    from httpx2 import Auth, BasicAuth

    client, secret = settings.sso_client, settings.sso_secret
    if not secret:
        return [{"auth": Auth(), "client_id": client}]
    ways: dict[str, dict[str, Any]] = {
        # RFC 6749, 2.3.1: both are encoded like a form, which Authlib leaves out
        "client_secret_basic": {"auth": BasicAuth(quote(client, safe=""), quote(secret, safe=""))},
        "client_secret_post": {"auth": Auth(), "client_id": client, "client_secret": secret},
    }
    taken = metadata.get("token_endpoint_auth_methods_supported") or ()
    return [way for name, way in ways.items() if name in taken] or [ways["client_secret_basic"]]


def broken_off(error: str) -> TragError:
    """Why somebody came back with the provider's `error`, "" for none, and without a code."""
    if error == "access_denied":
        return TragError(*BROKEN_OFF)
    log.warning("the sign-in service sent somebody back: %.100r", error)
    return TragError(
        "The sign-in service did not let you in.", "Try again; if it stays so, an admin finds why in the log."
    )


@contextmanager
def _plain_errors() -> Iterator[None]:
    """What the provider or the network refused, in words; the log has the rest."""
    from authlib.common.errors import AuthlibBaseError
    from httpx2 import HTTPError
    from joserfc.errors import JoseError

    try:
        yield
    except (HTTPError, AuthlibBaseError, JoseError, ValueError, RuntimeError, LookupError, TypeError) as error:
        log.warning("single sign-on failed: %s: %s", type(error).__name__, error)
        raise TragError(
            "The sign-in service did not answer as it should.",
            "Try again; if it stays so, an admin finds why in the log.",
        ) from error
