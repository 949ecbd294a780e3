"""python -m bench.retrieval: is the right section among three, on the organizations that parameters are tuned on.

For several weights of MMR, with the vectors and keywords of the product. Never on the sample's development questions.
"""

import json
import os
import tempfile
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from trag.home import open_home
from trag.settings import Settings

ORGANIZATIONS = Path(__file__).parent / "organizations"
DIVERSITIES = (0.0, 0.1, 0.2, 0.3, 0.5)


def main() -> None:
    """Print one line a weight."""
    found = dict.fromkeys(DIVERSITIES, 0)
    asked = 0
    for folder in sorted(ORGANIZATIONS.iterdir()):
        lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        questions = [row for row in map(json.loads, lines) if row["kind"] == "document"]
        asked += len(questions)
        with tempfile.TemporaryDirectory() as home_folder, open_home(Settings(home=Path(home_folder))) as home:
            home.ingest([folder / "documents"], replace=False, progress=lambda step, done, total: None)
            vectors = home.embedder.embed_questions([question["question"] for question in questions])
            for diversity in DIVERSITIES:
                for question, vector in zip(questions, vectors, strict=True):
                    passages = home.vectors.search(
                        vector, question["question"], kinds=("section",), k=3, diversity=diversity
                    )
                    heading = question["section"].split(" > ")[-1]
                    found[diversity] += any(
                        passage.document == question["document"] and heading in passage.section for passage in passages
                    )
    for diversity, number in found.items():
        print(f"diversity {diversity}: the right section among three for {number} of {asked}")


if __name__ == "__main__":
    main()
