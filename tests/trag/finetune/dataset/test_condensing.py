"""Follow-ups to learn: what is left out of one stands in what was said before."""

from random import Random

import pytest

from org.linking.entities import EntityFinder, Organization
from trag.evaluate.cases import Case
from trag.finetune.dataset import charts, condensing

pytestmark = pytest.mark.slow


def test_a_follow_up_is_made_to_stand_alone_and_one_that_does_is_repeated() -> None:
    chance = Random(5)
    cases = [Case("1", "how long is leave", "document", "Five weeks.", document="a.md", section="1")]
    made = []
    for _ in range(6):
        chart = charts.make(chance)
        own = Organization(chart.root.name, chart, EntityFinder(chart))
        made += condensing.from_organization("made", own, cases, chance=chance, number=10)
    assert len(made) > 40
    follow_ups = [one.messages[-1].content.rpartition("Question: ")[2] for one in made]
    alone = sum(one.answer == said for one, said in zip(made, follow_ups, strict=True))
    assert 0.2 < alone / len(made) < 0.55
    for one, said in zip(made, follow_ups, strict=True):
        assert one.question == one.answer
        assert said
        assert one.messages[-1].content.count("Question: ") in (2, 3)
    assert not [*condensing.from_organization("none", Organization("Desk"), (), chance=chance, number=5)], "no chart"


def test_what_somebody_wrote_holds_the_names_that_were_left_out() -> None:
    made = list(condensing.written())
    assert len(made) >= 250
    for one in made:
        *_, last = one.messages
        assert last.content.count("Question: ") == last.content.count("Answer: ") + 1
        assert one.answer == one.question
