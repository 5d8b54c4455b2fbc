PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
TORCH ?= torch==2.13.0
STAMP := $(VENV)/.installed

.PHONY: demo test lint warm browser bench clean env

env: $(STAMP)

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=24" "setuptools>=77"
	$(BIN)/python -m pip install --quiet --no-compile -e ".[test,bench,neural,ray]" "$(TORCH)"
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/pokerspiel demo --out runs/demo

# What does not wait for each other goes on side by side.
MAKEFLAGS += --jobs=3

test: lint warm browser
	$(BIN)/python -m tests.web.browsers
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 3 -m "not slow" tests

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	mkdir -p build/mypy/pokerspiel
	for room in games solvers agents experiments; do ln -sfn ../../../$$room build/mypy/pokerspiel/$$room; done
	$(BIN)/mypy
	$(BIN)/lint-imports

warm: $(STAMP)
	$(BIN)/python -m pokerspiel.experiments.warm

browser:
	$(PYTHON) -m tests.web.browsers || true

bench: $(STAMP)
	$(BIN)/pokerspiel bench speed

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
