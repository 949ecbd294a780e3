"""The page about programs as HTML: the description of their addresses, for people. Knows nothing about requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from trag.web.api.openai_compatible import MODEL
from trag.web.render import environment


@dataclass(frozen=True, slots=True)
class Field:
    """What may be sent under one name: what it is in a few words, and whether it must be there."""

    name: str
    kind: str
    needed: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """One address as people read it: each refusal is a status and what it means, each kind of answer a media type and
    what comes then."""

    method: str
    path: str
    summary: str
    about: Markup
    fields: tuple[Field, ...]
    answers: tuple[tuple[str, Markup], ...]
    refusals: tuple[tuple[str, str], ...]


def programs(address: str, description: Mapping[str, Any]) -> str:
    """The page; `address` is where the reader reached it."""
    return (
        environment()
        .get_template("programs.html")
        .render(here="/api", address=address, model=MODEL, operations=tuple(operations(description)))
    )


def operations(description: Mapping[str, Any]) -> Iterator[Operation]:
    """Every address of a description."""
    schemas = description["components"]["schemas"]
    for path, methods in description["paths"].items():
        for method, one in methods.items():
            responses = one["responses"]
            answers = responses["200"]["content"]
            yield Operation(
                method.upper(),
                path,
                one["summary"],
                _with_code(one.get("description", "")),
                tuple(_fields(one, schemas)),
                tuple((kind, _told(each["schema"], schemas)) for kind, each in answers.items()),
                tuple((status, each["description"]) for status, each in responses.items() if status != "200"),
            )


def _fields(operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[Field]:
    if "requestBody" not in operation:
        return
    schema = _found(operation["requestBody"]["content"]["application/json"]["schema"], schemas)
    for name, each in schema["properties"].items():
        yield Field(name, _kind(each, schemas), name in schema.get("required", ()))


def _told(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Markup:
    return _with_code(schema["description"]) if "description" in schema else escape(_kind(schema, schemas))


def _kind(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """What a value may be, in a few words."""
    if "anyOf" in schema:
        return " or ".join(kind for each in schema["anyOf"] if (kind := _kind(each, schemas)) != "null")
    found = _found(schema, schemas)
    if "properties" in found:
        return f"{{{', '.join(found['properties'])}}}"
    if found.get("type") == "array":
        return f"list of {_kind(found['items'], schemas)}"
    most = f", up to {found['maxLength']:,} characters" if "maxLength" in found else ""
    return f"{found.get('type', 'anything')}{most}"


def _found(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema, or the one it refers to."""
    found: Mapping[str, Any] = schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    return found


def _with_code(text: str) -> Markup:
    """Text in which what stands between backticks is code."""
    parts = (
        Markup("<code>{}</code>" if number % 2 else "{}").format(part) for number, part in enumerate(text.split("`"))
    )
    return Markup().join(parts)
