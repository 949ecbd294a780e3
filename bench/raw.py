"""Raw llama-cpp-python, the way its README shows it: one Llama, create_chat_completion, streamed. Orders on stdin,
times on stdout."""

import json
import sys
import time

import llama_cpp

llama = llama_cpp.Llama(sys.argv[1], n_ctx=int(sys.argv[2]), flash_attn=True, verbose=False)
for line in sys.stdin:
    order = json.loads(line)
    started = time.monotonic()
    first = 0.0
    pieces = llama.create_chat_completion(
        order["messages"], max_tokens=order["max_tokens"], temperature=0.0, repeat_penalty=1.1, stream=True
    )
    for piece in pieces:
        if not first and piece["choices"][0]["delta"].get("content"):
            first = time.monotonic() - started
    print(json.dumps({"first_token": first, "total": time.monotonic() - started}), flush=True)
