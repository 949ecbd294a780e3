"""Conversations as HTML: records in, text out.

Every template escapes what it is given: the words of models, documents, charts and readers reach the page as text, and
no link, picture or script of theirs survives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import jinja2

from org.chart import Chart
from org.language import in_all
from org.linking import disambiguation
from prompts import CANNOT_ANSWER
from trag.approved import normalized
from trag.people import CurrentUser
from trag.progress import BY_READER
from trag.record import LONGEST_REMARK, AnswerRecord, Verdict
from trag.table_rows import read_row
from trag.web.answer_text import Piece, html
from trag.web.evidence import Evidence, evidence, nearest
from trag.web.language import LANGUAGES, day, forms, gettext, later, moment, ngettext, written
from trag.web.language import gettext as _
from trag.web.security_headers import give_nonces
from trag.web.visitors import Shell, here, shell

if TYPE_CHECKING:
    from store.records import Conversation
    from store.reviews import Label
    from store.versions import Version
    from trag.web.active_runs import Draft

LONGEST_TITLE = 80
"""Characters that the name of a conversation may have."""

FEW = 8
"""Conversations that are found without a search."""

NEIGHBOURS = 12
"""Units shown below or beside another one; the rest is counted."""

CHOICES = 30
"""Units of one name that are offered to choose from; the rest is counted."""

MEANINGS: dict[Verdict, str] = {
    "Correct": later("Right, and to the point"),
    "Correct-Verbose": later("Right, but it says more than was asked"),
    "Incorrect": later("Wrong, or it leaves out what matters"),
}
ASKED: tuple[tuple[Verdict, str, str], ...] = (
    ("Correct", later("Right"), MEANINGS["Correct"]),
    ("Correct-Verbose", later("Right, but too long"), MEANINGS["Correct-Verbose"]),
    ("Incorrect", later("Wrong"), MEANINGS["Incorrect"]),
)
"""The verdicts, in the words of those who ask, and what each means."""
REFUSED: tuple[tuple[Verdict, str, str], ...] = (
    ("Correct", later("Right, nobody wrote of it"), later("The documents and the chart do not answer this")),
    ("Incorrect", later("It should have known"), later("There is an answer in the documents or the chart")),
)
"""The same of a refusal."""


@dataclass(frozen=True, slots=True)
class Badge:
    """What stands over an answer: how far it may be relied on, and why. `kind` chooses colour and sign."""

    kind: Literal["checked", "chart", "unchecked", "none"]
    title: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the units that a shared name may mean, what tells it from the others ("School of Law", "at the top"), and
    the question that means it."""

    name: str
    told: str
    question: str

    @property
    def under(self) -> str:
        """What it is under, "" for the topmost unit."""
        return "" if self.told == disambiguation.TOP else self.told


@dataclass(frozen=True, slots=True)
class Contact:
    """Somebody to ask: what they are called, for what ("Finance Division"), and a link that leads to them
    ("mailto:..."), "" for none that is known."""

    name: str
    what: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """A saved answer, what its reader said of it, and when it was given, where that is known; `procedure` is the id of
    the one that is written where it stands, "" for none that is open to its reader, and `subject` the unit that a
    briefing is offered on; `contacts` are whom to ask where nothing was found."""

    record: AnswerRecord
    label: Label | None = None
    given: datetime | None = None
    procedure: str = ""
    subject: str = ""
    contacts: tuple[Contact, ...] = ()

    @property
    def kind(self) -> Literal["answer", "refusal", "greeting", "unfinished"]:
        """What the answer is to its reader: a greeting answers what was no question."""
        if self.record.interrupted:
            return "unfinished"
        if self.record.status != "cannot_answer":
            return "answer"
        return "refusal" if self.record.answer in {"", *in_all(CANNOT_ANSWER)} else "greeting"


def conversation(
    turns: Sequence[Turn],
    chart: Chart | None,
    *,
    charts: Sequence[Version] = (),
    documents: Mapping[str, str],
    id: str = "",
    examples: Sequence[str] = (),
    shares: bool = False,
) -> str:
    """The finished turns of a conversation, oldest first. `chart` is the one in use, `charts` are all that were;
    `documents` are those that are there, by name, and whether the reader may open each. `examples` are questions that
    stand under a greeting; `shares`: there are colleagues to show an answer to."""
    return _template("conversation.html").render(
        id=id,
        turns=[
            (
                turn,
                badge(turn.record),
                pieces(turn.record, found := evidence(turn.record, chart, documents)),
                [each for each in found if each.used],
                close := nearest(turn.record, found),
                [each for each in found if not (each.used or each.number in {one.number for one in close})],
                choices(turn.record, chart),
                against(turn.record, turn.given, chart, charts),
                disagreements(turn.record, found),
            )
            for turn in turns
        ],
        examples=examples[:3],
        shares=shares,
        longest=LONGEST_REMARK,
        neighbours=NEIGHBOURS,
        most=CHOICES,
    )


def draft(state: Draft, *, starting: bool = False) -> str:
    """A question on its way: its place in line, or what is written so far, marked as not checked, or why it failed.

    `starting`: the model is not there yet.
    """
    return _template("draft.html").render(draft=state, starting=starting)


def welcome(
    organization: str,
    examples: Sequence[str],
    *,
    empty: bool,
    in_charge: bool,
    welcomes: str = "",
    open_steps: int = 0,
) -> str:
    """The page before the first question; `empty` when there is nothing to answer from, `in_charge` when its reader may
    upload something, `welcomes` what the organization says there, `open_steps` how much is still to be set up."""
    values = {"organization": organization, "examples": examples, "welcomes": welcomes, "open_steps": open_steps}
    return _template("welcome.html").render(**values, empty=empty, in_charge=in_charge)


def sidebar(around: Shell, chosen: str) -> str:
    """What stands beside the Ask page, `chosen` marked among the conversations."""
    return _template("sidebar.html").render(around=around, chosen=chosen, asking=True, here="/", longest=LONGEST_TITLE)


def by_day(conversations: Iterable[Conversation]) -> list[tuple[str, list[Conversation]]]:
    """Conversations, the latest first, under the days that people look for them by, as the days of this machine are."""
    today = datetime.now().astimezone().date()

    def named(each: Conversation) -> str:
        days = (today - each.updated.astimezone().date()).days
        names = (later("Today"), later("Yesterday"), later("The last 7 days"), later("Earlier"))
        return names[0 if days < 1 else 1 if days == 1 else 2 if days <= 7 else 3]

    return [(name, list(group)) for name, group in groupby(conversations, key=named)]


def notice(text: str) -> str:
    """A line above the question box."""
    return _template("notice.html").render(text=text)


def badge(record: AnswerRecord) -> Badge:
    """How far the answer may be relied on; of an approved one, who approved it and when, and for which question where
    that was worded otherwise."""
    checks = record.checks
    if record.interrupted:
        return Badge("unchecked", _("Not finished"))
    if approved := record.approved:
        given = day(date.fromisoformat(approved.at))
        by = approved.by if approved.by != CurrentUser.local.name else ""
        title = _("Approved by %(name)s on %(day)s") if by else _("Approved on %(day)s")
        worded_alike = normalized(approved.question) == normalized(record.standalone)
        reason = "" if worded_alike else _("For the question: %(question)s") % {"question": approved.question}
        return Badge("checked", title % {"name": by, "day": given}, reason)
    if record.status == "cannot_answer":
        return Badge("none", _("No answer found"))
    if checks.replaced == "chart":
        return Badge("chart", _("From the organization chart"))
    if not checks.chart:
        return Badge("unchecked", _("No chart to check against"))
    if not all(sentence.supported for sentence in checks.sentences):
        return Badge("unchecked", _("Checked against the chart, parts without a source"))
    return Badge("checked", _("Checked against the chart"))


def pieces(record: AnswerRecord, found: Sequence[Evidence]) -> tuple[Piece, ...]:
    """The whole answer, cut at its checked sentences; one that it does not hold word for word makes no cut.

    Of sentences in a row that stand on the same source only the last one carries its number.
    """
    numbers = {each.source.id: each.number for each in found}
    cut: list[Piece] = []
    at, cited = 0, -1
    for sentence in record.checks.sentences:
        start = record.answer.find(sentence.text, at)
        if start < 0 or not sentence.text:
            continue
        if start > at:
            cut.append(Piece(record.answer[at:start]))
        number = numbers.get(sentence.source, 0) if sentence.supported else 0
        if cited >= 0 and cut[cited].number == number:
            cut[cited] = replace(cut[cited], number=0)
        cited = len(cut)
        cut.append(Piece(sentence.text, sentence.supported, number, read_row(sentence.text)))
        at = start + len(sentence.text)
    if at < len(record.answer):
        cut.append(Piece(record.answer[at:]))
    return tuple(cut)


def choices(record: AnswerRecord, chart: Chart | None) -> tuple[Choice, ...]:
    """The units that a name in the question may mean, when it may mean several; none otherwise."""
    if chart is None:
        return ()
    asked, done = record.standalone, 0
    shared: list[Choice] = []
    for (start, end), entities in groupby(record.entities, key=lambda entity: (entity.start, entity.end)):
        rivals = [chart.unit(entity.unit) for entity in entities if entity.unit in chart.units]
        if len(rivals) < 2 or start < done:
            continue
        done = disambiguation.told_in_brackets(rivals, asked, end, chart)[1]
        names = {rival.name for rival in rivals}
        sharing = (unit for name in sorted(names) for unit in disambiguation.sharing(name, chart))
        told = disambiguation.telling(tuple({unit.id: unit for unit in (*rivals, *sharing)}.values()), chart)
        for unit in rivals:
            question = f"{asked[:start]}{unit.name} ({told[unit.id]}){asked[done:]}"
            shared.append(Choice(unit.name, told[unit.id], question))
    return tuple(shared)


def against(record: AnswerRecord, given: datetime | None, chart: Chart | None, charts: Sequence[Version]) -> str:
    """Which chart the answer was checked against, "" for none, and whether another is in use by now. The chart is dated
    by its last activation before the answer was `given`."""
    version = record.checks.chart
    if not version:
        return ""
    kept = next((each for each in charts if each.version == version), None)
    activated = kept.in_use(given) if kept and given else None
    since = {"day": day(activated.at)} if activated else {}
    name = _("The chart of %(day)s") % since if since else _("The chart %(version)s") % {"version": version[:8]}
    return name if chart and chart.version == version else name + _("; another one is in use now")


def disagreements(record: AnswerRecord, found: Sequence[Evidence]) -> tuple[tuple[Evidence, str], ...]:
    """The sources that may say something else than the answer, as far as the reader may still open them, and their
    words there."""
    by_id = {each.source.id: each for each in found if not each.withdrawn}
    return tuple((by_id[one.other], one.other_evidence) for one in record.conflicts if one.other in by_id)


def unit_name(unit: str, chart: Chart | None) -> str:
    """What a unit is called, "" for none; the id of one that the chart in use no longer has."""
    return chart.unit(unit).name if chart and unit in chart.units else unit


def _template(name: str) -> jinja2.Template:
    return environment().get_template(name)


@cache
def environment() -> jinja2.Environment:
    """The templates of every page; each escapes what it is given."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    made.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
    made.globals |= {name: _numbers_written(made.globals[name]) for name in ("gettext", "ngettext")}
    made.globals |= {"shell": shell, "caller": here, "local": CurrentUser.local, "here": "", "few": FEW}
    made.globals |= {"verdicts": ASKED, "verdicts_of_refusals": REFUSED}
    made.globals["in_language"] = gettext  # of what is no text of a template: that of gettext counts as markup
    made.globals |= {"languages": LANGUAGES, "by_reader": BY_READER, "forms": forms}
    made.filters |= {"day": day, "moment": moment, "number": written}
    made.filters |= {"by_day": by_day, "as_html": html}
    give_nonces(made)
    return made


def _numbers_written(text: Any) -> Any:
    """What fills a text of a template, with whole numbers as its language writes them."""

    @jinja2.pass_context
    def filled(context: jinja2.runtime.Context, *texts: Any, **values: Any) -> Any:
        if len(texts) == 3:
            values = {"num": texts[2]} | values
        spoken = {name: written(value) if type(value) is int else value for name, value in values.items()}
        return text(context, *texts, **spoken)

    return filled
