import threading

import pytest

import prompts
from trag.asking import Asking
from trag.finetune.dataset.contexts import example, gather
from trag.finetune.dataset.examples import Asked
from trag.home import Home
from trag.systems import SYSTEMS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "question",
    ["where is the price collection section", "how long are census forms kept", "who heads the Confidentiality Board"],
)
def test_the_prompt_of_an_example_is_the_one_that_the_pipeline_sends(home: Home, question: str) -> None:
    assistant = home.assistant
    asking = Asking(assistant, question, SYSTEMS["trag"], None, threading.Event())
    asking.understand(())
    asking.gather()
    sent = asking.prompt()
    learned = example("any", home.organization.name, gather(question, assistant), [Asked(question, "x", "document")])
    prompt = prompts.answer(
        learned.asked[0].question,
        learned.statements,
        learned.passages,
        organization=learned.organization,
        about_chart=learned.about_chart,
        count=assistant.model.count,
        room=assistant.model.context - assistant.settings.answer_tokens,
    )
    assert prompt.messages == sent.messages
    assert learned.passages
