"""What the documents' own best words answer, on a small home with the reranker that ships."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.quotations import Best, best, line
from trag.evaluate.cases import Case
from trag.home import Home, open_home
from trag.progress import silent
from trag.settings import Settings

RULES = """# Rules

## Bikes

A bike is lent for three days.

## Boats

A boat is lent for an hour and costs 9 crowns.
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("club")
    (folder / "rules.md").write_text(RULES)
    with open_home(Settings(home=folder / "home")) as opened:
        opened.ingest([Path(folder / "rules.md")], replace=False, progress=silent)
        yield opened


@pytest.mark.slow
def test_the_best_text_is_right_when_it_holds_all_of_the_gold(home: Home) -> None:
    bike = best(home, Case("a", "how long may i keep a bike", "document", gold=(("three days",),)))
    assert (bike.is_right, bike.both, bike.found) == (True, True, True)
    missing = best(home, Case("b", "how long may i keep a bike", "document", gold=(("four days",),)))
    assert (missing.is_right, missing.both, missing.found) == (False, False, False)
    nothing = best(home, Case("c", "who repairs the roof of the club house", "unanswerable", refuse=True))
    assert nothing.is_right is None
    assert nothing.odds < bike.odds


def test_a_line_counts_what_is_found_and_what_is_right() -> None:
    found = [Best(True, True, True, 3.0), Best(False, True, True, 1.0), Best(None, False, False, -2.0)]
    assert line("club", found) == "| club | 2 | 2 | 1 | 2 | 1 |"
