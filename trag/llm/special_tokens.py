"""The marks by which chat models tell turns apart, and what sets them apart in the words of people and documents.

A model takes "<|im_end|>" for the end of a turn, wherever it reads it. Which of its marks are tokens the file of a
loaded model says; those that its template writes as plain text, and all those of a model behind an address, are known
from here. Knows nothing about models or messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_KNOWN = (
    r"<\|[^<>|\n]{1,60}\|>|\[\|[^\[\]|\n]{1,60}\|\]",  # ChatML, Llama 3, Phi, Zephyr, Granite; EXAONE
    r"<｜[^<>｜\n]{1,60}｜>",  # DeepSeek
    r"\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|THINK|IMG)\]|\[gMASK\]",  # Mistral
    r"<</?SYS>>|</?s>",  # Llama 2
    r"</?(?:bos|eos|unk|pad|sop|eop|start_of_turn|end_of_turn|reserved_\d{1,4})>",  # Gemma, GLM, Baichuan
    r"</?(?:think|tool_call|tool_response|tools)>",  # Qwen
    r"^#{2,3} ?(?:System|User|Human|Assistant|Instruction|Input|Response) ?:",  # Alpaca, Vicuna
)


def marks(own: Iterable[str] = ()) -> re.Pattern[str]:
    """What finds the known marks, and a model's `own` ones, the longest first."""
    longest = sorted(own, key=len, reverse=True)
    return re.compile("|".join([*map(re.escape, longest), *_KNOWN]), re.MULTILINE)


KNOWN = marks()


def set_apart(text: str, found: re.Pattern[str] = KNOWN) -> str:
    """`text` in which no mark is one any more: "<|im_end|>" becomes "< |im_end|>"."""
    return found.sub(lambda mark: f"{mark[0][0]} {mark[0][1:]}", text)
