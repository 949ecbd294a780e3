"""Raw llama-cpp-python, the way its README shows it: one Llama, create_chat_completion, streamed. Orders on stdin,
times on stdout."""

import json
import sys
import time

import llama_cpp

llama = llama_cpp.Llama(sys.argv[1], n_ctx=int(sys.argv[2]), flash_attn=True, verbose=False)
for line in sys.stdin:
    order = json.loads(line)
    grammar = order.pop("grammar")
    started = time.monotonic()
    first = 0.0
    pieces = llama.create_chat_completion(
        **order,
        grammar=llama_cpp.LlamaGrammar.from_string(grammar, verbose=False) if grammar else None,
        temperature=0.0,
        stream=True,
    )
    for piece in pieces:
        if not first and piece["choices"][0]["delta"].get("content"):
            first = time.monotonic() - started
    print(json.dumps({"first_token": first, "total": time.monotonic() - started}), flush=True)
