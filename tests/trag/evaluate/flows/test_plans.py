"""Plans read from what models write."""

import pytest

from trag.evaluate.flows.plans import Plan, Unit, read

FIND = "[thought] Look for one. [API] Find()"
END = "[thought] Done. [API] Finish()"


@pytest.mark.parametrize(
    ("text", "units", "thoughts", "unread", "finished"),
    [
        (f"{FIND}\n{END}", ["Find", "Finish"], 2, (), True),
        (f"{FIND}\n{END}\n[thought] And more. [API] Find() and chatter", ["Find", "Finish"], 2, (), True),
        ("[thought] Two at once. [API] Find(city='Rome'), Order()", ["Find", "Order"], 1, (), False),
        ("[thought] One. [API] Find() [API] Order()", ["Find", "Order"], 1, (), False),
        ("Sure!\n" + FIND, ["Find"], 1, ("Sure!",), False),
        ("[thought] Hm. [thought] Look. [API] Find()", ["Find"], 2, ("[thought] Hm.",), False),
        ("[thought] Look. [API] Find() which is best", ["Find"], 1, ("[API] Find() which is best",), False),
        ("[thought] Look. [API] Find", [], 1, ("[API] Find",), False),
        (f"{FIND}\n[thought] Then", ["Find"], 2, ("[thought] Then",), False),
        ("[API] Find()", ["Find"], 0, ("[API] Find() without a thought",), False),
        ("nothing of it", [], 0, ("nothing of it",), False),
        ("", [], 0, (), False),
    ],
)
def test_what_is_no_unit_is_kept_apart(
    text: str, units: list[str], thoughts: int, unread: tuple[str, ...], finished: bool
) -> None:
    plan = read(text)
    assert ([unit.api for unit in plan.units], plan.thoughts, plan.unread, plan.finished) == (
        units,
        thoughts,
        unread,
        finished,
    )
    assert plan.parsable == (bool(units) and not unread)


def test_what_a_stop_left_open_is_nobodys_fault() -> None:
    for rest in ("[thought] Then I", "[thought] Then. [API] Ord", "[thought] Then. [API] ", "[thought] "):
        assert read(f"{FIND}\n{rest}", cut=True).parsable
    assert not read(f"chatter {FIND}\n[thought] Then", cut=True).parsable


def test_without_thoughts() -> None:
    assert read("[API] Find()\n[API] Finish()", thoughts=False) == Plan(
        (Unit("", "Find"), Unit("", "Finish")), finished=True
    )
    assert not read(FIND, thoughts=False).parsable
