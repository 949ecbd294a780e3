"""Whether settings fit together for serving people: who is let in, by whom, and at which address.

What is half set would let in nobody, or everybody; so the program does not start with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from urllib.parse import urlsplit

from trag.errors import TragError
from trag.people import sso
from trag.people.external_identity import proxies
from trag.settings import Settings
from trag.web.people.authentication import LOCAL
from trag.workflow.hooks import addresses

NEED_ADDRESS = ("sso_issuer", "proxy_from", "proxy_user")
"""What says how people who come from elsewhere are known: only beside the address that they open."""
NEED_ISSUER = ("sso_client", "sso_secret", "sso_name", "sso_groups", "sso_roles", "sso_units")
SHORTEST_KEY = 20
"""Characters that the key of monitoring has at least."""
_HEADER = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)


def problems(settings: Settings) -> Iterator[tuple[str, str]]:
    """Each thing that is wrong with settings, and what to do about it."""
    yield from _of_address(settings)
    if not settings.address and (alone := _given(settings, NEED_ADDRESS)):
        yield (
            f"{_are_set(alone)}, and address is not: nobody can sign in from elsewhere, and whoever sits here is not "
            "let in without.",
            "Set TRAG_ADDRESS to the https:// address that people open (https://localhost to try it on this machine "
            f"alone), or remove {' and '.join(alone)}.",
        )
    if settings.sso_issuer and not settings.sso_client.strip():
        yield (
            "sso_issuer is set, and sso_client is not: the provider would not know who asks.",
            "Set TRAG_SSO_CLIENT to the client id, and TRAG_SSO_SECRET to the secret if there is one, that the "
            "provider gave.",
        )
    if not settings.sso_issuer and (alone := _given(settings, NEED_ISSUER)):
        yield (
            f"{_are_set(alone)}, and sso_issuer is not: nobody would be sent to a provider.",
            f"Set TRAG_SSO_ISSUER to the provider's address, or remove {' and '.join(alone)}.",
        )
    if settings.proxy_user and not _HEADER.fullmatch(settings.proxy_user):
        yield f"proxy_user = {settings.proxy_user!r}: this is no name of a header.", "Write one like X-Remote-User."
    if 0 < len(settings.metrics_key) < SHORTEST_KEY:
        yield (
            f"metrics_key has {len(settings.metrics_key)} characters: it could be guessed.",
            f"Set TRAG_METRICS_KEY to {SHORTEST_KEY} or more, as `openssl rand -hex 24` gives them.",
        )
    readings: tuple[Callable[[], object], ...] = (
        partial(proxies, settings.proxy_from, settings.proxy_user),
        *([partial(sso.issuer_of, settings.sso_issuer)] if settings.sso_issuer else []),
        partial(sso.roles, settings.sso_roles),
        partial(sso.pairs, "sso_units", settings.sso_units),
        partial(addresses, settings),
    )
    for read in readings:
        try:
            read()
        except TragError as error:
            yield error.message, error.hint


def _of_address(settings: Settings) -> Iterator[tuple[str, str]]:
    address = settings.address
    if settings.host not in LOCAL and not address:
        yield (
            f"host = {settings.host!r}: without accounts, everybody who reaches this port would read everything.",
            "Keep 127.0.0.1, or set TRAG_ADDRESS to the https:// address of a proxy that ends TLS, and people sign in.",
        )
    if not address:
        return
    host = ""
    with suppress(ValueError):  # a port that is none, brackets that do not close
        parts = urlsplit(address)
        beside = (parts.path.strip("/"), parts.query, parts.fragment, parts.username)
        if parts.scheme == "https" and parts.port != 0 and not any(beside):
            host = parts.hostname or ""
    if not host:
        yield (
            f"address = {address!r}: this is no https:// address of a server.",
            "Set TRAG_ADDRESS to what people type, without a path: https://assistant.example.org",
        )
    if host not in LOCAL and not settings.proxy_from.strip(" ,"):
        yield (
            f"address = {address!r}: no proxy is named, so everybody would come from the proxy's address, and "
            "who types wrong passwords would make all others wait.",
            "Set TRAG_PROXY_FROM to the proxy's address: 127.0.0.1 for one on this machine.",
        )


def _given(settings: Settings, names: tuple[str, ...]) -> list[str]:
    """Those settings that are not as they are by default."""
    return [name for name in names if getattr(settings, name) != getattr(Settings(), name)]


def _are_set(names: list[str]) -> str:
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} set"
