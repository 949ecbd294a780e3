"""The pages of the documents as HTML: records in, text out.

Every template escapes what it is given: names and words come from files that nobody has checked. Knows nothing about
requests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from org.chart import Chart
from store import StoreError
from store.passage import audience_field
from trag.ingest.editing import Wording
from trag.ingest.examples import LONGEST as LONGEST_EXAMPLE
from trag.ingest.pairs import DIRECT_TYPES, OTHER_TYPES
from trag.ingest.pairs import LONGEST as LONGEST_WORDS
from trag.ingest.parse.recognise import FORMATS
from trag.pairs import MOST_EXAMPLES
from trag.sandbox import Limits
from trag.web.documents.changing import seen
from trag.web.documents.contents import MOST as SECTIONS
from trag.web.documents.contents import Section
from trag.web.documents.listing import MOST as ROWS
from trag.web.documents.listing import Listing
from trag.web.documents.names import key
from trag.web.documents.readers import Reader, readers
from trag.web.documents.sources import Saying
from trag.web.evidence import marked
from trag.web.render import environment, time_left
from trag.web.responses import Notice

if TYPE_CHECKING:
    from store.jobs import Job
    from store.library import Document, Pair, State
    from trag.background import JobStatus
    from trag.errors import TragError
    from trag.view import PageView, TextView
    from trag.web.documents.pairs import Wanted
    from trag.web.documents.viewer import Place
    from trag.web.documents.writing import Writing

STATES = {"made": "Made", "review": "For review", "approved": "Approved", "deleted": "Deleted"}
"""What people call the states of a pair."""
ORIGINS = {"given": "given", "rule": "made by rule", "model": "written by the model", "person": "written by a person"}

CHOICES = 500
"""Documents that can be chosen in a list; of a larger library, the rest is reached from the table of documents."""


def documents(
    all_: Sequence[Document],
    listing: Listing,
    jobs: Sequence[Job],
    chart: Chart | None,
    *,
    writing: JobStatus[Writing] | None,
    notice: Notice | None,
) -> str:
    """The page of every document; `listing` is what its table shows, `writing` how far the model is with the pairs."""
    return _page(
        "list",
        documents=all_,
        listing=listing,
        most=ROWS,
        jobs=jobs,
        writing=writing,
        readers=lambda document: readers(document.audience, chart),
        chart=chart,
        notice=notice,
        largest=Limits().file_bytes,
        formats=FORMATS,
    )


def queue(jobs: Sequence[Job], writing: JobStatus[Writing] | None) -> str:
    """The files that are worked on, wait or have ended, and how far the model is with the pairs."""
    return _page("queue", jobs=jobs, writing=writing)


def document(
    document: Document,
    sections: Sequence[Section],
    *,
    first: int,
    total: int,
    vouched: int,
    readers: Sequence[Reader] | None,
    chart: Chart | None,
    notice: Notice | None,
) -> str:
    """The page of one document: `sections` of `total`, from the `first` on; `vouched` of its pairs are approved."""
    return _page(
        "document",
        document=document,
        path=f"/documents/{key(document.name)}",
        suffix=_suffix(document.name),
        sections=sections,
        first=first,
        total=total,
        most=SECTIONS,
        vouched=vouched,
        says={id: saying for section in sections for id, saying in section.says.items()},
        readers=readers,
        instead_of=audience_field(document.audience),
        chart=chart,
        notice=notice,
        largest=Limits().file_bytes,
    )


def pairs(
    found: Sequence[Pair],
    wanted: Wanted,
    counts: Mapping[State, int],
    documents: Sequence[Document],
    document: Document | None,
    *,
    most: int,
    sections: Sequence[str],
    says: Mapping[str, Saying],
    notice: Notice | None,
) -> str:
    """The pairs that are asked for, at most `most`, of one document or of all; `counts` are those of each state; `says`
    is what the documents say of those that wait."""
    others = tuple(each for each in documents[:CHOICES] if each != document)
    return _page(
        "pairs",
        pairs=found,
        wanted=wanted,
        counts=counts,
        total=sum(counts[state] for state in wanted.states),
        most=most,
        documents=(*others, document) if document else others,
        document=document,
        sections=sections,
        says=says,
        notice=notice,
    )


def examples(
    seen: Sequence[str],
    *,
    typed: str | None,
    problem: TragError | StoreError | None,
    notice: Notice | None,
) -> str:
    """The example questions: those that whoever looks at the page is taken to have `seen`, and what was `typed` instead
    when there was a `problem` with it."""
    return _page(
        "examples",
        seen_questions=seen,
        typed=typed,
        problem=problem,
        changed=isinstance(problem, StoreError),
        notice=notice,
        most=MOST_EXAMPLES,
        longest=LONGEST_EXAMPLE,
    )


def pair(pair: Pair, *, done: bool, typed: Wording | None, says: Mapping[str, Saying], back: str) -> str:
    """One pair as it is now; when it was changed meanwhile, with what was `typed` kept."""
    return _page("pair", pair=pair, done=done, typed=typed, says=says, back=back)


def changed_meanwhile(pair: Pair, typed: Wording | None, says: Mapping[str, Saying], back: str) -> str:
    """A page of its own for a pair that was changed meanwhile."""
    return _page("meanwhile", pair=pair, done=False, typed=typed, says=says, back=back)


def page(document: Document, place: Place, drawn: PageView, *, passage: str, answer: str) -> str:
    """A page of a PDF with the passage marked on it."""
    asked = {name: value for name, value in (("passage", passage), ("answer", answer)) if value}
    return _page(
        "view_page", document=document, path=f"/documents/{key(document.name)}", place=place, drawn=drawn, asked=asked
    )


def text(document: Document, place: Place, found: TextView | None, *, problem: str) -> str:
    """The passage in the text around it; `problem` says why it is not shown on its page."""
    path = f"/documents/{key(document.name)}"
    return _page("view_text", document=document, path=path, place=place, found=found, problem=problem)


def _page(name: str, **values: object) -> str:
    template = environment().get_template(f"documents/{name}.html")
    return template.render(
        here="/documents",
        key=key,
        longest_words=LONGEST_WORDS,
        marked=marked,
        origins=ORIGINS,
        seen=seen,
        states=STATES,
        time_left=time_left,
        types={"Searched": sorted(DIRECT_TYPES), "For training alone": sorted(OTHER_TYPES)},
        urlencode=urlencode,
        **values,
    )


def _suffix(name: str) -> str:
    return f".{name.rsplit('.', 1)[1].lower()}" if "." in name else ""
