"""How judgements are held against labels, and pairs that can be read."""

from bench.judge import FILE, Figures, Labelled, at_best, figures, overlap, read


def test_figures_by_hand() -> None:
    labels, judged = [True, True, False, False], [True, False, False, True]
    assert figures(labels, judged) == Figures(0.5, 0.5, 0.5)
    assert figures([True], [True]) == Figures(1.0, 0.0, 0.0)


def test_the_best_threshold_is_found() -> None:
    assert at_best([True, True, False], [0.9, 0.6, 0.2]) == Figures(1.0, 1.0, 1.0)


def test_words_shared_with_the_passage_that_has_most() -> None:
    pair = Labelled("1", "", ("The Board meets.", "Nothing."), "", "The Board sits.", "supported")
    assert overlap(pair) == 2 / 3


def test_every_pair_has_a_label_a_reason_where_it_lacks_support_and_an_id_of_its_own() -> None:
    pairs = read(FILE)
    assert len({one.id for one in pairs}) == len(pairs)
    for one in pairs:
        assert {one.label, one.second or one.label} <= {"supported", "unsupported"}, one.id
        assert one.sentence
        assert one.evidence
        assert one.why or one.is_supported, one.id
