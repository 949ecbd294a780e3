"""The paper's flows changed: what is changed, and that the gold of each still fits."""

from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from bench.flows.ablations import DECODINGS, hashed
from bench.flows.change import CHANGES, NAMES, PAPER, make
from bench.flows.speed import Counting
from prompts import Message
from trag.evaluate.flows.data import OPENING, Data, read
from trag.evaluate.flows.facts import anomalies
from trag.models import catalogue


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


def test_an_ablation_takes_one_thing_away() -> None:
    plain = asdict(DECODINGS["flap.4"][0])
    for name, (weights, form) in DECODINGS.items():
        changed = [key for key, value in asdict(weights).items() if value != plain[key]] + [*form]
        assert len(changed) == (not name.startswith("flap.4")), name
    vectors = hashed(("open an account", "AN account open", "cab", ""))
    assert vectors @ vectors.T == pytest.approx(
        np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]), abs=0.1
    )


@pytest.mark.slow
def test_all_that_a_model_computes_is_counted(tmp_path: Path) -> None:
    asked = (Message("user", "Name three colours."),)
    with closing(Counting(tmp_path, model=str(catalogue.DEFAULT.path))) as model:
        prompt = model.count(asked)
        assert len(list(model.stream(asked, max_tokens=5))) == 6
        assert model.computed == prompt + 5
        with model.search(asked) as search:
            search.look_ahead(3, 4, ())
        assert model.computed == 2 * prompt + 5 + 3 * 3
