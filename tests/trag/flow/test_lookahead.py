"""Decoding by look-ahead over a model whose probabilities are fixed: a few texts, each with a weight."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest

from org.procedures.flows import Book
from trag.flow.lookahead import Written, decode
from trag.flow.scoring import Encode, Heuristic, Weights

CAR = "\n|[thought]| I look| for| cars.| [API]| Find|Car|()|"
BOAT = "\n|[thought]| I look| for| cars.| [API]| Find|Boat|()|"
ROOM = "\n|[thought]| I look| for| rooms.| [API]| Find|Room|()|"
ORDER = "\n|[thought]| I| order it.| [API]| Order_|()|"
END = "\n|[thought]| I| order it.| [API]| Finish|(|)|"
"""Here the end of the unit stands across two tokens."""


@dataclass(frozen=True)
class Way:
    token: str
    probability: float
    text: str
    ended: bool
    tokens: int


class Texts:
    """Knows some texts as tokens, and how likely each of them is; it goes on as the likeliest of those that begin as
    what is written."""

    def __init__(self, texts: Mapping[str, float]) -> None:
        self._texts = {tuple(text.split("|")): weight for text, weight in texts.items()}
        self.taken: list[str] = []
        self.widths: list[int] = []
        self.known: list[dict[str, int]] = [{}]
        """By their first token, how much of the ways on is known; for each place."""

    def look_ahead(self, k: int, length: int, ends: Sequence[str], ways: Sequence[int]) -> list[Way]:
        place = len(self.taken)
        self.widths[place:] = [k]
        left = {text: weight for text, weight in self._texts.items() if [*text[:place]] == self.taken}
        shares = dict[str, float]()
        for text, weight in left.items():
            shares[text[place]] = shares.get(text[place], 0) + weight / sum(left.values())
        ranked = sorted(shares, key=lambda token: -shares[token])[:k]
        self.known[-1] |= {ranked[way]: length for way in ways}
        found = []
        for token in ranked:
            likeliest = max((text for text in left if text[place] == token), key=lambda text: left[text])
            row = likeliest[place:][: self.known[-1].get(token, 1)]
            whole, end, _ = "".join(row).partition(ends[0])
            found.append(Way(token, shares[token], whole + end, bool(end) or not row[-1], len(row)))
        return found

    def take(self, text: str) -> None:
        self.taken.append(text)
        self.known.append({})


def text_of(*units: str) -> str:
    """As it is written behind the mark that the prompt ends with."""
    return "[thought]" + behind(*units).replace("|", "")


def behind(*units: str) -> str:
    return "".join(units).removeprefix("\n|[thought]|")


LIKES_ORDER = {behind(ORDER, END): 0.6, behind(CAR, ORDER, END): 0.3, behind(BOAT, ORDER, END): 0.1}


@pytest.fixture
def heuristic(book: Book, encode: Encode) -> Heuristic:
    return Heuristic(book, "a car please", encode, Weights())


def test_what_leads_to_a_better_unit_is_taken(heuristic: Heuristic) -> None:
    """Not what comes before its need, nor what does not exist, though the model finds that likelier."""
    texts = Texts(LIKES_ORDER)
    found = decode(texts, heuristic, max_tokens=99)
    assert found == Written(text_of(CAR, ORDER, END), 22, ended=True)
    assert texts.widths == [10] * 22
    assert decode(Texts({behind(BOAT): 0.6, behind(CAR): 0.4}), heuristic, max_tokens=99).text == text_of(CAR)
    again = decode(Texts({behind(CAR, CAR): 0.6, behind(CAR, ORDER): 0.4}), heuristic, max_tokens=99)
    assert again.text == text_of(CAR, ORDER)


def test_only_what_may_win_is_looked_ahead_of(heuristic: Heuristic) -> None:
    """Not what has left the form, nor what cannot be as good as the best with the thought that it has."""
    room = " I| order| it.| [API]| Find|Ro|om|(|)|"
    texts = Texts({behind(CAR): 0.5, room: 0.3, "[API]| Find|Car|()": 0.2})
    assert decode(texts, heuristic, max_tokens=1).text == "[thought] I look"
    assert texts.known[0] == {" I look": 7, " I": 7}
    assert decode(Texts({room: 1}), heuristic, max_tokens=1).text == "[thought] I"


def test_it_is_greedy_without_heuristic_without_choice_and_without_look_ahead(
    book: Book, encode: Encode, heuristic: Heuristic
) -> None:
    plain = Heuristic(book, "a car please", encode, Weights(heuristic=0))
    greedy = text_of(ORDER, END)
    assert decode(Texts(LIKES_ORDER), plain, max_tokens=99).text == greedy
    assert decode(Texts(LIKES_ORDER), heuristic, width=1, max_tokens=99).text == greedy
    assert decode(Texts(LIKES_ORDER), heuristic, length=1, max_tokens=99).text == greedy


def test_it_may_look_ahead_more_rarely(heuristic: Heuristic) -> None:
    """The tokens between are the model's likeliest; each unit begins with a look ahead."""
    for every, widths in ((3, [10, 1, 1, 10, 1, 1, 10] * 2), (99, [10, 1, 1, 1, 1, 1, 1] * 2)):
        texts = Texts({behind(CAR, ORDER): 0.4, behind(ORDER): 0.6})
        assert decode(texts, heuristic, every=every, max_tokens=99).text == text_of(CAR, ORDER)
        assert texts.widths[:14] == widths


def test_where_it_ends(heuristic: Heuristic) -> None:
    """Where the model writes no more, and where the tokens are over."""
    assert decode(Texts({behind(CAR): 1}), heuristic, max_tokens=99) == Written(text_of(CAR), 8, ended=True)
    assert decode(Texts({behind(CAR): 1}), heuristic, max_tokens=3) == Written(
        "[thought] I look for cars.", 3, ended=False
    )


def test_a_part_of_a_character_is_not_the_end(heuristic: Heuristic) -> None:
    class Parts(Texts):
        """Its only token is the first of two that are one character."""

        def look_ahead(self, k: int, length: int, ends: Sequence[str], ways: Sequence[int]) -> list[Way]:
            text = "é" if ways and length > 1 else ""
            return [Way(text, 1.0, text, ended=False, tokens=length if ways else 1)]

    assert decode(Parts({}), heuristic, max_tokens=1) == Written("[thought]é", 1, ended=False)
