from prompts import Message
from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.folders import held_out_sources, split


def example(source: str, asked: str = "") -> Example:
    question = asked or f"what of {source}?"
    return Example(source, "document", question, (Message("user", question),), "This.")


def test_about_a_tenth_of_the_examples_is_held_out_by_whole_sources() -> None:
    made = [example(f"source {number % 30}", f"question {number}") for number in range(300)]
    held_out = held_out_sources(made, seed=1)
    train, aside = split(made, held_out)
    assert 25 <= len(aside) <= 40
    assert {one.source for one in aside} == held_out
    assert not held_out & {one.source for one in train}
    assert len(train) + len(aside) == 300
    assert held_out_sources(reversed(made), seed=1) == held_out
    assert held_out_sources(made, seed=2) != held_out
    assert held_out_sources([example("only")], seed=1) == frozenset(), "one source alone is learned from"


def test_no_question_is_on_both_sides_and_none_twice() -> None:
    aside = example("a", "Who is it?")
    others = [example("b", "who is it"), example("c", "hi, who is it pls"), *[example("d", "Who was it?")] * 2]
    assert split((aside, *others), {"a"}) == ((others[2],), (aside,))
