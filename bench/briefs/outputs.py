"""python -m bench.briefs.outputs FILE [WRITER ...]: texts of the real readers that the judge of briefings is held to.

organizations of bench/ -> units and headings, drawn -> passages by words -> a paragraph of a model -> FILE (JSON lines)

The larger reader without its adapter, the smaller one, and the larger with its adapter write; their words are drawn by
chance (nucleus sampling). Goes on where it was stopped.
"""

import json
import sys
from contextlib import closing
from pathlib import Path
from random import Random

import numpy as np

from org.reading.charts import load
from prompts import Message
from store.keywords import Keywords
from store.passage import Passage
from trag.ingest.parse import parse
from trag.ingest.passages import section_passages, sections
from trag.llm.model import LanguageModel, Sampling
from trag.llm.opening import open_model
from trag.settings import Settings

ORGANIZATIONS = Path(__file__).parents[1] / "organizations"
UNITS, TOPICS = 6, 4  # of one organization
_TOKENS = 150
_WRITERS = {"large": ("", "none", 4), "small": ("small", "", 9), "adapter": ("", "", 9)}
"""The model and adapter of each, and of every so many subjects it writes about one."""
_ASK = (
    'Write one fluent, clear paragraph of four to six sentences that briefs a new colleague about "{subject}" of '
    "{organization}. Use only facts that stand in the excerpts above."
)


def passages_of(folder: Path) -> list[Passage]:
    """Every passage of an organization's documents."""
    return [
        passage
        for file in sorted((folder / "documents").iterdir())
        for passage in section_passages(file.name, sections(parse(file.read_bytes(), file.suffix).blocks, file.stem))
    ]


def shown(passage: Passage) -> str:
    """A passage as the writers and the judge read it, under its document and headings."""
    return f"{passage.document}, {passage.section}\n{passage.text}"


def subjects(folder: Path, passages: list[Passage]) -> tuple[str, list[str]]:
    """The organization's name, and the units and headings that are written about."""
    (file,) = folder.glob("chart.*")
    chart = load(file.read_bytes(), file.name)
    chance = Random(folder.name)
    texts = "\n".join(one.text for one in passages).casefold()
    named = sorted({unit.name for unit in map(chart.unit, chart.units) if unit.name.casefold() in texts})
    headings = sorted({one.section.rsplit(" > ", 1)[-1] for one in passages if len(one.text) > 300})
    return chart.root.name, [
        *chance.sample(named, min(UNITS, len(named))),
        *chance.sample(headings, min(TOPICS, len(headings))),
    ]


def written(model: LanguageModel, prompt: str, seed: int) -> str:
    """The paragraph, drawn by nucleus sampling."""
    messages = (Message("user", prompt),)
    pieces = model.stream(messages, max_tokens=_TOKENS, sampling=Sampling(0.7, 0.9, seed), repetition_penalty=1.05)
    return "".join(piece for piece in pieces if isinstance(piece, str))


def main() -> None:
    """Write what is missing."""
    file = Path(sys.argv[1])
    done = {json.loads(line)["id"] for line in file.read_text().splitlines()} if file.exists() else set()
    for name in sys.argv[2:] or _WRITERS:
        reader, adapter, every = _WRITERS[name]
        settings = Settings(model=reader, adapter=adapter)
        with closing(open_model(settings)) as model, file.open("a") as out:
            for place, folder in enumerate(sorted(ORGANIZATIONS.iterdir())):
                passages = passages_of(folder)
                words = Keywords()
                words.add([shown(one) for one in passages])
                everything = np.ones(len(passages), dtype=np.bool_)
                organization, about = subjects(folder, passages)
                for turn, subject in enumerate(about):
                    id = f"{folder.name}-{turn}-{name}"
                    if id in done or (turn + 3 * place) % every:
                        continue
                    found = words.search(subject, 3, living=everything, readable=everything)
                    evidence = [shown(passages[row]) for row in found.tolist()]
                    asked = _ASK.format(subject=subject, organization=organization)
                    text = written(model, "\n\n".join([*evidence, asked]), turn)
                    told = {
                        "id": id,
                        "writer": name,
                        "organization": folder.name,
                        "subject": subject,
                        "evidence": evidence,
                        "text": text,
                    }
                    print(json.dumps(told, ensure_ascii=False), file=out, flush=True)


if __name__ == "__main__":
    main()
