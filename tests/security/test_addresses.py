"""Addresses that climb, hide or name what is not there: none of them stands in the table of addresses."""

from __future__ import annotations

from itertools import product
from urllib.parse import unquote

import pytest

from trag.web import access

ADDRESS = "0af" * 10 + "12"
STARTS = f"""
    / /assets/ /static/js/ /documents/ /documents/{ADDRESS}/pages/ /documents/{ADDRESS}/original/ /charts/versions/
    /quality/runs/ /models/finetune/ /people/ /links/ /gradio_api/file= /gradio_api/file/ /file=
""".split()
CLIMBS = r"""
    ../trag.db ../../trag.db ..\..\trag.db ..;/trag.db .../trag.db ....//trag.db %2e%2e/trag.db %2e%2e%2ftrag.db
    %252e%252e%252ftrag.db ..%2ftrag.db ..%5ctrag.db ..%c0%aftrag.db %c0%ae%c0%ae/trag.db ..%00/trag.db
    trag.db%00.css trag.db%0a ./../trag.db a/../../trag.db //etc/passwd /etc/passwd etc/passwd C:\windows\win.ini
    C:/windows/win.ini \\host\share file:///etc/passwd http://169.254.169.254/latest https://evil.example/
    ~root/.ssh/id_rsa $HOME/trag.db trag.toml trag.db .env .git/config proc/self/environ ＠．．/trag.db ․․/trag.db
    %uff0e%uff0e/trag.db
""".split()
PLAIN = {"/assets/etc/passwd", "/assets/trag.db", "/assets/trag.toml", "/assets/.env", "/assets/.git/config"}
PLAIN |= {"/assets/proc/self/environ", "/assets/~root/.ssh/id_rsa"}
PLAIN |= {each.replace("/assets/", "/static/js/") for each in PLAIN}
"""What climbs nowhere is a name in Gradio's own folder of scripts, where there is no such file."""


@pytest.mark.parametrize(
    "method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get"]
)
def test_no_address_climbs_out(method: str) -> None:
    written = [start + climb for start, climb in product(STARTS, CLIMBS)]
    decoded = {form for each in written for form in (each, unquote(each), unquote(unquote(each), errors="ignore"))}
    assert len(decoded) > 500
    assert {each for each in decoded if access.needed(method, each)} <= PLAIN


@pytest.mark.parametrize(
    "path",
    ["", "//", "/%2f", "/.", "/..", "/;", "/?", "/#", "*", "http://127.0.0.1/", "/SIGN-IN", "/people%20", "/people/",
     "/people//log", "/people/./log", "/people\n", "/people\0", "/ people", "/Documents", "/ｐｅｏｐｌｅ", "/api/ask/",
     "/v1//models", "/__proto__", "/gradio_api/queue/data/", "/gradio_api/queue/../token"],
)  # fmt: skip
def test_an_address_is_the_very_one_or_none(path: str) -> None:
    assert access.needed("GET", path) is None
    assert access.needed("POST", path) is None


def test_nothing_that_changes_something_is_only_looked_at() -> None:
    """A link or a picture on another site makes the browser GET: that must change nothing."""
    read, write = ({path for _, path in table} for table in (access.READ, access.WRITE))
    acts = ("activate", "approve", "cancel", "clear", "delete", "discard", "dismiss", "end", "import", "promote")
    assert not [path for path in read if path.rsplit("/", 1)[-1] in acts]
    both = {"/sign-in", "/account/new", "/links/{code}", "/people", "/people/{address}", "/plans", "/mcp"}
    both |= {"/briefings", "/overview", "/workflows", "/workflows/registers"}
    assert {path for path in read & write if not path.startswith(("/documents/", "/review"))} <= both
