"""One plan of one system: the paper's baselines, its constrained decoding, and the product's planner.

model, planner of a domain, query -> the text that was written, as it came; it is read and measured elsewhere
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Literal
from zlib import crc32

from prompts import Message
from trag.errors import TragError
from trag.evaluate.flows.data import END, OPENING, Query
from trag.evaluate.runs import commit
from trag.flow import prompting
from trag.flow.lookahead import decode
from trag.flow.planner import Planner
from trag.flow.prompting import CLOSE, Unit, mark
from trag.flow.scoring import FLAP, Encode, Heuristic
from trag.llm.model import LanguageModel, Sampling, Searching, Usage

GREEDY, GREEDY_APIS, NUCLEUS, TRAG = "greedy", "greedy-apis", "nucleus", "trag"
SYSTEMS = (GREEDY_APIS, GREEDY, NUCLEUS, *FLAP, TRAG)
Setting = Literal["all", "relevant"]
SETTINGS: tuple[Setting, ...] = ("all", "relevant")
"""Which flows of a domain are in the prompt (FLAP, section 2.3)."""
MAX_TOKENS = 512
TEMPERATURE, TOP_P = 1.0, 0.9
"""Of nucleus sampling; the paper says the second alone (section 5)."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a system wrote for the query of that id, behind the units of the prompt. `cut`: `MAX_TOKENS` were over.
    `tokens` are those of the text that the model wrote, however many were looked at; `commit` is that of the program.
    `chosen` are the flows that a system says the query may be about, the likeliest first, of which the text plans the
    first; () where it refuses, None where it does not say."""

    system: str
    setting: Setting
    query: str
    text: str
    cut: bool
    tokens: int
    seconds: float
    commit: str
    chosen: tuple[str, ...] | None = None


def write(
    model: LanguageModel, planner: Planner, query: Query, system: str, setting: Setting, encode: Encode
) -> Written:
    """The plan of a system for a query over the book of a planner; the flow that serves it is told in the setting
    "relevant" alone.

    Raises TragError for FLAP with a model that cannot search, and as the model does.
    """
    began = monotonic()
    book, thoughts, chosen = planner.book, system != GREEDY_APIS, None
    shown = book.procedures.values() if setting == "all" else (book.procedures[query.flow],)
    messages = prompting.messages(query.query, book.actions.values(), shown, thoughts=thoughts)
    if system == TRAG:
        text, chosen = _planned(model, planner, query, setting)
        cut, tokens = False, 0
    elif system in FLAP:
        if not isinstance(model, Searching):
            raise TragError(
                f"{model.identity.name} cannot be searched, so {system} cannot be measured.",
                "Set TRAG_MODEL to a local file of a model with an attention cache.",
            )
        with model.search(messages) as search:
            heuristic = Heuristic(book, query.query, encode, FLAP[system])
            plan = decode(search, heuristic, max_tokens=MAX_TOKENS)
        text, cut, tokens = plan.text, not plan.ended, plan.tokens
    else:
        sampling = Sampling(TEMPERATURE, TOP_P, crc32(query.id.encode())) if system == NUCLEUS else None
        text, cut, tokens = _streamed(model, messages, sampling)
        text = mark(thoughts=thoughts) + text
    return Written(system, setting, query.id, text, cut, tokens, round(monotonic() - began, 3), commit(), chosen)


def _planned(model: LanguageModel, planner: Planner, query: Query, setting: Setting) -> tuple[str, tuple[str, ...]]:
    """The planner's plan in the form of the others, its thoughts the steps of the procedure. Nobody is there to say
    which of several procedures they mean: the likeliest is planned."""
    done = [id for id in OPENING if id in planner.book.actions]
    plan = partial(planner.plan, query.query, model, readers=None, done=done)
    record = plan(procedure=query.flow if setting == "relevant" else "")
    asked = record.choices if record.status == "ask_which" else ()
    chosen = (record.procedure.id,) if record.procedure else tuple(one.id for one in asked)
    steps = (plan(procedure=chosen[0]) if asked else record).steps
    return "\n".join(prompting.text(Unit(step.step, step.action)) for step in steps), chosen


def _streamed(model: LanguageModel, messages: tuple[Message, ...], sampling: Sampling | None) -> tuple[str, bool, int]:
    """The likeliest token each time or a drawn one, without the product's penalty on repetition; it ends with the
    plan."""
    text, end = "", f"{END}{CLOSE}"
    with closing(model.stream(messages, max_tokens=MAX_TOKENS, sampling=sampling)) as pieces:
        for piece in pieces:
            if isinstance(piece, Usage):
                return text, piece.completion >= MAX_TOKENS, piece.completion
            text += piece
            if end in text:
                text = text[: text.index(end) + len(end)]
                break
    return text, False, model.count_text(text)
