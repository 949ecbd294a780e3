import pytest

from trag.ingest.parse.marks import bulleted, in_font, items, left_out, numbered, plain, raised, settled
from trag.ingest.reading import Block

UP = raised


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"EUR 500{UP('1')} a month", "EUR 500 ¹ a month"),
        (f"EUR 500{UP('1')}a month", "EUR 500 ¹ a month"),
        (f"a family{UP('2')}.", "a family ²."),
        (f"a family{UP('1')}{UP(',')}{UP('2')}", "a family ¹,²"),
        (f"10{UP('6')} litres", "10^6 litres"),
        (f"2{UP('10')} bytes", "2^10 bytes"),
        (f"5 s{UP('-1')}", "5 s^-1"),
        (f"120 m{UP('2')} and 3 km{UP('3')}", "120 m² and 3 km³"),
        (f"EUR 5/m{UP('2')}", "EUR 5/m²"),
        (f"EUR 10{UP('1')}", "EUR 10 ¹"),
        (f"1,200{UP('2')}", "1,200 ²"),
        (f"the 1{UP('st')} of May", "the 1st of May"),
        (f"EUR 500{UP('a')}", "EUR 500 (a)"),
        (f"EUR 500{UP('*')}", "EUR 500*"),
        (f"EUR 500{UP('[1]')}", "EUR 500[1]"),
        (f"x{UP('n+1')}", "x^(n+1)"),
    ],
)
def test_raised_text_is_told_apart_from_the_figure_before_it(line: str, said: str) -> None:
    notes = [Block("paragraph", f"{UP(mark)} Paid once.") for mark in ("1", "2", "a")]
    assert settled([Block("paragraph", line), *notes])[0].text == said


def test_a_ten_is_raised_to_a_power_unless_a_note_of_that_mark_is_asked_for_there_alone() -> None:
    notes = [Block("paragraph", f"{UP(mark)} Paid once.") for mark in ("1", "2", "3")]
    table = Block("table", rows=(("Pay", f"EUR 900{UP('3')}"), ("Tank", f"10{UP('3')} l"), ("Bus", f"EUR 10{UP('2')}")))
    assert settled([table, *notes])[0].rows == (("Pay", "EUR 900 ³"), ("Tank", "10^3 l"), ("Bus", "EUR 10 ²"))
    assert settled([table, *notes])[1].text == "¹ Paid once."


@pytest.mark.parametrize(
    ("font", "text", "said"),
    [
        ("Wingdings", "üûþý¨o", "✓✗☑☒☐☐"),
        ("Wingdings", "\uf0fc \uf0fb", "✓ ✗"),
        ("Wingdings 2", "POR£", "✓✗☑☐"),
        ("Webdings", "arc", "✔✖☐"),
        ("Symbol", "m\xb3\uf0b7", "μ≥•"),
        ("ZapfDingbats", "38", "✓✘"),
        ("Arial", "üP", "üP"),
        ("Segoe UI Symbol", "☑", "☑"),
    ],
)
def test_symbol_fonts_are_read_as_what_they_draw(font: str, text: str, said: str) -> None:
    assert in_font(text, font) == said


def test_private_characters_are_read_or_counted_and_strokes_cross_out() -> None:
    assert plain("Dental \uf0fc, bus \uf0fb") == ("Dental ✓, bus ✗", 0, 0)
    assert plain("\uf0b7 one") == ("• one", 0, 0)
    assert plain("see \ue123 and " + in_font("\x5a", "Wingdings")) == ("see  and ", 2, 0)
    assert plain("Pay " + "".join(f"{letter}\u0336" for letter in "EUR 30") + " EUR 45") == ("Pay  EUR 45", 0, 1)
    assert plain("Zürich ≠ Ő") == ("Zürich ≠ Ő", 0, 0)


def test_lines_that_each_begin_with_a_bullet_are_items() -> None:
    assert items(Block("paragraph", "• one\n▪ two")) == (Block("item", "- one", 1), Block("item", "- two", 1))
    for block in (Block("paragraph", "these:\n• one"), Block("heading", "- one"), Block("paragraph", "-one")):
        assert items(block) == (block,)


def test_items_are_numbered_as_their_lists_show_and_keep_marks_of_their_own() -> None:
    forms = ("lowerLetter", "upperLetter", "lowerRoman", "upperRoman", "decimalZero", "decimal")
    assert [numbered(4, form) for form in forms] == ["d", "D", "iv", "IV", "04", "4"]
    assert [bulleted(text) for text in ("(a) one", "1.1 two", "B. three", "• four", "five a)")] == [
        *("(a) one", "1.1 two", "B. three", "- four", "- five a)")
    ]


def test_what_is_left_out_is_counted() -> None:
    assert left_out({"struck-out passage": 2, "hidden passage": 0, "form field": 1}) == (
        "2 struck-out passages left out",
        "1 form field left out",
    )
