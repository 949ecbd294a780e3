# make run    sets everything up and opens the assistant on the sample organization
# make test   sets everything up and runs every check and test
#
# make setup  only the set-up          make quick  the tests that take under a minute
# make check  format, lint, types      make bench  speed and memory, as ratios
# make results  the tables of docs/RESULTS.md, from real runs; goes on where it was stopped (hours)
# make peers  only the table beside LlamaIndex, Haystack and LangChain, which get an environment of their own
# make lock   requirements.lock anew, after a change to requirements.txt
# make adapter  the adapters, the reranker and the encoder of steps that ship, trained anew; goes on where it was stopped (hours)
.DEFAULT_GOAL := help
.PHONY: help setup run test quick check bench results peers adapter tools lock
SHELL := /bin/bash

PYTHON ?= python3
BIN := .venv/bin
TRAG_HOME ?= var
export TRAG_HOME
# Nothing leaves the machine: the libraries that would ask a hub or report usage are told not to.
export HF_HUB_OFFLINE = 1
export GRADIO_ANALYTICS_ENABLED = False
export ANONYMIZED_TELEMETRY = False
# Compiled once: where an environment forbids that, every process of the tests would compile all of them again.
export PYTHONDONTWRITEBYTECODE =
GET = $(BIN)/python -m trag models get
TRY = TRAG_GPU_LAYERS=0 $(BIN)/python -m trag models try
INSTALL = $(BIN)/python -m pip install --disable-pip-version-check --progress-bar off
SAYING = grep --line-buffered -E '^(Collecting|Building|Successfully|  Building)'
LLAMA = grep '^llama-cpp-python' requirements.txt
# Compiled by a clang (make setup CLANG=clang++-16) llama.cpp uses AMX where the processor has it (docs/operators.md).
CLANG ?=

help:
	@sed -n '1,10s/^# \{0,1\}//p' Makefile

# The model is looked for each time: it is kept in the cache of the user, which every checkout shares.
setup: .venv/runtime.stamp
	@$(GET)

.venv/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v <= (3, 13) else f"Python 3.11 to 3.13 is needed, found {v[0]}.{v[1]}: make PYTHON=python3.12 $(MAKECMDGOALS)")'
	@{ command -v cc || command -v gcc; } >/dev/null && { command -v c++ || command -v g++; } >/dev/null || { echo "A C and a C++ compiler are needed to build llama.cpp (Debian: apt-get install build-essential)."; exit 1; }
	@echo "== Making .venv"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --upgrade pip

.venv/runtime.stamp: requirements.txt requirements.lock | .venv/bin/python
	@echo "== Installing the packages. llama.cpp is compiled for this processor: about 7 minutes on 2 cores, once."
ifneq ($(CLANG),)
	@echo "== Compiling llama.cpp with $(CLANG)"
	@$(LLAMA) | cut -d' ' -f1 | CC=$(subst ++,,$(CLANG)) CXX=$(CLANG) $(BIN)/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps --no-cache-dir --no-binary llama-cpp-python -r /dev/stdin || echo "== It does not compile; going on without"
endif
	@$(INSTALL) --no-deps --require-hashes -r requirements.lock | $(SAYING); exit $${PIPESTATUS[0]}
	@$(INSTALL) $$(grep '^torch==' requirements.txt) | $(SAYING); exit $${PIPESTATUS[0]}
	@echo "== Looking for the language model; where it is not here yet it is fetched, once for every checkout: minutes"
	@$(GET)
	@echo "== Trying the language model"
	@$(TRY) || { echo "== llama.cpp does not run as it is; pip may have kept one made for another machine. Compiling it anew" \
		&& $(LLAMA) | $(BIN)/python -m pip install --quiet --force-reinstall --no-deps --no-cache-dir -r /dev/stdin && $(TRY); }
	@touch $@

.venv/tests.stamp: tests/requirements.txt .venv/runtime.stamp
	@echo "== Installing what the tests and checks need"
	@$(INSTALL) -r tests/requirements.txt | $(SAYING); exit $${PIPESTATUS[0]}
	@touch $@

tools: .venv/tests.stamp
	@bash tests/tools.sh

# Once only, whatever is updated: who runs this again may have a chart and documents of their own there by then.
var/sample.stamp: | .venv/runtime.stamp
	@echo "== Putting the sample organization into var/"
	@$(BIN)/python -m trag chart activate examples/larkmoor/chart.csv
	@$(BIN)/python -m trag ingest examples/larkmoor/documents examples/larkmoor/pairs.jsonl
	@$(BIN)/python -m trag procedures activate examples/larkmoor/procedures.json
	@touch $@

ifeq ($(TRAG_HOME),var)
run: setup var/sample.stamp
else
run: setup
endif
	@$(BIN)/python app.py

check: .venv/tests.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

quick: .venv/tests.stamp
	$(BIN)/python -m pytest -q -m "not slow and not browser" -n 2 --dist worksteal

test: .venv/tests.stamp tools check
	$(BIN)/python -m pytest -m "not browser" -n 2 --dist worksteal
	$(BIN)/python -m pytest -m browser -n 2 --dist loadfile

# Every package with its hashes, but for torch and what a CUDA build of it brings: which build is right the machine's index says.
lock: .venv/tests.stamp
	@sed 's/ --config-settings.*//' requirements.txt > requirements.in
	@$(BIN)/uv pip compile requirements.in --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header -o requirements.out
	@{ echo '# What requirements.txt comes to, with hashes, but for torch. Made by `make lock`.'; \
	  sed -E '/^(torch|triton|nvidia-[a-z0-9-]+|cuda-[a-z]+)==/,/[^\\]$$/d' requirements.out \
	  | sed "s/^llama-cpp-python==[^ ]*/$$($(LLAMA))/"; } > requirements.lock
	@rm requirements.in requirements.out

bench: .venv/tests.stamp
	$(BIN)/python -m bench

results: .venv/tests.stamp
	$(BIN)/python -m bench.results

peers: .venv/tests.stamp
	$(BIN)/python -m bench.results peers

adapter: setup
	$(BIN)/python -m trag.finetune.shipping var/adapter
	$(BIN)/python -m trag.finetune.reranker.training var/adapter
	$(BIN)/python -m trag finetune steps
	cp $(TRAG_HOME)/finetune/steps/random-bm25-ance.safetensors trag/workflow/encoder.safetensors
