"""Connections of clients that dawdle, and of many of them, on a real server."""

from __future__ import annotations

import asyncio
import resource
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from typing import Any

import pytest
import uvicorn

from trag.web import connections
from trag.web.connections import MOST, Connection, most

PATIENCE = 0.5
MUCH = 30_000_000
"""Bytes, more than what sockets hold."""
HEAD = b"POST / HTTP/1.1\r\nHost: a\r\n"
GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", PATIENCE)
    monkeypatch.setattr(connections, "PACE", 0.05)


def at(path: str, head: bytes = GET) -> bytes:
    return head.replace(b"/", path.encode(), 1)


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Reads the body and answers in a word, later, slowly or with MUCH, in parts or at once, as the address says."""
    if scope["path"] == "/later":
        await asyncio.sleep(4 * PATIENCE)
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    if scope["path"] == "/slowly":
        await send({"type": "http.response.body", "body": b"b", "more_body": True})
        await asyncio.sleep(4 * PATIENCE)
    for _ in range(MUCH // 50_000 if scope["path"] == "/much" else 0):
        await send({"type": "http.response.body", "body": b"a" * 50_000, "more_body": True})
    await send({"type": "http.response.body", "body": b"a" * (MUCH if scope["path"] == "/whole" else 1)})


@asynccontextmanager
async def serving() -> AsyncIterator[tuple[int, uvicorn.Server]]:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        config = uvicorn.Config(app, http=Connection, loop="asyncio", ws="none", lifespan="off", log_level="critical")
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started:
            await asyncio.sleep(0.01)
        yield listener.getsockname()[1], server
        server.should_exit = server.force_exit = True
        await task


async def dawdle(port: int, *parts: bytes) -> tuple[float, bytes]:
    """Sends one part after the other, a tenth of a second apart, and the last one again and again; the seconds until it
    is hung up on, up to 4 times PATIENCE, and what was said until then."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    began, heard = asyncio.get_running_loop().time(), b""
    waiting = iter(parts)
    part = b""
    try:
        while (took := asyncio.get_running_loop().time() - began) < 4 * PATIENCE:
            part = next(waiting, part[-1:])
            writer.write(part)
            with suppress(TimeoutError):
                heard += (said := await asyncio.wait_for(reader.read(1_000_000), 0.1))
                if not said:
                    break
    except ConnectionError:
        pass
    finally:
        writer.close()
    return took, heard


async def unread(port: int, sent: bytes) -> int:
    """The bytes that come in the end of an answer that nobody reads at first."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    await asyncio.sleep(3 * PATIENCE)
    try:
        return len(await reader.read())
    except ConnectionError:
        return 0
    finally:
        writer.close()


async def read_slowly(port: int, sent: bytes) -> int:
    """The bytes of an answer that is read for longer than PATIENCE."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=500_000)
    writer.write(sent)
    size = 0
    with suppress(ConnectionError):
        while size < MUCH and (part := await reader.read(500_000)):
            size += len(part)
            await asyncio.sleep(0.03)
    writer.close()
    return size


@pytest.mark.slow
def test_who_dawdles_is_hung_up_on_and_who_waits_for_the_server_is_not() -> None:
    late = {
        "says nothing": [b""],
        "half a head": [HEAD, b""],
        "a head by the drop": [HEAD + b"X: a"],
        "half a body": [HEAD + b"Content-Length: 9\r\n\r\nabc", b""],
        "a body by the drop": [HEAD + b"Content-Length: 9000\r\n\r\nabc"],
        "a drop more after the answer": [GET, b"G"],
    }
    there = {
        "a body that comes": [HEAD + b"Content-Length: 9000\r\n\r\n", *[b"a" * 400] * 12],
        "a body that is read late": [at("/later", HEAD) + b"Content-Length: 90000\r\n\r\n" + b"a" * 90_000],
        "an answer that is long in coming": [at("/later"), b""],
        "an answer that goes on": [at("/slowly"), b""],
    }

    async def told() -> dict[str, tuple[float, bytes]]:
        async with serving() as (port, _):
            asked = {name: dawdle(port, *parts) for name, parts in (late | there).items()}
            return dict(zip(asked, await asyncio.gather(*asked.values()), strict=True))

    found = asyncio.run(told())
    for name in late:
        assert PATIENCE * 0.5 < found[name][0] < 3 * PATIENCE, (name, found[name])
    for name in there:
        assert found[name][0] > 3 * PATIENCE, (name, found[name])
    assert found["a body that is read late"][1].startswith(b"HTTP/1.1 200"), found


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/much", "/whole"])
@pytest.mark.parametrize("kept", [True, False])
def test_who_reads_no_answer_is_hung_up_on_and_who_reads_slowly_gets_all_of_it(path: str, kept: bool) -> None:
    """Also one that was handed over as a whole, and so is over for the app."""
    sent = at(path, GET if kept else GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))

    async def told() -> list[int]:
        async with serving() as (port, _):
            return await asyncio.gather(unread(port, sent), read_slowly(port, sent))

    late, slow = asyncio.run(told())
    assert late < MUCH <= slow


@pytest.mark.slow
def test_however_many_connections_are_held_others_are_let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "most", 10)
    monkeypatch.setattr(connections, "PATIENCE", 60)
    half = HEAD + b"Content-Length: 9\r\n\r\nabc"
    held = [HEAD] * 20 + [half] * 20 + [at("/much")] * 10 + [at("/whole")] * 10 + [b""] * 20

    async def told() -> tuple[list[bytes], bytes, int]:
        async with serving() as (port, server):
            busy = asyncio.create_task(dawdle(port, at("/later"), b""))
            await asyncio.sleep(0.1)
            kept = []
            answers = []
            for number, part in enumerate(held):
                kept.append(await asyncio.open_connection("127.0.0.1", port))
                kept[-1][1].write(part)
                if number % 10 == 9:
                    reader, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.write(GET)
                    answers.append(await asyncio.wait_for(reader.readline(), 5))
                    writer.close()
            most = len(server.server_state.connections)
            _, heard = await busy
            for _, writer in kept:
                writer.close()
            return answers, heard, most

    answers, heard, most = asyncio.run(told())
    assert answers == [b"HTTP/1.1 200 OK\r\n"] * 8
    assert heard.startswith(b"HTTP/1.1 200"), "who is being answered keeps their connection"
    assert most <= 11


@pytest.mark.parametrize(("files", "held"), [(1_024, 341), (16, 10), (10**6, MOST), (resource.RLIM_INFINITY, MOST)])
def test_connections_leave_files_for_all_else(files: int, held: int) -> None:
    assert most(files) == held
