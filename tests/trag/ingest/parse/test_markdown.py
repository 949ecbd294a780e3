import pytest

from trag.ingest.parse import parse


def texts(text: str) -> list[str]:
    return [block.text for block in parse(f"# Rules\n\n## All\n\n{text}".encode(), ".md").blocks[2:]]


def noted(text: str) -> tuple[str, ...]:
    return parse(f"# Rules\n\n{text}".encode(), ".md").notes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A. one\nB. two\nC. three", ["A. one", "B. two", "C. three"]),
        ("a) one\n\n   more\n\nb) two", ["a) one more", "b) two"]),
        ("(i) one\n(ii) two\n(iii) three", ["(i) one", "(ii) two", "(iii) three"]),
        ("i. one\nii. two", ["i. one", "ii. two"]),
        ("h. one\n\ni. two", ["h. one", "i. two"]),
        ("1. one\n   a. two\n   b. three\n2. four", ["1. one", "a. two", "b. three", "2. four"]),
        ("#. one\n#. two", ["1. one", "2. two"]),
        ("A.  one\n#.  two", ["A. one", "B. two"]),
        ("(1) one\n(2) two", ["(1) one", "(2) two"]),
        ("(@) one\n(@) two", ["(1) one", "(2) two"]),
        (
            "1.1 The board meets here.\n1.2 The board votes here.",
            ["1.1 The board meets here.", "1.2 The board votes here."],
        ),
        ("B. Russell wrote this.", ["B. Russell wrote this."]),
        ("I. Newton and\nothers wrote this.", ["I. Newton and others wrote this."]),
        ("- one\n- two", ["- one", "- two"]),
        ("```\nA. one\nB. two\n```", ["A. one\nB. two"]),
    ],
)
def test_items_have_the_marks_that_they_are_written_with(text: str, said: list[str]) -> None:
    assert texts(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Pay ~~5~~ 6.", ["Pay 6."]),
        ("Pay ~five EUR~ 6.", ["Pay 6."]),
        ("Pay {--5--}{++6++}.", ["Pay 6."]),
        ("Pay {~~5~>6~~}.", ["Pay 6."]),
        ("Pay [5]{.deletion author=Ana} 6.", ["Pay 6."]),
        ("Pay <s>5</s> <del>7</del> 6.", ["Pay 6."]),
    ],
)
def test_what_is_struck_out_is_left_out_and_counted(text: str, said: list[str]) -> None:
    assert texts(text) == said
    assert "struck-out passage" in noted(text)[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("H~2~O, 10^6^ l, the 3^rd^, ~5 or ~6 km", ["H2O, 10^6 l, the 3rd, ~5 or ~6 km"]),
        ("EUR 500[^1] a month.\n\n[^1]: Paid once.", ["EUR 500[1] a month.", "Note 1: Paid once."]),
        ("- [x] paid\n- [ ] open", ["- ☑ paid", "- ☐ open"]),
        (":white_check_mark: yes &cross; no", ["✅ yes ✗ no"]),
        ("Term\n:   Its meaning.", ["- Term: Its meaning."]),
        ("Text [one]{.underline} and `code`{.python}.", ["Text one and code."]),
        ("### Limits {#limits .x}\n\nNone.", ["Limits", "None."]),
        ("Limits {#l}\n------\n\nNone.", ["Limits", "None."]),
        ("Text.\n{: .note}\n\n[[Leave|annual leave]] [[Pay]]", ["Text.", "annual leave Pay"]),
        ("[TOC]\n\nText.", ["Text."]),
        ("{% comment %}\nHidden.\n{% endcomment %}\n\nText {# not this #}is.", ["Text is."]),
        ('[leave]({{< relref "leave.md" >}}) and [pay]({% link pay.md %})', ["leave and pay"]),
        ('{% include alert.html content="Call the desk first." %}\n\nText.', ["Call the desk first.", "Text."]),
        ('{{< expand "May I park?" >}}\nYes.\n{{< /expand >}}', ["May I park?", "Yes."]),
        ("```\n{% raw %} {{ code }}\n```", ["{% raw %} {{ code }}"]),
    ],
)
def test_dialects_are_understood(text: str, said: list[str]) -> None:
    assert texts(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("!!! note\n    Call first.\n\n    - a\n\nText.", ["Call first.", "- a", "Text."]),
        ('!!! note "Hours of work"\n    Eight.', ["Hours of work:", "Eight."]),
        ('??? question "May I park?"\n    Yes.', ["May I park?", "Yes."]),
        ('=== "Staff"\n    Ten.\n\n=== "Guests"\n    None.', ["Staff", "Ten.", "Guests", "None."]),
        (":::tip[Hours of work]\nEight.\n:::", ["Hours of work:", "Eight."]),
        ("::: details May I park?\nYes.\n:::", ["May I park?", "Yes."]),
        ("::: {.warning #x}\nMind the gap.\n\n:::: box\nTwice.\n::::\n:::", ["Mind the gap.", "Twice."]),
        ("> [!NOTE]\n> Call first.", ["Call first."]),
        ("> [!faq]- May I park?\n> Yes.", ["May I park?", "Yes."]),
        ("```{tip} Hours of work\nEight.\n```\n\nText.", ["Hours of work:", "Eight.", "Text."]),
        ("{{% notice tip %}}\nCall first.\n{{% /notice %}}", ["Call first."]),
    ],
)
def test_boxes_are_text_under_their_titles(text: str, said: list[str]) -> None:
    assert texts(text) == said


@pytest.mark.parametrize(
    "matter",
    [
        "---\ntitle: Pay\nno: x\n---\n",
        "---\ntitle: Pay\n...\n",
        "+++\ntitle = 'Pay'\n+++\n",
        "% Pay\n% The board\n% May\n",
    ],
)
def test_front_matter_is_the_title_alone(matter: str) -> None:
    found = [block.text for block in parse(f"{matter}\n## Limits\n\nNone.\n".encode(), ".md").blocks]
    assert found == ["Pay", "Limits", "None."]


def test_what_else_front_matter_says_is_counted() -> None:
    content = b"---\ntitle: Pay\nno: x\nowner: Treasurer\n---\nText."
    assert parse(content, ".md").notes == ("2 front-matter lines left out",)
    assert parse(b"---\ntitle: Pay\n---\nText.", ".md").notes == ()


def test_values_that_are_filled_in_elsewhere_are_counted() -> None:
    assert texts("Call {{ site.phone }} now.") == ["Call now."]
    assert noted("Call {{ site.phone }} now.") == ("1 template value left out",)
