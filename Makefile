PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
TORCH ?= torch==2.13.0
STAMP := $(VENV)/.installed

.PHONY: demo test bench clean env

env: $(STAMP)

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=24" "setuptools>=77"
	$(BIN)/python -m pip install --quiet -e ".[test,bench,neural]" "$(TORCH)"
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/pokerspiel demo --out runs/demo

test: $(STAMP)
	$(BIN)/python -m tests.web.browsers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	mkdir -p build/mypy/pokerspiel
	for room in games solvers agents experiments; do ln -sfn ../../../$$room build/mypy/pokerspiel/$$room; done
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pokerspiel.experiments.warm
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 -m "not slow" tests

bench: $(STAMP)
	$(BIN)/pokerspiel bench speed

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
