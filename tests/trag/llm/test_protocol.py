import pytest

from prompts import Message
from trag.llm import protocol
from trag.llm.model import Candidate, Choice, Sampling, Usage

MESSAGES = (Message("system", "Be short.\n"), Message("user", 'é مرحبا 😀 "quoted" \ud800'))


@pytest.mark.parametrize(
    "record",
    [
        protocol.Load("/a b/m.gguf", "", 4096, -1),
        protocol.Count(1, MESSAGES),
        protocol.CountText(2, "line\nline"),
        protocol.Read(3, MESSAGES, "condense"),
        protocol.Write(3, MESSAGES, 256),
        protocol.Write(3, MESSAGES, 256, "answer", 'root ::= "é"\n', "NONE", -0.5, 1.1),
        protocol.Write(3, MESSAGES, 256, sampling=Sampling(1.0, 0.9, 7)),
        protocol.LookAhead(4, MESSAGES, ("A", ""), 10, 32, ("()", "\n"), (0, 9)),
        protocol.Weigh(4, MESSAGES, (), ("A", "é")),
        protocol.Choose(4, MESSAGES, ("A",), ("A", "é"), 2),
        protocol.Score(4, MESSAGES, ("A", "é")),
        protocol.Cancel(3),
        protocol.Hello(gpu=False),
        protocol.Ready(),
        protocol.Alive(3),
        protocol.Counted(2, 7),
        protocol.Piece(3, "\n"),
        protocol.Done(3, Usage(100, 64, 9, -2.5)),
        protocol.LookedAhead(4, (Candidate("é", 0.5, "é()", True, 2),), Usage(100, 64, 9)),
        protocol.Chosen(4, (Choice(1, -0.25), Choice(0, -1.5)), Usage(100, 64, 9)),
        protocol.Scored(4, (-0.5, -12.25), Usage()),
        protocol.Failed(3, "message", "hint", "public"),
    ],
    ids=lambda record: type(record).__name__,
)
def test_every_record_comes_back_from_its_one_line(record: protocol.Order | protocol.Reply) -> None:
    line = protocol.encode(record)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert protocol.decode(line) == record
