from trag.finetune.dataset.examples import Asked, Example
from trag.finetune.dataset.splitting import held_out_sources, least_shared, split


def example(
    source: str, *, statements: tuple[str, ...] = (), passages: tuple[str, ...] = (), asked: str = ""
) -> Example:
    return Example(
        source, "Desk", statements, passages, False, (Asked(asked or f"what of {source}?", "This.", "document"),)
    )


def test_about_a_tenth_of_the_questions_is_held_out_by_whole_sources() -> None:
    made = [example(f"source {number % 30}", asked=f"question {number}") for number in range(300)]
    held_out = held_out_sources(made, seed=1)
    train, aside = split(made, held_out)
    assert 25 <= len(aside) <= 40
    assert {one.source for one in aside} == held_out
    assert not held_out & {one.source for one in train}
    assert len(train) + len(aside) == 300
    assert held_out_sources(reversed(made), seed=1) == held_out
    assert held_out_sources(made, seed=2) != held_out


def test_one_source_alone_is_learned_from() -> None:
    assert held_out_sources([example("only")], seed=1) == frozenset()


def test_no_text_is_on_both_sides() -> None:
    aside = example("a", statements=("S.",), passages=("- P",), asked="Who is it?")
    others = (
        example("b", statements=("T.", "S.")),
        example("c", passages=("- P", "- Q")),
        example("d", asked="who is it"),
        example("d", asked="hi, who is it pls"),
        example("e", statements=("T.",), passages=("- Q",)),
        example("e", statements=("T.",), passages=("- Q",)),
    )
    train, held_out = split((aside, *others), {"a"})
    assert held_out == (aside,)
    assert train == (others[4],)


def test_what_shares_least_is_held_out() -> None:
    made = [
        example(f"{number}", statements=("Common.",) if number < 15 else (f"Own {number}.",)) for number in range(20)
    ]
    held_out = least_shared(made)
    assert held_out == {"15", "16"}
    assert len(split(made, held_out)[0]) == 18
    assert least_shared(made[:1]) == frozenset()
