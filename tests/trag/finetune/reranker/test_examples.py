import json
from collections.abc import Iterator

import pytest

from trag.evaluate.cases import Case
from trag.finetune.reranker.examples import listing, listings
from trag.home import Home, open_home
from trag.ingest.upkeep import silent
from trag.quote import Text
from trag.settings import Settings

pytestmark = pytest.mark.slow

DAYS = "Leave > Days"
STAFF = f"""# Staff

## {DAYS.split(" > ")[0]}

### {DAYS.split(" > ")[1]}

Staff have 25 days of leave a year. A trainee has 20 days. Leave is asked for two weeks before, and the office answers
within 20 days.

## Pay

Salaries are paid on the 20th. A trainee is paid by the hour.

## Keys

Yes, a key may be lent. It comes back in the evening.
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("club")
    (folder / "staff.md").write_text(STAFF)
    with open_home(Settings(home=folder / "home")) as opened:
        opened.ingest([folder / "staff.md"], replace=False, progress=silent)
        yield opened


def case(question: str, answer: str = "", *gold: str, section: str = DAYS) -> Case:
    if not answer:
        return Case("a", question, "unanswerable", refuse=True)
    items = tuple((one,) for one in gold)
    return Case("a", question, "document", answer=answer, gold=items, document="staff.md", section=section)


@pytest.mark.parametrize(
    ("asked", "answering"),
    [
        (case("how much leave does a trainee get", "20 days.", "20 days"), "A trainee has 20 days."),
        (case("how early do i ask for leave", "Two weeks before.", "two weeks"), "Leave is asked for two weeks before"),
        (case("when is payday", "On the 20th.", "20th", section="Pay"), "Salaries are paid on the 20th."),
        (case("may i lend my key to somebody", "Yes, it may be lent.", section="Keys"), "Yes, a key may be lent."),
    ],
)
def test_the_texts_of_the_section_that_hold_the_answer_answer(home: Home, asked: Case, answering: str) -> None:
    (found,) = listings([asked], home)
    texts = [found.texts[place].words for place in found.answering]
    assert any(words.startswith(answering) for words in texts)
    assert all(answering in words for words in texts)  # a pair may say more
    assert not set(found.answering) & {*found.unsure, *found.others}
    assert {*found.answering, *found.unsure, *found.others} == {*range(len(found.texts))}
    assert listing(json.loads(json.dumps(found.values()))) == found


def test_the_same_words_about_something_else_are_to_be_told_apart(home: Home) -> None:
    (found,) = listings([case("how much leave does a trainee get", "20 days.", "20 days")], home)
    others = [found.texts[place].words for place in found.others]
    assert "A trainee is paid by the hour." in others
    assert "Staff have 25 days of leave a year." in others
    assert not any("within 20 days" in words for words in others), "it holds the gold, so nothing is learned from it"


def test_what_nothing_answers_has_texts_and_no_right_one(home: Home) -> None:
    (found,) = listings([case("how many days off has a volunteer")], home)
    assert found.answering == found.unsure == ()
    assert Text("Leave > Days", "A trainee has 20 days.") in [found.texts[place] for place in found.others[:4]]


def test_nothing_is_learned_from_what_no_text_tells_and_from_the_chart(home: Home) -> None:
    told = case("who founded the club", "Two railwaymen of Orvanne.", "railwaymen")
    placed = Case("b", "where is the board", "simple", answer="Under the Club.", gold=(("Club",),))
    assert list(listings([told, placed], home)) == []
