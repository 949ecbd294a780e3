import pytest

from prompts import Message
from trag.llm import wire

MESSAGES = (Message("system", "Be short.\n"), Message("user", 'é مرحبا 😀 "quoted" \ud800'))


@pytest.mark.parametrize(
    "record",
    [
        wire.Load("/a b/m.gguf", "", 4096, -1),
        wire.Prepare("/a", "/b"),
        wire.Count(1, MESSAGES),
        wire.CountText(2, "line\nline"),
        wire.Write(3, MESSAGES, 256),
        wire.Weigh(4, MESSAGES, ("A", "é")),
        wire.Cancel(3),
        wire.Hello(gpu=False),
        wire.Ready(),
        wire.Alive(3),
        wire.Counted(2, 7),
        wire.Piece(3, "\n"),
        wire.Done(3, 100, 64, 9),
        wire.Weighed(4, (-0.5, -12.25)),
        wire.Failed(3, "message", "hint"),
    ],
    ids=lambda record: type(record).__name__,
)
def test_every_record_comes_back_from_its_one_line(record: wire.Order | wire.Reply) -> None:
    line = wire.encode(record)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert wire.decode(line) == record
