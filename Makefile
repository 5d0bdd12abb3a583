# Everything here works from a fresh clone: `.venv` is made when it is missing.
.PHONY: setup demo test test-all lint bench lock clean

BIN := .venv/bin
READY := .venv/.ready

setup: $(READY)

$(READY): .ci/requirements.lock .ci/setup pyproject.toml
	@.ci/setup
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

test-all: lint
	$(BIN)/python -m pytest -n auto -m "slow or not slow"

bench: $(READY)
	$(BIN)/python -m tests.benchmarks

# Pins every package that setup installs, with its hashes.
lock: $(READY)
	$(BIN)/uv pip compile pyproject.toml --group dev --generate-hashes --no-emit-index-url \
		--no-emit-find-links --no-header --quiet --python-version 3.11 --upgrade \
		--output-file .ci/requirements.lock

clean:
	rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
