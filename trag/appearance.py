"""What an organization calls itself and shows of itself on the pages: checked, kept, and as the pages need it."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from store.appearances import Appearance, differing
from trag.errors import SHOWN, TragError, joined, later
from trag.sandbox import Limits, run

if TYPE_CHECKING:
    from trag.home import Home

LARGEST_LOGO = 2**20
"""Bytes that a logo may have when it is given."""
MOST_EXAMPLES = 6
LONGEST = {"organization": 100, "welcome": 1_000, "examples": 200, "contact": 100, "contact_at": 300}
"""Characters that each text may have, an example question each."""
MOST_DAYS = 36_500
ACCENT = "#0e5f54"
"""The accent colour of ask.css, which counts where none was chosen."""
READABLE = 4.5
"""The contrast that letters need (WCAG 2.2, 1.4.3)."""
_PAPER, _NIGHT = "#faf9f6", "#131716"
"""The grounds of ask.css, light and dark."""
_LIMITS = Limits(file_bytes=LARGEST_LOGO, memory_bytes=2**30, output_bytes=2_000_000, processor_seconds=20, seconds=60)
_HOST = re.compile(r"[\w.-]+")
_NEVER_IN_MAIL = re.compile(r"[\s<>(),;:\"\\\[\]?&#/]")
_COLOUR = re.compile(r"#[0-9a-f]{6}")


def current(home: Home) -> Appearance:
    """What the pages show: what an admin saved, and the name on the chart where none was; "" without either."""
    saved = home.records.appearances.current()
    return saved if saved.organization else replace(saved, organization=name_on_chart(home))


def name_on_chart(home: Home) -> str:
    """What the chart calls the organization, "" without one, and where it cannot be read: pages are drawn all the
    same."""
    with suppress(*SHOWN):
        return home.organization.chart.root.name if home.organization.chart else ""
    return ""


def logo_address(appearance: Appearance) -> str:
    """Where browsers find the logo, "" without one."""
    return f"/logo.png?v={appearance.version}" if appearance.logo else ""


def contact_address(appearance: Appearance) -> str:
    """Where the contact leads as a link, "" where nothing to open was given."""
    at = appearance.contact_at
    return f"mailto:{quote(at, safe='@')}" if "@" in at and "://" not in at else at


def style(appearance: Appearance) -> str:
    """The CSS that puts the accent colour in place of that of ask.css, "" where none was chosen."""
    accent = appearance.accent
    if not accent:
        return ""
    tint = "--tint: color-mix(in srgb, var(--accent) 11%, var(--surface))"
    return (
        f":root {{ --accent: {accent}; --on-accent: #ffffff; {tint}; }}\n"
        f".dark {{ --accent: {in_the_dark(accent)}; --on-accent: {_NIGHT}; {tint}; }}\n"
    )


def save(home: Home, typed: Appearance, *, logo: bytes | None = None, by: str, where: str = "") -> Appearance:
    """Keep what was typed over the version `typed.version`, with the logo in these bytes, with none for b"", or with
    the one before for None.

    Raises TragError with all that is wrong, and StoreError where another version counts by now; then nothing is kept.
    """
    typed = tidied(typed)
    problems = [*wrong(typed)]
    png = None
    if logo is not None:
        try:
            png = logo_png(logo) if logo else ""
        except TragError as error:
            problems.append(joined((error.message, error.hint)))
    if problems:
        raise TragError(joined(problems), later("Nothing was saved yet: correct it below, and save again."))
    return home.records.appearances.put(typed, logo=png, by=by, where=where)


def logo_png(content: bytes) -> str:
    """A picture as the logo is kept, a small PNG in base64. Raises TragError for what is none or too large."""
    if len(content) > LARGEST_LOGO:
        found = later("The logo has %(size)s MiB, and may have 1.", size=f"{len(content) / 2**20:,.1f}")
        raise TragError(found, later("Make it smaller: 640 pixels wide are shown at most."))
    answer = run("trag.ingest.parse.logo", [], content, "The logo", _LIMITS)
    try:
        base64.b64decode(answer, validate=True)
    except (ValueError, binascii.Error) as error:
        raise TragError(
            later("The logo was read to something that is no picture."), later("Do not trust it.")
        ) from error
    return answer


def tidied(typed: Appearance) -> Appearance:
    """What was typed without what nobody sees: space around lines, empty lines, capitals in a colour; "" for the accent
    colour that counts anyway."""
    accent = "".join(typed.accent.split()).lower()
    return replace(
        typed,
        organization=_one_line(typed.organization),
        accent="" if accent == ACCENT else accent,
        welcome="\n".join(line.rstrip() for line in typed.welcome.splitlines()).strip(),
        examples=tuple(dict.fromkeys(filter(None, map(_one_line, typed.examples)))),
        contact=_one_line(typed.contact),
        contact_at=_one_line(typed.contact_at),
    )


def wrong(typed: Appearance) -> Iterator[str]:
    """All that is wrong with what was typed, a sentence each."""
    too_long = {
        "organization": later("The name of the organization has %(found)s characters, and may have %(most)s."),
        "welcome": later("The welcome has %(found)s characters, and may have %(most)s."),
        "contact": later("The name of the contact has %(found)s characters, and may have %(most)s."),
        "contact_at": later("The address of the contact has %(found)s characters, and may have %(most)s."),
    }
    for name, told in too_long.items():
        if (found := len(getattr(typed, name))) > LONGEST[name]:
            yield later(told, found=found, most=LONGEST[name])
    if typed.accent:
        yield from _wrong_accent(typed.accent)
    if len(typed.examples) > MOST_EXAMPLES:
        found = len(typed.examples)
        yield later("There are %(found)s example questions, and %(most)s fit.", found=found, most=MOST_EXAMPLES)
    for number, example in enumerate(typed.examples, 1):
        if len(example) > LONGEST["examples"]:
            what = {"number": number, "found": len(example), "most": LONGEST["examples"]}
            yield later("Example %(number)s has %(found)s characters, and may have %(most)s.", **what)
    if typed.contact_at and not _leads_somewhere(typed.contact_at):
        at = typed.contact_at
        yield later("“%(typed)s” is no mail address (name@example.org) and no link (https://…).", typed=at)
    if typed.contact_at and not typed.contact:
        yield later("The contact has an address and no name.")
    if not 0 <= typed.days_kept <= MOST_DAYS:
        days = {"most": MOST_DAYS, "found": typed.days_kept}
        yield later("Conversations are kept for 0 (for ever) to %(most)s days, not %(found)s.", **days)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, 1 to 21 (WCAG 2.2, relative luminance)."""
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def in_the_dark(accent: str) -> str:
    """The same colour for dark pages: as much lighter as letters need on their ground, and dark letters on it."""
    return next(one for share in range(101) if contrast(one := _mixed(accent, "#ffffff", share), _NIGHT) >= 7)


def merged(typed: Appearance, seen: Appearance, now: Appearance) -> Appearance:
    """What was typed over the version that was `seen`, as it would be over the one that counts `now`: whatever was left
    as it was seen is as it is now."""
    typed = tidied(typed)
    return replace(now, **{name: getattr(typed, name) for name in differing(typed, seen)})


def _wrong_accent(accent: str) -> Iterator[str]:
    if not _COLOUR.fullmatch(accent):
        yield later("“%(typed)s” is no colour: write one like %(example)s.", typed=accent[:20], example=ACCENT)
        return
    found = contrast(accent, _PAPER)
    if found < READABLE:
        darker = next(
            one for share in range(101) if contrast(one := _mixed(accent, "#000000", share), _PAPER) >= READABLE
        )
        yield later(
            "%(accent)s is too light: with white letters, and as letters on the page, it has a contrast of %(found)s, "
            "and %(needed)s is needed. %(darker)s is the same colour, dark enough.",
            **{"accent": accent, "found": f"{found:.2f}", "needed": READABLE, "darker": darker},
        )


def _leads_somewhere(address: str) -> bool:
    if "://" not in address:
        name, _, host = address.partition("@")
        return bool(name) and "." in host.strip(".") and not _NEVER_IN_MAIL.search(name) and bool(_HOST.fullmatch(host))
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.username and " " not in address


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


def _mixed(colour: str, other: str, percent: int) -> str:
    """So many hundredths of the other colour in it."""
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(one + (two - one) * percent / 100):02x}" for one, two in pairs)


def _luminance(colour: str) -> float:
    shares = [channel / 255 for channel in _channels(colour)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return sum(weight * share for weight, share in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
