"""What one caller may take of the server, through the gate: requests in a while, under way, and at work."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2 as httpx
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

from store.records import Records
from tests.pages import ADDRESS as HERE
from tests.pages import gated, signed_in
from trag.web import gate, request_limits
from trag.web.request_limits import AT_WORK, Allowance, give_turn_back


class Site:
    """An app of stubs behind the gate, with ada and bert in it; `work` are the requests that are worked at, which go
    on until `open` is set."""

    def __init__(self, records: Records) -> None:
        self.app: FastAPI = gated(records)
        people = signed_in(records, self.app, {"ada": ("admin", ""), "bert": ("employee", "")}, None)  # type: ignore[arg-type]
        self.cookies = {name: dict(browser.cookies) for name, (_, browser) in people.items()}
        self.work: list[str] = []
        self.open = asyncio.Event()

        async def worked(request: Request) -> str:
            self.work.append(request.headers.get("cookie", ""))
            await self.open.wait()
            return "done"

        async def waits_apart(request: Request) -> str:
            give_turn_back()
            return await worked(request)

        async def lasting(request: Request) -> StreamingResponse:
            async def parts() -> AsyncIterator[str]:
                yield "begun"
                await worked(request)

            return StreamingResponse(parts())

        self.app.get("/account")(worked)
        self.app.get("/sign-in")(worked)
        self.app.get("/pages.css")(worked)
        self.app.get("/review")(lambda: "ok")
        self.app.get("/api")(lambda: "ok")
        self.app.get("/documents/{key}/view")(waits_apart)
        self.app.get("/gradio_api/queue/data")(worked)
        self.app.get("/people/log.csv")(lasting)

    @asynccontextmanager
    async def browser(self, who: str = "", client: str = "10.0.0.7") -> AsyncIterator[httpx.AsyncClient]:
        transport = httpx.ASGITransport(self.app, client=(client, 4711))
        cookies = self.cookies.get(who, {})
        async with httpx.AsyncClient(transport=transport, base_url=HERE, cookies=cookies, trust_env=False) as browser:
            yield browser

    async def worked_at(self, number: int) -> None:
        """Until so many are."""
        async with asyncio.timeout(10):
            while len(self.work) < number:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)  # no more than those
        assert len(self.work) == number


Tried = Callable[[Site], Awaitable[None]]


@pytest.fixture
def tried(records: Records) -> Callable[[Tried], None]:
    """Does something with the site, in one event loop."""

    async def all_of_it(what: Tried) -> None:
        await what(Site(records))

    return lambda what: asyncio.run(all_of_it(what))


def test_more_requests_than_anybody_needs_are_refused_in_words(
    tried: Any, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "PERSON", Allowance(5, 64))
    monkeypatch.setattr(gate, "ADDRESS", Allowance(7, 64))

    async def what(site: Site) -> None:
        site.open.set()
        async with site.browser("ada") as ada, site.browser("bert") as bert, site.browser() as stranger:
            told = [(await ada.get("/api")).status_code for _ in range(8)]
            assert told == [200] * 5 + [429] * 3
            paths = ["/sign-in", "/none", "/account", "/sign-in", "/none", "/account", "/sign-in", "/none", "/sign-in"]
            told = [(await stranger.get(path)).status_code for path in paths]
            assert told == [200, 404, 401, 200, 404, 401, 200, 429, 429], "what is refused counts too"
            assert (await bert.get("/api")).status_code == 200, "who is in does not answer for their address"
            async with site.browser(client="10.0.0.8") as other:
                assert (await other.get("/sign-in")).status_code == 200
            files = [(await stranger.get("/pages.css")).status_code for _ in range(20)]
            assert set(files) == {200}, "what every page loads is not counted"
            refused = [await stranger.post("/pages.css"), await stranger.get("/pages.css", headers={"Host": "evil"})]
            assert [each.status_code for each in refused] == [429] * 2, "but what is refused there is"
            for headers in ({}, {"Accept": "text/html"}):
                answer = await ada.get("/api", headers=headers)
                assert "Too many requests came from you within seconds" in answer.text
                assert "Try again in 10 seconds" in answer.text
                assert answer.headers["retry-after"] == "10"
            began = time.monotonic()
            monkeypatch.setattr(time, "monotonic", lambda: began + request_limits.WINDOW)
            assert (await ada.get("/api")).status_code == 200, "nobody is shut out for long"

    tried(what)


def test_one_caller_has_few_threads_and_the_others_get_in(tried: Any) -> None:
    async def what(site: Site) -> None:
        async with site.browser("ada") as ada, site.browser("bert") as bert, site.browser() as stranger:
            crowd = [asyncio.ensure_future(ada.get("/account")) for _ in range(20)]
            await site.worked_at(AT_WORK)
            assert (await bert.get("/api")).status_code == 200
            strangers = [asyncio.ensure_future(stranger.get("/sign-in")) for _ in range(20)]
            await site.worked_at(2 * AT_WORK)
            site.open.set()
            assert {each.status_code for each in await asyncio.gather(*crowd, *strangers)} == {200}

    tried(what)


@pytest.mark.parametrize(
    "path",
    ["/documents/" + "0af" * 10 + "12/view", "/gradio_api/queue/data?session_hash=a", "/people/log.csv"],
    ids=["what waits elsewhere", "an answer of the model", "a file that is being sent"],
)
def test_what_waits_elsewhere_or_is_being_answered_keeps_nobody_from_other_pages(tried: Any, path: str) -> None:
    async def what(site: Site) -> None:
        async with site.browser("ada") as ada:
            crowd = [asyncio.ensure_future(ada.get(path)) for _ in range(20)]
            await site.worked_at(20)
            assert (await ada.get("/api")).status_code == 200
            site.open.set()
            await asyncio.gather(*crowd)

    tried(what)


def test_requests_under_way_have_a_bound(tried: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "PERSON", Allowance(500, 9))

    async def what(site: Site) -> None:
        async with site.browser("ada") as ada, site.browser("bert") as bert:
            crowd = [asyncio.ensure_future(ada.get("/account")) for _ in range(20)]
            await site.worked_at(AT_WORK)
            assert (await bert.get("/api")).status_code == 200
            async with asyncio.timeout(10):
                while sum(each.done() for each in crowd) < 20 - 9:
                    await asyncio.sleep(0.01)
            site.open.set()
            answers = await asyncio.gather(*crowd)
            assert [each.status_code for each in answers].count(200) == 9
            assert {each.json()["detail"] for each in answers if each.status_code == 429} == {
                "You have 9 requests under way. Wait until they are answered."
            }
            assert (await ada.get("/api")).status_code == 200

    tried(what)
