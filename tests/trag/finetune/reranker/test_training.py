"""A real training of the reranker, on a few listings."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from store.passage import Passage
from trag import embed
from trag.evaluate.cases import Case
from trag.finetune.reranker import training
from trag.finetune.reranker.training import Listing, listings
from trag.finetune.training import plan
from trag.reranking import network

pytestmark = pytest.mark.slow

NOUNS = "tent oven kayak ladder piano bike lamp drill sofa easel".split()
TEXTS = tuple(
    f"{number} Fees > {number}.1 {noun.title()}: The {noun} costs {number} crowns a day."
    for number, noun in enumerate(NOUNS, 2)
)
LISTINGS = tuple(
    Listing(f"what do i pay for the {noun}", TEXTS[place : place + 5], (0,)) for place, noun in enumerate(NOUNS[:6])
) + tuple(Listing(f"who repairs the {noun}", TEXTS[:5], ()) for noun in NOUNS[:6])
SETTINGS = replace(training.SETTINGS, learning_rate=2e-3, epochs=4.0, accumulation=4, checkpoint_seconds=0)


def test_a_training_that_was_stopped_gives_the_same_and_has_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = training.train(tmp_path / "whole", LISTINGS, LISTINGS, SETTINGS)
    batch, asked = plan.batch, []

    def stops(settings, listings, step):  # type: ignore[no-untyped-def]
        asked.append(step)
        if len(asked) == 6:
            raise KeyboardInterrupt
        return batch(settings, listings, step)

    monkeypatch.setattr(plan, "batch", stops)
    with pytest.raises(KeyboardInterrupt):
        training.train(tmp_path / "parts", LISTINGS, LISTINGS, SETTINGS)
    parts = training.train(tmp_path / "parts", LISTINGS, LISTINGS, SETTINGS)
    assert asked == [*range(6), *range(5, 12)]
    assert whole.keys() == parts.keys()
    assert all(torch.equal(value, parts[name]) for name, value in whole.items())
    assert "Held out" in capsys.readouterr().err
    folder = embed.embedded_folder()
    fresh, pairs = network.learning(folder, torch.float32), network.Pairs(folder)

    def lead() -> float:
        """How far the texts that answer stand above those on questions that nothing answers."""
        with torch.no_grad():
            right, wrong = (
                torch.stack([fresh(*pairs.encode([one.question], [one.texts[0]])) for one in side]).mean()
                for side in (LISTINGS[:6], LISTINGS[6:])
            )
        return float(right - wrong)

    before = lead()
    fresh.load_state_dict(whole, strict=False)
    assert lead() > before + 1
    assert training.measure(fresh, pairs, LISTINGS) == (1.0, 1.0)


DAYS = "Staff have 25 days of leave a year. A trainee has 20 days. Leave is asked for two weeks before."
LEAVE = Passage("1", "section", "staff.md", "4 Staff > 4.2 Leave > 4.2.1 Days", None, DAYS)
RENEWAL = "A book may be renewed twice, unless somebody waits for it."
LOANS = Passage("2", "section", "library.md", "Loans", None, RENEWAL)


def case(question: str, answer: str, *, document: str = "staff.md", section: str = "4.2.1 Days") -> Case:
    kind = "document" if answer else "unanswerable"
    return Case("1", question, kind, answer, refuse=not answer, document=document, section=section)


def test_a_section_is_read_line_by_line_under_its_last_headings() -> None:
    (found,) = listings([case("how many days off", "")], (LEAVE, LOANS))
    assert found.texts == (
        "4.2 Leave > 4.2.1 Days: Staff have 25 days of leave a year.",
        "4.2 Leave > 4.2.1 Days: A trainee has 20 days.",
        "4.2 Leave > 4.2.1 Days: Leave is asked for two weeks before.",
        "Loans: A book may be renewed twice, unless somebody waits for it.",
    )
    assert found.answering == ()
    assert found.others == (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("asked", "answering"),
    [
        (case("how much leave does a trainee get", "20 days."), (1,)),
        (case("how early do i ask for leave", "Two weeks before."), (2,)),
        (case("can i keep it longer", "Yes, it may be renewed twice.", document="library.md", section="Loans"), (0,)),
    ],
    ids=["one of two figures", "another sentence", "another section"],
)
def test_the_text_that_holds_the_answer_answers(asked: Case, answering: tuple[int, ...]) -> None:
    (found,) = listings([asked], (LEAVE, LOANS))
    assert found.answering == answering, found
    assert not set(found.answering) & {*found.unsure, *found.others}


def test_nothing_is_learned_from_what_no_text_tells_and_from_the_chart() -> None:
    told = case("who founded the club", "Two railwaymen of Orvanne.")
    placed = Case("2", "where is the board", "simple", "The Board is under the Club.")
    assert list(listings([told, placed], (LEAVE, LOANS))) == []
