"""People and their accounts in a real Chromium, over the real app."""

import asyncio
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from joserfc.jwk import RSAKey
from playwright.sync_api import Browser, Page, expect

from store.person import Newcomer
from store.records import Records
from tests.serving import Job, Visit, trag, visits
from trag.people import passwords

Serving = Callable[..., AbstractContextManager[tuple[str, Job]]]
PUBLIC = "assistant.localhost"
PASSWORD = "violet kettle orbit"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with the sample's chart, and nothing else."""
    home = tmp_path / "home"
    trag(home, "chart", "activate", str(Path(__file__).parents[4] / "examples" / "larkmoor" / "chart.csv"))
    return home


@pytest.fixture
def opened(browser: Browser) -> Iterator[Visit]:
    """Opens a page of a new browser; what its console calls an error fails the test, but for refusals and for what
    Gradio says of its own calls when a page is left while they run."""
    left = "AbortError: signal is aborted|Connection errored out"
    with visits(browser, refused=f"status of (401|403|404|422)|{left}", abroad=True) as opened:
        yield opened


def choose(page: Page, name: str, shown: str = "") -> None:
    page.get_by_label("Name to sign in with").fill(name)
    page.get_by_label("Name that others see").fill(shown)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("The same again").fill(PASSWORD)


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()


def test_from_the_first_admin_to_an_employee_who_is_shut_out(
    serving: Serving, home: Path, model_address: str, opened: Visit
) -> None:
    with serving(home, model_address) as (address, process):
        root, ada = opened(address), opened(address)
        root.goto("/people")
        choose(root, "root", "Rosa Root")
        root.get_by_role("button", name="Make the account").click()
        expect(root.get_by_role("heading", name="People", exact=True)).to_be_visible()

        ada.goto("/")
        expect(ada.get_by_role("heading", name="Sign in")).to_be_visible()
        ada.get_by_role("link", name="Ask for one").click()
        choose(ada, "ada", "Ada Lovelace")
        ada.get_by_role("button", name="Ask").click()
        expect(ada.get_by_role("status")).to_contain_text("Your request is kept")
        sign_in(ada, "ada")
        expect(ada.get_by_role("alert")).to_contain_text("waits for an admin")

        root.reload()
        root.get_by_role("button", name="Approve Ada Lovelace").click()
        expect(root.get_by_role("status").first).to_contain_text("Ada Lovelace may use the assistant now.")

        ada.goto("/account")
        sign_in(ada, "ada", "not this one")
        expect(ada.get_by_role("alert")).to_contain_text("The name or the password is wrong.")
        sign_in(ada, "ada")
        expect(ada.get_by_role("heading", name="Ada Lovelace")).to_be_visible()
        assert ada.url == f"{address}/account"
        cookie = next(each for each in ada.context.cookies() if each["name"] == "trag")
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Lax")
        assert ada.goto("/people").status == 403  # type: ignore[union-attr]
        ada.goto("/")
        expect(ada.locator("#log .welcome")).to_be_visible()
        expect(ada.locator("#conversations :is(.leads, .own) a")).to_have_text(
            ["Briefings", "Documents", "Organization chart", "Ada Lovelace"]
        )
        expect(ada.locator("#state .notice")).to_have_count(0, timeout=120_000)  # the model has come up
        root.goto("/people")
        root.get_by_role("link", name="Ada Lovelace").click()
        root.get_by_role("button", name="Disable").first.click()
        root.locator("#disable").get_by_role("button", name="Disable").click()
        expect(root.get_by_role("status").first).to_contain_text("is disabled, and signed out")

        ada.get_by_label("Your question").fill("Where does the Ethics Office sit?")
        ada.keyboard.press("Enter")
        expect(ada.get_by_text("sign in in another window")).to_be_visible()
        expect(ada.get_by_label("Your question")).to_have_value("Where does the Ethics Office sit?")
        ada.reload()
        sign_in(ada, "ada")
        expect(ada.get_by_role("alert")).to_contain_text("disabled")

        root.get_by_role("button", name="Remove the account").click()
        root.locator("#remove").get_by_role("button", name="Remove").click()
        expect(root.get_by_role("status").first).to_contain_text("Ada Lovelace is removed, and the name ada is free.")
        process.terminate()
        assert "Traceback" not in process.end()[1]


def test_somebody_is_added_to_a_unit_found_by_typing_and_their_link_is_copied(
    serving: Serving, home: Path, model_address: str, opened: Visit
) -> None:
    with serving(home, model_address) as (address, _):
        root = opened(address)
        root.context.grant_permissions(["clipboard-read", "clipboard-write"])
        root.goto("/people")
        choose(root, "root")
        root.get_by_role("button", name="Make the account").click()
        add = root.locator("form[action='/people'][method=post]")
        expect(add).to_be_visible()
        root.wait_for_load_state()
        add.get_by_label("Name to sign in with").fill("zoe z")
        add.get_by_role("combobox", name="Unit").fill("libr")
        option = add.get_by_role("option").filter(has_text="under Institute for Health Research")
        expect(option).to_contain_text("Library")
        option.click()
        add.get_by_role("button", name="Add").click()
        expect(root.get_by_role("alert")).to_contain_text("'zoe z' cannot be a name")
        expect(add.get_by_role("combobox", name="Unit")).to_have_value("Library (Institute for Health Research)")
        add.get_by_label("Name to sign in with").fill("zoe")
        add.get_by_role("button", name="Add").click()
        root.get_by_role("button", name="Copy").click()
        expect(root.get_by_role("button", name="Copied")).to_be_visible()
        shown = root.locator(".given code").inner_text()
        assert "/links/" in shown
        assert root.evaluate("navigator.clipboard.readText()") == shown

        listed, words = root.locator("#list tbody tr"), root.get_by_placeholder("Find a person")
        expect(listed).to_have_count(2)
        words.press_sequentially("zo")
        expect(listed).to_have_count(1)
        expect(words).to_be_focused()
        root.locator("#list [name=role]").select_option("admin")
        expect(root.locator("#list h2")).to_have_text("0 people with “zo”")
        root.reload()
        expect(words).to_have_value("zo")


@contextmanager
def over_tls(folder: Path, port: int, behind: int) -> Iterator[None]:
    """A proxy that ends TLS on `port` with a certificate of its own, and passes everything on to `behind`."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, PUBLIC)])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(PUBLIC)]), critical=False)
    pem = folder / "proxy.pem"
    pem.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        + made.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)

    async def carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await source.read(65_536):
                sink.write(data)
                await sink.drain()
            sink.close()
            await sink.wait_closed()

    async def passing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner, outer = await asyncio.open_connection("127.0.0.1", behind)
        try:
            await asyncio.gather(carry(reader, outer), carry(inner, writer))
        finally:
            outer.transport.abort()
            writer.transport.abort()

    async def serve() -> None:
        over = asyncio.Event()
        async with await asyncio.start_server(passing, "127.0.0.1", port, ssl=context):
            up.set_result((asyncio.get_running_loop(), over))
            await over.wait()

    # On one loop: two threads that read and write one TLS connection garble it (python/cpython#76714).
    up: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    loop, over = up.result(30)
    yield
    loop.call_soon_threadsafe(over.set)
    thread.join(30)


def test_behind_a_proxy_that_ends_tls(serving: Serving, home: Path, model_address: str, opened: Visit) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    public = f"https://{PUBLIC}:{port}"
    (home / "trag.toml").write_text(f'address = "{public}"\nproxy_from = "127.0.0.1"\n')
    with serving(home, model_address) as (address, process):
        link = process.out.read_text().splitlines()[0].split()[-1]
        assert link.startswith(f"{public}/links/")
        with over_tls(home, port, int(address.rsplit(":", 1)[1])):
            page = opened(public, ignore_https_errors=True)
            page.goto("/")
            expect(page.get_by_text("There are no accounts yet.")).to_be_visible()
            page.goto(link)
            choose(page, "root", "Rosa Root")
            page.get_by_role("button", name="Make the account").click()
            expect(page.locator("#log .welcome")).to_be_visible()  # so Gradio's own calls came through
            expect(page.locator("#state .notice")).to_have_count(0, timeout=120_000)  # the model has come up
            (cookie,) = page.context.cookies()
            assert (cookie["name"], cookie["secure"], cookie["httpOnly"]) == ("__Host-trag", True, True)
            page.goto("/people")
            expect(page.get_by_role("heading", name="People", exact=True)).to_be_visible()
            page.goto(link)
            expect(page.get_by_role("alert")).to_contain_text("used already")


def test_single_sign_on(
    serving: Serving, home: Path, model_address: str, opened: Visit, provided: Callable[..., Any]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = {
        "address": "https://localhost",
        "sso_issuer": f"http://127.0.0.1:{port}",
        "sso_client": "assistant",
        "sso_secret": "of the client",
        "sso_roles": "staff=employee, leads=admin",
    }
    (home / "trag.toml").write_text("".join(f'{name} = "{value}"\n' for name, value in settings.items()))
    with closing(Records(f"sqlite:///{home}/trag.db")) as records:
        records.people.add(Newcomer("root", role="admin", state="active"), by="test")
    key = RSAKey.generate_key(2048).as_dict(private=True)
    client = {"client_id": "assistant", "client_secret": "of the client"}
    with serving(home, model_address) as (address, _):
        client |= {"redirect_uris": [f"{address}/sign-in/back"]}
        with provided([client], [key], {"lee": {"name": "Lee", "groups": ["staff", "leads"]}}, port=port):
            page = opened(address)
            page.route(re.compile("^https:"), lambda route: route.fulfill(body=""))  # a font that its pages ask for
            page.goto("/account")
            page.get_by_role("link", name="Sign in with your organization").click()
            page.get_by_role("link", name="Cancel").click()
            expect(page.get_by_role("alert")).to_contain_text("You are not signed in.")
            page.goto("/account")
            page.get_by_role("link", name="Sign in with your organization").click()
            page.get_by_placeholder("Enter any login").fill("lee")
            page.get_by_placeholder("and password").fill("any")
            page.get_by_role("button", name="Sign-in").click()
            page.get_by_role("button", name="Continue").click()
            expect(page.get_by_role("heading", name="Lee")).to_be_visible()
            expect(page.get_by_text("by single sign-on. Admin")).to_be_visible()
            page.goto("/people/log")
            expect(page.locator("tbody tr").first).to_contain_text("signed in by single sign-on")
            page.goto("/account")
            page.get_by_role("button", name="Sign out").first.click()
            expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
            page.wait_for_load_state()  # what the page is made of comes from the process that ends now


def test_what_was_typed_when_the_session_had_ended_is_there_again_for_whoever_typed_it(
    serving: Serving, home: Path, opened: Visit
) -> None:
    with closing(Records(f"sqlite:///{home}/trag.db")) as records:
        for name in ("ada", "eve"):
            secret = passwords.hashed(PASSWORD)
            records.people.add(
                Newcomer(name, shown=name.title(), role="admin", state="active", secret=secret), by="test"
            )
    with serving(home) as (address, _):
        page = opened(address)
        page.goto("/settings")
        for back, found in (("ada", "Good day\nto you"), ("eve", "")):
            sign_in(page, "ada")
            page.get_by_label("Welcome").fill("Good day\nto you")
            page.locator("[name=accent]").fill("#112299")
            page.context.clear_cookies()
            page.get_by_role("button", name="Save", exact=True).click()
            expect(page.get_by_role("alert")).to_contain_text("what you sent was not kept")
            sign_in(page, back, "not this one")
            sign_in(page, back)
            expect(page.get_by_role("heading", name="Settings")).to_be_visible()
            assert page.url == f"{address}/settings"
            expect(page.get_by_label("Welcome")).to_have_value(found)
            page.reload()
            expect(page.get_by_label("Welcome")).to_have_value("")
            page.context.clear_cookies()
            page.goto("/settings")
