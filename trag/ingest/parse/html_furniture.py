"""The furniture of a page: menus, banners, side bars, footers and the like around its text, told by landmarks, by where
they stand and by how much of them is links."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bs4 import BeautifulSoup, Tag

from trag.ingest.parse.html_shown import HEADING, words

_LANDMARKS = (
    "nav, [role=navigation], [role=banner], [role=contentinfo], [role=search], [role=menu], [role=menubar],"
    " [role=toolbar], [role=dialog], [role=alertdialog]"
)
_OWN = ["article", "main", "section", "blockquote"]
"""What a <header> or a <footer> within belongs to; elsewhere it is the page's."""
_MENUS = ", ".join(
    f".{name}, #{name}" for name in ("toolbar", "topbar", "navbar", "breadcrumb", "breadcrumbs", "crumb")
)
"""What old pages have in place of <nav>, by class or id."""
_NAMES = frozenset(
    "breadcrumb breadcrumbs cookie cookies consent footer navigation navbar sidebar sidenav skip".split()
)
"""Words in the classes and ids of parts beside the text, as style sheets and frameworks call them."""
_MAIN = ("main", "[role=main]", "#content, #main, #main-content")
_SEPARATORS = re.compile(r"[\s|·•»›>/]*")
_FIXED = re.compile(r"position\s*:\s*(?:fixed|sticky)", re.IGNORECASE)
_CONTAINERS = ("div", "section", "article", "main", "center", "form", "table", "tbody", "tr", "td", "span")
_PARTS = ("a", "aside", "div", "dialog", "form", "ol", "p", "section", "span", "td", "ul")
_SHORT = 400
"""Characters of what is there to be clicked on, such as a question about cookies."""
_MOSTLY = 0.5
_DEEPEST = 40  # parts within parts that are looked into: each takes a look at all its words


def drop_landmarks(soup: BeautifulSoup) -> int:
    """Takes the parts of a page out that are marked as furniture, and gives how many had words."""
    headers = [tag for tag in soup.find_all("header") if tag.find_parent(_OWN) is None]
    footers = [tag for tag in soup.find_all("footer") if tag.find_parent(_OWN) is None]
    asides = [
        tag
        for tag in soup.select("aside, [role=complementary]")
        if tag.find_parent(_OWN) is None or _share_of_links(tag) > _MOSTLY
    ]
    titles = soup.find_all("h1")
    for header in headers:
        if len(titles) == 1 and header in titles[0].parents:  # the page's own title
            header.insert_after(titles[0])
    below = [after for footer in footers for after in _below(footer)]
    return _remove([*soup.select(_LANDMARKS), *_menus(soup), *headers, *below, *footers, *asides])


def _below(footer: Tag) -> list[Tag]:
    """What stands below the footer of a page, where that is less than what stands above."""
    above = sum(len(words(tag)) for tag in footer.find_previous_siblings())
    below = footer.find_next_siblings()
    return below if sum(len(words(tag)) for tag in below) < above else []


def main_part(soup: BeautifulSoup) -> tuple[Tag | None, int]:
    """The part of a page that holds its text, once only what shows is left; how many parts around it had words."""
    body = soup.body
    if body is None:
        return None, 0
    main = next(filter(None, map(soup.select_one, _MAIN)), body)
    outside = 0
    if main is not body and (main.name == "main" or 2 * len(main.get_text()) >= len(body.get_text())):
        outside = int(len(words(body)) > len(words(main)))  # older pages call other parts so too
        body = main
    return body, outside + _remove(_beside(body))


def _remove(tags: Iterable[Tag]) -> int:
    count = 0
    for tag in tags:
        if not tag.decomposed and tag.parent is not None:
            count += bool(words(tag))
            tag.clear() if tag.name == "td" else tag.decompose()
    return count


def _menus(soup: BeautifulSoup) -> list[Tag]:
    """The parts that are called menus, and above the first heading the lines that are."""
    first = soup.find(HEADING)
    above = first.find_all_previous(["div", "p"]) if isinstance(first, Tag) else []
    menus = [tag for tag in soup.select(_MENUS) if tag.find(HEADING) is None]
    for tag in above:
        if isinstance(tag, Tag) and len(tag.find_all("a", href=True)) > 2 and tag.find(["div", "p", "table"]) is None:
            beside = "".join(text for text in tag.find_all(string=True) if text.find_parent("a") is None)
            menus += [tag] * (_SEPARATORS.fullmatch(beside) is not None)
    return menus


def _beside(body: Tag) -> list[Tag]:
    """The furniture around the text: on the way down to the part that holds most of the page's own words, and beside
    its paragraphs. A page that is mostly links is a list of them."""
    found: list[Tag] = []
    for _ in range(_DEEPEST):
        parts = body.find_all(True, recursive=False)
        own = [len(words(tag)) - _length_of_links(tag) for tag in parts]
        if not parts or 2 * sum(own) < len(words(body)):
            return found
        most = max(own)
        best = parts[own.index(most)]
        goes_on = best.name in _CONTAINERS and 2 * most >= sum(own) and (best.name != "table" or _sets(best))
        for tag in parts:
            beside = tag.name in _PARTS if goes_on else tag.name in ("div", "section", "aside")
            if beside and tag is not best and tag.find("h1") is None and _is_furniture(tag, words(best)):
                found.append(tag)
        if not goes_on:
            return found
        body = best
    return found


def _sets(table: Tag) -> bool:
    """Whether a table may be there for the layout alone."""
    return table.find([*_CONTAINERS[:4], "table", "h1", "h2", "h3"]) is not None


def _is_furniture(tag: Tag, text: str) -> bool:
    """Whether a part beside `text` is no part of it: it is mostly links, it is there to be clicked on, it floats over
    the page, or it is called so."""
    if tag.find("table") is not None:
        return False
    links = len(_links(tag))
    if (links > 1 and _share_of_links(tag) > _MOSTLY) or (tag.name == "a" and links):
        return True
    if _FIXED.search(str(tag.get("style", ""))):
        return True
    if (length := len(words(tag))) >= len(text):
        return False
    clicked = tag.select_one("button, select, [role=button], input[type=submit], input[type=search]") is not None
    names = re.split(r"[^a-z]+", " ".join([*(tag.get("class") or ()), str(tag.get("id", ""))]).lower())
    return (clicked and length < _SHORT) or not _NAMES.isdisjoint(names)


def _links(tag: Tag) -> list[Tag]:
    """The links of a part that lead to other pages."""
    links = [tag] if tag.name == "a" else tag.find_all("a", href=True)
    return [link for link in links if not str(link.get("href", "")).startswith(("mailto:", "tel:"))]


def _length_of_links(tag: Tag) -> int:
    return sum(len(words(link)) for link in _links(tag))


def _share_of_links(tag: Tag) -> float:
    """How much of the words of a part, but for its headings, are links."""
    headings = sum(len(words(heading)) for heading in tag.find_all(HEADING) if heading.find("a", href=True) is None)
    return _length_of_links(tag) / max(len(words(tag)) - headings, 1)
