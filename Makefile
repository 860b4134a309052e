# Each target alone is enough on a fresh clone: it makes .venv first (Python 3.11 or later, git, a way to PyPI).

PYTHON ?=
export PYTHON
VENV := .venv/bin
CORPORA ?= build/corpora
# Two workers: what a small CI machine has. EXTRAS=local adds the embedded model.
JOBS ?= 2
PYTHONS ?= 3.11 3.12 3.13
EXTRAS ?=
EXTRA_FLAGS := $(foreach extra,$(EXTRAS),--extra $(extra))
READY := .venv/ready
READY_DEV := .venv/ready-dev$(subst $() ,-,$(addprefix -,$(EXTRAS)))
READY_MUTATION := .venv/ready-mutation
INPUTS := .ci/environment pyproject.toml uv.lock

.PHONY: help demo test test-all lint format docs bench corpora clean
.DEFAULT_GOAL := help

help: ## what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | awk -F '\t' '{printf "make %-9s %s\n", $$1, $$2}'

demo: $(READY) ## document a copy of examples/kitchen and print how far it can be trusted
	@.ci/demo build/demo

test: $(READY_DEV) ## run every test, with coverage
	@# pytest's last line is the verdict, so nothing is printed after it
	@$(VENV)/python -m pytest -n $(JOBS) --cov --cov-report=term $(ARGS)

test-all: $(READY_DEV) ## run every test on each Python that we support and PATH has
	@for version in $(PYTHONS); do \
	  echo "== Python $$version"; \
	  export UV_PROJECT_ENVIRONMENT=build/python-$$version UV_PYTHON_DOWNLOADS=never PATH="$$PATH:$(CURDIR)/$(VENV)"; \
	  $(VENV)/uv sync -q --frozen --no-build --no-install-project --python $$version && \
	  $(VENV)/uv sync -q --frozen --python $$version && \
	  build/python-$$version/bin/python -m pytest -n $(JOBS) -q $(ARGS) || exit 1; \
	done

lint: $(READY_DEV) ## style, types, import directions, lock
	$(VENV)/ruff check --no-cache .
	$(VENV)/ruff format --no-cache --check .
	$(VENV)/mypy
	$(VENV)/lint-imports
	$(VENV)/uv lock --check

format: $(READY_DEV) ## let ruff mend what it can
	$(VENV)/ruff check --fix-only .
	$(VENV)/ruff format .

docs: $(READY_DEV) ## write docs/cli.md from the program's own --help
	$(VENV)/python docs/generate.py

bench: $(patsubst benchmarks/%/run.py,bench-%,$(wildcard benchmarks/*/run.py)) ## all benchmarks, side by side with peers

bench-%: $(READY_DEV) corpora
	RETRODOC_CORPORA=$(CORPORA) $(VENV)/python benchmarks/$*/run.py $(ARGS)

bench-mutation: $(READY_MUTATION)
	$(VENV)/python benchmarks/mutation/run.py $(ARGS)

corpora: $(READY_DEV) ## fetch the real repositories that benchmarks and some tests read
	$(VENV)/python tests/fetch_corpora.py $(CORPORA)

clean: ## remove what make made
	rm -rf .venv build dist .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(READY): $(INPUTS)
	@.ci/environment $@ --no-dev

$(READY_DEV): $(INPUTS)
	@.ci/environment $@ $(EXTRA_FLAGS)

$(READY_MUTATION): $(INPUTS)
	@.ci/environment $@ --group mutation
