"""What a person is told before procedures take the place of others."""

from dataclasses import replace

from org.procedures.actions import Action, Source, Table, Trigger
from org.procedures.changes import Edit, compare
from org.procedures.flows import Book, Procedure, Step

ASK = Action("Ask", "Ask", needs=(("name",),), gives=("form",))
SIGN = Action("Sign", "Sign", needs=(("form", "letter"),))
STEPS = (Step("Ask"), Step("Wait"), Step("Sign", ("Sign",)))
LEAVE = Procedure("leave", "Take leave", steps=STEPS)
BEFORE = Book.of([ASK, SIGN], [LEAVE])


def test_every_difference_between_two_books_is_told() -> None:
    asked = replace(ASK, needs=(("name", "number"), ("date",)), source=Source("rules.md", "4"), audience=("Staff",))
    ring = Action("Ring", "Ring")
    left = replace(LEAVE, when="Before a holiday", steps=(Step("Ask"), Step("Sign"), Step("Go")))
    found = compare(BEFORE, Book.of([asked, ring], [left]))
    assert (found.added, found.removed, found.order) == ((ring,), (SIGN,), False)
    assert [(change.before.id, change.edits) for change in found.changed] == [
        (
            "Ask",
            (Edit("needs", "name", "name|number; date"), Edit("for", "", "Staff"), Edit("source", "", "rules.md, 4")),
        ),
        (
            "leave",
            (
                Edit("when", "", "Before a holiday"),
                Edit("step 2", "Wait", "Sign"),
                Edit("step 3", "Sign (Sign)", "Go"),
            ),
        ),
    ]


def test_tables_and_triggers_are_compared_too() -> None:
    table, trigger = Table("invoice", "Invoices", fields=("amount",)), Trigger("daily", "Daily")
    before = Book.of([ASK], [LEAVE], [table], [trigger])
    found = compare(before, Book.of([ASK], [LEAVE], [], [replace(trigger, table=True)]))
    assert (found.removed, found.changed[0].edits) == ((table,), (Edit("table", "no", "yes"),))
    assert before.version != Book.of([ASK], [LEAVE]).version


def test_a_step_put_in_between_leaves_the_others_as_they_were() -> None:
    more = replace(LEAVE, steps=(*STEPS[:1], Step("Ring"), *STEPS[1:]))
    there = compare(BEFORE, Book.of([ASK, SIGN], [more]))
    back = compare(Book.of([ASK, SIGN], [more]), BEFORE)
    assert there.changed[0].edits == (Edit("step 2", "", "Ring"),)
    assert back.changed[0].edits == (Edit("step 2", "Ring", ""),)


def test_the_same_book_has_no_changes_and_the_same_version() -> None:
    assert not compare(BEFORE, Book.of([ASK, SIGN], [LEAVE]))
    turned = Book.of([SIGN, ASK], [LEAVE])
    assert compare(BEFORE, turned).order
    assert turned.version != BEFORE.version == Book.of([ASK, SIGN], [LEAVE]).version
