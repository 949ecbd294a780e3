"""Many questions from a file, answered one after the other into another file; a stopped run goes on where it was.

questions.jsonl -> answers.jsonl, one record a line under the question's own id.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from annotated_types import Predicate

from prompts import PromptError
from trag import json_lines
from trag.errors import TragError, in_one_line
from trag.llm.remote import RequestRefused
from trag.question import cleaned
from trag.record import AnswerRecord

_START = b'{"id": '
"""How each line of an answers file begins."""


@dataclass(frozen=True, slots=True)
class _Line:
    id: Annotated[str | int, Predicate(lambda id: str(id).strip())]
    question: str


@dataclass(frozen=True, slots=True)
class Asked:
    """One line of a questions file."""

    id: str
    question: str


def questions(path: Path) -> tuple[Asked, ...]:
    """The questions in `path`, JSON lines with an "id" and a "question", whatever else; an empty question is one.

    Raises TragError with the number of every bad line and what is wrong with it, or when there is no question at all.
    """
    hint = 'Each line is {"id": "...", "question": "..."}, in UTF-8.'
    found = json_lines.read(path, _Line, "question", hint, extra="ignore")
    return tuple(Asked(str(one.id), one.question) for one in found)


def answered(path: Path) -> frozenset[str]:
    """The ids that `path` already answers; it is there afterwards. A last line that a kill cut short is removed, so
    that the run can go on behind it. Raises TragError where no file can be written, and for a file of anything else,
    which it leaves as it is."""
    try:
        with path.open("a+b") as file:
            file.seek(0)
            content = file.read()
    except OSError as error:
        raise TragError(
            f"{path} cannot be written: {error.strerror}.", "Name a file for the answers, in a folder that is there."
        ) from error
    whole = content[: content.rfind(b"\n") + 1]
    torn = content[len(whole) :]
    try:
        ids = frozenset(json.loads(line)["id"] for line in whole.splitlines() if line.strip())
    except (ValueError, TypeError, KeyError) as error:
        raise _no_answers(path) from error
    if torn[: len(_START)] != _START[: len(torn)]:
        raise _no_answers(path)
    if torn:
        os.truncate(path, len(whole))
    return ids


def run(
    asked: tuple[Asked, ...],
    path: Path,
    answer: Callable[[str], AnswerRecord],
    problem: Callable[[str, str], AnswerRecord],
) -> Iterator[Asked]:
    """Appends one record to `path` for each question that it does not answer yet; yields each question when its record
    is on the disk.

    `answer` gives the record of a question. One that cannot be asked, or that the model's server refuses, has the
    record that `problem` gives. Raises whatever else `answer` raises, such as TragError when the model cannot be
    reached: that question is asked by the next run.
    """
    done = answered(path)
    with path.open("a", encoding="utf-8") as file:
        for one in asked:
            if one.id not in done:
                record = _record(one.question, answer, problem)
                file.write(replace(record, id=one.id).to_json() + "\n")
                file.flush()
                os.fsync(file.fileno())
            yield one


def _record(
    question: str, answer: Callable[[str], AnswerRecord], problem: Callable[[str, str], AnswerRecord]
) -> AnswerRecord:
    """The record of an answer, or of why the question has none."""
    try:
        cleaned(question)
    except TragError as error:
        return problem(question, in_one_line(error))
    try:
        record = answer(question)
        return answer(question) if record.interrupted else record  # the model died, perhaps of something else
    except (PromptError, RequestRefused) as error:
        return problem(question, in_one_line(error))


def _no_answers(path: Path) -> TragError:
    return TragError(f"{path} is there already and is no file of answers.", "Name another file for the answers.")
