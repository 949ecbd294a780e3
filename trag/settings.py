"""The settings of one home: defaults, then trag.toml in the home, then TRAG_* in the environment. An unknown key is an
error.

Made once at the edge (terminal or web app) and passed on as a value.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Le

from trag.errors import TragError
from trag.json_lines import made

NotNegative = Annotated[int, Ge(0)]


@dataclass(frozen=True, slots=True)
class Settings:
    """One value a field; the docstring below each says what it means, in what unit."""

    home: Path = Path("var")
    """Where everything that is written goes; chooses the organization. Only from TRAG_HOME."""
    model: str = ""
    """A local GGUF file, or "small" for Qwen2.5-Coder-0.5B-Instruct. Empty: Qwen2.5-Coder-1.5B-Instruct."""
    adapter: str = ""
    """A GGUF LoRA adapter made for that model, or "none". Empty: the one promoted in this home, else the one that
    ships where it was trained on that model."""
    gpu_layers: Annotated[int, Ge(-1)] = -1
    """Layers kept on the GPU; -1 is all of them where the build can, none where it cannot."""
    model_url: str = ""
    """The /v1 address of an OpenAI-compatible server that is used instead of a local model, or of several, with commas
    between."""
    model_name: str = ""
    """The model to ask for at `model_url`, the same at each."""
    model_key: str = ""
    """The key that `model_url` wants, if it wants one."""
    context: int = 4096
    """Tokens of prompt and answer together, more than `answer_tokens`."""
    answer_tokens: Annotated[int, Ge(1)] = 256
    """Tokens an answer may have at most."""
    embedder: str = ""
    """A sentence-transformers or Instructor model, a folder or a name. Empty: the embedded all-MiniLM-L6-v2."""
    chroma_url: str = ""
    """A Chroma server and a database on it, http://host:port/NAME, used instead of files in the home."""
    database_url: str = ""
    """A PostgreSQL database of this home's own, postgresql://user@host/NAME, used for the records instead of a file in
    the home."""
    pairs: NotNegative = 3
    """Question-answer pairs put in the prompt (T-RAG, section 5.4.2)."""
    sections: NotNegative = 3
    """Sections put in the prompt where no pair is near enough."""
    threshold: Annotated[float, Ge(-1), Le(1)] = 0.2
    """Cosine similarity under which a passage counts as no evidence."""
    statement_tokens: NotNegative = 700
    """Tokens that statements from the chart may take at most."""
    waiting: NotNegative = 20
    """Askers that may wait in line before the next one is refused."""
    host: str = "127.0.0.1"
    """Address to listen on."""
    port: Annotated[int, Ge(1), Le(65_535)] = 7860
    """Port to listen on."""
    address: str = ""
    """The https:// address that people open, of a proxy that ends TLS; needed to serve more than this machine."""
    proxy_from: str = ""
    """Addresses or networks of proxies, with commas between, that are believed about where a request comes from."""
    proxy_user: str = ""
    """The header in which those proxies name who signed in with them. Empty: none is believed."""
    second_factor: bool = False
    """Whether an admin who signs in with a password needs a second factor, and acts as an employee without."""
    sso_issuer: str = ""
    """The address of an OpenID provider for single sign-on. Empty: none."""
    sso_client: str = ""
    """The client id that the provider gave this assistant."""
    sso_secret: str = ""
    """The client secret, if the provider gave one."""
    sso_name: str = "preferred_username"
    """The claim that becomes the name of an account."""
    sso_groups: str = "groups"
    """The claim that holds somebody's groups."""
    sso_roles: str = ""
    """What each group may do, "staff=employee, leads=admin". Empty: an admin lets each person in."""
    sso_units: str = ""
    """The unit of the chart that each group is, "group=unit id"."""
    mcp: bool = False
    """Whether other assistants may ask by the Model Context Protocol, at /mcp, with personal tokens."""
    metrics_key: str = ""
    """The key with which monitoring reads the figures at /metrics, 20 characters or more. Empty: nobody reads them."""
    log_json: bool = False
    """Whether the log is lines of JSON."""
    workflows: bool = False
    """Whether workflows that an admin put in use run: else they are drafted, tried and exported only."""
    hooks: str = ""
    """The addresses of steps that other programs do, "action id=https://...", with commas between. Empty: none."""

    @property
    def database(self) -> str:
        """The address of the records."""
        from store.database import sqlite_address

        return self.database_url or sqlite_address(self.home / "trag.db")

    @property
    def url(self) -> str:
        """The address that people open, without a slash at its end: the proxy's, else that of this machine."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.address.rstrip("/") or f"http://{host}:{self.port}"


def load(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of the home that TRAG_HOME names.

    Raises TragError that lists every unknown key and every value of a wrong type or out of its range, in both places
    at once; and for a home that cannot be one, or a file in it that cannot be read.
    """
    environment = os.environ if environment is None else environment
    home = _home(environment.get("TRAG_HOME") or str(Settings().home))
    return combined(home, in_file(home), environment)


def file_of(home: Path) -> Path:
    """The file that holds the settings of a home, there or not."""
    return home / "trag.toml"


def in_file(home: Path) -> dict[str, Any]:
    """What trag.toml sets, held against nothing yet. Raises TragError for a file that cannot be read."""
    file = file_of(home)
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise TragError(
            f"{file} cannot be read: {error.strerror}.", "Make it a file that this program may read, or remove it."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TragError(f"{file}: {error}", "Correct the line, or remove the file to run on the defaults.") from error


def in_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What variables TRAG_* set, by the names of the settings; but for the home, which no file can name."""
    return {
        name.removeprefix("TRAG_").lower(): value
        for name, value in environment.items()
        if name.startswith("TRAG_") and name != "TRAG_HOME"
    }


def combined(
    home: Path, table: Mapping[str, Any], environment: Mapping[str, str], typed: Mapping[str, str] | None = None
) -> Settings:
    """The settings of what a file sets, what was typed to be set in it instead, and what variables set. Raises
    TragError with all that is wrong."""
    problems: list[str] = []
    names = [field.name for field in fields(Settings) if field.name != "home"]
    values: dict[str, Any] = {}
    file, typed = {key: value for key, value in table.items() if key not in (typed or {})}, typed or {}
    places = (
        (f"{file_of(home)}: ", file), ("", typed), ("environment TRAG_*: ", in_environment(environment))
    )  # fmt: skip
    for place, given in places:
        for key in given.keys() - names:
            near = get_close_matches(key, names, n=1)
            problems.append(f'{place}unknown setting "{key}"' + (f', did you mean "{near[0]}"?' if near else ""))
        # As the environment has it: a number is no truth value then, nor the other way round.
        known = {key: str(one) if isinstance(one, int | float) else one for key, one in given.items() if key in names}
        try:
            found = made(Settings, known)
        except ValueError as error:
            problems.append(f"{place}{error}")
        else:
            values |= {key: getattr(found, key) for key in known}
    settings = Settings(home=home, **values)
    if settings.context <= settings.answer_tokens:
        problems.append(
            f'"context" must be more than "answer_tokens" = {settings.answer_tokens}, found {settings.context}'
        )
    if problems:
        raise TragError("; ".join(problems), "docs/operators.md lists every setting.")
    return settings


def _home(name: str) -> Path:
    """The folder of that name, there or not. Raises TragError where none can be."""
    try:
        home = Path(name).expanduser()
    except RuntimeError as error:  # "~" and nobody's name
        raise TragError(f"TRAG_HOME = {name}: {error}", "Name a folder.") from error
    there = next((path for path in (home, *home.parents) if os.path.lexists(path)), None)
    if there and not there.is_dir():
        raise TragError(f"TRAG_HOME = {name}: {there} is no folder.", "Name a folder, there or not yet.")
    return home
