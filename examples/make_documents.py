"""Makes the sample's governance manual as a PDF and as a Word file, from its Markdown parts.

    .venv/bin/python -m examples.make_documents

Needs what tests/requirements.txt installs. The same parts give the same bytes.
"""

from __future__ import annotations

from examples.manual import LARKMOOR, parts
from examples.manual_pdf import pdf
from examples.manual_word import word

EXPORTS = LARKMOOR / "exports"
NAME = "larkmoor-governance-manual"


def main() -> None:
    EXPORTS.mkdir(exist_ok=True)
    for ending, make in (("pdf", pdf), ("docx", word)):
        path = EXPORTS / f"{NAME}.{ending}"
        path.write_bytes(make(parts()))
        print(f"{path.relative_to(LARKMOOR.parent.parent)}: {path.stat().st_size / 1000:,.0f} kB")


if __name__ == "__main__":
    main()
