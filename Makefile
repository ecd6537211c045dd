# Everything runs in .venv, which the first target makes; PYTHON chooses the interpreter for it.
PYTHON ?= python3
VENV ?= .venv
PY = $(VENV)/bin/python
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: demo browser test test-all test-pure compare conform lint types bench explore ecosystem docs docs-serve build sets sanitize sanitize-threads fuzz clean

demo: build
	$(PY) examples/demo.py

# what changed, for the best instruction set that this processor runs; WEFT_SETS="v2 v3" builds others (tools/builder.py)
build: $(VENV)/.ready
	@$(PY) tools/builder.py
	@$(PY) -c "import weft; print('weft', weft.__version__, '(plain Python core)' if weft._pure.PURE else '(compiled core)')"

$(VENV)/.ready: pyproject.toml
	@echo "making $(VENV): NumPy, Cython, and what the tests need"
	@$(PYTHON) -m venv $(VENV)
	@$(PY) -m pip install -q --upgrade pip
	@$(PY) -m pip install -q "numpy>=2" "ml_dtypes>=0.5" "Cython>=3.3" "setuptools>=77" wheel "pytest>=8" pytest-xdist hypothesis ruff mypy pillow
	@$(PY) -m pip install -q "mpi4py>=4" mpich || echo "mpi4py or mpich can't be installed here: the tests of many processes are left out"
	@echo $(CURDIR) > $$($(PY) -c "import sysconfig; print(sysconfig.get_paths()['purelib'])")/weft.pth
	@touch $@

test: build
	$(PY) -m pytest -n 2 tests -m "not slow" --ignore=tests/compare --ignore=tests/browser

# without the tests of what is never compiled (make test has them), and of processes that are started
PLAIN = run as_torch names cli io io_greedy io_hostile data data_workers view_cli view_server page tensorboard vision \
  vision_parts demo examples builder progress bench ecosystem jit_trace derived_vmap mpi manual text text_tokenizers seeds
test-pure: build
	WEFT_PURE=1 $(PY) -m pytest -n 2 tests -m "not slow" --ignore=tests/compare --ignore=tests/browser \
	  $(PLAIN:%=--ignore=tests/test_%.py)

# the slow ones too; those of tests/compare need PyTorch (make .venv/.torch) and are skipped without it
test-all: build
	$(PY) -m pytest -n 2 tests

# the comparison with PyTorch; its CPU build is pinned, an unpinned one would pull gigabytes
$(VENV)/.torch: $(VENV)/.ready
	$(PY) -m pip install -q torch==2.13.0 expecttest scipy tensorboard matplotlib
	@$(PY) -m pip install -q --no-deps torchvision==0.28.0 || echo "torchvision can't be installed here: the comparison with it is left out"
	@touch $@

compare: build $(VENV)/.torch
	$(PY) -m pytest -n 2 -m "not slow" tests/compare tests/test_random_stream.py tests/test_printing.py tests/test_special_functions.py

CONFORM ?= ../shared/tools/conform.py
conform: build $(VENV)/.torch
	$(PY) tools/check_conform.py $(CONFORM)

# the graph page in a real Chromium, over its DevTools protocol (the tests need no further package); WEFT_CHROMIUM names another one
browser: build
	@command -v chromium chromium-browser google-chrome chrome $$WEFT_CHROMIUM >/dev/null || { echo "Chromium is needed: apt-get install chromium"; exit 1; }
	$(PY) -m pytest tests/browser

lint: $(VENV)/.ready
	$(VENV)/bin/ruff check .

types: build
	$(PY) tools/stubs.py --check
	$(VENV)/bin/mypy
	@pyright=$$(command -v $(VENV)/bin/pyright pyright | head -1); if [ -n "$$pyright" ]; then $$pyright -p . --pythonpath $(PY); \
	  else echo "pyright is not installed: skipped"; fi

# that the sets which this processor can't run compile, too
sets: $(VENV)/.ready
	@for source in weft/kernels/cpp/*.cpp; do g++ -fsyntax-only -std=c++20 -march=x86-64-v4 -Wno-psabi -DWEFT_MODULE=_v4 -Iweft/kernels/cpp \
	  $$($(PY) -c "import numpy, sysconfig; print('-I' + numpy.get_include(), '-I' + sysconfig.get_paths()['include'])") $$source || exit 1; done

# native code under AddressSanitizer and UndefinedBehaviorSanitizer; the thread pool and the allocator under ThreadSanitizer
sanitize: build
	$(PY) tools/sanitize.py address

sanitize-threads: $(VENV)/.ready
	$(PY) tools/sanitize.py threads

# weft beside PyTorch; BENCH="--only conv --threads 2" measures a part
bench: build $(VENV)/.torch
	$(PY) benchmarks/bench.py $(BENCH)
	$(PY) tools/figures.py

# products of several hundred shapes beside OpenBLAS and PyTorch; EXPLORE="--quick --threads 1" measures a part
explore: build $(VENV)/.torch
	$(PY) benchmarks/explore.py --svg benchmarks/products.svg $(EXPLORE)

# packages from PyPI on weft and on PyTorch, side by side; writes docs/compatibility.md. ECOSYSTEM="--only timm,peft" runs a part
ecosystem: build
	$(PY) tools/ecosystem.py $(ECOSYSTEM)

# the manual, into build/manual: a warning is an error, links are checked; `make docs-serve` shows it while it is written
$(VENV)/.docs: $(VENV)/.ready
	@$(PY) -m pip install -q "mkdocs>=1.6,<2" "mkdocs-material>=9.5,<10"
	@touch $@

docs: build $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --quiet --strict
	@echo "the manual: build/manual/index.html (the search needs a server: make docs-serve)"

docs-serve: build $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs serve

# broken and hostile files for the readers of checkpoints, and odd programs of ops; make fuzz N=1000000 SECONDS=900
N ?= 100000
SECONDS ?= 120
fuzz: build
	$(PY) tools/fuzz_io.py --cases $(N) --seconds $(SECONDS)
	$(PY) tools/fuzz_ops.py --cases $(N) --seconds $(SECONDS)

clean:
	rm -rf build dist *.egg-info
	find weft -name "*.so" -delete
	find . -name __pycache__ -prune -exec rm -rf {} +
