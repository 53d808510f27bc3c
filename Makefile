PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST_ARGS ?= -n auto --dist worksteal
DEMO := fixtures/cuda/inline_ptx

.PHONY: setup check lint lint-code test demo bench docs fuzz vscode release

check: lint test

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --editable . --group dev
	touch $@

lint: lint-code
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

lint-code: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/hipport rules check

# Tests start hundreds of processes, which would each compile what no other could write down.
test: setup
	$(BIN)/python -m compileall -q hipport
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest $(PYTEST_ARGS)

demo: setup
	@echo "== Converting a copy of $(DEMO) into demo/"
	@$(BIN)/hipport convert --fail-on never -o demo --report demo-report.html $(DEMO)
	@echo "== What has changed in it"
	@diff -u $(DEMO)/$(notdir $(DEMO)).cu demo/$(notdir $(DEMO)).cu; test $$? = 1
	@echo "== What was found; open demo-report.html in a browser for what to do about it"
	@$(BIN)/hipport audit --fail-on never $(DEMO)

bench: setup
	$(BIN)/python -m compileall -q hipport
	$(BIN)/python -m benchmarks.performance

fuzz: setup
	$(BIN)/pip install --quiet --group fuzz
	nice -n 19 $(BIN)/python -m fuzz.run .cache/fuzz $(TARGETS)

docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The client for Visual Studio Code: build/hipport-vscode.vsix, for `code --install-extension`.
vscode:
	mkdir -p build
	cd editors/vscode && npm ci --no-audit --no-fund
	cd editors/vscode && npm run package -- -o ../../build/hipport-vscode.vsix

# What goes to a package index, tried as its user would: from another folder, in an environment
# that has nothing of ours.
release: setup
	rm -rf dist build/release
	$(BIN)/python -m hatchling build -d dist
	$(BIN)/twine check --strict dist/*
	$(PYTHON) -m venv build/release
	build/release/bin/pip install --quiet dist/*.whl
	cp -r $(DEMO) build/release/src
	cd build/release && bin/hipport --version
	cd build/release && bin/hipport convert --fail-on never --report todo.html src
	cd build/release && bin/hipport help | grep -q '^tutorial '
	cd build/release && bin/hipport rules check
	ls -l dist build/release/todo.html
