"""What is to do until an assistant is of use to its organization: each step, whether it is done, and where it is."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trag.errors import SHOWN, later
from trag.models import catalogue

if TYPE_CHECKING:
    from trag.home import Home
    from trag.settings import Settings


PAGE = "/settings"


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done, why, whether it is, and the address of the page where that is."""

    name: str
    why: str
    done: bool
    path: str


def first_steps(home: Home) -> tuple[Step, ...]:
    """The steps in the order in which they are best done, done ones too; where there are accounts, so that others are
    to use it, with what that takes."""
    records, settings = home.records, home.settings
    accounts = records.people.count()
    steps: list[tuple[str, str, object, str]] = [
        (later("A language model"), later("It writes the answers."), _model_is_there(settings), "/models"),
        (
            later("The organization chart"),
            later("It answers questions about units."),
            records.chart_versions.active(),
            "/charts",
        ),
        (later("Documents"), later("They answer all other questions."), records.library.documents(), "/documents"),
        (
            later("Name and logo"),
            later("People see whose assistant it is."),
            records.appearances.current().version,
            f"{PAGE}#look",
        ),
        (later("Accounts"), later("Without any, only whoever sits at this machine is let in."), accounts, "/people"),
    ]
    if accounts:
        by_proxy = later("Others reach the assistant there: TRAG_ADDRESS, and a proxy that ends TLS.")
        reviewers = records.people.count(role="reviewer", state="active")
        steps += [
            (later("An https:// address"), by_proxy, settings.address, f"{PAGE}#address"),
            (later("A reviewer"), later("Somebody who says which answers are right."), reviewers, "/people"),
        ]
    return tuple(Step(name, why, bool(done), path) for name, why, done, path in steps)


def count_open(home: Home) -> int:
    """How many of them are not done; none where the records cannot say."""
    try:
        return sum(not step.done for step in first_steps(home))
    except SHOWN:
        return 0


def _model_is_there(settings: Settings) -> bool:
    with suppress(*SHOWN):  # an account without a folder for models has none
        return bool(settings.model_url) or catalogue.path_of(settings.model).is_file()
    return False
