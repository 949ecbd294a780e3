"""What of a page its reader sees: hidden and struck-out parts are taken out and counted, what unfolds is unfolded under
the words that unfold it, boxes and signs become characters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PageElement, PreformattedString
from soupsieve import SelectorSyntaxError

from trag.ingest.parse.marks import TICKED, UNTICKED, in_font

HEADING = re.compile("h[1-6]")
_UNREAD = (
    "script, style, template, noscript, iframe, object, datalist, audio, video, canvas, .footnote-backref,"
    " [role=doc-backlink]"
)
_HIDDEN = "[hidden]:not([hidden=until-found]), dialog:not([open])"
_STRUCK = "s, strike, del"
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|(?<![\w-])opacity\s*:\s*0(?![.\d])"
    r"|font-size\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)
_STRIKING = re.compile(r"text-decoration(?:-line)?\s*:[^;]*line-through", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?\*/|<!--|-->|<!\[CDATA\[|\]\]>", re.DOTALL)
"""Comments in a style sheet, and what hides one from the readers of other markup."""
_RULE = re.compile(r"([^{}@;]+)\{([^{}]*)\}")
_AT_RULE = re.compile(r"@[^{;]*\{(?:[^{}]|\{[^{}]*\})*\}")
"""What a style sheet says of one medium, such as print."""
_FONT = re.compile(r"font-family\s*:\s*[\"']?([^;,\"']+)", re.IGNORECASE)
_LETTER = re.compile(r"[^\W_]")

_ROWS = ("table", "thead", "tbody", "tfoot", "tr")
_IN_TABLES = (*_ROWS, "td", "th", "caption", "colgroup", "col")
"""What of a table may hold rows or cells, and all that may stand in it beside these."""

_UNFOLDING = (
    "[aria-expanded], [role=tab], [data-toggle=collapse], [data-bs-toggle=collapse], [data-toggle=tab],"
    " [data-bs-toggle=tab], button[aria-controls], h1 button, h2 button, h3 button, h4 button, h5 button, h6 button,"
    " dt button, dt [role=button]"
)
_BLOCKS = ("div", "p", "ul", "ol", "table", "h1", "h2", "h3", "h4", "h5", "h6", "section")
_LEADS_TO = ("aria-controls", "data-target", "data-bs-target", "href")
_TITLES = ("h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary")
_FIELDS = "button, select, textarea, [role=button], input:not([type=hidden]):not([type=checkbox]):not([type=radio])"
_ICON = re.compile(
    r"(?:fa|fas|far|bi|glyphicon|icon|mdi|dashicons|ti|pi)-(?:[\w-]*-)?(check|ok|tick|yes|times|xmark|cross|no|x)(?:-[\w-]+)?"
)
"""The class of a tick or a cross in the icon fonts in use; these names are part of the fonts."""
_TICKS = ("check", "ok", "tick", "yes")


def show(soup: BeautifulSoup) -> Counter[str]:
    """Changes a page to what shows of it, and gives what that leaves out, by what it is called."""
    lost: Counter[str] = Counter()
    rules = list(_style_rules(soup))
    for tag in soup.select(_UNREAD):
        tag.decompose()
    shown = {id(part) for part in _unfold(soup)}
    hidden = [*soup.select(_HIDDEN), *soup.find_all(style=_HIDING), *_chosen(soup, rules, _HIDING)]
    lost["hidden passage"] = _remove(tag for tag in hidden if id(tag) not in shown)
    struck = [*soup.select(_STRUCK), *soup.find_all(style=_STRIKING), *_chosen(soup, rules, _STRIKING)]
    lost["struck-out passage"] = _remove(struck)
    _write_boxes(soup)
    _write_signs(soup)
    return lost


def mend_tables(body: Tag) -> None:
    """Puts cells without a row into one, and what stands in a table beside its cells above it, as browsers do."""
    for table in body.find_all("table"):
        own = [tag for tag in table.find_all(True) if tag.find_parent("table") is table]
        for tag in own:
            if (
                tag.name not in _IN_TABLES
                and _name(tag.parent) in _ROWS
                and not {*_ROWS, "td"}.isdisjoint(map(_name, tag))
            ):
                tag.unwrap()
        for part in [table, *(tag for tag in own if tag.name in _ROWS)]:
            row = None
            for node in list(part.children):
                if _name(node) in ("td", "th") and part.name != "tr":
                    row = row or node.wrap(BeautifulSoup("", "lxml").new_tag("tr"))
                    row.append(node)
                elif _name(node) not in _IN_TABLES and not isinstance(node, PreformattedString) and str(node).strip():
                    table.insert_before(node)
                elif isinstance(node, Tag):
                    row = None


def _name(node: PageElement | None) -> str:
    """The name of a tag, "" for anything else."""
    return node.name if isinstance(node, Tag) else ""


def drop_fields(body: Tag) -> int:
    """Takes the buttons and fields that are left out of a page, and gives how many had words."""
    return _remove(body.select(f"{_FIELDS}, input"))


def words(tag: Tag) -> str:
    """All the text in a tag on one line."""
    return " ".join(tag.get_text(" ").split())


def _remove(tags: Iterable[Tag]) -> int:
    """Takes tags out of their page, and gives how many of them held words; those within others are not counted."""
    count = 0
    for tag in tags:
        if not tag.decomposed and tag.parent is not None:
            count += _LETTER.search(tag.get_text() or str(tag.get("value", ""))) is not None
            tag.decompose()
    return count


def _style_rules(soup: BeautifulSoup) -> Iterator[tuple[str, str]]:
    """The selectors and declarations of the page's own style sheets that hold on a screen."""
    for sheet in soup.find_all("style"):
        if "print" not in str(sheet.get("media", "")):
            yield from _RULE.findall(_AT_RULE.sub("", _COMMENT.sub("", sheet.get_text())))


def _chosen(soup: BeautifulSoup, rules: Iterable[tuple[str, str]], said: re.Pattern[str]) -> Iterator[Tag]:
    """The parts of a page of which its style sheets say so; what holds only while a pointer is over it does not."""
    selectors = {part.strip() for names, rule in rules if said.search(rule) for part in names.split(",")}
    for selector in selectors:
        if selector and ":" not in selector and selector not in ("body", "html", "*"):
            try:
                yield from soup.select(selector)
            except (ValueError, NotImplementedError, SelectorSyntaxError):  # no selector that is known
                continue


def _unfold(soup: BeautifulSoup) -> Iterator[Tag]:
    """Shows each part that a button, a tab or the like unfolds, with the words on that as its heading; gives what is
    shown."""
    for control in [*soup.select(_UNFOLDING), *_in_turns(soup), *_ticked_open(soup)]:
        if control.decomposed or control.get("aria-haspopup") or control.find(_BLOCKS) is not None:
            continue
        title, panel = words(control), _panel(soup, control)
        around = {id(part) for part in control.parents}
        if panel is not None and id(panel) in around:
            continue
        for part in [panel, *panel.parents] if panel is not None else ():
            if id(part) in around:
                break
            del part["hidden"], part["style"]
            yield part
        if control.find_parent(_TITLES):
            control.unwrap()
        elif panel is not None and title and words(panel) and control.name not in _TITLES:
            before = panel.find_previous_sibling()
            if before is None or before.name != "summary" or words(before) != title:
                heading = soup.new_tag("summary")
                heading.string = title
                panel.insert_before(heading)
            control.decompose()


def _panel(soup: BeautifulSoup, control: Tag) -> Tag | None:
    """What a control unfolds: what it or the panel names, else what follows it."""
    for attribute in _LEADS_TO:
        name = str(control.get(attribute, ""))
        id_ = name if attribute == "aria-controls" else name[1:] if name.startswith("#") else ""
        if id_ and (found := soup.find(id=id_.split()[0])) is not None:
            return found
    if own := str(control.get("id", "")):
        named = soup.find(True, attrs={"aria-labelledby": own})
        if named is not None:
            return named
    tag: Tag | None = control
    while tag is not None and tag.name not in ("body", "main", "article"):
        if (after := tag.find_next_sibling()) is not None:
            is_next = after.name == "button" or after.has_attr("aria-expanded") or HEADING.fullmatch(after.name)
            return None if is_next else after
        tag = tag.parent if tag.parent is not None and words(tag.parent) == words(control) else None
    return None


def _in_turns(soup: BeautifulSoup) -> list[Tag]:
    """The buttons that stand in turns with the parts that they unfold, as in pages without the marks for it."""
    found = []
    for button in soup.find_all("button"):
        after = button.find_next_sibling()
        if after is not None and after.name in ("div", "section", "p") and words(after):
            beside = (button.find_next_sibling("button"), button.find_previous_sibling("button"))
            alone = button.find_parent(_TITLES) is None
            if alone and any(each is not None and each.find_next_sibling() is not None for each in beside):
                found.append(button)
    return found


def _ticked_open(soup: BeautifulSoup) -> list[Tag]:
    """The labels of boxes that are ticked to unfold the part below; the boxes are taken out."""
    found = []
    for label in soup.select("input[type=checkbox] + label, input[type=radio] + label"):
        after, box = label.find_next_sibling(), label.find_previous_sibling("input")
        in_form = label.find_parent(["form", "fieldset", "table", "p"]) is not None
        if box is not None and after is not None and after.name in ("div", "section") and words(after) and not in_form:
            box.decompose()
            found.append(label)
    return found


def _write_boxes(soup: BeautifulSoup) -> None:
    for box in soup.select("input[type=checkbox], input[type=radio]"):
        if not box.find_parent(["nav", "header", "footer"]):
            box.replace_with(f"{TICKED if box.has_attr('checked') else UNTICKED} ")
    for box in soup.select("[role=checkbox], [role=radio], [role=switch]"):
        if not box.find_parent("button") and box.name != "button":
            box.insert(0, f"{TICKED if box.get('aria-checked') == 'true' else UNTICKED} ")


def _write_signs(soup: BeautifulSoup) -> None:
    """Writes what symbol fonts, icons and small drawings say where they stand."""
    for tag in soup.find_all("svg"):
        title = tag.find("title")
        label = str(tag.get("aria-label", "")) or (title.get_text() if title else "")
        if label and tag.get("aria-hidden") != "true":
            tag.insert_before(_alternative(soup, label, str(tag.get("width", ""))))
    for tag in soup.select("i, span, [role=img]"):
        if tag.name not in ("svg", "img") and not tag.get_text(strip=True) and tag.find(True) is None:
            icon = next(filter(None, map(_ICON.fullmatch, tag.get("class") or ())), None)
            if label := str(tag.get("aria-label") or tag.get("title") or ""):
                tag.string = label
            elif icon is not None and tag.find_parent(["td", "th", "li", "dd"]) is not None:
                tag.string = "✓" if icon[1] in _TICKS else "✗"
    for tag in [*soup.find_all("font", face=True), *soup.find_all(style=_FONT)]:
        style = _FONT.search(str(tag.get("style", "")))
        font = style[1].strip() if style else str(tag.get("face", ""))
        for text in tag.find_all(string=True):
            if (sign := in_font(str(text), font)) != text:
                text.replace_with(NavigableString(sign))


def _alternative(soup: BeautifulSoup, label: str, width: str) -> Tag:
    """A picture of no size that stands for a drawing in the text."""
    return soup.new_tag("img", attrs={"alt": label, "width": width if width.isdecimal() else "1", "data-drawn": ""})
