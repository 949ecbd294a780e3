"""When documents are valid: how they stand on a day, what is refused, and what is kept, on both databases."""

from dataclasses import replace
from datetime import date

import pytest

from store import StoreError
from store.person import Newcomer
from store.records import Records
from store.standing import Found, Period, State, Validity, problems, standing

TODAY = date(2026, 6, 1)
YEAR = Period(date(2023, 1, 1), date(2023, 12, 31))


def shelf(records: Records, *names: str) -> None:
    for name in names:
        records.library.put(name, "0" * 64, None, [])


@pytest.mark.parametrize(
    ("validity", "successor", "period", "state"),
    [
        (Validity(), None, Period.of(TODAY), "in force"),
        (Validity("draft"), None, Period.of(TODAY), "draft"),
        (Validity(valid_from=date(2026, 6, 2)), None, Period.of(TODAY), "not yet valid"),
        (Validity(valid_from=TODAY, valid_to=TODAY), None, Period.of(TODAY), "in force"),
        (Validity(valid_to=date(2026, 5, 31)), None, Period.of(TODAY), "no longer valid"),
        (Validity("withdrawn"), None, Period.of(TODAY), "withdrawn"),
        (Validity("withdrawn"), None, YEAR, "withdrawn"),
        (Validity("withdrawn", valid_to=date(2024, 1, 31)), None, YEAR, "in force"),
        (Validity("superseded", valid_to=date(2022, 12, 31)), None, YEAR, "superseded"),
        (Validity(), Validity(), Period.of(TODAY), "superseded"),
        (Validity(), Validity(), YEAR, "superseded"),
        (Validity(), Validity(valid_from=TODAY), Period.of(TODAY), "superseded"),
        (Validity(), Validity(valid_from=date(2026, 6, 2)), Period.of(TODAY), "in force"),
        (Validity(), Validity(valid_from=date(2023, 7, 1)), YEAR, "in force"),
        (Validity(), Validity("superseded", valid_from=date(2022, 7, 1)), YEAR, "superseded"),
        (Validity(), Validity("draft"), Period.of(TODAY), "in force"),
        (Validity(), Validity("withdrawn", valid_from=TODAY), Period.of(TODAY), "in force"),
    ],
)
def test_how_a_document_stands(validity: Validity, successor: Validity | None, period: Period, state: State) -> None:
    found = standing(validity, {"new.md": successor} if successor else {}, period, TODAY)
    assert found.state == state


def test_what_takes_its_place_ends_it_the_day_before() -> None:
    found = standing(Validity(), {"new.md": Validity(valid_from=date(2024, 3, 1))}, YEAR, TODAY)
    assert (found.state, found.last, found.successors) == ("in force", date(2024, 2, 29), ("new.md",))


def test_every_problem_is_told_at_once() -> None:
    before = {"b.md": Validity(supersedes=("c.md",)), "c.md": Validity(supersedes=("a.md",))}
    changes = {
        "a.md": Validity(valid_from=date(2025, 1, 2), valid_to=date(2025, 1, 1), supersedes=("a.md", "b.md", "x.md")),
        "y.md": Validity(),
    }
    assert [*problems(changes, before, {"a.md", "b.md", "c.md"})] == [
        ("a.md", "It is valid to 2025-01-01, which is before it is valid from, 2025-01-02."),
        ("a.md", "It supersedes itself."),
        ("a.md", "It supersedes b.md > c.md > a.md: a circle."),
        ("a.md", "It supersedes x.md, and there is no such document."),
        ("y.md", "There is no such document."),
    ]


def test_what_is_kept_comes_back_and_goes_with_its_document(records: Records) -> None:
    shelf(records, "old.md", "new.md")
    found = (Found("valid_from", "1. März 2025", "Document control", "2025-03-01"), Found("review", "03/04/2025", "x"))
    whole = Validity(
        "in force",
        date(2025, 3, 1),
        date(2027, 3, 1),
        date(2026, 3, 1),
        "hr",
        "ann",
        "de",
        ("old.md",),
        found,
        "ada",
    )
    records.validity.put({"new.md": whole}, by="ada")
    assert records.validity.of("new.md") == whole
    assert records.validity.of("old.md") == Validity()
    assert records.validity.all() == {"new.md": whole}
    logged = records.audit.page(what="validity set")
    assert [(each.who, each.about) for each in logged] == [("ada", "new.md")]
    records.validity.put({"new.md": whole}, by="ada")
    assert len(records.audit.page(what="validity set")) == 1  # nothing changed
    records.library.put("new.md", "1" * 64, None, [])
    assert records.validity.of("new.md") == whole  # a newer file of the same name
    records.library.delete("old.md")
    assert records.validity.of("new.md").supersedes == ()
    records.library.delete("new.md")
    assert records.validity.all() == {}


def test_nothing_is_kept_of_changes_one_of_which_cannot_be(records: Records) -> None:
    shelf(records, "a.md", "b.md")
    wrong = {"a.md": Validity("draft"), "b.md": Validity(supersedes=("b.md",))}
    with pytest.raises(StoreError, match="It supersedes itself"):
        records.validity.put(wrong, by="ada")
    assert records.validity.all() == {}


def test_what_somebody_changed_meanwhile_is_not_overwritten(records: Records) -> None:
    shelf(records, "a.md")
    records.validity.put({"a.md": Validity("draft")}, by="ada", instead_of={"a.md": Validity()})
    with pytest.raises(StoreError, match="changed it meanwhile"):
        records.validity.put({"a.md": Validity("withdrawn")}, by="bob", instead_of={"a.md": Validity()})
    assert records.validity.of("a.md").status == "draft"


def test_an_owner_goes_on_under_another_name_and_ends_with_the_person(records: Records) -> None:
    shelf(records, "a.md")
    records.people.add(Newcomer("ada", "Ada", "admin", "active"), by="ada")
    bert = records.people.add(Newcomer("bert", "Bert", "employee", "active"), by="ada")
    records.validity.put({"a.md": Validity(person="bert", by="ada")}, by="ada")
    records.people.change(bert.id, by="ada", name="bertram")
    assert records.validity.owned("", "bertram") == {"a.md"}
    assert records.validity.owned("", "bert") == frozenset()
    records.people.remove(bert.id, by="ada")
    records.people.add(Newcomer("bertram", "Another", "employee", "active"), by="ada")
    assert records.validity.owned("", "bertram") == frozenset()


def test_the_documents_outside_of_a_period_are_found(records: Records) -> None:
    shelf(records, "old.md", "new.md", "draft.md", "plain.md", "gone.md")
    new = Validity(valid_from=date(2025, 1, 1), supersedes=("old.md",))
    gone = Validity("withdrawn", valid_to=date(2024, 6, 30))
    records.validity.put({"new.md": new, "draft.md": Validity("draft"), "gone.md": gone}, by="ada")
    now = {name: one.state for name, one in records.validity.outside(Period.of(date.today())).items()}
    assert now == {"old.md": "superseded", "draft.md": "draft", "gone.md": "withdrawn"}
    then = {name: one.state for name, one in records.validity.outside(YEAR).items()}
    assert then == {"new.md": "not yet valid", "draft.md": "draft"}
    told = records.validity.standings(["old.md", "plain.md"], Period.of(date.today()))
    assert {name: (one.state, one.last, one.successors) for name, one in told.items()} == {
        "old.md": ("superseded", date(2024, 12, 31), ("new.md",))
    }
    records.validity.put({"new.md": replace(new, supersedes=())}, by="ada")
    assert "old.md" not in records.validity.outside(Period.of(date.today()))
