PYTHON ?= python3
VENV := .venv
STAMP := $(VENV)/.ready

.PHONY: setup demo test lint programs bench stress lowest results docs clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "graven needs Python 3.11 or newer: make PYTHON=python3.12 setup")'
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $(STAMP)

demo: setup
	$(VENV)/bin/graven match knightthrough 'grave(ref=50,bias=1e-4,solver=off)' 'rave(bias=0.01,solver=off)' \
		--games 100 --playouts 1000 --published 67.8

lint: setup
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

# Programs that some tests play against, where they can be had: those tests say if they skip.
programs:
	@command -v gnugo >/dev/null || test -x /usr/games/gnugo \
		|| { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
			&& timeout 300 apt-get install --yes --quiet gnugo >/dev/null 2>&1; } \
		|| echo "GNU Go cannot be installed here: the tests that play against it will skip"
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null \
		|| { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
			&& timeout 600 apt-get install --yes --quiet chromium >/dev/null 2>&1; } \
		|| echo "Chromium cannot be installed here: the tests of the page in a browser will skip"

# Several processes, each with whole test modules.
test: lint programs
	$(VENV)/bin/pytest --numprocesses=auto --maxprocesses=4 --dist=loadfile

# Hostile input, kills, full disks, faulty rules: about 15 minutes; STRESS=hour for more. The tests
# contain a reduced form. Options: ARGUMENTS='kills --seed 3'.
stress: setup
	$(VENV)/bin/python -m tests.stress $(ARGUMENTS)

# Install the lowest versions that pyproject.toml allows, and run every command and the page once.
LOWEST := $(VENV)/lowest
lowest: setup
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(VENV)/bin/uv venv --quiet --clear --python $(VENV)/bin/python $(LOWEST)
	$(VENV)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct \
		--editable '.[cluster,openspiel,parquet,plots,tune,web]'
	$(LOWEST)/bin/python -m tests.smoke

bench: setup
	$(VENV)/bin/graven bench

# The tables of results in the documentation and the README, from the games in results/.
results: setup
	$(VENV)/bin/python -m graven.interfaces.cli.result_pages results docs README.md

# The site, in `site/`; `make docs SERVE=1` shows it while it is being written.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs $(if $(SERVE),serve,build --strict)

clean:
	rm -rf site $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
