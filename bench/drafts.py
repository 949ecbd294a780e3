"""python -m bench.drafts: how many of the procedures that stand in documents are found, and how much else.

drafts.jsonl in bench/flows marks by hand the numbered lists of ten organizations: whether one is a procedure, whose
items are done one after another. What a step may be long was chosen on the first six; the other four measure.
"""

import json
from pathlib import Path

from trag.flow.drafting import Draft, drafts
from trag.ingest.passages import section_passages, sections
from trag.ingest.reading import read
from trag.sandbox import Limits

ROOT = Path(__file__).parent.parent
MARKS = Path(__file__).parent / "flows" / "drafts.jsonl"
MEASURED = ("brackwater-hospital", "corvessa-university", "larkmoor", "orlen-relief")


def main() -> None:
    """Print the table."""
    marks = [json.loads(line) for line in MARKS.read_text(encoding="utf-8").splitlines()]
    counts: dict[str, list[int]] = {}
    print("| | procedures | found | other lists | taken for one |\n|---|---|---|---|---|")
    for organization in dict.fromkeys(mark["organization"] for mark in marks):
        wanted = {_key(mark): mark["procedure"] for mark in marks if mark["organization"] == organization}
        found = _found(organization)
        right = {key for draft in found if wanted.get(key := _key_of(draft))}
        procedures = sum(wanted.values())
        row = [procedures, len(right), len(wanted) - procedures, len(found) - len(right)]
        part = "measured" if organization in MEASURED else "chosen on"
        counts[part] = [a + b for a, b in zip(counts.get(part, [0] * len(row)), row, strict=True)]
        print(f"| {organization} | {' | '.join(map(str, row))} |", flush=True)
    for part, row in counts.items():
        print(f"| {part} | {' | '.join(map(str, row))} |")


def _found(organization: str) -> list[Draft]:
    """The drafts in the documents of an organization, as `ingest` cuts them."""
    folders = (ROOT / "examples" / organization, ROOT / "bench" / "organizations" / organization)
    documents = next(folder / "documents" for folder in folders if folder.is_dir())
    found: list[Draft] = []
    for file in sorted(documents.iterdir()):
        blocks = read(file.read_bytes(), file.name, Limits()).blocks
        found += drafts(file.name, section_passages(file.name, sections(blocks, file.stem)))
    return found


def _key(mark: dict[str, str]) -> tuple[str, str, str]:
    return mark["document"], mark["section"], mark["first"]


def _key_of(draft: Draft) -> tuple[str, str, str]:
    procedure = draft.procedure
    return procedure.source.document, procedure.source.section, procedure.steps[0].text[:60]


if __name__ == "__main__":
    main()
