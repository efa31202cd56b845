# Each target is complete in itself: it makes .venv first, or picks up an interrupted
# set-up. `make lab` opens the course; `make test` runs all that CI runs.

PYTHON ?=
LAB_ARGS ?=
NB ?=
GPU_PYTHON ?= python3
GPU_ARGS ?=
BIN := .venv/bin
STAMP := .venv/.complete

.PHONY: lab test nb pull fmt gpu publish setup clean help

help:
	@echo "make lab      open the course in JupyterLab (LAB_ARGS=... passes options on)"
	@echo "make test     run everything that CI runs"
	@echo "make nb       build the notebooks from their texts (NB=11 for one)"
	@echo "make pull     bring an edit made in JupyterLab back into the text (NB=11)"
	@echo "make fmt      format texts, Python and C++"
	@echo "make gpu      on a machine with a GPU: GPU tests, and all lessons solved"
	@echo "make publish  set the address: REPO=owner/name TAG=v1"

# Lessons 00 to 12 need no compiler, so a missing one is told and stops nothing here.
lab: $(STAMP)
	@sh .ci/setup.sh compiler || true
	@echo "Opening JupyterLab on this machine only; Ctrl-C ends it."
	$(BIN)/jupyter lab --ip=127.0.0.1 $$([ "$$(id -u)" = 0 ] && echo --allow-root) \
	  --ServerApp.root_dir="$(CURDIR)" \
	  --LabApp.default_url=/lab/tree/notebooks/00_start.ipynb $(LAB_ARGS)

test: $(STAMP)
	@sh .ci/setup.sh compiler
	$(BIN)/ruff check . && $(BIN)/ruff format --check . --exclude '*.ipynb'
	$(BIN)/python -m course_utils.notebooks check
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not gpu" \
	  --nbval --nbval-sanitize-with tests/sanitize.cfg tests notebooks

nb: $(STAMP)
	$(BIN)/python -m course_utils.notebooks build $(NB)

pull: $(STAMP)
	$(BIN)/python -m course_utils.notebooks pull $(NB)

fmt: $(STAMP)
	$(BIN)/python -m course_utils.notebooks fmt

publish: $(STAMP)
	@test -n "$(REPO)" && test -n "$(TAG)" || { echo "make publish REPO=owner/name TAG=v1"; exit 1; }
	$(BIN)/python -m course_utils.notebooks publish $(REPO) $(TAG)

# Uses the machine's own Python and torch; nothing is installed, no network is needed.
gpu:
	$(GPU_PYTHON) -m pytest -q -m gpu $(GPU_ARGS) tests

setup: $(STAMP)

# Made only when everything has succeeded, so that a set-up that was interrupted is done
# again, and renewed when what it installs has changed.
$(STAMP): pyproject.toml constraints.txt .ci/setup.sh
	@PYTHON="$(PYTHON)" sh .ci/setup.sh

clean:
	rm -rf .venv
