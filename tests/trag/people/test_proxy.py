"""What proxies are believed about, and what not."""

import pytest

from trag.errors import TragError
from trag.people.proxy import Proxies, proxies

NAMED = proxies("10.0.0.5, 10.1.0.0/16, fd00::/8", "X-Remote-User")


@pytest.mark.parametrize(
    ("found", "client", "values", "user"),
    [
        (NAMED, "10.0.0.5", ["ada"], "ada"),
        (NAMED, "10.1.200.3", [" ada "], "ada"),
        (NAMED, "fd00::1", ["ada"], "ada"),
        (NAMED, "10.0.0.6", ["ada"], ""),
        (NAMED, "127.0.0.1", ["ada"], ""),
        (NAMED, "", ["ada"], ""),
        (NAMED, "testclient", ["ada"], ""),
        (NAMED, "10.0.0.5", ["ada", "root"], ""),
        (NAMED, "10.0.0.5", [], ""),
        (Proxies(), "10.0.0.5", ["ada"], ""),
        (proxies("10.0.0.5", ""), "10.0.0.5", ["ada"], ""),
    ],
)
def test_only_a_named_proxy_says_who_signed_in(found: Proxies, client: str, values: list[str], user: str) -> None:
    assert found.user(client, values) == user


@pytest.mark.parametrize(
    ("client", "forwarded", "origin"),
    [
        ("192.0.2.1", ["1.1.1.1"], "192.0.2.1"),
        ("10.0.0.5", [], "10.0.0.5"),
        ("10.0.0.5", ["1.1.1.1"], "1.1.1.1"),
        ("10.0.0.5", ["6.6.6.6, 1.1.1.1, 10.1.0.2"], "1.1.1.1"),
        ("10.0.0.5", ["6.6.6.6", "1.1.1.1"], "1.1.1.1"),
        ("10.0.0.5", ["1.1.1.1, nonsense"], "10.0.0.5"),
        ("10.0.0.5", ["10.1.0.3, 10.1.0.2"], "10.1.0.3"),
    ],
)
def test_where_from_is_the_nearest_address_that_is_no_proxys(client: str, forwarded: list[str], origin: str) -> None:
    assert NAMED.origin(client, forwarded) == origin


@pytest.mark.parametrize(
    ("addresses", "header"), [("proxy.example.org", ""), ("10.0.0.0/33", ""), ("", "X-Remote-User")]
)
def test_settings_that_name_no_proxy_are_refused(addresses: str, header: str) -> None:
    with pytest.raises(TragError):
        proxies(addresses, header)
