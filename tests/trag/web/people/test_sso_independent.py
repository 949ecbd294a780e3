"""Single sign-on at oidc-provider, which is certified to speak OpenID Connect and shares no line with our client."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx2
import pytest
from bs4 import BeautifulSoup
from joserfc.jwk import ECKey, OKPKey, RSAKey
from starlette.testclient import TestClient

from tests.trag.web.people.conftest import HERE, alert
from trag.people import sso

BACK = f"{HERE}/sign-in/back"
ROLES = {"sso_roles": "staff=employee, leads=reviewer, boss=admin", "sso_units": "of the bar=Bar, of the board=Board"}
PEOPLE: dict[str, dict[str, Any]] = {
    "ada": {"name": "Ada Lovelace", "groups": ["staff", "of the board"], "email": "ada@x.example"},
    "lee": {"name": "Lee", "groups": ["staff", "leads"], "email": "lee@x.example", "email_verified": True},
    "out": {"name": "Out", "groups": ["visitors"]},
    "mallory": {"name": "Mallory", "groups": ["boss"], "instead": "lee"},
}
AWKWARD = "50% of a+b: c&d=e/?"
"""A secret of which nothing may be left as it is in a header."""
CLIENT = {"client_id": "assistant", "client_secret": AWKWARD, "redirect_uris": [BACK]}
BY_BODY = CLIENT | {"client_id": "by body", "token_endpoint_auth_method": "client_secret_post"}
AT_AN_ADDRESS = CLIENT | {"client_id": "https://assistant.example.org:8443/"}
PUBLIC = {"client_id": "public", "token_endpoint_auth_method": "none", "redirect_uris": [BACK]}
SIGNED = [
    CLIENT | {"client_id": f"signed {each}", "id_token_signed_response_alg": each} for each in sso.ALGORITHMS[1:3]
]
SIGNED += [CLIENT | {"client_id": "signed EdDSA", "id_token_signed_response_alg": "EdDSA"}]

pytestmark = pytest.mark.slow


def private(key: Any) -> dict[str, Any]:
    """A key as the provider takes it."""
    found: dict[str, Any] = key.as_dict(private=True)
    return found


@pytest.fixture(scope="module")
def keys() -> list[dict[str, Any]]:
    """Two that sign RS256, and one each for the elliptic curves."""
    made = [RSAKey.generate_key(2048, {"kid": kid}) for kid in ("first", "second")]
    return [*map(private, (*made, ECKey.generate_key("P-256"), OKPKey.generate_key("Ed25519")))]


@pytest.fixture(scope="module")
def provider(provided: Any, keys: list[dict[str, Any]]) -> Iterator[Any]:
    """A provider that most of these tests ask, with claims in userinfo alone, as the specification has it."""
    with provided([CLIENT, BY_BODY, AT_AN_ADDRESS, PUBLIC, *SIGNED], [keys[0], *keys[2:]], PEOPLE) as running:
        yield running


@pytest.fixture
def here(at: Any) -> Any:
    """Opens a home with one admin that people sign in to at a provider."""
    return lambda provider, **settings: at(**{"address": provider.address, "secret": AWKWARD} | settings)


def begin(visitor: TestClient) -> str:
    """Where the browser is sent to sign in."""
    begun = visitor.get("/sign-in/sso", params={"after": "/account"})
    assert begun.status_code == 303, begun.text
    return begun.headers["location"]


def there(address: str, login: str, cancel_at: str = "") -> str:
    """Through the pages of the provider, as a person goes, and the address that it sends the browser back to. At the
    page with the button `cancel_at` its link to cancel is followed."""
    with httpx2.Client(timeout=30) as browser:
        answer = browser.get(address)
        for _ in range(12):
            if answer.has_redirect_location:
                following = urljoin(str(answer.url), answer.headers["location"])
                if following.startswith(f"{BACK}?"):
                    return following.removeprefix(HERE)
                answer = browser.get(following)
                continue
            assert answer.status_code == 200, answer.text
            page = BeautifulSoup(answer.text, "html.parser")
            form = page.select_one("form")
            button = page.select_one("form button")
            assert form, answer.text
            assert button
            if button.get_text() == cancel_at:
                cancel = page.find("a", string="[ Cancel ]")
                assert cancel
                answer = browser.get(str(cancel["href"]))
                continue
            data = {str(each["name"]): str(each.get("value", "")) for each in form.select("input")}
            answer = browser.post(str(form["action"]), data=data | {"login": login, "password": "any"})
    pytest.fail(f"the provider sent nobody back: {answer.text}")


def come(place: Any, login: str) -> tuple[TestClient, Any]:
    """A browser that signed in there, and what it was told here."""
    visitor = place.browser()
    return visitor, visitor.get(there(begin(visitor), login))


def test_groups_that_userinfo_alone_tells_become_a_role_and_a_unit(here: Any, provider: Any) -> None:
    place = here(provider, **ROLES)
    visitor = place.browser()
    address = begin(visitor)
    asked = parse_qs(urlsplit(address).query)
    assert asked["scope"] == ["openid profile email groups"]
    assert (asked["code_challenge_method"], len(asked["nonce"][0]) >= 20) == (["S256"], True)
    before = len(provider.asked())
    answer = visitor.get(there(address, "ada"))
    assert answer.headers["location"] == "/account", answer.text
    assert provider.asked()[before:] == ["client_secret_basic", "userinfo"]
    assert "Ada Lovelace" in visitor.get("/account").text
    ada = place.records.people.find("ada")
    assert (ada.role, ada.state, ada.unit, ada.how, ada.shown) == ("employee", "active", "Board", "sso", "Ada Lovelace")
    come(place, "lee")
    assert place.records.people.find("lee").role == "reviewer"
    answer = come(place, "out")[1]
    assert (answer.status_code, "None of your groups" in alert(answer)) == (403, True)
    assert place.records.people.find("out") is None


def test_userinfo_is_not_asked_where_the_id_token_tells_all(here: Any, provided: Any, keys: Any) -> None:
    with provided([CLIENT], keys, PEOPLE, whole=True) as provider:
        place = here(provider, **ROLES)
        assert come(place, "ada")[1].headers["location"] == "/account"
        assert provider.asked() == ["client_secret_basic"]
        assert place.person("ada").role == "employee"


def test_userinfo_about_somebody_else_opens_nothing(here: Any, provider: Any) -> None:
    place = here(provider, **ROLES)
    visitor, answer = come(place, "mallory")
    assert (answer.status_code, "told of somebody else" in alert(answer)) == (403, True)
    assert "trag" not in visitor.cookies
    assert [place.records.people.find(name) for name in ("mallory", "lee")] == [None, None]


def test_without_groups_in_the_settings_an_admin_lets_each_in(here: Any, provider: Any) -> None:
    place = here(provider)
    visitor = place.browser()
    address = begin(visitor)
    assert parse_qs(urlsplit(address).query)["scope"] == ["openid profile email"]
    assert "waits for an admin" in alert(visitor.get(there(address, "ada")))
    assert visitor.get("/").status_code == 303
    ada = place.person("ada")
    assert (ada.role, ada.state) == ("employee", "pending")
    place.records.people.change(ada.id, state="active", role="reviewer", by="root")
    visitor, answer = come(place, "ada")
    assert (answer.headers["location"], visitor.get("/").status_code) == ("/account", 200)
    assert place.person("ada").role == "reviewer"


def test_an_address_that_userinfo_tells_is_a_name_where_it_was_checked(here: Any, provider: Any) -> None:
    place = here(provider, sso_name="email", **ROLES)
    assert come(place, "lee")[1].headers["location"] == "/account"
    assert place.records.people.find("lee@x.example").role == "reviewer"
    assert "has not checked your email address" in alert(come(place, "ada")[1])


@pytest.mark.filterwarnings("ignore:EdDSA is deprecated")
@pytest.mark.parametrize("client", [each["client_id"] for each in SIGNED])
def test_tokens_are_believed_that_are_signed_in_other_ways(here: Any, provider: Any, client: str) -> None:
    place = here(provider, sso_client=client, **ROLES)
    assert come(place, "ada")[1].headers["location"] == "/account"


@pytest.mark.parametrize(
    ("settings", "ways"),
    [
        ({"sso_client": "assistant"}, ["client_secret_basic"]),
        ({"sso_client": "https://assistant.example.org:8443/"}, ["client_secret_basic"]),
        ({"sso_client": "by body"}, ["client_secret_basic", "client_secret_post"]),
        ({"sso_client": "public", "sso_secret": ""}, ["client_secret_post"]),
    ],
    ids=["in a header", "as an address", "in the body", "without a secret"],
)
def test_the_secret_is_sent_as_it_is_registered(here: Any, provider: Any, settings: Any, ways: list[str]) -> None:
    place, before = here(provider, **ROLES | settings), len(provider.asked())
    assert come(place, "ada")[1].headers["location"] == "/account"
    assert provider.asked()[before:] == [*ways, "userinfo"]


def test_the_secret_is_sent_in_the_body_alone_where_nothing_else_is_taken(here: Any, provided: Any, keys: Any) -> None:
    with provided([BY_BODY], keys, PEOPLE, methods=("client_secret_post",)) as provider:
        assert come(here(provider, sso_client="by body", **ROLES), "ada")[1].headers["location"] == "/account"
        assert provider.asked() == ["client_secret_post", "userinfo"]


@pytest.mark.parametrize("client", ["assistant", "by body"])
def test_a_wrong_secret_is_told_in_words(
    here: Any, provider: Any, client: str, caplog: pytest.LogCaptureFixture
) -> None:
    place = here(provider, sso_client=client, sso_secret="of somebody else", **ROLES)
    visitor, answer = come(place, "ada")
    assert answer.status_code == 403
    assert "does not accept this assistant" in alert(answer)
    assert "sso_secret" in alert(answer)
    assert "invalid_client" in caplog.text
    assert "of somebody else" not in caplog.text + answer.text
    assert ("trag" in visitor.cookies, place.records.people.find("ada")) == (False, None)


@pytest.mark.parametrize("button", ["Sign-in", "Continue"])
def test_who_cancels_comes_back_to_a_page_that_says_so_and_may_try_again(here: Any, provider: Any, button: str) -> None:
    place = here(provider, **ROLES)
    visitor = place.browser()
    answer = visitor.get(there(begin(visitor), "ada", cancel_at=button))
    assert answer.status_code == 403
    assert alert(answer).startswith("You are not signed in.")
    assert "Sign in with your organization" in answer.text
    assert ("trag" in visitor.cookies, place.records.people.find("ada")) == (False, None)
    assert place.done(1) == [("", "refused", "sign-in", "single sign-on: You are not signed in.")]
    assert visitor.get(there(begin(visitor), "ada")).headers["location"] == "/account"


def test_other_keys_of_the_provider_are_used_at_once_and_tokens_of_the_old_ones_refused(
    here: Any, provided: Any, keys: Any
) -> None:
    first, second = keys[:2]
    with provided([CLIENT], [first], PEOPLE) as provider:
        place = here(provider, **ROLES)
        assert come(place, "ada")[1].headers["location"] == "/account"
        waiting = place.browser()
        back = there(begin(waiting), "lee")

    def refused(answer: Any) -> bool:
        return answer.status_code == 403 and "did not answer as it should" in alert(answer)

    with provided([CLIENT], [second], PEOPLE, port=provider.port):
        assert refused(waiting.get(back))
        assert come(place, "lee")[1].headers["location"] == "/account"
    with provided([CLIENT], [first, second], PEOPLE, port=provider.port, hidden=("first",)):
        assert refused(come(place, "lee")[1])
    for key in (first, second | {"kid": "first"}):  # the second time a new key under the name of the old one
        with provided([CLIENT], [key], PEOPLE, port=provider.port):
            assert come(place, "lee")[1].headers["location"] == "/account"


def test_a_key_that_is_shown_no_more_is_not_believed_for_long(
    here: Any, provided: Any, keys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sso, "FRESH", -1.0)
    with provided([CLIENT], [keys[0]], PEOPLE) as provider:
        place = here(provider, **ROLES)
        assert come(place, "ada")[1].headers["location"] == "/account"
    with provided([CLIENT], keys, PEOPLE, port=provider.port, hidden=("first",)):
        assert come(place, "ada")[1].status_code == 403
