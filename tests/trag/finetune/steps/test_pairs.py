"""Which pairs the encoder of steps learns from, by the catalogue and requests that ship."""

import random
from pathlib import Path

import numpy as np

from trag.evaluate.workflows import cases
from trag.finetune.steps import pairs

CASES = cases.read(Path(__file__).parents[4] / "bench" / "workflows" / "dev.jsonl")
BOOK = CASES.book
CATALOGUE = pairs.catalogue(BOOK)
REQUESTS = pairs.requests(CASES)
IDS = (*BOOK.actions, *BOOK.tables, *BOOK.triggers)


def named(places: list[int]) -> list[str]:
    return [IDS[place] for place in places]


def vectors(texts: list[str], seed: int) -> np.ndarray:
    found = np.random.default_rng(seed).normal(size=(len(texts), 8)).astype(np.float32)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


def test_a_request_is_about_its_steps_its_table_and_its_trigger() -> None:
    (one,) = [each for each in REQUESTS if each.text.startswith("When a disruption gets more urgent")]
    steps = {"look_up_on_call", "page_on_call", "post_incident_details"}
    assert {*named([*one.about])} == {*steps, "incident_priority_raised"}
    assert len(CATALOGUE.texts) == len(IDS)
    assert {CATALOGUE.kind(place) for place in one.about} == {0, 2}


def test_nothing_that_a_request_is_about_is_drawn_as_wrong_and_each_way_draws_other_ones() -> None:
    asked, entries = vectors([one.text for one in REQUESTS], 1), vectors([*CATALOGUE.texts], 2)
    ways = {
        "random": pairs.anywhere(CATALOGUE, REQUESTS),
        "bm25": pairs.near_by_words(CATALOGUE, REQUESTS),
        "ance": pairs.near_by_vectors(CATALOGUE, REQUESTS, asked, entries),
    }
    drawn = dict.fromkeys(ways, "")
    for name, near in ways.items():
        for request, places in zip(REQUESTS, near, strict=True):
            for kind, of_kind in zip(CATALOGUE.kinds, places, strict=True):
                assert {*of_kind} <= {*kind} - {*request.about}, name
            wrong = pairs.wrong(CATALOGUE, request, [places], random.Random(1))
            kinds = [CATALOGUE.kind(place) for place in wrong]
            assert not {*wrong} & {*request.about}
            assert {*kinds} <= {CATALOGUE.kind(place) for place in request.about}
            drawn[name] += f"{wrong}"
    assert len({*drawn.values()}) == 3
    first = REQUESTS[0]
    wrong = pairs.wrong(CATALOGUE, first, [near[0] for near in ways.values()], random.Random(1))
    assert len(wrong) == 3 * pairs.WRONG * len(first.about)


def test_by_words_the_first_share_words_and_by_vectors_they_are_the_nearest() -> None:
    text = "Reset a password, and nothing else."
    (near,) = pairs.near_by_words(CATALOGUE, [pairs.Request(text, ())])
    assert all("password" in CATALOGUE.texts[place].lower() for place in near[0][:3]), near[0][:3]
    entries = vectors([*CATALOGUE.texts], 2)
    (near,) = pairs.near_by_vectors(CATALOGUE, [pairs.Request(text, (3,))], entries[3:4], entries)
    similar = entries @ entries[3]
    assert 3 not in near[0]
    assert all(similar[place] >= similar[near[0][-1]] for place in near[0])
