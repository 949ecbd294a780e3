"""python -m bench.score QUESTIONS ANSWERS [--show]: how many answers of a batch are right, by kind of question.

Strings compared as whole words without case: every item of the gold in one of its forms, nothing forbidden, every
unit of a list, the count, the yes or no, a refusal where one is due. Stricter and fairer scoring is the business of
the evaluations to come.
"""

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()


def main() -> None:
    """Print one line a kind of question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("answers", type=Path)
    parser.add_argument("--show", action="store_true", help="print what is wrong")
    options = parser.parse_args()
    answers = {row["id"]: row for row in read(options.answers)}
    asked, right, how = Counter[str](), Counter[str](), Counter[str]()
    groups: dict[str, list[bool]] = defaultdict(list)
    for question in read(options.questions):
        answer = answers[question["id"]]
        kind, good = question["kind"], is_right(question, answer["answer"], answer["status"])
        asked[kind] += 1
        right[kind] += good
        how[f"{kind}: {answer['status']}, replaced {answer['checks']['replaced']}"] += 1
        if "group" in question:
            groups[question["group"]].append(good)
        if options.show and not good:
            print(
                f"{question['id']}: {question['question']}\n  gold: {question['answer']}\n  got:  {answer['answer']!r}"
            )
    for kind, number in asked.items():
        print(f"{kind:14} {right[kind]:3}/{number:<3} {right[kind] / number:.0%}")
    if groups:
        print(f"groups of paraphrases, all right: {sum(map(all, groups.values()))}/{len(groups)}")
    for line, number in found(read(options.questions), answers):
        print(f"  {number:3} {line}")
    for line, number in sorted(how.items()):
        print(f"  {number:3} {line}")


def found(questions: list[dict[str, Any]], answers: Mapping[str, Any]) -> list[tuple[str, int]]:
    """For how many document questions the sources held the right section, and every item of the gold."""
    section = gold = 0
    for question in questions:
        if question["kind"] == "document":
            sources = answers[question["id"]]["sources"]
            heading = question["section"].split(" > ")[-1]
            text = " ".join(f"{source['question']} {source['text']}" for source in sources)
            section += any(heading in source["section"] for source in sources)
            gold += all(any(holds(text, form) for form in item) for item in question["gold"])
    return [("document: right section among the sources", section), ("document: all of the gold in the sources", gold)]


def is_right(question: Mapping[str, Any], answer: str, status: str) -> bool:
    """Whether `answer` is right by the gold of `question`."""
    if question.get("refuse"):
        return status == "cannot_answer"
    text = answer.replace("’", "'")
    count = question.get("count")
    opening = re.match(r"\W*(yes|no)\b", text, re.I)
    return (
        status != "cannot_answer"
        and not any(holds(text, wrong) for wrong in question.get("forbidden", ()))
        and all(any(holds(text, form) for form in item) for item in question.get("gold", ()))
        and all(holds(text, unit) for unit in question.get("units", ()))
        and all(
            sum(holds(text, unit) for unit in some["units"]) >= some["at_least"] for some in question.get("some", ())
        )
        and (count is None or holds(text, str(count)) or (count < len(NUMBERS) and holds(text, NUMBERS[count])))
        and ("polarity" not in question or bool(opening and opening[1].lower() == question["polarity"]))
    )


def holds(text: str, words: str) -> bool:
    """Whether `words` stand in `text` as whole words, whatever their case."""
    return re.search(rf"(?<!\w){re.escape(words.lower())}(?!\w)", text.lower()) is not None


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    main()
