from trag.ingest.parse import parse
from trag.ingest.reading import Block


def test_markdown_becomes_blocks_in_order() -> None:
    text = """# Handbook

Time off is **earned**, see [the table](https://example.org).

## Vacation

| Grade | Days |
|-------|-----:|
| Junior | 25 |
| Senior | |

Ask for it:

- early,
  - in May at best
1. in writing

Closed
------
```
code stays
```
"""
    assert parse(text.encode(), ".md").blocks == (
        Block("heading", "Handbook", 1),
        Block("paragraph", "Time off is earned, see the table."),
        Block("heading", "Vacation", 2),
        Block("table", rows=(("Grade", "Days"), ("Junior", "25"), ("Senior", ""))),
        Block("paragraph", "Ask for it:"),
        Block("item", "- early,", 1),
        Block("item", "- in May at best", 2),
        Block("item", "1. in writing", 1),
        Block("heading", "Closed", 2),
        Block("paragraph", "code stays"),
    )


def test_the_title_of_front_matter_is_the_documents_and_the_rest_is_left_out() -> None:
    text = "---\r\ntitle: 'Travel policy'\r\nlayout: page\r\n---\r\n## Booking\r\n\r\nBook early.\r\n"
    assert [block.text for block in parse(text.encode(), ".md").blocks] == ["Travel policy", "Booking", "Book early."]
    assert [block.text for block in parse(b"---\ntitle: Rules\n---\n# Rules\n\nBe kind.", ".md").blocks] == [
        "Rules",
        "Be kind.",
    ]


def test_html_in_markdown_is_read_without_what_is_hidden() -> None:
    hidden = "<!-- secret -->\n<script>alert(1)</script>"
    text = f"# A\n\n{hidden}\n\n<details><summary>Who approves?</summary>\n\nYour head.\n\n</details>"
    assert [block.text for block in parse(text.encode(), ".md").blocks] == ["A", "Who approves?", "Your head."]


def test_bold_lines_and_wording_stand_in_for_headings() -> None:
    text = (
        "BYLAWS OF THE CLUB\n\n1. Membership\n\nAll may join.\n\n2. Fees\n\nFees are due.\n\n**What to pay?**\n30 EUR."
    )
    blocks = parse(text.encode(), ".md").blocks
    assert [block.text for block in blocks if block.kind == "heading"] == [
        "BYLAWS OF THE CLUB",
        "1. Membership",
        "2. Fees",
        "What to pay?",
    ]
    assert blocks[-1].text == "30 EUR."


def test_a_bold_line_among_bold_questions_asks_too() -> None:
    asked = "# FAQ\n\n## Pay\n\n**When?**\nOn Friday.\n\n**How much?**\n5.\n\n**My slip is wrong.**\nTell us.\n"
    headings = [block.text for block in parse(asked.encode(), ".md").blocks if block.kind == "heading"]
    assert headings == ["FAQ", "Pay", "When?", "How much?", "My slip is wrong."]
    told = "# Rules\n\n## Pay\n\n**Be kind.**\nAlways.\n\n**Be brief.**\nAs this is.\n"
    assert [block.text for block in parse(told.encode(), ".md").blocks if block.kind == "heading"] == ["Rules", "Pay"]
