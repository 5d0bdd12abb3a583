# Everything here works from a fresh clone: `.venv` is made when it is missing.
.PHONY: setup setup-frameworks demo test test-all lint bench lock clean

BIN := .venv/bin
READY := .venv/.ready
FRAMEWORKS := .venv/.frameworks

setup: $(READY)

$(READY): .ci/requirements.lock .ci/setup pyproject.toml
	@.ci/setup
	@touch $@

# What users build agents with, for the tests in tests/frameworks.
setup-frameworks: $(FRAMEWORKS)

$(FRAMEWORKS): $(READY) .ci/frameworks.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--require-hashes --no-deps -r .ci/frameworks.lock
	@touch $@

# Creates the example, runs it, decides its gate; succeeds exactly when the gate exits with 1.
demo: $(READY)
	@.ci/demo

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/python -m pytest -n auto

test-all: lint $(FRAMEWORKS)
	$(BIN)/python -m pytest -n auto -m "slow or not slow"

bench: $(READY)
	$(BIN)/python -m tests.benchmarks

COMPILE := $(BIN)/uv pip compile pyproject.toml --generate-hashes --no-emit-index-url \
	--no-emit-find-links --no-header --quiet --python-version 3.11 --upgrade

# Pins every package that setup and setup-frameworks install, with its hashes; what both install
# has one version.
lock: $(READY)
	$(COMPILE) --group dev --output-file .ci/requirements.lock
	$(COMPILE) --group frameworks --constraint .ci/requirements.lock \
		--output-file .ci/frameworks.lock

clean:
	rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
