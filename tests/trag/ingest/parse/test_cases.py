"""Documents as people have them, whole: what must be read of each, and what must not."""

from pathlib import Path

import pytest

from trag.ingest.parse import parse
from trag.ingest.passages import sections

CASES = Path(__file__).parent / "cases"
READ = {
    "leave-rules.docx": (["21 days before it begins", "lapses on 31 March"], ["14 days", "may be carried over"]),
    "parking.html": (["costs EUR 45 a month", "closes at 22:00"], ["EUR 30", "free of charge", "20:00"]),
    "allowances.docx": (["EUR 500 ¹ for", "EUR 900 ²", "120 m² and", "10^6 litres", "¹ Paid once."], ["5001", "106"]),
    "benefits.docx": (
        ["Dental cover; Permanent staff: ✓; Contractors: ✗", "Bicycle loan; Permanent staff: ✓; Contractors: ✓"],
        [],
    ),
    "registry-fees.docx": (
        [
            "Birth certificate; Office: Civil Registry; Fee: normal: EUR 12, express: EUR 25.",
            "Dog licence; Office: Tax Office; Fee: EUR 40",
        ],
        [],
    ),
    "daily-rates.docx": (["Country: Poland; Hotel limit: EUR 90; Meals: EUR 30"], ["[Daily rates > Meals]"]),
    "shift-allowance.docx": (["Site: Depot; Night: EUR 15", "Night: EUR 18; Sunday: EUR 28"], ["Site: EUR 18"]),
    "staff-faq.html": (
        [
            "[Staff FAQ > How many days may I work from home?]\nTwo a week",
            "[Staff FAQ > Who pays for my bus ticket?]\nThe employer",
        ],
        [],
    ),
    "claims.html": (
        [
            "press the plus sign and choose New claim; claims above EUR 500 need a second signature.",
            "Permanent: Yes; Contractor: No",
        ],
        [],
    ),
    "library.html": (
        [
            "[Library rules > Loans]\nBooks may be kept for 21 days.",
            "[Library rules > Fines]\nA late book costs EUR 0.20 a day.",
        ],
        ["pothole", "cookies", "Parking permits", "Popular pages", "Town hall"],
    ),
    "senate.md": (
        [
            "[Article I. Members]\nA. The senate has thirty members.\n  1. Each faculty sends three members.\n"
            "  2. First-year students send two more.\nB. A member serves for one year.\n"
            "C. A member who misses four meetings loses the seat."
        ],
        ["#.", "numbersections"],
    ),
    "leave.md": (
        ["you can use paid parental leave for 12 weeks", "Unused credit hours never expire", "[Leave types > Limits]"],
        ["{%", "{{%", "{#limits}"],
    ),
    "rules-ja.txt": (["勤務時間は午前九時から午後六時までとする"], []),
    "otpusk.txt": (["Сотрудник имеет право на 28 дней отпуска"], []),
}
"""By file: what its sections, each under its path in brackets, hold and do not hold."""


def test_every_file_of_a_case_is_read() -> None:
    assert {path.name for path in CASES.iterdir()} == {*READ}


@pytest.mark.parametrize("name", READ)
def test_a_document_is_read_as_its_reader_sees_it(name: str) -> None:
    path = CASES / name
    found = sections(parse(path.read_bytes(), path.suffix).blocks, path.stem)
    text = "\n".join(f"[{section.path}]\n{section.text}\n" for section in found)
    holds, lacks = READ[name]
    assert [words for words in holds if words not in text] == [], text
    assert [words for words in lacks if words in text] == [], text


NOTES = {
    "leave-rules.docx": ("2 struck-out passages left out",),
    "parking.html": ("3 struck-out passages left out",),
    "library.html": ("4 surrounding parts left out",),
    "otpusk.txt": ("not UTF-8: read as Windows-1251",),
    "rules-ja.txt": ("not UTF-8: read as Shift-JIS",),
}


@pytest.mark.parametrize("name", NOTES)
def test_what_is_left_out_or_guessed_is_said(name: str) -> None:
    path = CASES / name
    assert parse(path.read_bytes(), path.suffix).notes == NOTES[name]
