"""The product beside LlamaIndex, Haystack and LangChain: `python -m bench.results peers`, or `make peers`.

peers -> environment of their own -> each in a process of its own (bench.peers.systems) -> questions in turns -> tables
"""
