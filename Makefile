# Two commands do all the set-up: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PIP_MODELS := .venv-models/bin/python -m pip --disable-pip-version-check --quiet install --no-compile
MODEL := $${HITHERTO_HOME:-$$HOME/.hitherto}/models/all-MiniLM-L6-v2/model.json
WORKERS ?= 4
CHECKED := server hooks mcp migrations tests benchmarks

.PHONY: run test coverage test-models lint format bench figures manual lock clean

run: $(VENV)/.installed ## install, get the embedding model, serve until Ctrl-C
	@test -f "$(MODEL)" || $(BIN)/hitherto models fetch || echo "Without a model recall is lexical; try again later: $(BIN)/hitherto models fetch"
	@$(BIN)/hitherto serve

# A short folder, so that a socket's path fits into what the kernel takes; and what is compiled is kept,
# or each of a thousand processes would compile it anew.
test: $(VENV)/.developed ## install and run every test, four at a time: most of them wait
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -m "not models" -n $(WORKERS) --dist loadfile --no-loadscope-reorder \
		--basetemp="$$(mktemp -d)/t" $(ARGS)

# not a part of `test`: to watch each line takes half as long again
coverage: ## run every test and show which lines and branches none of them reached
	$(MAKE) test ARGS="--cov --cov-report=term $(ARGS)"

test-models: .venv-models/.installed ## prove the export of a Sentence Transformers model (needs torch)
	PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 .venv-models/bin/python -m pytest -m models -p no:cacheprovider --durations=0 tests/server/models/test_export.py

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

figures: $(VENV)/.developed ## bring README and docs to what benchmarks/results/ holds
	$(BIN)/python benchmarks/figures.py

manual: $(VENV)/.developed ## write docs/manual.md and docs/man/ from the commands
	$(BIN)/python tests/docs/manual_file.py

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

# not compiled: of torch's files only those that are imported are worth it
.venv-models/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PYTHON) -m venv .venv-models
	$(PIP_MODELS) torch==2.13.0
	$(PIP_MODELS) -c constraints.txt -e '.[models]' pytest pytest-asyncio
	@touch $@

clean:
	rm -rf $(VENV) .venv-models .coverage* dist
