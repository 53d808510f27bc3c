PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST_ARGS ?=
DEMO := fixtures/cuda/warp_intrinsics

.PHONY: setup check lint test demo bench docs fuzz

check: lint test

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --editable . --group dev
	touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/hipport rules check
	$(BIN)/mkdocs build --strict --quiet

# Tests start hundreds of processes, which would each compile what no other could write down.
test: setup
	$(BIN)/python -m compileall -q hipport
	$(BIN)/python -m pytest $(PYTEST_ARGS)

demo: setup
	@echo "== What would change in $(DEMO)"
	@$(BIN)/hipport convert --diff --fail-on never $(DEMO)
	@echo "== Converting a copy into demo/"
	@$(BIN)/hipport convert --fail-on never -o demo --report demo-report.json $(DEMO)
	@ls -l demo
	@echo "== The report, with what was left (demo-report.json)"
	@cat demo-report.json

bench: setup
	$(BIN)/python -m compileall -q hipport
	$(BIN)/python -m benchmarks.performance

fuzz: setup
	$(BIN)/pip install --quiet --group fuzz
	nice -n 19 $(BIN)/python -m fuzz.run .cache/fuzz $(TARGETS)

docs: setup
	$(BIN)/mkdocs build --strict
