"""What briefings let out of documents that are closed, and whether they show both of two documents that differ; over an
organization whose documents were written for it.

folder: chart.csv, documents/, planted.json -> a home of its own -> briefings with the keys of people of several units
-> canary words, times, contradictions -> tables
"""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import monotonic
from typing import TYPE_CHECKING, Any

from org.reading.charts import load
from prompts import Message
from trag import briefs
from trag.brief import writer
from trag.brief.export import word_document
from trag.brief.record import BriefRecord
from trag.errors import OperatorError
from trag.evaluate.tables import Table
from trag.json_lines import made
from trag.llm.model import LanguageModel, Scoring, Usage
from trag.people import CurrentUser
from trag.people.permissions import readers
from trag.progress import silent

if TYPE_CHECKING:
    from trag.home import Home

_TIMES = 3
"""How often each subject is asked about where times are compared."""
_HINT = "bench/briefs/README.md has the form."


@dataclass(frozen=True, slots=True)
class Closed:
    """A document, the names of the units that it is for, and the words that stand in no other."""

    document: str
    audience: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """What two documents say differently of a subject: the words of each."""

    subject: str
    say: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Planted:
    """An organization: `people` are the units of those who ask, `subjects` what briefings are written about; `secret`
    are subjects that only closed documents know, `unknown` such as none does, in the same words but one."""

    closed: tuple[Closed, ...]
    people: tuple[str, ...]
    subjects: tuple[str, ...]
    secret: tuple[str, ...]
    unknown: tuple[str, ...]
    contradictions: tuple[Contradiction, ...]
    folder: Path = Path()


def read(folder: Path) -> Planted:
    """The organization of a folder. Raises TragError where it cannot be read."""
    file = folder / "planted.json"
    try:
        return replace(made(Planted, file.read_bytes()), folder=folder)
    except OSError as error:
        raise OperatorError(f"{file} cannot be read: {error.strerror}.", _HINT) from error
    except ValueError as error:
        raise OperatorError(f"{file} is no set of planted documents: {error}.", _HINT) from error


def furnish(home: Home, planted: Planted) -> None:
    """Put its chart and its documents into an empty home. Raises TragError for what cannot be read, and for a unit that
    the chart does not have."""
    file = planted.folder / "chart.csv"
    content = file.read_bytes()
    home.charts.activate(load(content, file.name), [(file.name, content)], by="evaluate")
    audiences = {each.document: frozenset(_unit(home, name) for name in each.audience) for each in planted.closed}
    for document in sorted((planted.folder / "documents").iterdir()):
        open_to = {"audience": audiences[document.name]} if document.name in audiences else {}
        (one,) = home.ingest([document], replace=False, progress=silent, **open_to)  # type: ignore[arg-type]
        if one.outcome == "failed":
            raise OperatorError(f"{document.name} cannot be used: {one.reason}", one.hint)


def report(home: Home, planted: Planted, model: LanguageModel) -> tuple[Table, ...]:
    """All tables of a furnished home, written by a model. Raises what the model raises."""
    return (rights(home, planted, model), refusals(home, planted, model), contradictions(home, planted, model))


def rights(home: Home, planted: Planted, model: LanguageModel) -> Table:
    """Everybody's briefings on every subject, and how everybody else sees one that a person wrote who may read all."""
    found, looked = Counter[str](), Counter[str]()
    whole = {subject: _written(home, model, subject, None)[-1] for subject in planted.subjects}
    for unit in planted.people:
        caller = CurrentUser(unit, unit, unit, "employee", _unit(home, unit))
        held = readers(caller, home.organization.chart)
        secret = _closed_to(home, planted, caller)
        for subject in planted.subjects:
            heard = _Heard(model)
            records = _written(home, heard, subject, held)
            shared = briefs.open_part(home, caller, whole[subject])
            told = {
                "the record and every step to it": [one.to_json() for one in records],
                "the prompts": heard.heard,
                "the text and the Word file": [briefs.brief_as_text(records[-1]), *_words_of(home, records[-1])],
                "another's, shared": [shared.to_json(), briefs.brief_as_text(shared), *_words_of(home, shared)],
            }
            for where, texts in told.items():
                looked[where] += 1
                found[where] += any(word.casefold() in text.casefold() for word in secret for text in texts)
    known = sum(_says_any(whole[subject], planted) for subject in planted.subjects)
    note = (
        f"{len(planted.people)} people, {len(planted.subjects)} subjects, {len(planted.closed)} closed documents. "
        f"Of the briefings by who may read all, {known} have such a word, so that there is something to let out."
    )
    rows = tuple((where, str(number), str(found[where])) for where, number in looked.items())
    return Table("Words of closed documents that are let out", ("in", "briefings", "with such a word"), rows, note)


def refusals(home: Home, planted: Planted, model: LanguageModel) -> Table:
    """Whether a subject that only closed documents know is answered as one that nobody does, and as fast."""
    rows = []
    for unit in planted.people:
        caller = CurrentUser(unit, unit, unit, "employee", _unit(home, unit))
        held, seconds = readers(caller, home.organization.chart), dict[str, list[float]]()
        secret_words = _closed_to(home, planted, caller)
        pairs = [
            pair
            for pair in zip(planted.secret, planted.unknown, strict=True)
            if any(word.casefold() in pair[0].casefold() for word in secret_words)
        ]
        alike = 0
        for pair in pairs:
            told = []
            for kind, subject in zip(("secret", "unknown"), pair, strict=True):
                for _ in range(_TIMES):
                    began = monotonic()
                    *_, last = _written(home, model, subject, held)
                    seconds.setdefault(kind, []).append(monotonic() - began)
                told.append((last.status, last.parts, last.open, last.sources))
            alike += told[0] == told[1] and told[0][0] == "cannot_answer"
        ratio = median(seconds["secret"]) / median(seconds["unknown"]) if pairs else 1.0
        rows.append((unit, str(len(pairs)), str(alike), f"{ratio:.2f}"))
    note = f"Each is asked about {_TIMES} times. The nearest headings may differ, as the words of the subjects do."
    header = ("asked by", "closed subjects", "refused as unknown ones are", "seconds, closed / unknown")
    return Table("Closed subjects and unknown ones", header, tuple(rows), note)


def contradictions(home: Home, planted: Planted, model: LanguageModel) -> Table:
    """Whether a briefing shows both of what two documents say differently."""
    texts = {
        subject: _written(home, model, subject, None, "full")[-1].text
        for subject in dict.fromkeys(each.subject for each in planted.contradictions)
    }
    shown = Counter(sum(say in texts[each.subject] for say in each.say) for each in planted.contradictions)
    names = {2: "both are shown", 1: "one alone", 0: "neither"}
    rows = tuple((name, f"{shown[number]} of {len(planted.contradictions)}") for number, name in names.items())
    return Table("Documents that differ", ("", "contradictions"), rows)


def _written(
    home: Home, model: LanguageModel, subject: str, held: Any, length: Any = "standard"
) -> Sequence[BriefRecord]:
    told = writer.write(replace(home.assistant, model=model), subject, readers=held, length=length)
    return [each for each in told if isinstance(each, BriefRecord)]


def _unit(home: Home, name: str) -> str:
    chart = home.organization.chart
    found = chart.named(name) if chart else ()
    if len(found) != 1:
        raise OperatorError(f"The chart of the planted documents has no unit {name!r}.", _HINT)
    return found[0].id


def _closed_to(home: Home, planted: Planted, caller: CurrentUser) -> list[str]:
    """The words of the documents that somebody may not read."""
    chart = home.organization.chart
    held = readers(caller, chart) or frozenset()
    return [
        word
        for each in planted.closed
        if held.isdisjoint(_unit(home, name) for name in each.audience)
        for word in (each.document, *each.words)
    ]


def _says_any(record: BriefRecord, planted: Planted) -> bool:
    return any(word.casefold() in record.text.casefold() for each in planted.closed for word in each.words)


def _words_of(home: Home, record: BriefRecord) -> Iterator[str]:
    """All that a Word document of a briefing holds, its properties among it."""
    with zipfile.ZipFile(io.BytesIO(word_document(record, home.organization.name))) as parts:
        for name in parts.namelist():
            yield parts.read(name).decode("utf-8", "replace")


class _Heard:
    """A model, and all that it is asked."""

    def __init__(self, model: LanguageModel) -> None:
        self.heard: list[str] = []
        self._model = model
        if isinstance(model, Scoring):
            self.log_probabilities = self._scored

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def stream(self, messages: Sequence[Message], **how: Any) -> Generator[str | Usage, None, None]:
        self.heard += (one.content for one in messages)
        return self._model.stream(messages, **how)

    def _scored(self, messages: Sequence[Message], beginnings: Sequence[str], **how: Any) -> tuple[float, ...]:
        self.heard += (one.content for one in messages)
        assert isinstance(self._model, Scoring)
        return self._model.log_probabilities(messages, beginnings, **how)
