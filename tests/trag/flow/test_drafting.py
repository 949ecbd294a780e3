"""Drafts of procedures from the numbered lists of documents."""

import time

import pytest

from org.procedures.actions import Source
from org.procedures.flows import Book, Procedure, Step
from store.passage import Passage
from trag.flow.drafting import MOST, drafts, unwritten, with_drafts
from trag.ingest.passages import Section, section_passages

ABC = ("Ask.", "Wait.", "Go.")


def found(*texts: str, path: str = "4 Travel > 4.2 Fly home") -> list[Procedure]:
    """What is found in a section with a page for each text, cut into passages as documents are."""
    sections = [Section(path, page, text) for page, text in enumerate(texts, 1)]
    return [draft.procedure for draft in drafts("a.md", section_passages("a.md", sections))]


def numbered(*marks: str, words: tuple[str, ...] = ABC) -> str:
    return "\n".join(mark + text for mark, text in zip(marks, words, strict=True))


LONG = tuple(f"Step number {n} is to take the paper to the next desk." for n in range(1, MOST + 1))
TABLE = "Prices – Kind: a; Price: 1.\nPrices – Kind: b; Price: 2."


@pytest.mark.parametrize(
    ("pages", "steps"),
    [
        (["First read. Then do this:\n" + numbered("1. ", "2. ", "3. ")], ABC),
        ([numbered("(1) ", "(2) ", "(3) ")], ABC),
        ([numbered("a) ", "b) ", "c) ")], ABC),
        ([numbered("i. ", "ii. ", "iii. ")], ABC),
        ([numbered("(A) ", "(B) ", "(C) ")], ABC),
        ([numbered("١. ", "٢. ", "٣. ")], ABC),
        ([numbered("أ) ", "ب) ", "ج) ")], ABC),
        ([numbered("а) ", "б) ", "в) ")], ABC),
        ([numbered("一、", "二、", "三、", words=("问。", "等。", "走。"))], ("问。", "等。", "走。")),
        ([numbered("（１）", "（２）", "（３）")], ABC),
        ([numbered("①", "②", "③")], ABC),
        (["1. Ask.\n\n2. Wait.\n\n3. Go."], ABC),
        (["1. Ask one:\n  - Al\n  - Bo\n2. Wait.\n3. Go.\n  a. by day"], ("Ask one: Al; Bo", "Wait.", "Go. by day")),
        (["1. Ask.\n(a) Ann\n(b) Bob\n2. Wait.\n3. Go."], ("Ask. Ann; Bob", "Wait.", "Go.")),
        (["1. Ask.\n2. Wait for", "the desk.\n\n3. Go."], ("Ask.", "Wait for the desk.", "Go.")),
        (["1. Ask.\n2. Wait.", "3. Go."], ABC),
        (["\n".join(f"{n}. {step}" for n, step in enumerate(LONG, 1))], LONG),
        (["\n".join(f"{n}. x" for n in range(1, MOST + 2))], None),
        (["1. Ask.\n2. Wait."], None),
        (["2. Ask.\n3. Wait.\n4. Go."], None),
        (["1. Ask.\n3. Wait.\n2. Go."], None),
        (["1. Ask.\n1. Wait.\n1. Go."], None),
        (["- Ask.\n- Wait.\n- Go."], None),
        (["1. Scope 3\n2. Terms 5\n3. Fees 12"], None),
        (["1.1 Ask.\n1.2 Wait.\n1.3 Go."], None),
        (["1. Ask.\n2. Wait.\n\n" + TABLE + "\n\n3. Go."], None),
        (["\n".join(f"({n}) {'The council hears the board. ' * 6}" for n in "123")], None),
        (["\n".join(f"{n}、{'委员会听取理事会的意见。' * 5}" for n in "一二三")], None),
        (["I. am here\nor a. there", ""], None),
    ],
)  # fmt: skip
def test_lists_are_found_by_what_they_look_like(pages: list[str], steps: tuple[str, ...] | None) -> None:
    made = [tuple(step.text for step in one.steps) for one in found(*pages)]
    assert made == ([] if steps is None else [steps])


def test_a_draft_says_what_it_is_when_and_where() -> None:
    text = "A journey home is paid. Whoever flies:\n" + numbered("1. ", "2. ", "3. ") + "\n\n" + TABLE
    other = "The desk decides.\n\n" + numbered("a. ", "b. ", "c. ")
    passages = section_passages("a.md", [Section("Travel > 4.2 Fly home", None, f"{text}\n\n{other}")])
    first, second = drafts("a.md", [*passages, Passage("p", "qa", "a.md", "Travel", None, text, "How?")])
    assert first.passage == passages[0].id
    steps = tuple(map(Step, ABC))
    source = Source("a.md", "4.2 Fly home")
    assert first.procedure == Procedure("fly-home", "Fly home", "Whoever flies", steps=steps, source=source)
    assert second.procedure.when == "The desk decides."

    book = with_drafts(None, [first.procedure, second.procedure])
    assert [*book.procedures] == ["fly-home", "fly-home-2"]
    assert [*with_drafts(book, [first.procedure]).procedures] == ["fly-home", "fly-home-2", "fly-home-3"]
    assert [one.title for one in found(text, path="4 Travel > 4.2")] == ["Whoever flies"]
    by_number = Book.of([], [Procedure("x", "X", steps=steps, source=Source("a.md", "4.2"))])
    elsewhere = Book.of([], [Procedure("x", "X", steps=steps, source=Source("b.md", "4.2"))])
    assert [*unwritten([first], by_number)] == []
    assert [*unwritten([first], elsewhere)] == [*unwritten([first], None)] == [first]


def test_hostile_lists_take_no_time() -> None:
    began = time.process_time()
    many = ["\n".join(f"{n}. Item {n} of the list." for n in range(1, 10_001))]
    many += ["1. x\n(a) y\n- z\n" * 3_000, "a. " * 10_000, "1) " + "(" * 50_000, "\n".join(["i. x"] * 10_000)]
    texts = [Passage(str(at), "section", "a", str(at), None, text) for at, text in enumerate(many)]
    assert [*drafts("a", texts)] == []
    assert time.process_time() - began < 3
