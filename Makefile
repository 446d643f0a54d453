# Two commands do all the set-up: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
MODEL := $${HITHERTO_HOME:-$$HOME/.hitherto}/models/all-MiniLM-L6-v2/model.json
CHECKED := server hooks mcp migrations tests benchmarks

.PHONY: run test test-models lint format bench lock clean

run: $(VENV)/.installed ## install, get the embedding model, serve until Ctrl-C
	@test -f "$(MODEL)" || $(BIN)/hitherto models fetch || echo "Without a model recall is lexical; try again later: $(BIN)/hitherto models fetch"
	@$(BIN)/hitherto serve

test: $(VENV)/.developed ## install and run every test
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -m "not models" $(ARGS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

test-models: .venv-models/.installed ## prove the export of a Sentence Transformers model (needs torch)
	.venv-models/bin/python -m pytest -m models tests/server/models

lint: $(VENV)/.developed ## format, lint, types, import order, dependencies
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/deptry .

format: $(VENV)/.developed
	$(BIN)/ruff format $(CHECKED)
	$(BIN)/ruff check --fix $(CHECKED)

bench: $(VENV)/.developed ## run every benchmark and print a table
	$(BIN)/python benchmarks/run_all.py $(ARGS)

lock: $(VENV)/.developed ## write the versions that are installed into constraints.txt
	$(PIP) freeze --exclude-editable --exclude hitherto | grep -v ' @ ' > constraints.txt

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Hitherto needs Python 3.11 or newer: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' || { echo "This Python can't make environments. On Debian: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install -c constraints.txt -e .
	@touch $@

$(VENV)/.developed: $(VENV)/.installed
	$(PIP) install -c constraints.txt -e . --group dev
	@touch $@

.venv-models/.installed: $(VENV)/.installed
	$(PYTHON) -m venv .venv-models
	.venv-models/bin/python -m pip --disable-pip-version-check --quiet install --upgrade 'pip>=25.1'
	.venv-models/bin/python -m pip --disable-pip-version-check --quiet install torch==2.13.0
	.venv-models/bin/python -m pip --disable-pip-version-check --quiet install -e '.[models]' --group dev
	@touch $@

clean:
	rm -rf $(VENV) .venv-models .coverage* dist
