"""One file a system: set up as its own current guide says, and served by `bench.peers.serving`.

What belongs to the engine is alike for all: file, context, threads, flash attention, greedy decoding with the same
penalty, tokens of an answer. What belongs to the framework is what its guide or its defaults give. The peers run in
their own environment, where nothing of the product is installed.
"""
