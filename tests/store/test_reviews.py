"""The reviewers' desk, on SQLite and on PostgreSQL."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import product
from typing import Any

import pytest
from sqlalchemy import text

from store import StoreError
from store import records as stored
from store.database import reading
from store.person import Forgotten, Newcomer, Role
from store.records import Records
from store.review_queues import Choice, Queue
from store.review_topics import By, read_record
from store.reviews import Agreement, Count
from tests.store.conftest import at_once
from trag.flow.record import Chosen, PlannedStep, PlanRecord, WrittenIn
from trag.record import VERDICTS, Approval
from trag.review import verdicts
from trag.review.verdicts import ask_second, put_label, take_back_label

NOW = datetime(2026, 11, 18, 9, tzinfo=UTC)  # a Wednesday
Save = Callable[..., None]


def record(
    documents: tuple[str, ...] = (),
    units: tuple[str, ...] = (),
    support: str = "",
    model: str = "m",
    status: str = "answered",
) -> str:
    """A record's JSON; `support` has a y or an n for each sentence."""
    return json.dumps(
        {
            "status": status,
            "model": {"name": model, "sha256": "", "adapter": "a"},
            "entities": [{"unit": unit} for unit in units],
            "sources": [{"kind": "section", "document": name} for name in documents]
            + [{"kind": "chart", "document": "Organization chart 1"}],
            "checks": {"sentences": [{"text": "t", "supported": each == "y"} for each in support]},
        }
    )


@pytest.fixture
def save(records: Records, monkeypatch: pytest.MonkeyPatch) -> Iterator[Save]:
    conversations: dict[str, str] = {}

    def save(id: str, asker: str = "", weeks: int = 0, **told: object) -> None:
        monkeypatch.setattr(stored, "_now", lambda: NOW + timedelta(weeks=weeks))
        if asker and asker not in conversations:
            conversations[asker] = records.start_conversation(asker, "t").id
        records.save_answer(id, conversations.get(asker), f"q {id}", f"w {id}", record(**told))  # type: ignore[arg-type]

    yield save
    # Whatever a test did: what was counted on the way is what counting finds.
    grouped = "SELECT kind, value, standing, count(*) FROM topics GROUP BY kind, value, standing"
    counted = "SELECT kind, value, standing, answers FROM tallies WHERE answers <> 0"
    apart = "SELECT count(*) FROM topics JOIN reviews USING (number) WHERE topics.standing <> reviews.standing"
    with reading(records._engine) as connection:
        assert set(connection.execute(text(grouped))) == set(connection.execute(text(counted)))
        assert connection.scalar(text(apart)) == 0


def ids(records: Records, choice: Choice = "newest", reviewer: str = "rita", **options: object) -> list[str]:
    queue = Queue(choice, **options)  # type: ignore[arg-type]
    found = [review.answer for review in records.reviews.queue(queue, reviewer=reviewer)]
    assert records.reviews.size(queue, reviewer=reviewer) == len(found)
    return found


def judge(records: Records, *verdicts: tuple[str, str, str], **options: bool) -> None:
    for answer, reviewer, verdict in verdicts:
        put_label(records, answer, reviewer, verdict, "", "", **options)  # type: ignore[arg-type]


def reopen(records: Records, answer: str) -> None:
    """Put an answer back into the queue, as when the approved one that came of it returns."""
    with records.reviews.changing() as change:
        verdicts.reopen(change, answer)


def test_a_new_answer_lies_on_the_desk_with_what_its_record_says(records: Records, save: Save) -> None:
    save("a", asker="eve", documents=("d1", "d2", "d1"), units=("u1",), support="yny")
    found = records.reviews.review("a")
    assert found is not None
    assert (found.question, found.words, found.asker, found.created) == ("q a", "w a", "eve", NOW)
    assert (found.status, found.model, found.adapter, found.support) == ("answered", "m", "a", 2 / 3)
    assert (found.flag, found.review_status, found.second) == ("", "open", False)
    assert records.reviews.review("b") is None
    assert records.reviews.values("document") == ("d1", "d2")


def test_a_plan_lies_on_the_desk_with_what_its_record_says_and_goes_with_its_asker(
    records: Records, save: Save
) -> None:
    step = PlannedStep(1, "Tell.", "Report", "Report it", unit="Board", source=WrittenIn("d2", "1"), unit_id="u1")
    plan = PlanRecord("p", "A badge!", "planned", Chosen("badge", "Badges"), (step,), source=WrittenIn("d1", ""))
    near = (Chosen("badge", "Badges", "d1"), Chosen("vote", "Votes", "d3"))
    which = PlanRecord("w", "Vote!", "ask_which", choices=near, done=("Ask",))
    approved = replace(plan, id="a", approved=Approval("Rita", "2026-11-30", "A badge!"))
    save("other", documents=("d1",), units=("u1",))
    for one in (plan, which, approved):
        records.save_answer(one.id, None, one.request, one.order, one.to_json(), asker="eve", kind="plan")
    found = records.reviews.review("p")
    assert found is not None
    assert (found.kind, found.question, found.words, found.asker, found.status, found.model, found.support) == (
        "plan", "A badge!", "badge\nReport", "eve", "planned", "", None,
    )  # fmt: skip
    assert ids(records) == ["w", "p", "other"], "an approved one was judged before"
    assert (ids(records, document="d1"), ids(records, unit="u1")) == (["w", "p", "other"], ["p", "other"])
    no_plan, no_choice = ["w", "other"], ["p", "other"]
    for hidden, left in (("d2", no_plan), ("Report", no_plan), *((each, no_choice) for each in ("d3", "vote", "Ask"))):
        assert ids(records, hidden=[hidden]) == left, hidden
    assert [count.value for count in records.reviews.counts("model")] == ["m + a"]
    judge(records, ("w", "rita", "Correct"))
    assert [each.id for each in records.plans("eve", 9)] == ["p", "w", "a"]
    assert records.forget_person("eve", by="ada") == Forgotten(0, 2, 1)
    assert (records.plans("eve", 9), ids(records), ids(records, "judged")) == ((), ["other"], ["w"])
    assert records.forget_before(NOW + timedelta(weeks=1), by="ada").answers == 1


def test_each_queue_has_its_answers_in_its_order(records: Records, save: Save) -> None:
    for id, support in (("a", "yyn"), ("b", "nny"), ("c", "nnn"), ("d", ""), ("e", "nny")):
        save(id, asker="eve", support=support)
    judge(records, ("a", "eve", "Incorrect"), ("b", "eve", "Correct"), ("d", "eve", "Correct-Verbose"), asker=True)
    assert ids(records) == ["e", "d", "c", "b", "a"]
    assert ids(records, "flagged") == ["d", "a"]
    assert ids(records, "doubtful") == ["a", "c", "e", "b"], "what its asker says, then support"
    judge(records, ("c", "rita", "Incorrect"), ("a", "rita", "Correct"), ("a", "sam", "Incorrect"))
    assert (ids(records), ids(records, "flagged"), ids(records, "doubtful")) == (["e", "d", "b"], ["d"], ["e", "b"])
    assert (ids(records, "disputed"), ids(records, "judged"), ids(records, "second")) == (["a"], ["c"], [])
    reviews = records.reviews.queue(Queue(), reviewer="rita", page=2, most=2)
    assert [review.answer for review in reviews] == ["b"]
    assert records.reviews.queue(Queue(), reviewer="rita", page=3, most=2) == ()


def weighed(reader: float, reranker: float) -> dict[str, float]:
    """Those of the reader that it refuses, and of the reranker that its passage answers."""
    return {"refusal_odds": reader, "odds": reranker}


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        ({"status": "cannot_answer", **weighed(2, 3)}, {"status": "cannot_answer", **weighed(2, -3)}),
        (weighed(-3, -1), weighed(-3, 5)),
        (weighed(-3, 0), weighed(-9, 0)),
        (weighed(-3, -1), {**weighed(-3, -1), "checks": {"replaced": "chart"}}),
        ({"checks": {"attempts": 2}}, {"checks": {"attempts": 1}}),
        ({"checks": {"misplaced": [{}]}}, {}),
        ({"conflicts": [{}]}, {}),
        ({"checks": {"sentences": [{"supported": False}]}}, {"checks": {"sentences": [{"supported": True}]}}),
    ],
    ids=[
        "refused beside",
        "reranker differs",
        "reader differs",
        "chart",
        "second try",
        "misplaced",
        "conflict",
        "support",
    ],
)
def test_what_speaks_against_an_answer_puts_it_first(
    records: Records, worse: dict[str, Any], better: dict[str, Any]
) -> None:
    kept = [{"status": "answered"} | told for told in (worse, better)]
    worst, least = (read_record(json.dumps(told))[0]["doubt"] for told in kept)
    assert worst > least >= 0
    for id, told in (("w", kept[0]), ("b", kept[1])):
        records.save_answer(id, None, "q", "a", json.dumps(told | {"model": {}}), asker="eve")
    put_label(records, "b", "eve", "Incorrect", asker=True)
    assert ids(records, "doubtful")[:2] in (["b", "w"], ["b"]), "but what its asker says counts most"


def test_what_was_stopped_waits_for_nobody(records: Records) -> None:
    for id, why in (("whole", ""), ("stopped", "stopped by the reader")):
        told = {"status": "answered", "model": {}, "interrupted": why}
        records.save_answer(id, None, "q", "a", json.dumps(told), asker="eve")
    assert ids(records) == ["whole"]
    found = records.reviews.review("stopped")
    assert found
    assert found.status == "stopped"


def test_an_approved_answer_that_was_given_waits_only_once_somebody_doubts_it(records: Records, save: Save) -> None:
    save("asked", asker="eve", support="n")
    for id in ("praised", "wordy", "wrong", "reopened"):
        save(id, asker="eve", support="n", documents=("d",), status="approved")
    queues: tuple[Choice, ...] = ("newest", "doubtful", "sample")
    assert [ids(records, choice, share=1.0) for choice in queues] == [["asked"]] * 3
    assert ids(records, document="d") == []
    flags = (("praised", "eve", "Correct"), ("wordy", "eve", "Correct-Verbose"), ("wrong", "eve", "Incorrect"))
    judge(records, *flags, asker=True)
    judge(records, ("reopened", "rita", "Correct"))
    reopen(records, "reopened")
    assert ids(records, "flagged") == ["wrong", "wordy"]
    in_order = ["reopened", "wrong", "wordy", "asked"]
    assert [sorted(ids(records, choice, share=1.0)) for choice in queues] == [sorted(in_order)] * 3
    assert ids(records) == in_order
    assert ids(records, document="d") == ["reopened", "wrong", "wordy"]
    judge(records, ("wrong", "rita", "Incorrect"), ("praised", "rita", "Correct"))
    assert (ids(records, "flagged"), ids(records, "judged")) == (["wordy"], ["wrong", "praised"])
    take_back_label(records, "praised", "rita")
    assert ids(records) == ["reopened", "wordy", "asked"]


def test_a_sample_is_the_same_for_the_same_seed_and_grows_with_the_answers(records: Records, save: Save) -> None:
    for number in range(120):
        save(f"a{number}")
    queues = {seed: Queue("sample", share=0.2, seed=seed) for seed in range(12)}
    before = {
        seed: {review.answer for review in records.reviews.queue(queue, reviewer="r", most=200)}
        for seed, queue in queues.items()
    }
    assert all(8 <= len(sample) <= 45 for sample in before.values()), {seed: len(each) for seed, each in before.items()}
    assert len({frozenset(sample) for sample in before.values()}) == 12
    assert records.reviews.size(Queue("sample", share=1.0, seed=3), reviewer="r") == 120
    assert records.reviews.size(Queue("sample", share=0.0, seed=3), reviewer="r") == 0
    for number in range(120, 150):
        save(f"a{number}")
    for seed, queue in queues.items():
        after = {review.answer for review in records.reviews.queue(queue, reviewer="r", most=200)}
        assert {answer for answer in after if int(answer[1:]) < 120} == before[seed]


def test_a_queue_is_of_one_document_or_unit_and_leaves_out_what_may_not_be_read(records: Records, save: Save) -> None:
    save("a", documents=("d1",), units=("u1",))
    save("b", documents=("d1", "secret"), units=("u1", "u2"))
    save("c", documents=("d2",), units=("u2",))
    save("d")
    assert ids(records, document="d1") == ["b", "a"]
    assert ids(records, unit="u2") == ["c", "b"]
    assert ids(records, document="d1", unit="u2") == ["b"]
    assert ids(records, hidden=("secret",)) == ["d", "c", "a"]
    assert ids(records, hidden=("secret", "d2"), unit="u2") == []
    assert ids(records, document="nothing") == []


def test_two_reviewers_are_asked_each_on_their_own_and_disagreement_waits_for_a_third(
    records: Records, save: Save
) -> None:
    for id in ("a", "b"):
        save(id)
        ask_second(records, id, True, by="ada")
    assert ids(records) == ["b", "a"], "the first review comes first"
    judge(records, ("a", "rita", "Correct"), ("b", "rita", "Correct"))
    assert (ids(records), ids(records, "second"), ids(records, "second", "sam")) == ([], [], ["b", "a"])
    judge(records, ("a", "sam", "Incorrect"), ("b", "sam", "Correct"))
    assert (ids(records, "disputed"), ids(records, "judged")) == (["a"], ["b"])
    judge(records, ("a", "tom", "Correct"))
    assert ids(records, "disputed") == ["a"], "a majority is no agreement"
    judge(records, ("a", "tom", "Incorrect"), settles=True)
    found = records.reviews.review("a")
    assert found is not None
    assert (found.review_status, ids(records, "disputed")) == ("Incorrect", [])
    assert records.reviews.agreement() == (Agreement("Correct", "Correct", 1), Agreement("Correct", "Incorrect", 1))
    actual = [(event.who, event.what, event.about) for event in records.audit.page(most=2)]
    assert actual == [("tom", "judged", "a"), ("tom", "judged", "a")]
    with pytest.raises(StoreError, match="no such answer"):
        ask_second(records, "x", True, by="ada")


def test_who_no_longer_disagrees_ends_the_dispute_and_kappa_keeps_the_first_verdicts(
    records: Records, save: Save
) -> None:
    save("a")
    judge(records, ("a", "rita", "Correct"), ("a", "sam", "Incorrect"), ("a", "sam", "Correct"))
    assert ids(records, "judged") == ["a"]
    assert records.reviews.agreement() == (Agreement("Correct", "Incorrect", 1),)


def test_a_second_review_may_be_taken_back_and_a_review_opened_again(records: Records, save: Save) -> None:
    save("a", documents=("d1",))
    judge(records, ("a", "rita", "Correct"))
    ask_second(records, "a", True, by="ada")
    assert (ids(records, "judged"), ids(records, "second", "sam")) == ([], ["a"])
    ask_second(records, "a", False, by="ada")
    assert ids(records, "judged") == ["a"]
    reopen(records, "a")
    assert (ids(records), ids(records, document="d1")) == (["a"], ["a"])
    judge(records, ("a", "sam", "Incorrect"))
    assert ids(records, "judged", document="d1") == ["a"], "the verdict before no longer counts"


def test_a_verdict_is_taken_back_and_the_one_before_counts_again(records: Records, save: Save) -> None:
    for id in ("a", "b"):
        save(id, asker="eve")
    judge(
        records, ("a", "rita", "Correct"), ("a", "sam", "Incorrect"), ("a", "sam", "Correct"), ("b", "rita", "Correct")
    )
    judge(records, ("b", "eve", "Incorrect"), asker=True)
    assert take_back_label(records, "a", "sam", where="10.0.0.7").verdict == "Correct"
    actual = [(each.reviewer, each.verdict) for each in records.verdicts("a")]
    assert actual == [("rita", "Correct"), ("sam", "Incorrect")]
    assert ids(records, "disputed") == ["a"]
    take_back_label(records, "a", "sam")
    take_back_label(records, "b", "rita")
    assert (ids(records), ids(records, "judged"), records.reviews.agreement()) == (["b"], ["a"], ())
    for answer, reviewer in (("a", "sam"), ("b", "eve"), ("b", "rita")):
        with pytest.raises(StoreError, match="no verdict of yours"):
            take_back_label(records, answer, reviewer)
    reopen(records, "a")
    with pytest.raises(StoreError, match="no verdict of yours"):
        take_back_label(records, "a", "rita")
    assert {event.what for event in records.audit.page(about="b")} == {"judged", "remarked", "verdict taken back"}


def test_only_verdicts_that_count_are_learned_from_and_an_overruling_is_no_second_opinion(
    records: Records, save: Save
) -> None:
    for id in ("a", "b"):
        save(id)
        judge(records, (id, "rita", "Correct"))
    reopen(records, "a")
    judge(records, ("b", "ada", "Incorrect"), settles=True)
    assert (records.verdicts("a"), [label.reviewer for label in records.verdicts("b")]) == ((), ["rita", "ada"])
    assert records.labels() == records.verdicts("b")
    assert (ids(records, "judged"), records.reviews.agreement()) == (["b"], ())


def agreements(records: Records) -> tuple[Agreement, ...]:
    """How two reviewers judged, gone through label by label."""
    given: dict[str, dict[str, str]] = defaultdict(dict)
    query = text(
        "SELECT answers.id, reviewer, verdict FROM labels JOIN answers ON answers.id = labels.answer "
        "JOIN reviews ON reviews.number = answers.number AND labels.number > since "
        "WHERE NOT labels.asker AND NOT settles ORDER BY labels.number"
    )
    with reading(records._engine) as connection:
        for answer, reviewer, verdict in connection.execute(query):
            given[answer].setdefault(reviewer, verdict)
    pairs = Counter(tuple(verdicts.values())[:2] for verdicts in given.values() if len(verdicts) > 1)
    return tuple(Agreement(first, second, number) for (first, second), number in sorted(pairs.items()))


@pytest.mark.slow
def test_the_figures_are_what_counting_answer_by_answer_finds(records: Records, save: Save) -> None:
    chance = random.Random(5)
    about: dict[str, dict[By, set[str]]] = {}
    for number in range(60):
        weeks, model = number // 12, chance.choice("mn")
        documents, units = ({each for each in names if chance.random() < 0.4} for names in (("d1", "d2", "d3"), "uvw"))
        save(f"a{number}", weeks=weeks, documents=tuple(documents), units=tuple(units), model=model)
        monday = date(2026, 11, 16) + timedelta(weeks=weeks)
        about[f"a{number}"] = {"week": {str(monday)}, "model": {f"{model} + a"}, "document": documents, "unit": units}
    for _ in range(400):
        answer, reviewer, chosen = chance.choice([*about]), chance.choice(("rita", "sam", "tom")), chance.random()
        if chosen < 0.75:
            verdict, told = chance.choice(VERDICTS), {"asker": chosen < 0.1, "settles": 0.1 < chosen < 0.2}
            judge(records, (answer, reviewer, verdict), **told)
        elif chosen < 0.85:
            with suppress(StoreError):
                take_back_label(records, answer, reviewer)
        elif chosen < 0.95:
            ask_second(records, answer, chance.random() < 0.5, by="ada")
        else:
            reopen(records, answer)

    assert records.reviews.agreement() == agreements(records)
    assert sum(each.answers for each in agreements(records)) > 20
    kinds: tuple[By, ...] = ("week", "model", "document", "unit")
    starts = (None, *(date(2026, 11, 2) + timedelta(weeks=weeks) for weeks in range(10)))
    for by, since, hidden in product(kinds, starts, ((), ("d1", "d3", "nothing"))):
        counted: Counter[tuple[str, str]] = Counter()
        for answer, told in about.items():
            review = records.reviews.review(answer)
            assert review
            if since is None or str(since) <= min(told["week"]):
                left = told[by] - set(hidden if by == "document" else ())
                counted.update((value, review.review_status) for value in left)
        expected = [Count(*key, number) for key, number in sorted(counted.items())]
        assert list(records.reviews.counts(by, since=since, hidden=hidden)) == expected, (by, since, hidden)
        if since is None:
            values = {count.value for count in records.reviews.counts(by)}
            assert records.reviews.values(by) == tuple(sorted(values))


def test_a_verdict_on_ones_own_question_is_a_flag_while_somebody_else_may_judge(records: Records, save: Save) -> None:
    def add(name: str, role: Role) -> str:
        return records.people.add(Newcomer(name, role=role, state="active"), by="t").id

    ada = add("ada", "admin")
    for id in ("alone", "own"):
        save(id, asker=ada)
    add("eve", "employee")
    assert (records.reviews.alone(ada), ids(records, reviewer=ada)) == (True, ["own", "alone"])
    judge(records, ("alone", ada, "Correct"))
    assert ids(records, "judged") == ["alone"]

    rita = add("rita", "reviewer")
    assert (records.reviews.alone(ada), ids(records, reviewer=ada), ids(records)) == (False, [], ["own"])
    assert ids(records, "judged", reviewer=ada) == ["alone"], "to look at"
    given = put_label(records, "own", ada, "Incorrect", "", "", settles=True)
    assert (given.asker, given.settles) == (True, False)
    assert [event.what for event in records.audit.page(about="own")] == ["remarked"]
    found = records.reviews.review("own")
    assert found
    assert (found.review_status, found.flag, records.verdicts("own")) == ("open", "Incorrect", ())
    (kept,) = records.labels_of("own")
    assert (kept.verdict, kept.asker, kept.settles) == ("Incorrect", True, False)
    judge(records, ("own", rita, "Correct"))
    assert [label.reviewer for label in records.verdicts("own")] == [rita], "nobody is in dispute with who asked"
    assert ids(records, "judged", reviewer=rita) == ["own", "alone"]

    records.people.change(rita, by="ada", state="disabled")
    assert records.reviews.alone(ada)
    judge(records, ("own", ada, "Incorrect"))
    assert ids(records, "disputed", reviewer=ada) == ["own"]


def test_a_forgotten_conversation_leaves_only_what_reviewers_judged_and_no_name(records: Records, save: Save) -> None:
    for id in ("plain", "remarked", "judged"):
        save(id, asker="eve", documents=("d1",))
    judge(records, ("remarked", "eve", "Incorrect"), ("judged", "eve", "Incorrect"), asker=True)
    judge(records, ("judged", "rita", "Correct"))
    save("alone")
    save("others", asker="bob")
    forgotten = records.forget_person("eve", by="ada", where="10.0.0.7")
    assert (forgotten.conversations, forgotten.answers, forgotten.kept) == (1, 2, 1)
    kept = records.reviews.review("judged")
    assert kept is not None
    assert (kept.asker, kept.flag, kept.review_status) == ("", "", "Correct")
    assert [label.reviewer for label in records.labels_of("judged")] == ["rita"]
    assert ids(records) == ["others", "alone"]
    assert records.reviews.values("document") == ("d1",)
    last = records.audit.page(most=1)[0]
    assert (last.what, last.about) == ("conversations forgotten", "eve")


def test_the_next_verdict_counts_where_the_last_remark_before_the_review_was_opened_again_is_forgotten(
    records: Records, save: Save
) -> None:
    save("a", asker="eve", documents=("d1",))
    judge(records, ("a", "rita", "Correct"))
    judge(records, ("a", "eve", "Incorrect"), asker=True)
    reopen(records, "a")
    records.forget_person("eve", by="ada")
    assert (ids(records), records.verdicts("a")) == (["a"], ())
    judge(records, ("a", "sam", "Incorrect"))
    assert (ids(records), ids(records, "judged", document="d1")) == ([], ["a"])
    assert [label.reviewer for label in records.verdicts("a")] == ["sam"], "the verdict before no longer counts"


def test_verdicts_go_on_counting_when_who_asked_is_forgotten(records: Records, save: Save) -> None:
    save("a", asker="eve")
    judge(records, ("a", "rita", "Correct"))
    reopen(records, "a")
    judge(records, ("a", "sam", "Incorrect"), ("a", "tom", "Incorrect"))
    records.forget_person("eve", by="ada")
    assert [label.reviewer for label in records.verdicts("a")] == ["sam", "tom"]
    take_back_label(records, "a", "tom")
    take_back_label(records, "a", "sam")
    assert ids(records) == ["a"], "what was judged before the review was opened again does not count again"


def test_what_nobody_went_on_with_is_forgotten_after_its_time(records: Records, save: Save) -> None:
    save("old", asker="eve", weeks=-9)
    save("alone and old", weeks=-9)
    save("going on", asker="bob", weeks=-9)
    save("new", asker="bob")
    save("judged", asker="eve", weeks=-8)
    judge(records, ("judged", "rita", "Correct"))
    forgotten = records.forget_before(NOW - timedelta(weeks=4), by="ada")
    assert (forgotten.conversations, forgotten.answers, forgotten.kept) == (1, 2, 1)
    assert sorted(ids(records)) == ["going on", "new"]
    again = records.forget_before(NOW - timedelta(weeks=4), by="ada")
    assert (again.conversations, again.answers) == (0, 0)


def test_a_verdict_on_an_answer_that_stands_otherwise_by_now_is_not_kept(records: Records, save: Save) -> None:
    save("a")
    for reviewer, verdict in (("rita", "Correct"), ("sam", "Incorrect")):
        with suppress(StoreError):
            put_label(records, "a", reviewer, verdict, "", "", instead_of="open")
    assert [label.reviewer for label in records.labels_of("a")] == ["rita"]
    assert [event.who for event in records.audit.page(about="a")] == ["rita"]
    with pytest.raises(StoreError, match="stands otherwise by now, so nothing was kept"):
        put_label(records, "a", "sam", "Incorrect", "", "", instead_of="open")
    put_label(records, "a", "sam", "Incorrect", "", "", instead_of="Correct")
    assert ids(records, "disputed") == ["a"]


@pytest.mark.slow
def test_reviewers_who_judge_one_answer_at_once_see_each_others_verdict(records: Records, save: Save) -> None:
    for round in range(10):
        save(f"a{round}", documents=("d1",))
        given = [(f"a{round}", "rita", "Correct"), (f"a{round}", "sam", "Incorrect")]
        assert at_once(*(partial(judge, records, each) for each in given)) == []
    assert len(ids(records, "disputed", document="d1")) == 10


@pytest.mark.slow
def test_verdicts_to_and_fro_on_answers_of_one_document_wait_for_each_other_and_all_are_kept(
    records: Records, save: Save
) -> None:
    for number in range(16):
        save(f"a{number}", documents=("d1", "d2"), units=("u1",))

    def judging(number: int) -> None:
        own, verdicts = [f"a{number}", f"a{number + 8}"], ["Correct", "Incorrect"]
        for round in range(12):
            turned = (number + round) % 2
            for answer, verdict in zip(own[:: -1 if turned else 1], verdicts[:: -1 if turned else 1], strict=True):
                put_label(records, answer, f"r{number}", verdict, "", "")
            take_back_label(records, own[turned], f"r{number}")

    assert at_once(*(partial(judging, number) for number in range(8))) == []
    assert len(records.labels()) == 16
    assert all(len(records.label_history(f"a{number}", f"r{number % 8}")) == 6 for number in range(16))


@pytest.mark.slow
def test_answers_that_are_given_judged_and_forgotten_at_once_leave_their_counts_right(
    records: Records, save: Save
) -> None:
    for round in range(12):
        conversation = records.start_conversation("eve", "t").id
        for place in "ab":
            records.save_answer(f"{place}{round}", conversation, "q", "w", record(("d1",), ("u1",)))
        errors = at_once(
            partial(judge, records, (f"b{round}", "rita", "Correct"), (f"a{round}", "rita", "Correct")),
            partial(judge, records, (f"a{round}", "sam", "Incorrect"), (f"b{round}", "sam", "Incorrect")),
            partial(records.save_answer, f"c{round}", conversation, "q", "w", record(("d1",), ("u1",))),
            partial(records.delete_conversation, "eve", conversation),
        )
        assert [error for error in errors if "There is no such" not in str(error)] == []
    assert records.conversations("eve") == ()
