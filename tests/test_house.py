"""The rules of the house: which way the arrows point, and where each heavy library may be imported."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

from bench import house

ROOT = Path(__file__).parent.parent
HOUSE = ("org", "store", "prompts", "trag")
SHARED = {
    "trag.machine",
    "trag.errors",
    "trag.json_lines",
    "trag.sandbox",
    "trag.models.catalogue",
    "trag.progress",
    "trag.record",
    "trag.lexical",
    "trag.low_rank",
    "trag.table_rows",
    "trag.settings",
    "trag.dates",
    "trag.validity_fields",
}
STEPS = {
    "approved",
    "asked_days",
    "condense",
    "chart_query",
    "retrieve",
    "grounding",
    "embed",
    "llm",
    "ingest",
    "charts",
}
HANDED = {
    "trag.embed.Embedder",
    "trag.llm.model.LanguageModel",
    "trag.llm.model.Scoring",
    "trag.llm.model.text_of",
}
"""The types of what a step is handed, and what reads their streams."""
EVALUATES = {("trag", "evaluate"), ("trag", "finetune"), ("trag", "web"), ("trag", "terminal")}
"""What may know of evaluations; nothing that answers people does."""
ROOMS = {
    "anytree": {"org/chart.py"},
    "spacy": {"org/linking/entities.py"},
    "openpyxl": {"org/reading/workbook.py", "trag/ingest/"},
    "chromadb": {"store/"},
    "pycld2": {"store/language.py"},
    "Stemmer": {"store/language.py"},
    "langchain_core": {"store/index.py"},
    "langchain_text_splitters": {"trag/ingest/"},
    "sqlalchemy": {"store/"},
    "sqlglot": {"trag/evaluate/grammar/sql.py"},
    "alembic": {"store/"},
    "llama_cpp": {"trag/llm/"},
    "openai": {"trag/llm/"},
    "sentence_transformers": {"trag/embed.py", "trag/evaluate/briefs/judge.py"},
    "InstructorEmbedding": {"trag/embed.py"},
    "torch": {
        "trag/embed.py",
        "trag/low_rank.py",
        "trag/evaluate/briefs/",
        "trag/finetune/",
        "trag/reranking/",
    },
    "transformers": {"trag/embed.py", "trag/evaluate/briefs/", "trag/finetune/", "trag/reranking/"},
    "peft": {"trag/finetune/"},
    "gguf": {"trag/finetune/"},
    "gradio": {"trag/web/"},
    "prometheus_client": {"trag/web/monitoring.py"},
    "argon2": {"trag/people/passwords.py"},
    "zxcvbn": {"trag/people/passwords.py"},
    "pyotp": {"trag/people/second_factor.py"},
    "authlib": {"trag/people/sso.py"},
    "fastapi": {"trag/web/"},
    "uvicorn": {"trag/web/"},
    "pydantic": {"trag/json_lines.py", "trag/web/"},
    "annotated_types": {"trag/"},
    "mcp": {"trag/web/api/mcp.py"},
    "mcp_types": {"trag/web/api/mcp.py"},
    "dateparser": {"trag/dates.py"},
    "docx": {"trag/ingest/", "trag/brief/export.py"},
    "watchfiles": {"trag/folders/"},
    "pypdfium2": {"trag/ingest/", "trag/view/"},
    "PIL": {"trag/ingest/"},
    "tomlkit": {"trag/changed_settings.py"},
}


LIGHT = {"annotated_types", "sqlalchemy"}
"""Kept to its room all the same, but quick to load."""


def sources() -> list[Path]:
    return [ROOT / "app.py", *(path for room in HOUSE for path in sorted((ROOT / room).rglob("*.py")))]


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> tuple[tuple[int, str], ...]:
    """Each module that `path` imports anywhere, with its line; `from trag import ask` counts as trag.ask."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found += ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
    return tuple(found)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def test_arrows_point_one_way() -> None:
    wrong = []
    for path in sources():
        place = path.relative_to(ROOT)
        room = place.parts[0]
        for line, module in imports(path):
            top = module.split(".")[0]
            if room in ("org", "store", "prompts") and top in HOUSE and top != room:
                wrong.append(f"{place}:{line} imports {module}")
            if top == "app":
                wrong.append(f"{place}:{line} imports {module}")
            if (
                room == "trag"
                and len(place.parts) > 1
                and place.parts[1] not in ("web", "terminal")
                and within(module, "trag.web")
            ):
                wrong.append(f"{place}:{line} imports {module}")
            if place.parts[:2] not in EVALUATES and within(module, "trag.evaluate"):
                wrong.append(f"{place}:{line} imports {module}")
            if room == "trag" and place.parts[1] not in ("terminal", "__main__.py") and within(module, "trag.terminal"):
                wrong.append(f"{place}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_steps_do_not_import_each_other() -> None:
    wrong = []
    assert {*STEPS} <= {path.stem for path in (ROOT / "trag").iterdir()}
    for path in sources():
        place = path.relative_to(ROOT)
        step = place.parts[1].removesuffix(".py") if place.parts[0] == "trag" and len(place.parts) > 1 else ""
        if step not in STEPS:
            continue
        for line, module in imports(path):
            if not within(module, "trag") or within(module, f"trag.{step}"):
                continue
            if any(within(module, allowed) for allowed in SHARED):
                continue
            if module in HANDED:
                continue
            wrong.append(f"{place}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_no_module_imports_itself_by_way_of_others() -> None:
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sources()}
    assert not house.circular(house.imported(texts))


def test_a_circle_is_seen_wherever_its_imports_stand() -> None:
    texts = {
        "a.py": "import b",
        "b.py": "def run():\n    from c import made",
        "c.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a",
    }
    arrows = house.imported(texts)
    assert arrows == {"a.py": {"b.py"}, "b.py": {"c.py"}, "c.py": set()}
    assert house.reached("b.py", arrows) == {"b.py", "c.py"}
    assert not house.circular(arrows)
    assert house.circular(house.imported(texts | {"c.py": "import a"})) == {"a.py", "b.py", "c.py"}


def test_each_heavy_library_is_imported_in_its_room() -> None:
    wrong = []
    for path in sources():
        place = path.relative_to(ROOT).as_posix()
        for line, module in imports(path):
            rooms = ROOMS.get(module.split(".")[0])
            if rooms and not any(place == room or (room.endswith("/") and place.startswith(room)) for room in rooms):
                wrong.append(f"{place}:{line} imports {module}, which belongs in {', '.join(sorted(rooms))}")
    assert not wrong, "\n".join(wrong)


def test_importing_loads_no_heavy_library() -> None:
    modules = (
        "trag",
        "trag.terminal.main",
        "trag.ask",
        "trag.home",
        "org.linking.entities",
        "store.vectors",
        "prompts",
    )
    heavy = sorted({*ROOMS, "numpy"} - LIGHT)
    told = f"print(module, *sorted(set({heavy!r}) & set(sys.modules)))"
    code = f"import importlib, sys\nfor module in {modules}: importlib.import_module(module); {told}"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert loaded.stdout.splitlines() == [*modules]


def test_every_file_says_what_it_does() -> None:
    silent = [str(path.relative_to(ROOT)) for path in sources() if not ast.get_docstring(tree(path))]
    assert not silent
