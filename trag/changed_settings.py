"""The settings of a home as its admins see them, and those that they may change: kept in trag.toml, taken up at once
where each question reads them anew, and with the next start else.

What a wrong value of would keep people out, the program from starting or its memory full, what leads elsewhere, and
secrets are left to whoever runs the machine.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from store.files import write_atomic
from trag.errors import OperatorError, TragError, joined, later
from trag.json_lines import kept, to_keep
from trag.llm.files import base_name
from trag.settings import Settings, combined, file_of, in_environment, in_file

if TYPE_CHECKING:
    from trag.home import Home

GROUPS: Mapping[str, tuple[str, ...]] = {
    later("Model"): (
        *("model", "adapter", "answer_tokens", "context", "gpu_layers"),
        *("model_url", "model_name", "model_key"),
    ),
    later("Search"): ("embedder",),
    later("Limits"): ("waiting",),
    later("Address and sign-in"): (
        *("address", "host", "port", "proxy_from", "proxy_user", "second_factor", "sso_issuer", "sso_client"),
        *("sso_secret", "sso_name", "sso_groups", "sso_roles", "sso_units"),
    ),
    later("Programs"): ("mcp", "workflows", "hooks"),
    later("Monitoring"): ("metrics_key", "log_json"),
    later("Where things are kept"): ("home", "database_url", "chroma_url"),
    later("Comparisons with the paper’s systems, in evaluations only"): (
        "pairs",
        "sections",
        "threshold",
        "statement_tokens",
    ),
}
"""Every setting, in people's words."""
AT_ONCE = frozenset({"answer_tokens", "waiting", "pairs", "sections", "threshold", "statement_tokens"})
AT_NEXT_START = frozenset({"second_factor", "mcp", "workflows"})
_SECRETS = frozenset({"model_key", "sso_secret", "metrics_key"})
_PASSWORD = re.compile(r"(?<=://)[^/\s]*@")
_QUERY = re.compile(r"\?[^\s,]*")

Origin = Literal["default", "trag.toml", "environment"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as it stands in a home: what it `means`, its `value` as it is shown and, where it may be changed, as
    it is `typed`, where that comes from, and `running`, the value that counts until the next start, "" where that is
    the same. `may` is when a change by an admin counts, "" where they may not make one; `switch` is whether it is on or
    off."""

    name: str
    means: str
    value: str
    typed: str
    origin: Origin
    may: Literal["at once", "after the next start", ""]
    running: str = ""
    switch: bool = False

    @property
    def usual(self) -> bool:
        """Whether it is as by default, and may not be changed here: there is little to see of it."""
        return self.origin == "default" and not self.may and not self.running


@dataclass(frozen=True, slots=True)
class ModelChange:
    """`model` answers since `at`, because `by` chose it; `before` answered until then. Both as the settings name
    them."""

    model: str
    before: str
    by: str
    at: datetime


class Crossed(TragError):
    """Somebody else changed a setting that was to be changed; nothing was kept."""


_one_at_a_time = threading.Lock()


def listed(home: Home, environment: Mapping[str, str] = os.environ) -> dict[str, tuple[Setting, ...]]:
    """Every setting by its group, as trag.toml and the environment have it now. Raises TragError where they cannot be
    used."""
    table, held = in_file(home.folder), in_environment(environment)
    saved, mean = combined(home.folder, table, environment), meanings()

    def setting(name: str) -> Setting:
        value, running = getattr(saved, name), getattr(home.settings, name)
        origin: Origin = "environment" if name in held else "trag.toml" if name in table else "default"
        if name == "home" and "TRAG_HOME" in environment:
            origin = "environment"
        may: Literal["at once", "after the next start", ""] = ""
        if origin != "environment":
            may = "at once" if name in AT_ONCE else "after the next start" if name in AT_NEXT_START else ""
        differs = shown(name, running) or "none" if running != value and name != "home" else ""
        typed, switch = _typed(value) if may else "", isinstance(value, bool)
        return Setting(name, mean[name], shown(name, value), typed, origin, may, differs, switch)

    return {group: tuple(map(setting, names)) for group, names in GROUPS.items()}


def change(
    home: Home,
    typed: Mapping[str, str],
    seen: Mapping[str, str],
    *,
    by: str,
    where: str = "",
    environment: Mapping[str, str] = os.environ,
) -> tuple[str, ...]:
    """Keep what was typed other than it was `seen`, by the names of the settings, and give the names of what is
    different now; what counts at once is taken up.

    Raises TragError with all that is wrong, Crossed where somebody changed the same setting meanwhile, and StoreError
    where the file cannot be written; then nothing is changed.
    """
    wanted = {name: value.strip() for name, value in typed.items() if value.strip() != seen.get(name)}
    with _one_at_a_time:
        table = in_file(home.folder)
        now = combined(home.folder, table, environment)
        problems = [*_not_here(wanted, in_environment(environment))]
        try:
            after = combined(home.folder, table, environment, wanted)
        except TragError as error:
            raise TragError(joined([*problems, error.message], "; "), later("Nothing was changed.")) from error
        if "answer_tokens" in wanted and 2 * after.answer_tokens > after.context:
            problems.append(
                later(
                    '"answer_tokens" may be half of the context, %(half)s, so that questions fit',
                    half=after.context // 2,
                )
            )
        if problems:
            raise TragError(joined(problems, "; "), later("Nothing was changed."))
        changed = {name: getattr(after, name) for name in wanted if getattr(after, name) != getattr(now, name)}
        if crossed := [name for name in changed if _typed(getattr(now, name)) != seen.get(name)]:
            what = joined(
                (
                    later("%(name)s is %(value)s now", name=name, value=shown(name, getattr(now, name)))
                    for name in crossed
                ),
                ", ",
            )
            raise Crossed(
                later("Somebody else changed settings meanwhile: %(what)s.", what=what),
                later("Nothing of yours was changed yet."),
            )
        if changed:
            _write(home, changed)
            for name, value in changed.items():
                told = f"{shown(name, getattr(now, name))} -> {shown(name, value)}"
                home.records.audit.add(by, "setting changed", name, where=where, result=told)
            at_once = {name: value for name, value in changed.items() if name in AT_ONCE}
            if at_once and home.settings.context > after.answer_tokens:
                home.take_up(replace(home.settings, **at_once))
    return tuple(changed)


def model_held_by(home: Home, environment: Mapping[str, str] = os.environ) -> str:
    """The name of the setting that says which model answers, whatever an admin chooses; "" for none."""
    if home.settings.model_url:
        return "TRAG_MODEL_URL" if "TRAG_MODEL_URL" in environment else "model_url in trag.toml"
    return "TRAG_MODEL" if "TRAG_MODEL" in environment else ""


def change_model(
    home: Home, model: str, *, by: str, where: str = "", instead_of: str, environment: Mapping[str, str] = os.environ
) -> None:
    """Answer with this model from now on, and after the next start, named as in the settings. `instead_of` is the one
    that `by` saw answering.

    Raises TragError where the settings hold the model, Crossed where another answers by now, StoreError where the file
    cannot be written, and what Home.change_model raises; then the one before goes on.
    """
    _check_model(home, instead_of, environment)

    @contextmanager
    def keeping() -> Iterator[None]:
        with _one_at_a_time:
            _check_model(home, instead_of, environment)
            # Before the settings: a kill between the two leaves a note that nobody looks at.
            _note(home).parent.mkdir(exist_ok=True)
            write_atomic(_note(home), to_keep(ModelChange(model, instead_of, by, datetime.now(UTC))))
            _write(home, {"model": model})
            told = f"{base_name(instead_of)} -> {base_name(model)}"
            home.records.audit.add(by, "model changed", base_name(model), where=where, result=told)
            yield

    home.change_model(model, keeping())


def model_change(home: Home) -> ModelChange | None:
    """How the model that answers came to do so, None where nobody chose it here. Whoever goes back changes to the one
    `before`."""
    try:
        found = kept(ModelChange, _note(home).read_bytes())
    except (OSError, ValueError):
        return None
    return found if found.model == home.settings.model else None


def _note(home: Home) -> Path:
    return home.folder / "models" / ".changed.json"


def _check_model(home: Home, instead_of: str, environment: Mapping[str, str]) -> None:
    if held := model_held_by(home, environment):
        raise TragError(
            later("%(setting)s says which model answers, and counts more than this page.", setting=held),
            later("Take it out there first."),
        )
    if (now := home.settings.model) != instead_of:
        raise Crossed(
            later("Somebody else changed the model meanwhile: %(model)s answers now.", model=base_name(now)),
            later("Nothing was done."),
        )


def shown(name: str, value: object) -> str:
    """A value as it is shown, "" for none: of a secret only whether it is set, of an address neither who opens it nor a
    query, which may hold a password."""
    if name in _SECRETS:
        return later("set") if value else later("not set")
    if isinstance(value, bool):
        return later("on") if value else later("off")
    text = str(value)
    return _QUERY.sub("?…", _PASSWORD.sub("…@", text)) if "://" in text else text


def _typed(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _not_here(wanted: Mapping[str, str], held: Mapping[str, str]) -> list[str]:
    """What may not be changed of what is wanted, and why; unknown names are told by `combined`."""
    known = {field.name for field in fields(Settings)}
    return [
        later(
            "%(name)s is set by %(variable)s in the environment, which counts more than this page",
            **{"name": name, "variable": f"TRAG_{name.upper()}"},
        )
        if name in held
        else later("%(name)s is not changed on this page, but by whoever runs the machine", name=name)
        for name in wanted
        if name in held or (name in known and name not in AT_ONCE | AT_NEXT_START)
    ]


def _write(home: Home, changed: Mapping[str, Any]) -> None:
    """Set these in trag.toml, and leave all else there as it is."""
    import tomlkit

    file = file_of(home.folder).resolve()  # a link to a file elsewhere stays one
    if file.exists() and not os.access(file, os.W_OK):
        raise OperatorError(
            f"{file} may not be written by this program.", "Let its account write it, or edit it there."
        )
    document = tomlkit.parse(file.read_text(encoding="utf-8") if file.exists() else "")
    document.update(changed)
    write_atomic(file, tomlkit.dumps(document).encode())


@cache
def meanings() -> dict[str, str]:
    """What each setting means, as trag/settings.py says it below each."""
    (kind,) = ast.parse(inspect.getsource(Settings)).body
    assert isinstance(kind, ast.ClassDef)
    found: dict[str, str] = {}
    for field, below in zip(kind.body, kind.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            found[field.target.id] = " ".join(str(ast.literal_eval(below.value)).replace("`", "").split())
    return found
