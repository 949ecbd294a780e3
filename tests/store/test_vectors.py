"""The search index: what goes in comes out, to those who may read it. For damage and kills see test_vectors_faults."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from store import StoreError
from store.catalog import Held
from store.passage import EVERYONE, OPEN, Passage
from store.vectors import Vectors, make_empty
from tests.store.conftest import SIZE, at_once, make, scatter

if TYPE_CHECKING:
    from numpy.typing import NDArray


def ids(passages: Sequence[Passage]) -> list[str]:
    return [passage.id for passage in passages]


@pytest.fixture(params=["files", pytest.param("server", marks=pytest.mark.slow)])
def server(request: pytest.FixtureRequest) -> str:
    """Where the index is: "" for the home's own folder, or a new database of a real Chroma server."""
    return request.getfixturevalue("chroma_server").database() if request.param == "server" else ""


@pytest.fixture
def index(folder: Path, server: str) -> Iterator[Vectors]:
    index = Vectors(folder, embedder="mini-1", dimension=SIZE, server=server)
    yield index
    index.close()


def test_what_is_added_is_found_whole_with_its_cosine(index: Vectors, folder: Path, server: str) -> None:
    pair = Passage("p1", "qa", "rules.md", "4 Finance > 4.2 Limits", 7, "Up to LMD 10,000.", "What may a head approve?")
    section = Passage("s1", "section", "rules.md", "4 Finance", None, "نص \0 with \ud800 odd\ncharacters", "")
    points = scatter(3)
    index.add([pair, section], points[:2], audience=OPEN)
    index.close()  # and still there afterwards
    again = Vectors(folder, embedder="mini-1", dimension=SIZE, server=server)
    found = again.search(points[2], "unrelated", kinds=("qa", "section"), k=5, readers=None)
    again.close()
    cosine = dict(zip(("p1", "s1"), points[:2] @ points[2], strict=True))
    expected = {pair, replace(section, text="نص \ufffd with \ufffd odd\ncharacters")}
    assert {replace(passage, score=0.0) for passage in found} == expected
    assert {passage.id: passage.score for passage in found} == pytest.approx(cosine, abs=1e-6)


def test_a_passage_is_replaced_by_one_with_its_id(index: Vectors) -> None:
    first = Passage("p", "qa", "d", "s", 1, "old", "q")
    index.add([first], scatter(1, seed=1), audience=OPEN)
    index.search(scatter(1)[0], "old", kinds=["qa"], k=1, readers=None)
    index.add([replace(first, text="new", page=None)], scatter(1, seed=2), audience=OPEN)
    (found,) = index.search(scatter(1, seed=2)[0], "new", kinds=["qa"], k=5, readers=None)
    assert (found.text, found.page, index.count()) == ("new", None, 1)
    assert found.score == pytest.approx(1, abs=1e-6)


def test_words_find_what_vectors_miss_and_the_score_stays_the_cosine(index: Vectors) -> None:
    question = scatter(1)[0]
    points = 0.5 * question + 0.5 * scatter(60, seed=1)  # all of them rather near, as texts of one organization are
    points = (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)
    far = int(np.argsort(-points @ question)[25])  # beyond what the vectors propose
    passages = make(60)
    passages[far] = replace(passages[far], text="Section 4.2 of the BEC charter")
    index.add(passages, points, audience=OPEN)
    found = index.search(question, "what does BEC 4.2 say", kinds=["section"], k=3, readers=None)
    scores = {each.id: each.score for each in found}
    assert passages[far].id in scores, found
    assert scores[passages[far].id] == pytest.approx(float(points[far] @ question), abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"kinds": ["section"], "k": 0}, 0),
        ({"kinds": ["section", "qa"], "k": 99}, 7),
        ({"kinds": ["section"], "k": 99}, 4),
        ({"kinds": ["qa"], "k": 2}, 2),
        ({"kinds": [], "k": 3}, 0),
        ({"kinds": ["letter"], "k": 3}, 0),
        ({"kinds": ["letter", "qa"], "k": 9}, 3),
        ({"kinds": ["section"], "k": 9, "readers": []}, 0),
        ({"kinds": ["section"], "k": 9, "readers": ["nowhere", "\0\ud800"]}, 0),
        ({"kinds": ["section"], "k": 9, "readers": {"nowhere": 0, "d": 0}.keys()}, 4),
        ({"kinds": ["section"], "k": 9, "fetch": 1}, 4),
        ({"kinds": ["section"], "k": 3, "diversity": 1.0}, 3),
    ],
    ids=lambda value: str(value),
)
@pytest.mark.parametrize("question", ["words number1", "", "?! \0\ud800"], ids=["words", "empty", "no words"])
def test_any_search_gives_what_there_is(
    shared: Vectors, question: str, arguments: dict[str, object], expected: int
) -> None:
    found = shared.search(scatter(1)[0], question, **{"readers": None} | arguments)  # type: ignore[arg-type]
    assert len(set(ids(found))) == len(found) == expected


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vectors]:
    """Four sections and three pairs of one document; not to be changed."""
    index = Vectors(tmp_path_factory.mktemp("shared") / "chroma", embedder="mini-1", dimension=SIZE)
    index.add([*make(4), *make(3, kind="qa")], scatter(7), audience=["d"])
    yield index
    index.close()


def test_an_empty_index_has_nothing(index: Vectors) -> None:
    assert index.search(scatter(1)[0], "anything", kinds=["qa"], k=3, readers=None) == ()
    assert (index.count(), index.count("qa"), index.probe(), index.delete("d")) == (0, 0, (0, 0), 0)
    index.compact()
    index.rebuild([], scatter(0))
    assert index.count() == 0


def test_permission_is_asked_before_the_best_are_counted(index: Vectors) -> None:
    """A hundred secret passages, nearer and with more of the words, must not crowd out the two that may be read."""
    question = scatter(1)[0]
    secret = make(100, document="secret", text="budget budget budget")
    near = (question + 0.01 * scatter(100, seed=3)).astype(np.float32)
    index.add(secret, near / np.linalg.norm(near, axis=1, keepdims=True), audience=["board"])
    index.add(make(2, document="open", text="budget"), -scatter(2, seed=4), audience=OPEN)
    found = index.search(question, "budget", kinds=["section"], k=3, readers={EVERYONE, "staff"})
    assert sorted(ids(found)) == ["open-section-0", "open-section-1"]
    assert len(index.search(question, "budget", kinds=["section"], k=3, readers=None)) == 3


@pytest.mark.parametrize("few", [5000, 1], ids=["compared one by one", "found by Chroma"])
def test_nobody_is_shown_a_document_they_may_not_read(
    index: Vectors, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr("store.index._FEW", few)
    names = [f"d{number}" for number in range(12)]
    for turn, name in enumerate(names):
        passages = [*make(4, document=name), *make(2, document=name, kind="qa")]
        index.add(passages, scatter(6, seed=turn), audience=[name, "auditor"])
    random = np.random.default_rng(5)
    for question in scatter(15, seed=60):
        readable = set(random.choice(names, size=random.integers(1, 12), replace=False))
        found = index.search(question, "words of number1 d3", kinds=["section"], k=8, readers=readable)
        assert {each.document for each in found} <= readable
        assert {each.kind for each in found} == {"section"}
        assert len(found) == min(8, 4 * len(readable))
        near = index.search(question, "", kinds=["section"], k=8, diversity=0, readers=readable)
        assert [each.score for each in near] == sorted((each.score for each in near), reverse=True)


@pytest.mark.slow
def test_the_nearest_are_found_among_many_under_every_filter(index: Vectors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.index._FEW", 1)  # as if there were very many
    points = scatter(3000)
    passages = [replace(each, document=f"d{number // 30}") for number, each in enumerate(make(3000))]
    for start in range(0, 3000, 30):
        some = slice(start, start + 30)
        index.add(passages[some], points[some], audience=[passages[start].document])
    for names in (None, {"d7"}, {f"d{number}" for number in range(50)}, {f"d{number}" for number in range(99)}):
        hits = 0
        for question in scatter(20, seed=8):
            nearness = [
                -9 if names and each.document not in names else float(points[n] @ question)
                for n, each in enumerate(passages)
            ]
            true = {passages[position].id for position in np.argsort(nearness)[-10:]}
            found = index.search(question, "", kinds=["section"], k=10, diversity=0, readers=names)
            hits += len(true & set(ids(found)))
        assert hits >= 196, f"{hits} of 200 with {names and len(names)} audiences"


def test_a_deleted_document_is_gone_and_the_others_stay(index: Vectors) -> None:
    index.add(
        [*make(5, document="a"), *make(5, document="b"), *make(2, document="b", kind="qa")], scatter(12), audience=OPEN
    )
    assert len(index.search(scatter(1)[0], "number1", kinds=["section", "qa"], k=20, readers=None)) == 12
    assert index.delete("b") == 7
    assert index.delete("b") == 0
    assert (index.count(), index.count("qa"), index.count("section")) == (5, 0, 5)
    found = index.search(scatter(1)[0], "words of b number1", kinds=["section", "qa"], k=20, readers=None)
    assert {each.document for each in found} == {"a"}
    index.add(make(1, document="b"), scatter(1, seed=9), audience=OPEN)
    assert index.count() == 6


def test_a_document_that_chroma_does_not_delete_is_not_found_all_the_same(
    index: Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.add([*make(3, document="a"), *make(3, document="b")], scatter(6), audience=OPEN)

    def fail(*_: object) -> None:
        raise StoreError("The server is away.")

    def found() -> set[str]:
        passages = index.search(scatter(1)[0], "words of a number1", kinds=["section"], k=9, readers=None)
        return {passage.document for passage in passages}

    monkeypatch.setattr("store.collection.remove", fail)
    with pytest.raises(StoreError):
        index.delete("a")
    monkeypatch.undo()
    assert (found(), index.count()) == ({"b"}, 6)
    assert index.delete("a") == 3
    assert (found(), index.count()) == ({"b"}, 3)
    index.put("a", make(3, document="a"), scatter(3), audience=OPEN)
    assert found() == {"a", "b"}


def test_what_is_held_of_a_document_is_told_with_its_readers_and_its_vectors(index: Vectors) -> None:
    of_a, of_b, points = make(3, document="a"), make(2, document="b"), scatter(5)
    index.add(of_a, points[:3], audience=["board"])
    index.add(of_b, points[3:], audience=OPEN)
    assert index.held() == {"a": Held(frozenset(of_a), frozenset(["board"])), "b": Held(frozenset(of_b), OPEN)}
    assert index.held("b") == {"b": Held(frozenset(of_b), OPEN)}
    assert index.held("c") == {}
    vectors = index.vectors_of(["b-section-1", "a-section-0", "unknown"])
    assert list(vectors) == ["b-section-1", "a-section-0"]
    np.testing.assert_allclose(vectors["b-section-1"], points[4], atol=1e-6)
    assert index.vectors_of([]) == {}


def test_compact_leaves_no_trace_of_what_was_deleted_on_the_disk(folder: Path) -> None:
    index = Vectors(folder, embedder="mini-1", dimension=SIZE)
    kept = make(3, document="kept", text="amberlighthouse")
    index.add([*kept, *make(3, document="secret", text="zanzibarquartz")], scatter(6), audience=OPEN)
    index.delete("secret")
    index.compact()
    found = index.search(scatter(1)[0], "", kinds=["section"], k=9, readers=None)
    assert sorted(replace(each, score=0.0).id for each in found) == sorted(ids(kept))
    assert {each.id: each.score for each in found}["kept-section-0"] == pytest.approx(1, abs=1e-6)
    assert index.count() == 3
    index.close()
    content = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"amberlighthouse" in content
    assert b"zanzibarquartz" not in content


def test_the_index_remembers_its_embedder_and_says_how_to_change_it(index: Vectors, folder: Path, server: str) -> None:
    index.add(make(3), scatter(3), audience=OPEN)
    index.close()
    with pytest.raises(StoreError, match=r"made by mini-1; the embedder in use is other-2\.") as caught:
        Vectors(folder, embedder="other-2", dimension=4, server=server)
    assert "python -m trag ingest --reindex" in caught.value.hint
    make_empty(folder, embedder="other-2", dimension=4, server=server)
    other = Vectors(folder, embedder="other-2", dimension=4, server=server)
    other.put("d", make(2), np.eye(2, 4, dtype=np.float32), audience=OPEN)
    found = other.search(np.eye(1, 4, dtype=np.float32)[0], "", kinds=["section"], k=1, readers=None)
    assert ids(found) == ["d-section-0"]
    other.close()
    assert sorted(path.name for path in folder.iterdir()) == (["home"] if server else ["000002", "current"])


def test_a_rebuild_is_seen_whole_or_not_at_all(index: Vectors, folder: Path, server: str) -> None:
    index.add(make(30, document="old"), scatter(30), audience=OPEN)
    seen: list[set[str]] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            found = index.search(scatter(1)[0], "number1", kinds=["section"], k=30, readers=None)
            seen.append({each.document for each in found})

    asker = threading.Thread(target=ask)
    asker.start()
    for name in ("new", "newer"):
        index.rebuild(make(40, document=name), scatter(40, seed=1))
    done.set()
    asker.join()
    assert {"old"} in seen
    assert all(len(documents) == 1 for documents in seen), seen
    assert (index.count(), index.probe()) == (40, (32, 32))
    assert len(list(folder.iterdir())) == (1 if server else 2)


@pytest.mark.slow
def test_threads_may_add_delete_and_search_at_once(index: Vectors) -> None:
    search = partial(index.search, scatter(1)[0], "number1", kinds=["section"], k=9)

    def work(name: str) -> None:
        for turn in range(4):
            index.add(make(10, document=name), scatter(10, seed=turn), audience=[name])
            if {each.document for each in search(readers=[name])} != {name}:
                raise LookupError(f"{name} is not found")
            changed = index.set_audience(name, ["other"])
            if (changed, search(readers=[name]), index.delete(name)) != (10, (), 10):
                raise LookupError(f"{name} is found by others, or not gone")

    assert at_once(*(partial(work, f"d{number}") for number in range(4))) == []
    assert index.count() == 0


@pytest.mark.parametrize(
    ("passages", "points"),
    [(make(2), scatter(3)), (make(2), scatter(2)[:, :5]), ([*make(1), *make(1)], scatter(2))],
    ids=["too many vectors", "another dimension", "an id twice"],
)
def test_passages_and_vectors_must_match(index: Vectors, passages: list[Passage], points: NDArray[np.float32]) -> None:
    for change in (partial(index.add, audience=OPEN), index.rebuild):
        with pytest.raises(ValueError, match="passages"):
            change(passages, points)
    assert index.count() == 0


def test_the_probe_is_not_troubled_by_passages_that_say_the_same(index: Vectors) -> None:
    index.add(make(40), np.repeat(scatter(1), 40, axis=0), audience=OPEN)
    assert index.probe() == (32, 32)


def test_what_has_no_vectors_yet_is_found_by_its_words_by_those_who_may_read_it(index: Vectors) -> None:
    def found(question: str, *readers: str) -> list[str]:
        return ids(index.search(scatter(9)[8], question, kinds=["section"], k=3, readers=readers))

    kept, late = make(2, document="kept"), make(3, document="late", text="zanzibar quartz")
    index.put("kept", kept, scatter(2), audience=OPEN)
    index.expect(late, audience=["hr"])
    assert (found("zanzibar quartz", "hr")[0], found("zanzibar quartz", "it")) == ("late-section-0", [])
    assert set(found("nothing shared", "hr", *OPEN)) == {"kept-section-0", "kept-section-1"}
    assert (set(index.held()), index.vectors_of(["late-section-0"])) == ({"kept"}, {})
    index.set_audience("late", ["it"])
    index.remove(["late-section-2"])
    index.compact()
    assert (found("zanzibar quartz", "hr"), len(found("zanzibar quartz", "it"))) == ([], 2)
    index.put("late", late[:1], scatter(1), audience=["it"])
    assert (set(index.held()), found("zanzibar quartz", "it")) == ({"kept", "late"}, ["late-section-0"])
    index.delete("kept")
    index.close()
    assert found("zanzibar quartz", "it") == ["late-section-0"]
    assert index.count() == 1


def test_what_is_expected_and_then_forgotten_is_found_no_more(index: Vectors) -> None:
    index.expect(make(3, document="late"), audience=OPEN)
    assert index.delete("late") == 3
    index.close()
    assert index.count() == 0
