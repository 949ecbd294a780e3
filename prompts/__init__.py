"""What the model reads, one text file a prompt, and their loader.

`$name` stands for a value; a file that misses one of its names, or has one too many, is an error when it is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Literal

CANNOT_ANSWER = "I cannot answer that from the organization's documents and chart."
"""The one refusal: what the prompt asks for, the pipeline gives, and the evaluations and tests look for."""

NOT_FOUND = "NOT IN THE TEXT"
"""What the reader writes where the excerpts answer nothing; people are shown `CANNOT_ANSWER`."""
NO_QUESTION = "NO QUESTION"
"""What the reader writes to a greeting, or to what asks nothing about the organization."""

_FOLDER = Path(__file__).parent
_MARKS = r"\s\u200c\u200d>*_#-"
"""What may stand before a heading that is still read as one: space, joiners that nobody sees, marks of Markdown."""
Task = Literal[
    "answer", "chart_query", "condense", "question", "asked_days", "translate", "brief_line", "brief_questions", "other"
]  # fmt: skip
"""The kinds of prompts; all of one kind begin alike. A local model holds what it has read of each apart."""
PROSE: frozenset[Task] = frozenset({"asked_days", "translate", "brief_line", "brief_questions"})
"""Those that a local model answers without its adapter, which has learned to answer in a few words."""
_STARTS: Mapping[Task, str] = {
    "chart_query": "chart_query",
    "answer": "document",
    "condense": "condense",
    "question": "question",
}
_NAMES = {
    "system": {"organization", "cannot_answer"},
    "answer": {"facts", "question"},
    "passages": {"passages"},
    "statements": {"statements"},
    "pair": {"question", "answer"},
    "section": {"section", "text"},
    "chart_query": set(),
    "document": set(),
    "correction": {"finding"},
    "condense": set(),
    "question": set(),
    "asked_days": set(),
    "translate": set(),
    "pairs_types": {"section", "text"},
    "pairs_dialogue": {"section", "text"},
    "pairs_examples": {"section", "text", "examples"},
    "choice": {"subject", "question"},
    "judge": {"question", "right", "answer"},
    "grammar_sql": {"schema"},
    "grammar_short": {"sql", "number"},
    "grammar_long": {"sql", "number"},
    "workflow": set(),
    "brief_line": set(),
    "brief_questions": set(),
    "brief_direct": {"subject"},
    "brief_snippets": {"results", "subject"},
    "brief_outline": {"results", "subject"},
    "brief_asked": {"results", "subject", "paragraph"},
    "brief_pairs": {"pairs", "subject"},
    "flow": {"actions", "flows", "query", "format"},
    "condition": set(),
    "workflow_lines": set(),
    "workflow_json": set(),
}


class PromptError(Exception):
    """A prompt that cannot be made, said to a person: what was found, and what to do next."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat as the model reads it."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What goes to the model, and how many of the offered statements and passages entered it, the first of each."""

    messages: tuple[Message, ...]
    statements: int
    passages: int


def pair(question: str, answer: str) -> str:
    """A question-answer pair as the model reads it."""
    return _fill("pair", question=question, answer=answer)


def section(path: str, text: str) -> str:
    """A section of a document as the model reads it."""
    return _fill("section", section=path, text=text)


def answer(
    question: str,
    statements: Sequence[str],
    passages: Sequence[str],
    *,
    organization: str,
    count: Callable[[Sequence[Message]], int],
    room: int,
) -> Prompt:
    """The prompt for one question, at most `room` tokens by `count`.

    `passages` come best first (made by `pair` and `section`), `statements` most needed first. What does not fit is
    dropped from the end: passages first, then statements. No line of theirs or of the question, which may be a
    document's too, is one of the prompt's own. Raises PromptError when the question alone does not fit.
    """
    question = _quoted(question)
    statements, passages = (list(map(_quoted, facts)) for facts in (statements, passages))
    kept_statements, kept_passages = len(statements), len(passages)
    system = Message("system", _fill("system", organization=organization, cannot_answer=CANNOT_ANSWER))
    while True:
        facts = []
        if kept_passages:
            facts.append(_fill("passages", passages="\n".join(passages[:kept_passages])))
        if kept_statements:
            listed = "\n".join(f"- {statement}" for statement in statements[:kept_statements])
            facts.append(_fill("statements", statements=listed))
        asked = _fill("answer", facts="\n\n".join(facts), question=question)
        messages = (system, Message("user", asked.strip()))
        tokens = count(messages)
        if tokens <= room:
            return Prompt(messages, kept_statements, kept_passages)
        if kept_passages:
            kept_passages -= 1
        elif kept_statements:
            kept_statements -= 1
        else:
            raise PromptError(
                f"The question takes {tokens} tokens and only {room} fit beside the answer.",
                "Ask a shorter question, or give the model a larger context (TRAG_CONTEXT).",
            )


def document(question: str, excerpts: Sequence[str], context: Sequence[str] = ()) -> tuple[Message, ...]:
    """The messages that ask for a short answer from `excerpts` (made by `excerpt`), best first; `context` are
    statements about where the units of the question sit. The start is the same for every question."""
    numbered = [f"[{number}] {_one_block(text)}" for number, text in enumerate(excerpts, 1)]
    facts = [f"[chart] {_one_block(text)}" for text in context]
    return (*_conversation("document"), Message("user", _asked([*numbered, *facts], question)))


def excerpt(passage_section: str, passage_question: str, text: str) -> str:
    """An excerpt as the reader sees it: a section's words under its path, or the answer of a pair behind its
    question."""
    return f"{passage_question or passage_section}: {text}"


def correction(messages: Sequence[Message], wrong: str, finding: str) -> tuple[Message, ...]:
    """The messages that ask once more, after the answer `wrong`, with what speaks against it."""
    return (*messages, Message("assistant", wrong), Message("user", _fill("correction", finding=finding)))


def chart_query(units: Sequence[str], question: str) -> tuple[Message, ...]:
    """The messages that ask for a question as one expression over the chart; `units` are lines "u1 = ..."."""
    return (*_conversation("chart_query"), Message("user", _asked(units, question)))


def condense(history: Sequence[tuple[str, str]], question: str) -> tuple[Message, ...]:
    """The messages that ask for a follow-up as a question that stands alone; `history` holds earlier questions with
    their answers."""
    turns = [
        line for asked, answer in history for line in (f"Question: {_one_line(asked)}", f"Answer: {_one_line(answer)}")
    ]
    return (*_conversation("condense"), Message("user", "\n".join([*turns, f"Question: {_one_line(question)}"])))


def question(line: str) -> tuple[Message, ...]:
    """The messages that ask for a question which `line` answers: how likely the model would write another one says how
    well the line answers that (query likelihood; Sachan and others 2022, arXiv 2204.07496)."""
    return (*_conversation("question"), Message("user", _one_line(line)))


def asked_days(question: str) -> tuple[Message, ...]:
    """The messages that ask of which days a question asks what applied then."""
    return (*_conversation("asked_days"), Message("user", f"Question: {_one_line(question)}"))


def translate(question: str) -> tuple[Message, ...]:
    """The messages that ask for a question in English."""
    return (*_conversation("translate"), Message("user", f"Question: {_one_line(question)}"))


def brief_line(section: str, before: str, question: str, line: str) -> tuple[Message, ...]:
    """The messages that ask for a line of a section as a sentence that stands by itself, and answers a question."""
    told = {"Section": section, "Before": before, "Question": question, "Line": line}
    return (*_conversation("brief_line"), Message("user", "\n".join(f"{k}: {_one_line(v)}" for k, v in told.items())))


def brief_questions(subject: str, headings: Sequence[str], answered: Sequence[str]) -> tuple[Message, ...]:
    """The messages that ask for further questions about a subject, a line each."""
    told = {"Subject": subject, "Headings": "; ".join(headings), "Answered": " ".join(answered)}
    return (
        *_conversation("brief_questions"),
        Message("user", "\n".join(f"{k}: {_one_line(v)}" for k, v in told.items())),
    )


def brief(kind: Literal["direct", "snippets", "outline", "asked", "pairs"], **values: str) -> tuple[Message, ...]:
    """The message of one step of the paper's ways to write about a subject (Godbole and others 2024, appendix A.2, in
    our own words); `values` fill its file."""
    return (Message("user", _fill(f"brief_{kind}", **values)),)


def workflow(request: str) -> tuple[Message, ...]:
    """The messages that ask for a request as the lines of a workflow, by titles."""
    return (*_conversation("workflow"), Message("user", _one_line(request)))


def starts() -> Mapping[Task, tuple[Message, ...]]:
    """The start that all prompts of a kind have in common, for a model to have read before the first question."""
    return {kind: _conversation(name) for kind, name in _STARTS.items()}


def pairs(path: str, text: str, *, examples: Sequence[str] = (), dialogue: bool = False) -> tuple[Message, ...]:
    """The message that asks a model for question-answer pairs on a section, one of the paper's three ways (T-RAG,
    section 5.1, in our own words): of varied types, as a dialogue, or in the manner of an expert's `examples`."""
    if examples:
        content = _fill("pairs_examples", section=path, text=text, examples="\n".join(f"- {one}" for one in examples))
    else:
        content = _fill("pairs_dialogue" if dialogue else "pairs_types", section=path, text=text)
    return (Message("user", content),)


def choice(subject: str, question: str, examples: Sequence[tuple[str, str]] = ()) -> tuple[Message, ...]:
    """The messages that ask for the letter of the right answer. `question` holds the four answers, a line each;
    `examples` are questions of the same subject with their letters."""
    turns: list[Message] = []
    for example, letter in examples:
        turns += Message("user", _fill("choice", subject=subject, question=example)), Message("assistant", letter)
    return (*turns, Message("user", _fill("choice", subject=subject, question=question)))


def judge(question: str, right: str, answer: str) -> tuple[Message, ...]:
    """The message that asks for the verdict on an answer, by what is known to be right (T-RAG, section 6.1)."""
    return (Message("user", _fill("judge", question=question, right=right, answer=answer)),)


def grammar_sql(schema: str) -> tuple[Message, ...]:
    """The message that asks a model for SQL templates over the tables of `schema` (GRAMMAR, appendix C, in our own
    words)."""
    return (Message("user", _fill("grammar_sql", schema=schema)),)


def grammar_texts(sql: str, number: int, *, long: bool) -> tuple[Message, ...]:
    """The message that asks a model for `number` texts of an SQL template, short or long (GRAMMAR, table 6, in our own
    words)."""
    return (Message("user", _fill("grammar_long" if long else "grammar_short", sql=sql, number=str(number))),)


def flow(query: str, actions: Sequence[str], flows: Sequence[str], *, form: str, opening: str) -> tuple[Message, ...]:
    """The messages that ask for a plan which follows one of `flows` and calls `actions` (FLAP, figures 5 and 6, in our
    own words), a text each. `form` shows how a line of it looks; the answer goes on after `opening`."""
    filled = _fill("flow", query=_one_line(query), actions="\n".join(actions), flows="\n\n".join(flows), format=form)
    return (Message("user", filled), Message("assistant", opening))


def condition(request: str, steps: Sequence[str], values: Sequence[str], asked: str) -> tuple[Message, ...]:
    """The messages that ask when a step of a workflow is done, or for each of what; a line for each step and each of
    the `values` that this may depend on."""
    lines = [f"Request: {_one_line(request)}", *steps, "Values:", *map(_one_line, values), asked]
    return (*_conversation("condition"), Message("user", "\n".join(lines)))


def workflow_by_examples(
    request: str,
    listed: Mapping[str, Sequence[str]],
    examples: Sequence[tuple[str, Mapping[str, Sequence[str]], str]],
    *,
    form: Literal["lines", "json"],
) -> tuple[Message, ...]:
    """The messages that ask for a workflow in a form, after `examples`: a request, what is `listed` for it, and what
    was written. `listed` are names by what they are of (Bechard and Marquez Ayala 2024, figure 3), none where the model
    is to know them."""

    def asked(request: str, listed: Mapping[str, Sequence[str]]) -> Message:
        lines = [f"{what}: {', '.join(names)}" for what, names in listed.items()]
        return Message("user", "\n".join([*lines, f"Request: {_one_line(request)}"]))

    turns: list[Message] = [Message("system", _fill(f"workflow_{form}"))]
    for example, names, written in examples:
        turns += asked(example, names), Message("assistant", written)
    return (*turns, asked(request, listed))


def _asked(lines: Sequence[str], question: str) -> str:
    return "\n".join([*lines, *([""] if lines else []), f"Question: {_one_line(question)}"])


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _one_block(text: str) -> str:
    """The text without empty lines, and with no line that could be taken for the next excerpt or the question."""
    opens = _breaks_before(r"\[(?:\d+|chart)\]|Question:")
    return opens.sub(r"\1 ", "\n".join(filter(str.strip, text.splitlines())))


@cache
def _conversation(name: str) -> tuple[Message, ...]:
    """A system text and examples from a file: parts between lines "---", the answer of each behind "-> "."""
    system, *examples = (part.strip() for part in _file(name).substitute().split("\n---\n"))
    turns: list[Message] = [Message("system", system)]
    for example in examples:
        asked, _, answer = example.rpartition("\n-> ")
        turns += Message("user", asked), Message("assistant", answer)
    return tuple(turns)


def _fill(name: str, **values: str) -> str:
    return _file(name).substitute(values)


def _file(name: str) -> Template:
    return load(_FOLDER / f"{name}.txt", frozenset(_NAMES[name]))


def _quoted(text: str) -> str:
    """The text with a space for the line breaks before a heading of the prompt: a document that has the words of one
    stays one line of quotation there, and opens no part of the prompt."""
    files = (_file(name).template for name in ("passages", "statements", "answer"))
    told = (part.strip() for file in files for part in re.split(r"\$\w+", file))
    return _breaks_before("|".join(re.escape(part) for part in told if part)).sub(r"\1 ", text)


@cache
def _breaks_before(heads: str) -> re.Pattern[str]:
    """What finds the line breaks before one of `heads`, with the rest of their line before them. It begins only where
    such marks begin, or a text of nothing else would take quadratic time."""
    return re.compile(rf"(?<![{_MARKS}])((?:(?!\n)[{_MARKS}])*)\n[{_MARKS}]*(?={heads})", re.IGNORECASE)


@cache
def load(file: Path, names: frozenset[str]) -> Template:
    """The prompt in `file`, which must use exactly `names`. Raises PromptError naming every name that is missing or
    unknown."""
    template = Template(file.read_text(encoding="utf-8").strip())
    if not template.is_valid():
        raise PromptError(f"{file.name}: a $ that names nothing", "Write $$ for a dollar sign.")
    found = set(template.get_identifiers())
    problems = [f"missing ${name}" for name in sorted(names - found)] + [
        f"unknown ${name}" for name in sorted(found - names)
    ]
    if problems:
        raise PromptError(f"{file.name}: {', '.join(problems)}", f"It may use: {', '.join(sorted(names))}.")
    return template
