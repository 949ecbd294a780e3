"""What an answer stands on, ready to be shown: sources numbered, their supporting words marked, and the place of units
in the chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from markupsafe import Markup, escape

from org.chart import Chart, Unit
from store.library import words_of_name
from trag.brief.record import BriefRecord
from trag.flow.record import PlanRecord
from trag.record import NEAREST, AnswerRecord, Source, first_of_sections, standing_words
from trag.view.marks import supporting
from trag.web.documents.names import key
from trag.workflow.record import WorkflowRecord


@dataclass(frozen=True, slots=True)
class Branch:
    """A unit in the chart: the path from the root to it, the units directly under it, and those beside it."""

    path: tuple[Unit, ...]
    below: tuple[Unit, ...]
    beside: tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A source under its number, its supporting words marked. `used`: some sentence of the answer stands on it, or all
    of an approved answer does, as far as anybody knows, or it says something else. `title` is what its document is
    called.

    `standing` says when it is valid, `outdated` that it was not in force on the days that were asked for, `successors`
    what takes its place, each with its address.

    `link` opens its document at the place, "" where there is none or the reader may not; `withdrawn`: the document has
    been deleted since, or taken from this reader, who is shown none of its words then.
    """

    number: int
    source: Source
    used: bool
    question: Markup
    text: Markup
    branch: Branch | None
    title: str
    link: str = ""
    withdrawn: bool = False
    standing: str = ""
    outdated: bool = False
    successors: tuple[tuple[str, str], ...] = ()


def evidence(record: AnswerRecord, chart: Chart | None, documents: Mapping[str, str]) -> tuple[Evidence, ...]:
    """The sources, numbered from 1: those that sentences stand on, in the order of the sentences, then the others;
    where nothing was answered, the first passage of each section, then the rest, then the chart.

    `documents` are those that are there, by name, with what each is called, "" where the reader may not open it.
    """
    record = withheld(record, documents)
    by_id = {source.id: source for source in record.sources}
    supported = [sentence for sentence in record.checks.sentences if sentence.supported and sentence.source in by_id]
    used = dict.fromkeys(sentence.source for sentence in supported) or dict.fromkeys(by_id if record.approved else ())
    used |= dict.fromkeys(conflict.other for conflict in record.conflicts)
    others = [source for source in record.sources if source.id not in used]
    if record.status == "cannot_answer":
        leading = first_of_sections(others)
        others.sort(key=lambda source: 2 if source.kind == "chart" else source not in leading)
    ordered = [by_id[id_] for id_ in used] + others
    found: list[Evidence] = []
    for number, source in enumerate(ordered, 1):
        borne_out = [sentence.evidence or sentence.text for sentence in supported if sentence.source == source.id]
        borne_out += [conflict.other_evidence for conflict in record.conflicts if conflict.other == source.id]
        question, text = marked(source.question, borne_out), marked(source.text, borne_out)
        link = ""  # a whole document opens at its beginning
        if of_document(source) and documents.get(source.document):
            place = f"?{urlencode({'passage': source.id, 'answer': record.id})}#here"
            link = f"/documents/{key(source.document)}/view{place if source.kind != 'approved' else ''}"
        withdrawn = of_document(source) and not documents.get(source.document)
        branch, title = _branch(source, record, chart), called(source, documents)
        standing = standing_words(source, successors=False)
        outdated = source.validity is not None and source.validity.state != "in force"
        after = tuple(
            (documents[name], f"/documents/{key(name)}/view") for name in successors_of(source) if documents.get(name)
        )
        found.append(
            Evidence(
                number,
                source,
                source.id in used,
                question,
                text,
                branch,
                title,
                link,
                withdrawn,
                standing,
                outdated,
                after,
            )
        )
    return tuple(found)


def brief_evidence(record: BriefRecord, documents: Mapping[str, str]) -> tuple[Evidence, ...]:
    """The sources of a briefing, numbered from 1 in the order of its sentences; `documents` as in `evidence`."""
    found: list[Evidence] = []
    for number, source in enumerate(record.sources, 1):
        said = [one.evidence for part in record.parts for one in part.sentences if one.source == source.id]
        of_chart, there = source.kind == "chart", bool(documents.get(source.document))
        link = "" if of_chart or not there else opens(source, record.id)
        text = escape(source.text) if of_chart else marked(source.text, said)
        title = called(source, documents)
        found.append(Evidence(number, source, True, Markup(), text, None, title, link, not (of_chart or there)))
    return tuple(found)


def called(source: Source, documents: Mapping[str, str]) -> str:
    """What the document of a source is called, by its file where its reader may not open it; `documents` as in
    `evidence`."""
    return documents.get(source.document) or words_of_name(source.document)


def opens(source: Source, answer: str = "") -> str:
    """The address at which a passage is opened at its place, with what an answer or a briefing has of it."""
    query = {"passage": source.id} | ({"answer": answer} if answer else {})
    return f"/documents/{key(source.document)}/view?{urlencode(query)}#here"


def nearest(record: AnswerRecord, found: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Where a reader who got no answer may look: the first of `found`, one passage of each section, the words of the
    question marked; none otherwise."""
    if record.status != "cannot_answer":
        return ()
    passages = [each for each in found if of_document(each.source) and not each.withdrawn]
    leading = first_of_sections(each.source for each in passages)
    asked = [record.standalone]
    found = [replace(each, text=marked(each.source.text, asked)) for each in passages if each.source in leading]
    return tuple(found[:NEAREST])


def withheld(record: AnswerRecord, documents: Mapping[str, str]) -> AnswerRecord:
    """A record as its reader may have it: of a document that they may not open a source keeps nothing but its name.

    The answer stays: it was given to them. `documents` as in `evidence`.
    """
    closed = {each.id for each in record.sources if of_document(each) and documents.get(each.document) == ""}
    conflicts = tuple(each for each in record.conflicts if closed.isdisjoint((each.source, each.other)))
    sources = (
        replace(source, section="", page=None, text="", score=0.0, question="", validity=None)
        if source.id in closed
        else source
        for source in record.sources
    )
    return replace(record, sources=tuple(sources), conflicts=conflicts)


def documents_of(record: AnswerRecord | PlanRecord | WorkflowRecord | BriefRecord) -> frozenset[str]:
    """The names of the documents that an answer, a plan or a briefing stands on; a workflow stands on the catalogue
    alone."""
    if isinstance(record, WorkflowRecord):
        return frozenset()
    if isinstance(record, PlanRecord | BriefRecord):
        return record.documents
    return frozenset(source.document for source in record.sources if of_document(source))


def named_in(record: AnswerRecord) -> frozenset[str]:
    """The names of the documents that an answer stands on, and of those that take their place."""
    return documents_of(record).union(*map(successors_of, record.sources))


def successors_of(source: Source) -> tuple[str, ...]:
    """The documents that take the place of that of a source."""
    return source.validity.successors if source.validity else ()


def of_document(source: Source) -> bool:
    """Whether a source is a passage or a pair of a document, or the whole of it."""
    return source.kind in ("section", "qa", "approved")


def marked(text: str, borne_out: Sequence[str]) -> Markup:
    """`text` escaped, with <mark> around the words and figures that it shares with the sentences of `borne_out`."""
    html, at = Markup(), 0
    for start, end in supporting(text, borne_out):
        html += escape(text[at:start]) + Markup("<mark>{}</mark>").format(text[start:end])
        at = end
    return html + escape(text[at:])


def _branch(source: Source, record: AnswerRecord, chart: Chart | None) -> Branch | None:
    """Where the unit of a chart source sits, as long as the chart the answer was checked against is in use."""
    if source.kind != "chart" or chart is None or chart.version != record.checks.chart:
        return None
    unit = next((statement.unit for statement in record.statements if statement.text == source.text), "")
    if unit not in chart.units:
        return None
    return Branch(chart.path(unit), chart.children(unit), chart.siblings(unit))
