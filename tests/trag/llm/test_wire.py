import pytest

from prompts import Message
from trag.llm import Choice, Usage, wire

MESSAGES = (Message("system", "Be short.\n"), Message("user", 'é مرحبا 😀 "quoted" \ud800'))


@pytest.mark.parametrize(
    "record",
    [
        wire.Load("/a b/m.gguf", "", 4096, -1),
        wire.Count(1, MESSAGES),
        wire.CountText(2, "line\nline"),
        wire.Read(3, MESSAGES, "condense"),
        wire.Write(3, MESSAGES, 256),
        wire.Write(3, MESSAGES, 256, "answer", 'root ::= "é"\n', "NONE", -0.5, 1.1),
        wire.Choose(4, MESSAGES, ("A", "é"), "chart_query"),
        wire.Score(4, MESSAGES, ("A", "é")),
        wire.Cancel(3),
        wire.Hello(gpu=False),
        wire.Ready(),
        wire.Alive(3),
        wire.Counted(2, 7),
        wire.Piece(3, "\n"),
        wire.Done(3, Usage(100, 64, 9, -2.5)),
        wire.Chosen(4, Choice(1, -0.25, Usage(100, 64, 9))),
        wire.Chosen(4, Choice(-1, None, Usage())),
        wire.Scored(4, (-0.5, -12.25)),
        wire.Failed(3, "message", "hint"),
    ],
    ids=lambda record: type(record).__name__,
)
def test_every_record_comes_back_from_its_one_line(record: wire.Order | wire.Reply) -> None:
    line = wire.encode(record)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert wire.decode(line) == record
