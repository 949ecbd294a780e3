"""What proxies in front may say: who signed in there, and where a request came from. Off unless the settings name them.

Knows nothing about HTTP but names and values of headers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from trag.errors import TragError


@dataclass(frozen=True, slots=True)
class Proxies:
    """The proxies that are believed, by their networks, and the header that names who signed in there, "" for none."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    header: str = ""

    def user(self, client: str, values: Sequence[str]) -> str:
        """Who signed in at the proxy, by the values of its header; "" unless a proxy says exactly one."""
        return values[0].strip() if self.header and len(values) == 1 and self._is_one(client) else ""

    def origin(self, client: str, forwarded: Sequence[str]) -> str:
        """Where a request came from, by the values of X-Forwarded-For: the nearest address that is not a proxy's. What
        stands before it anybody could have written."""
        if not self._is_one(client):
            return client
        for address in reversed([each.strip() for value in forwarded for each in value.split(",")]):
            client = address if _is_address(address) else client
            if not self._is_one(address):
                break
        return client

    def _is_one(self, address: str) -> bool:
        return _is_address(address) and any(ip_address(address) in network for network in self.networks)


def proxies(addresses: str, header: str) -> Proxies:
    """Proxies as settings name them: addresses or networks with commas between. Raises TragError for what is none."""
    networks = []
    for each in filter(None, map(str.strip, addresses.split(","))):
        try:
            networks.append(ip_network(each))
        except ValueError as error:
            raise TragError(
                f"proxy_from: {each!r} is no address.", "Write addresses or networks, like 10.0.0.5, 10.1.0.0/16."
            ) from error
    if header and not networks:
        raise TragError("proxy_user names a header, but proxy_from names no proxy that may send it.", "Set both.")
    return Proxies(tuple(networks), header.lower())


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
