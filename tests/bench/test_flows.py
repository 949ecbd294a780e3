"""The paper's flows changed: what is changed, and that the gold of each still fits."""

import pytest

from bench.flows.change import CHANGES, NAMES, PAPER, make
from trag.evaluate.flows.data import OPENING, Data, read
from trag.evaluate.flows.facts import anomalies


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Data]:
    folder = tmp_path_factory.mktemp("changed")
    make(folder, seed=1)
    return {name: read(folder / name) for name in CHANGES}


def test_each_variant_changes_what_it_says(changed: dict[str, Data]) -> None:
    paper = read(PAPER)
    differing = {}
    for name, data in changed.items():
        assert len(data.queries) == 65
        assert {query.half for query in data.queries} == {"test"}
        for domain, new in data.domains.items():
            old = paper.domains[domain].mended
            assert old
            assert not [what for what in anomalies(new) if "without any of" in what]
            for flow, gold in new.gold.items():
                texts, before = ([step.text for step in of.book.procedures[flow].steps] for of in (new, old))
                differing[name, flow] = (len(texts) - len(before), sorted(texts) == sorted(before), texts == before)
                assert (gold[0], gold[-1]) == (OPENING, ("Finish",))
                called = [id for step in gold for id in step]
                assert len(called) == len({*called})
                if name in ("renamed", "swapped"):
                    assert sorted(called) == sorted(
                        NAMES.get(id, id) if name == "renamed" else id for step in old.gold[flow] for id in step
                    )
            assert (set(new.book.actions) == set(old.book.actions)) == (name not in ("renamed", "inserted"))
            assert (list(new.book.actions.values()) == list(old.book.actions.values())) == (
                name in ("removed", "swapped")
            )
    of = {
        name: [differing[name, flow] for flow in paper.domains for flow in paper.domains[flow].gold] for name in CHANGES
    }
    assert set(of["renamed"]) == set(of["shuffled"]) == {(0, True, True)}
    assert set(of["inserted"]) == {(1, False, False)}
    assert of["removed"].count((-1, False, False)) == 12
    assert of["swapped"].count((0, True, False)) == 7
