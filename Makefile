PYTHON ?= python3
VENV := .venv
STAMP := $(VENV)/.ready

.PHONY: setup demo test lint bench clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "graven needs Python 3.11 or newer: make PYTHON=python3.12 setup")'
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $(STAMP)

demo: setup
	$(VENV)/bin/graven match knightthrough 'grave(ref=50,bias=1e-4)' 'rave(bias=0.01)' \
		--games 100 --playouts 1000 --published 67.8

lint: setup
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

test: lint
	$(VENV)/bin/pytest

bench: setup
	$(VENV)/bin/graven bench

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
