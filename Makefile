# Tokens in Flight. `make` alone lists what there is.
#
# Every target first brings its virtual environment up to date (scripts/bootstrap.py), which takes
# a fraction of a second when nothing has changed. Variables:
#   PYTHON=/path/to/python3.12   the interpreter to build with (else the first fit one is found)
#   VENV=/big/disk/venv          where the environment lives (else .venv); new, or made here
#   LAB_FLAGS="--no-browser"     passed on to JupyterLab
#   PYTEST_FLAGS="-k queue"      passed on to pytest
#   BENCH_FLAGS="..."            passed on to the benchmarks

VENV ?= .venv
PYTHON ?=
LAB_FLAGS ?=
PYTEST_FLAGS ?=
BENCH_FLAGS ?=
RUN := "$(VENV)/bin/python"
PYTEST := $(RUN) -m pytest -n auto --dist loadfile --no-loadscope-reorder --durations=10 $(PYTEST_FLAGS)
CANDIDATES := $(PYTHON) python3 python3.13 python3.12 python3.11 python3.14 python
# Threads of torch that spin while they wait slow down whatever runs beside them.
OMP_WAIT_POLICY ?= PASSIVE
export VENV PYTHON OMP_WAIT_POLICY
# Tests run side by side, on small models: a second thread for each of them waits, and gains nothing.
test test-full: export OMP_NUM_THREADS = 1
unexport PYTHONPATH PYTHONHOME

.DEFAULT_GOAL := help
.PHONY: help lab style test test-full bench solutions slides site clean ready-lab ready-dev

help:
	@echo "make lab        install what is missing and open the course in JupyterLab"
	@echo "make style      the style alone, in seconds; what follows begins with it"
	@echo "make test       prove it: units, every exercise (six to ten minutes on two cores)"
	@echo "make test-full  all there is: mutants, every edition, every page in the browser"
	@echo "make bench      measure this machine and the package; prints a table"
	@echo "make solutions  rebuild all notebooks from solutions/*.py"
	@echo "make slides     write a slide deck for each chapter to build/slides/; needs no network to show"
	@echo "make site       write the course as pages to build/site/; open index.html, no server needed"
	@echo "make clean      remove what make built; your work in my/ stays"

lab: ready-lab
	@$(RUN) -m labutils lab $(LAB_FLAGS)

style:
	$(call bootstrap,style)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check -q .

# What $(1) has in its environment decides how much of it all runs: tests/conftest.py.
define all-tests
	$(call bootstrap,dev)
	$(RUN) -m labutils.authoring check
	$(1) $(PYTEST)
endef

test: style
	$(call all-tests)

test-full: style
	$(call all-tests,LABUTILS_FULL=1)

bench: ready-dev
	$(RUN) -m benchmarks $(BENCH_FLAGS)

solutions: ready-dev
	$(RUN) -m labutils.authoring build

slides: ready-dev
	$(RUN) -m labutils.authoring slides

site: ready-dev
	$(RUN) -m labutils.authoring site

clean:
	rm -rf .venv .venv.old build dist .pytest_cache .ruff_cache .hypothesis *.egg-info
	find labutils tests scripts benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
	@echo "Your work in my/ is untouched."

# Any Python that runs at all may start the script: it finds one that is new enough.
define bootstrap
@for python in $(CANDIDATES); do \
	"$$python" -c "" 2>/dev/null && exec "$$python" scripts/bootstrap.py $(1); \
done; echo "No Python found: install Python 3.11 or newer; docs/setup/ says how on your system." >&2; exit 1
endef

ready-lab:
	$(call bootstrap,lab)

ready-dev:
	$(call bootstrap,dev)
