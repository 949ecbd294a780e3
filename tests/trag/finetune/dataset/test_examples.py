from dataclasses import replace

import pytest

from prompts import CANNOT_ANSWER
from trag.errors import TragError
from trag.finetune.dataset.examples import LEAST_TO_LEARN, Asked, Example, read, write

ONE = Example(
    source="travel.md > Claims",
    organization="Österdal Council",
    statements=("The Audit Desk is under the Board.",),
    passages=("- [Claims] Within 30 days.\n\n1. On paper.",),
    about_chart=False,
    asked=(Asked("how long for a claim?", "Within 30 days.", "document"), Asked("who pays", CANNOT_ANSWER, "absent")),
)


def many(number: int, *, answer: str = "answer {0}") -> tuple[Example, ...]:
    return tuple(
        replace(ONE, asked=(Asked(f"question {each}", answer.format(each), "document"),)) for each in range(number)
    )


def test_what_is_written_is_read_again() -> None:
    bare = replace(ONE, statements=(), passages=(), about_chart=True)
    assert read(write([ONE, bare]) + b"\n", "train.jsonl") == (ONE, bare)


def test_every_bad_line_is_told_at_once() -> None:
    whole = write([ONE]).decode()
    lines = [
        whole,
        "no json\n",
        "[]\n",
        whole.replace('"about_chart": false', '"about_chart": "no", "colour": 1'),
        whole.replace('"passages": ["- [Claims] Within 30 days.\\n\\n1. On paper."], ', ""),
        whole.replace('"answer": "Within 30 days."', '"answer": " "'),
        whole.replace('"kind": "absent"', '"sort": "absent"'),
        whole.split('"asked"')[0] + '"asked": []}\n',
        whole.split('"asked"')[0] + '"asked": ["one"]}\n',
        whole.replace("who pays", "\\ud800"),
    ]
    with pytest.raises(TragError) as error:
        read("".join(lines).encode() + b'{"source": "\xff"}', "train.jsonl")
    told = error.value.message.split("\n")
    assert [line.partition(": ")[2] for line in told[1:2]] == ["is no JSON object"]
    assert told[0].startswith("train.jsonl cannot be learned from: line 2: is no JSON")
    assert told[2:8] == [
        'line 4: unknown key "colour"; "about_chart" must be true or false',
        'line 5: needs "passages"',
        'line 6: question 1: "answer" must be a text that is not empty',
        'line 7: question 2: unknown key "sort"; question 2: needs "kind"',
        'line 8: "asked" holds 0 questions, not 1 to 5',
        "line 9: question 1: is no JSON object",
    ]
    assert [line.split(" (")[0] for line in told[8:]] == ["line 10: is no UTF-8 text", "line 11: is no UTF-8 text"]


@pytest.mark.parametrize(
    ("content", "least", "expected"),
    [
        (b"", 1, "train.jsonl holds no questions, and at least 1 are needed"),
        (b"\n\n", 1, "holds no questions"),
        (write(many(LEAST_TO_LEARN - 1)), LEAST_TO_LEARN, "holds 19 questions, and at least 20 are needed"),
        (write(many(30, answer="Yes.")), 1, 'one answer 30 times in 30: "Yes."'),
        (write(many(30, answer=CANNOT_ANSWER)), 1, "Only that would be learned"),
        (write((*many(40, answer="Yes. "), *many(2))), 1, "one answer 40 times in 42"),
    ],
    ids=["empty", "blank", "too few", "one answer", "refusals", "nearly one answer"],
)
def test_too_little_to_learn_from_is_refused(content: bytes, least: int, expected: str) -> None:
    with pytest.raises(TragError) as error:
        read(content, "train.jsonl", least=least)
    assert expected in error.value.message
    assert error.value.hint


def test_a_few_questions_may_have_one_answer_by_chance() -> None:
    assert len(read(write(many(5, answer="Yes.")), "held_out.jsonl")) == 5
