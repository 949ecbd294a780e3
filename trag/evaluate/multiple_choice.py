"""Multiple-choice questions: does fine-tuning cost a model what it knew before (T-RAG, section 6.3 and figure 3)?

files in MMLU's own layout -> cases -> the answer that each model finds likeliest -> accuracy, base beside fine-tuned.
By the letter, as MMLU has it; or by the answers' own words, for small models, which know answers and no letters.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from math import exp
from pathlib import Path, PurePath
from time import monotonic
from typing import TYPE_CHECKING
from uuid import uuid4

import prompts
from prompts import Message
from trag.errors import TragError, in_one_line
from trag.evaluate.cases import Case
from trag.evaluate.comparing import compare, is_right, wilson
from trag.evaluate.running import BASE, measure_resumably, retried
from trag.evaluate.runs import Result, Results, Run
from trag.evaluate.scoring import Score
from trag.evaluate.tables import Table, by_system
from trag.llm.model import LanguageModel, ModelDied, Scoring
from trag.llm.remote import RequestRefused
from trag.record import AnswerRecord, ModelUsed, Seconds, Status

if TYPE_CHECKING:
    from trag.home import Home
    from trag.progress import Progress

GENERAL = Path(__file__).parent / "general"
"""The folder of the questions that come with the program, of what models know before fine-tuning."""
LETTERS = ("A", "B", "C", "D")
_TOKENS = 16
"""That a model may write until its letter must have come."""
_LETTER = re.compile(
    r"\W*(?i:(?:the )?(?:right |correct )?(?:answer|letter|option)?(?: is)?)\W*([A-D])\b"
    r"(?!(?<=A) (?!is\b|because\b)[a-z])"  # an article
)
_TOO_LONG = "the question does not fit in the model's context"

Examples = Mapping[str, Sequence[Case]]
"""Questions shown with their answers before one is asked, by subject."""


def read(files: Sequence[tuple[str, bytes]]) -> tuple[Case, ...]:
    """The questions of files with these names: UTF-8 CSV without a header, a row being question, A, B, C, D, letter.

    A file holds one subject, which is its kind: "high_school_physics_test.csv" is "high school physics". Raises
    TragError with every row of every file that cannot be used, by file and line.
    """
    problems: list[str] = []
    cases: list[Case] = []
    stems: set[str] = set()
    for name, content in files:
        stem = PurePath(name).stem
        if stem in stems:
            problems.append(f"{name}: another file is called so too")
        stems.add(stem)
        subject = re.sub(r"_(test|dev|val)$", "", stem).replace("_", " ")
        found = len(cases) + len(problems)
        for line, row, wrong in _rows(content):
            if wrong:
                problems.append(f"{name} line {line}: {wrong}")
            else:
                question, *options, letter = row
                asked = f"{question}\n{_listed(options)}"
                right = options.pop(LETTERS.index(letter))
                case = Case(f"{stem}:{line}", asked, subject, letter, gold=((right,),), forbidden=tuple(options))
                cases.append(case)
        if len(cases) + len(problems) == found:
            problems.append(f"{name}: holds no question")
    if problems or not cases:
        raise TragError(
            "These questions cannot be used: " + "\n".join(problems or ["there is no file"]),
            "Each row is a question, its answers A to D and the letter of the right one; there is no header.",
        )
    return tuple(cases)


def examples(files: Sequence[tuple[str, bytes]], shots: int, subjects: Sequence[str]) -> Examples:
    """The first `shots` questions of each subject. Raises TragError where there are fewer, and as `read` does."""
    cases = read(files)
    found = {subject: [case for case in cases if case.kind == subject][:shots] for subject in dict.fromkeys(subjects)}
    if few := [f"{subject} ({len(shown)})" for subject, shown in found.items() if len(shown) < shots]:
        raise TragError(
            f"There are not {shots} examples of every subject: {', '.join(few)}.",
            "Give a file for each, called like that of its questions: law_test.csv and law_dev.csv.",
        )
    return found


def measure(
    home: Home,
    cases: Sequence[Case],
    name: str,
    *,
    by_words: bool = False,
    candidate: str = "",
    shown: Examples,
    progress: Progress,
) -> Run:
    """The answers of the home's model and, where it has an adapter, of its base; or of the same with a `candidate`.

    A local model gives the likeliest letter, another the one that it writes. `by_words` it is asked the question alone,
    and the answer is the one whose words are likeliest for their length. Of too long a prompt the last examples are
    left out, as MMLU has it; a question that does not fit alone, that the model's server refuses, or that ends the
    model twice, is Incorrect. Raises TragError when a model cannot be reached, or cannot be asked by words; what was
    answered stays, and the same call goes on.
    """
    model = home.model  # an adapter that is promoted meanwhile changes nothing here
    if by_words and not isinstance(model, Scoring):
        raise TragError(
            f"{model.identity.name} is behind an address, and does not say how likely it finds words.",
            "Leave out --by-words; or set TRAG_MODEL to a local file.",
        )
    shots = max(map(len, shown.values()), default=0)
    system = "-".join(["choice", *(["words"] if by_words else []), *([str(shots)] if shots else [])])
    beside = candidate or ("base" if model.identity.adapter else "")
    models = {system: model}
    depends = tuple((case.question, case.answer) for of in shown.values() for case in of)

    choose = _by_words if by_words else _by_letter

    def answer(system: str, case: Case) -> Result:
        model, began, letter, interrupted = models[system], monotonic(), "", ""
        try:
            letter, reason = retried(lambda: choose(model, case, shown.get(case.kind, ())))
        except (ModelDied, RequestRefused) as error:
            reason = interrupted = in_one_line(error)
        status: Status = "answered" if letter else "cannot_answer"
        used = ModelUsed(model.identity.name, model.identity.sha256, model.identity.adapter)
        record = AnswerRecord(uuid4().hex, case.question, case.question, letter, status, used, interrupted=interrupted)
        record = replace(record, seconds=Seconds(total=monotonic() - began))
        return Result(system, case, record, Score("Correct" if letter == case.answer else "Incorrect", (reason,)))

    with home.leases.hold(model), ExitStack() as opened:
        if beside:
            models[f"{system}:{beside}"] = other = home.model_with(beside)
            opened.callback(other.close)
        asked = [(system, case) for system in models for case in cases]
        return measure_resumably(results_of(home), model, name, asked, answer, depends=depends, progress=progress)


def results_of(home: Home) -> Results:
    """The measurements of this kind that a home keeps."""
    return Results(home.folder / "results" / "choice")


def accuracy(results: Sequence[Result]) -> Table:
    """How many letters are right in each subject and in all (T-RAG, figure 3), with the interval that holds the true
    share in 95 of 100 such measurements; with two models, which question by question are compared."""
    systems = by_system(results)
    tuned = next(name for name in systems if not name.endswith(BASE))
    sides = [name for name in (f"{tuned}{BASE}", tuned) if name in systems]
    subjects = dict.fromkeys(result.case.kind for result in results)
    rows = []
    for subject in (*sorted(subjects), ""):
        of = [[one for one in systems[side] if one.case.kind == subject or not subject] for side in sides]
        row = [subject or "All", str(len(of[-1]))]
        for answers in of:
            right = sum(is_right(one.score) for one in answers)
            low, high = wilson(right, len(answers))
            row += (f"{right / len(answers):.1%}", f"{low:.1%} to {high:.1%}")
        if len(of) == 2:
            found = compare(*of)
            row += (str(found.better), str(found.worse), f"{found.p:.3g}")
        rows.append(tuple(row))
    header: tuple[str, ...] = ("Subject", "N", "Accuracy", "95%")
    note = "Chance is 25%. The interval is Wilson's."
    if len(sides) == 2:
        header = ("Subject", "N", "Base", "95%", "Fine-tuned", "95%", "Better", "Worse", "p")
        note += " p is that of the exact McNemar test, two-sided."
    if none := sum(not result.record.answer for result in results):
        note += f" {none} answers held no letter and count as wrong."
    title = "by the words of the answers" if "words" in tuned else "by the letter"
    return Table(f"Multiple-choice questions, {title}", header, tuple(rows), note)


def letter_of(text: str) -> str:
    """The letter that an answer begins with, also as "(B)", "The answer is B." or "B. Paris"; "" for anything else."""
    found = _LETTER.match(text)
    return found[1] if found else ""


def _rows(content: bytes) -> Iterator[tuple[int, list[str], str]]:
    """Each row that is not empty, its fields stripped, with the line it begins in and what is wrong with it."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        yield content.count(b"\n", 0, error.start) + 1, [], f"is no UTF-8 text ({error.reason})"
        return
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = [field.strip() for field in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            yield line, [], f"is no CSV ({error})"
            continue
        if row and len(row) != 6:
            yield line, row, f"has {len(row)} fields, not 6"
        elif row:
            empty = [name for name, field in zip(("question", *LETTERS), row[:5], strict=True) if not field]
            wrong = "" if row[5] in LETTERS else f'the right answer is "{row[5]}", not A, B, C or D'
            yield line, row, f"{', '.join(empty)}: empty" if empty else wrong


def _by_letter(model: LanguageModel, case: Case, shown: Sequence[Case]) -> tuple[str, str]:
    """The letter, "" where there is none, and how it came about."""
    for examples in _fewer(shown):
        messages = prompts.choice(case.kind, case.question, [(one.question, one.answer) for one in examples])
        if model.count(messages) + _TOKENS > model.context:
            continue
        if isinstance(model, Scoring):
            return _likeliest([exp(weight) for weight in model.log_probabilities(messages, LETTERS)])
        with closing(model.stream(messages, max_tokens=_TOKENS)) as pieces:
            text = "".join(piece for piece in pieces if isinstance(piece, str))
        return letter_of(text), f'wrote "{text.strip()}"'
    return "", _TOO_LONG


def _by_words(model: LanguageModel, case: Case, shown: Sequence[Case]) -> tuple[str, str]:
    """The letter of the answer whose words are likeliest for their length, and how likely a character of each is."""
    assert isinstance(model, Scoring)
    options = _options(case)
    longest = max(map(model.count_text, options)) + _TOKENS
    for examples in _fewer(shown):
        turns = [
            turn for one in examples for turn in (Message("user", _stem(one)), Message("assistant", one.gold[0][0]))
        ]
        messages = (*turns, Message("user", _stem(case)))
        if model.count(messages) + longest <= model.context:
            weights = zip(model.log_probabilities(messages, options), options, strict=True)
            return _likeliest([exp(weight / len(option)) for weight, option in weights])
    return "", _TOO_LONG


def _fewer(shown: Sequence[Case]) -> Iterator[Sequence[Case]]:
    """All examples, then one less each time, and none at last."""
    return (shown[:number] for number in range(len(shown), -1, -1))


def _likeliest(shares: Sequence[float]) -> tuple[str, str]:
    told = ", ".join(f"{letter} {share:.1%}" for letter, share in zip(LETTERS, shares, strict=True))
    return LETTERS[shares.index(max(shares))], told


def _options(case: Case) -> list[str]:
    """The four answers in their order."""
    options = list(case.forbidden)
    options.insert(LETTERS.index(case.answer), case.gold[0][0])
    return options


def _listed(options: Sequence[str]) -> str:
    return "\n".join(f"{letter}. {option}" for letter, option in zip(LETTERS, options, strict=True))


def _stem(case: Case) -> str:
    """The question without its answers."""
    return case.question.removesuffix(f"\n{_listed(_options(case))}")
