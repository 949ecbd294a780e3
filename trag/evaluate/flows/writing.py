"""One plan of one system: the paper's greedy baselines and its constrained decoding.

model, domain, query -> the text that was written, as it came; it is read and measured elsewhere
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from time import monotonic
from typing import Literal

from org.procedures.flows import Book
from prompts import Message
from trag.errors import TragError
from trag.evaluate.flows.data import END, Query
from trag.evaluate.runs import commit
from trag.flow import prompting
from trag.flow.lookahead import decode
from trag.flow.prompting import CLOSE, mark
from trag.flow.scoring import FLAP, Encode, Heuristic
from trag.llm.model import LanguageModel, Searching, Usage

GREEDY, GREEDY_APIS = "greedy", "greedy-apis"
SYSTEMS = (GREEDY_APIS, GREEDY, *FLAP)
Setting = Literal["all", "relevant"]
SETTINGS: tuple[Setting, ...] = ("all", "relevant")
"""Which flows of a domain are in the prompt (FLAP, section 2.3)."""
MAX_TOKENS = 512


@dataclass(frozen=True, slots=True)
class Written:
    """What a system wrote for the query of that id, behind the units of the prompt. `cut`: `MAX_TOKENS` were over.
    `tokens` are those of the text, however many were looked at; `commit` is that of the program."""

    system: str
    setting: Setting
    query: str
    text: str
    cut: bool
    tokens: int
    seconds: float
    commit: str


def write(model: LanguageModel, book: Book, query: Query, system: str, setting: Setting, encode: Encode) -> Written:
    """The plan of a system for a query over the book of its domain; the flow that serves it is told in the setting
    "relevant" alone.

    Raises TragError for FLAP with a model that cannot search, and as the model does.
    """
    began = monotonic()
    procedures = book.procedures
    shown = procedures.values() if setting == "all" else (procedures[query.flow],)
    messages = prompting.messages(query.query, book.actions.values(), shown, thoughts=system != GREEDY_APIS)
    if system in FLAP:
        text, cut, tokens = _flap(model, messages, Heuristic(book, query.query, encode, FLAP[system]), system)
    else:
        text, cut, tokens = _greedy(model, messages)
        text = mark(thoughts=system != GREEDY_APIS) + text
    return Written(system, setting, query.id, text, cut, tokens, round(monotonic() - began, 3), commit())


def _flap(
    model: LanguageModel, messages: tuple[Message, ...], heuristic: Heuristic, system: str
) -> tuple[str, bool, int]:
    if not isinstance(model, Searching):
        raise TragError(
            f"{model.identity.name} cannot be searched, so {system} cannot be measured.",
            "Set TRAG_MODEL to a local file of a model with an attention cache.",
        )
    with model.search(messages) as search:
        plan = decode(search, heuristic, max_tokens=MAX_TOKENS)
    return plan.text, not plan.ended, plan.tokens


def _greedy(model: LanguageModel, messages: tuple[Message, ...]) -> tuple[str, bool, int]:
    """The likeliest token each time, without the product's penalty on repetition; it ends with the plan."""
    text, end = "", f"{END}{CLOSE}"
    with closing(model.stream(messages, max_tokens=MAX_TOKENS)) as pieces:
        for piece in pieces:
            if isinstance(piece, Usage):
                return text, piece.completion >= MAX_TOKENS, piece.completion
            text += piece
            if end in text:
                text = text[: text.index(end) + len(end)]
                break
    return text, False, model.count_text(text)
