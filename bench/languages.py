"""The language of questions and documents, as `store.language` tells it: questions written for this, of which many hold
names of another language, those of bench/ and the documents of its organizations.

python -m bench.languages
"""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter

from store.language import language

HERE = Path(__file__).parent
QUESTIONS = HERE / "languages.jsonl"
"""A question, its language, and the page that it is asked on."""


def main() -> None:
    own = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    began = perf_counter()
    told = [language(one["question"], hint="" if one["page"] == "en" else one["page"]) for one in own]
    each = 1_000 * (perf_counter() - began) / len(own)
    for page in ("en", "own"):
        asked = [(one, found) for one, found in zip(own, told, strict=True) if (one["page"] == "en") == (page == "en")]
        wrong = [f"{one['question']} ({found})" for one, found in asked if found != one["language"]]
        print(f"on a page in {page}: {len(asked) - len(wrong)} of {len(asked)}; wrong: {'; '.join(wrong) or 'none'}")
    print(f"{each:.2f} ms a question")
    places = (*HERE.glob("organizations/*/questions.jsonl"), HERE / "people" / "questions.jsonl")
    english = [json.loads(line)["question"] for place in places for line in place.read_text("utf-8").splitlines()]
    for hint in ("", "de", "fr", "es", "ar"):
        other = [f"{one} ({found})" for one in english if (found := language(one, hint=hint)) != "en"]
        print(f"questions of bench/, nearly all English, page {hint or 'en'}: {len(other)} of {len(english)}: {other}")
    texts = [path.read_text("utf-8") for path in HERE.glob("organizations/*/documents/*.md")]
    print(f"English documents: {sum(language(one, surely=True) == 'en' for one in texts)} of {len(texts)}")


if __name__ == "__main__":
    main()
