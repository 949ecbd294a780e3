"""The pages of the people as HTML: records in, text out.

Every template escapes what it is given: names come from strangers. Knows nothing about requests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from org.chart import Chart
from store.person import How, Person, Role, State
from trag.people import ROLES
from trag.people.passwords import LONGEST, SHORTEST
from trag.web.forms import number
from trag.web.render import environment, unit_name

if TYPE_CHECKING:
    from store.audit import Event
    from store.keys import Session, Token
    from store.person import Forgotten
    from trag.web.notices import Notice
    from trag.web.people.once import Given

STATES: dict[State, str] = {"pending": "Waits", "active": "Active", "disabled": "Disabled"}
MEANINGS: dict[Role, str] = {
    "employee": "asks",
    "reviewer": "also judges answers, and measures how right they are",
    "admin": "also runs everything: documents, chart, models, people",
}
WAYS: dict[How, str] = {"password": "password", "sso": "single sign-on", "proxy": "the proxy"}
MOST_UNITS = 2_000
"""Units that are offered while one is typed; of a larger chart, the name or id is typed in full."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which people a page is asked to show: words in their names, a state and a role ("" for any), and the page."""

    search: str = ""
    state: str = ""
    role: str = ""
    page: int = 1

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Wanted:
        """What the query of an address asks for; nonsense in it is left alone."""
        state, role = query.get("state", ""), query.get("role", "")
        return cls(
            " ".join(query.get("search", "").split())[:100],
            state if state in STATES else "",
            role if role in ROLES else "",
            max(1, number(query.get("page", ""))),
        )


def sign_in(
    organization: str, *, name: str, after: str, problem: Any, asked: bool, accounts: bool, sso: bool, closed: bool
) -> str:
    """The page to sign in on. `problem` is why that failed, `asked` that an account was asked for a moment ago,
    `accounts` whether there are any, `closed` whether nobody may ask for one."""
    return _page(
        "sign_in",
        organization=organization,
        name=name,
        after=after,
        problem=problem,
        asked=asked,
        accounts=accounts,
        sso=sso,
        closed=closed,
    )


def choosing(kind: str, organization: str, *, problem: Any, form: Mapping[str, str], **values: object) -> str:
    """A page on which a password is chosen: `kind` is "new" for a new account, "link" for what a link is for."""
    typed = {field: form.get(field, "") for field in ("name", "shown")}
    return _page(kind, organization=organization, problem=problem, typed=typed, **values)


def no_accounts(*, problem: Any, form: Mapping[str, str]) -> str:
    """The page of the people of a home that has no accounts."""
    typed = {field: form.get(field, "") for field in ("name", "shown")}
    return _page("none", here="/people", problem=problem, typed=typed)


def account(
    person: Person,
    sessions: Sequence[Session],
    tokens: Sequence[Token],
    *,
    here: str,
    has_password: bool,
    way: How,
    given: Given | None,
    notice: Notice | None,
) -> str:
    """One's own account; `here` is the session of this browser, and `way` what its owner signs in by."""
    return _page(
        "account",
        here="/account",
        person=person,
        sessions=sessions,
        tokens=tokens,
        this=here,
        has_password=has_password,
        way=way,
        given=given,
        notice=notice,
    )


def people(
    found: Sequence[Person],
    wanted: Wanted,
    *,
    ways_in: Mapping[str, How],
    total: int,
    counts: Mapping[str, int],
    most: int,
    seen: datetime,
    chart: Chart | None,
    given: Given | None,
    notice: Notice | None,
    sso: bool,
) -> str:
    """The page of everybody: `found` of `total`, what each signs in by (`ways_in`, by their ids), and `counts` of each
    state, as they were `seen` then."""
    return _page(
        "list",
        here="/people",
        people=found,
        ways_in=ways_in,
        wanted=wanted,
        total=total,
        counts=counts,
        most=most,
        seen=seen,
        chart=chart,
        given=given,
        notice=notice,
        sso=sso,
    )


def person(
    person: Person,
    sessions: Sequence[Session],
    tokens: Sequence[Token],
    events: Sequence[Event],
    *,
    own: bool,
    way: How,
    vouched: bool,
    conversations: int,
    chart: Chart | None,
    given: Given | None,
    notice: Notice | None,
) -> str:
    """The page of one person; `own` when it is the visitor's, `way` is what they sign in by, `vouched` when somebody
    else says who they are; `conversations` is how many are kept."""
    return _page(
        "one",
        here="/people",
        person=person,
        sessions=sessions,
        tokens=tokens,
        events=events,
        own=own,
        way=way,
        vouched=vouched,
        conversations=conversations,
        chart=chart,
        given=given,
        notice=notice,
    )


def log(events: Sequence[Event], *, who: str, most: int, count: int, broken: int | None, checked: bool) -> str:
    """What was done; `broken` is the first row that does not follow from the one before, where that was `checked`."""
    return _page("log", here="/people", events=events, who=who, most=most, count=count, broken=broken, checked=checked)


def told(before: Person, now: Person) -> str:
    """What is different about somebody, in words."""
    if before.state != now.state:
        words = {
            "active": "may use the assistant now",
            "disabled": "is disabled, and signed out",
            "pending": "waits again",
        }
        return f"{now.shown} {words[now.state]}."
    if before.role != now.role:
        return f"{now.shown} is {'an' if now.role[0] in 'ae' else 'a'} {now.role} now."
    return f"{now.shown} is changed."


def forgotten(gone: Forgotten) -> str:
    """What was forgotten of somebody, in words."""
    parts = [f"{_counted(gone.conversations, 'conversation')} with {_counted(gone.answers, 'answer')}."]
    if gone.kept:
        verb = "stays" if gone.kept == 1 else "stay"
        parts.append(f"{_counted(gone.kept, 'answer')} that reviewers judged {verb}, without a name.")
    return " ".join(parts)


def unit_typed(unit: str, chart: Chart | None) -> str:
    """What to type for a unit: its name, or its id where others are called so too."""
    name = unit_name(unit, chart)
    return name if chart and len(chart.named(name)) == 1 else unit


def _counted(number: int, one: str) -> str:
    return f"{number:,} {one}{'' if number == 1 else 's'}"


def _page(template: str, **values: object) -> str:
    chart = values.get("chart")
    units = [unit.name for unit in chart.units.values()][:MOST_UNITS] if isinstance(chart, Chart) else []
    return (
        environment()
        .get_template(f"people/{template}.html")
        .render(
            {"here": ""}
            | values
            | {
                "longest": LONGEST,
                "meanings": MEANINGS,
                "now": datetime.now(UTC),
                "roles": ROLES,
                "shortest": SHORTEST,
                "states": STATES,
                "unit_name": unit_name,
                "unit_typed": unit_typed,
                "units": sorted(dict.fromkeys(units), key=str.casefold),
                "ways": WAYS,
            }
        )
    )
