"""A call of a function of the Ask page, as the browser sends it: words and numbers, each in its field.

Gradio takes far more. Where it finds a file in a call, however deep and whatever the function takes, it fetches the
file's address; so nothing that could hold one may pass. Knows nothing about who calls, or what a function does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping


def plain(call: Mapping[str, object], fields: Mapping[str, Callable[[object], bool]]) -> bool:
    """Whether a call has nothing but these fields, and in each of them what the browser puts there."""
    return all(name in fields and fields[name](value) for name, value in call.items())


def _word(value: object) -> bool:
    return isinstance(value, str)


def _number(value: object) -> bool:
    return type(value) is int


def _words(value: object) -> bool:
    return isinstance(value, list) and all(each is None or isinstance(each, str) for each in value)


def _form(value: object) -> bool:
    """What a press sends along: the fields of a form, or nothing."""
    return value is None or (isinstance(value, dict) and all(map(_word, value.values())))


JOIN: Mapping[str, Callable[[object], bool]] = {
    "data": _words,
    "event_data": _form,
    "fn_index": _number,
    "trigger_id": lambda value: value is None or _number(value),
    "session_hash": _word,
}
"""The fields of a call that begins something."""
CANCEL: Mapping[str, Callable[[object], bool]] = {"event_id": _word, "fn_index": _number, "session_hash": _word}
"""The fields of a call that ends what was begun."""
