"""What becomes of what a model writes. The scripted model stands in for one that is able; the embedded one is real."""

import threading
from collections.abc import Generator, Sequence

import pytest

from prompts import Message
from trag.ingest.pairs import DIRECT_TYPES
from trag.ingest.sections import Section
from trag.llm import Usage
from trag.llm.remote import RequestRefused
from trag.pairs import written

SECTION = Section(
    "4 Board > 4.1 Members",
    7,
    "The board has seven directors. The chair may not be a member of staff.\n\nThe board meets once a month.",
)
PAIR = '{"type": "%s", "question": "%s", "answer": "%s", "source": "%s"}\n'
GOOD = PAIR % ("short answer", "How many directors does the board have?", "Seven.", "The board has seven directors.")
WRONG = PAIR % ("short answer", "How often does the board meet?", "Twice a month.", "The board meets once a month.")
INVENTED = PAIR % ("yes no", "May the chair be a member of staff?", "Yes.", "The chair may be a member of staff.")
TURN = PAIR % ("short answer", "And how often does it meet?", "The board meets once a month.", "")


class Scripted:
    """A model that writes what it was given, an answer a call; a word is a token."""

    slots = 1

    def __init__(self, *answers: str, context: int = 4096) -> None:
        self.answers = list(answers)
        self.context = context
        self.asked: list[str] = []

    def count(self, messages: Sequence[Message]) -> int:
        return sum(len(message.content.split()) for message in messages)

    def stream(
        self, messages: Sequence[Message], *, max_tokens: int, stop: threading.Event | None = None
    ) -> Generator[str | Usage, None, None]:
        assert self.count(messages) + max_tokens <= self.context
        self.asked.append(messages[-1].content)
        yield from self.answers.pop(0).splitlines(keepends=True)
        yield Usage()


def test_every_pair_is_checked_against_its_section() -> None:
    found = written(SECTION, Scripted(GOOD + WRONG + INVENTED + "nonsense {", TURN))  # type: ignore[arg-type]
    assert {pair.question: (pair.answer, pair.supported, pair.type) for pair in found} == {
        "How many directors does the board have?": ("Seven.", True, "short answer"),
        "How often does the board meet?": ("Twice a month.", False, "short answer"),
        "May the chair be a member of staff?": ("Yes.", False, "yes no"),
        "And how often does it meet?": ("The board meets once a month.", True, "dialogue"),
    }
    assert {pair.source for pair in found if pair.supported} == {
        "The board has seven directors.",
        "The board meets once a month.",
    }
    assert {(pair.section, pair.page, pair.origin) for pair in found} == {(SECTION.path, 7, "model")}


def test_the_turns_of_a_dialogue_are_not_of_a_type_that_is_searched() -> None:
    (pair,) = written(SECTION, Scripted("", TURN))  # type: ignore[arg-type]
    assert pair.type not in DIRECT_TYPES


def test_the_third_pass_shows_the_model_the_questions_of_the_expert() -> None:
    model = Scripted("", "", GOOD)
    found = written(SECTION, model, examples=["Who sits on the board?"])  # type: ignore[arg-type]
    assert [("Who sits on the board?" in text) for text in model.asked] == [False, False, True]
    assert all(SECTION.text in text and SECTION.path in text for text in model.asked)
    assert len(found) == 1


def test_examples_leave_room_for_the_section() -> None:
    model = Scripted(*[""] * 9, context=900)
    written(SECTION, model, examples=[f"Example{number} " + "who " * 30 for number in range(20)])  # type: ignore[arg-type]
    third = model.asked[2]
    assert SECTION.text in third
    assert 1 < third.count("Example") < 10


def test_the_same_pair_of_two_passes_is_there_once() -> None:
    found = written(SECTION, Scripted(GOOD + GOOD, "", GOOD), examples=["Who?"])  # type: ignore[arg-type]
    assert len(found) == 1


def test_a_section_too_long_for_the_model_is_given_piece_by_piece() -> None:
    paragraphs = [f"Paragraph {number}. " + "The board has seven directors. " * 20 for number in range(6)]
    model = Scripted(*[""] * 40, context=600)
    written(Section("1 Long", None, "\n\n".join(paragraphs)), model)  # type: ignore[arg-type]
    assert len(model.asked) > 4
    assert all(any(f"Paragraph {number}." in text for text in model.asked) for number in range(6))


def test_a_sentence_that_does_not_fit_is_an_error_with_a_hint() -> None:
    with pytest.raises(RequestRefused, match="1 Long") as refused:
        written(Section("1 Long", None, "word " * 900), Scripted(context=600))  # type: ignore[arg-type]
    assert "TRAG_CONTEXT" in refused.value.hint
