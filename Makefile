# Every target sets up what it needs in .venv, inside this checkout, and does
# nothing twice. Needed beforehand: Rust (cargo) and Python 3.10 or newer.
#
#   make demo     the published experiment at a few compute periods
#   make docs     the documents as a site, in site/ (Python 3.11 or newer)
#   make studies  all published tables and figures, side by side with ours, how often
#                 intervals hold the truth, 50,000 random cases of each slow twin, and
#                 what adaptive routing costs, how messages should cross a hypercube,
#                 what contention was on the Symult 2010, the Paragon and three networks of
#                 clusters, the curves of
#                 BookSim2, how good an estimate fidelity fluid is, what contention
#                 costs programs, and what a million nodes take
#   make mutants  whether twins notice faults in kernels and switches: part of make studies
#   make bench    speed and memory, against their goals
#   make quick    the tests of what changed, with an engine that is built in less time
#   make test     all tests but the long ones: about eleven minutes of CPU
#   make verify   the long ones, for at most VERIFY_S seconds
#   make fuzz     10,000 mistakes: one line each
#   make check    formatting, lints, types, layers
#   make wheel    a wheel for this platform, in dist: it is installed without Rust
#   make lock     the newest versions of all libraries, for requirements-dev.lock
#   make profile  what branches mostly do, counted anew for the compiler (llvm-profdata is needed)
#   make bounds   some tests with the oldest libraries that users may have

# How long `make verify` may take, and the fuzzer of that; what is left over then is said.
VERIFY_S ?= 7200
FUZZ_S = $(shell expr $(VERIFY_S) / 2)
# And what must hold of messages on random machines of every kernel.
ANSWERS_S = $(shell expr $(VERIFY_S) / 8)

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
# What Python has compiled is kept, whatever the shell says: tests start many processes.
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/bytecode
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_QUIET := 1

# What the compiled module is made from.
SOURCES := Cargo.toml $(wildcard Cargo.lock) pyproject.toml $(wildcard crates/engine/profile/*) \
	$(shell find crates -name '*.rs' -not -path '*/tests/*' -o -name Cargo.toml)

# What was counted of the engine compiled by this version of Rust, if it was: others name functions
# differently.
RUST := $(shell rustc --version | cut -d' ' -f2 | cut -d. -f1-2)
PROFILE := crates/engine/profile/rust-$(RUST).profdata
PROFILED := $(if $(wildcard $(PROFILE)),-Cprofile-use=$(CURDIR)/$(PROFILE) \
	-Cllvm-args=-no-pgo-warn-mismatch)

.DEFAULT_GOAL := test
.PHONY: demo studies mutants bench quick test compiled verify check lint fuzz wheel lock profile bounds

demo: $(VENV)/built
	$(BIN)/python -m studies.tweedie.demo

studies: $(VENV)/built
	TAILBACK_CASES=5 cargo test --quiet --test twins -- cycles:: router::
	$(BIN)/python -m studies.coverage
	$(BIN)/python -m studies.tweedie
	$(BIN)/python -m studies.adaptive
	$(BIN)/python -m studies.buzzard_mudge
	$(BIN)/python -m studies.symult
	$(BIN)/python -m studies.booksim
	$(BIN)/python -m studies.paragon
	$(BIN)/python -m studies.clusters
	$(BIN)/python -m studies.fluid
	$(BIN)/python -m studies.programs
	$(BIN)/python -m studies.million
	$(MAKE) mutants

# Faults that tests should notice, a sample of all: hours, of which what was tried before is not repeated.
mutants: $(VENV)/made
	command -v cargo-mutants > /dev/null || cargo install --quiet --locked cargo-mutants
	$(BIN)/python -m studies.mutants

bench: $(VENV)/built
	$(BIN)/python -m benches
	$(BIN)/python -m benches.commands
	$(BIN)/python -m benches.programs
	$(BIN)/python -m benches.transports
	$(BIN)/python -m benches.traces

# Thin where `make test` is thorough: in many units, without what was counted.
quick: $(VENV)/made
	rm -f $(VENV)/built
	$(BIN)/maturin develop --profile quick --quiet
	$(BIN)/python -m tests.quick

# What is compiled is not counted. Two at a time, the longest first.
FAST := $(BIN)/python -m pytest -q -m 'not verify'
test: $(VENV)/built compiled
	$(BIN)/python -m tests.spent --jobs 2 "$(FAST) tests/unit/test_[n-z]*.py" \
		"$(FAST) tests/unit --ignore-glob 'tests/unit/test_[n-z]*'" "$(FAST) tests --ignore tests/unit" "cargo test --quiet"

# The tests of the engine, compiled.
compiled: $(VENV)/made
	cargo test --quiet --no-run

# The fuzzer beside the rest, which is done in this order.
CASES := env TAILBACK_CASES=1 cargo test --quiet --test
VERIFY := env TAILBACK_CASES=1 $(BIN)/python -m pytest -q -m 'verify or hypothesis'
verify: $(VENV)/built compiled
	$(BIN)/python -m tests.spent --seconds $(VERIFY_S) --jobs 2 \
		"$(BIN)/python -m tests.fuzz --cases 10000 --seconds $(FUZZ_S)" \
		"$(BIN)/python -m tests.answers --cases 20000 --seconds $(ANSWERS_S)" \
		"$(VERIFY) tests/contract tests/browser tests/fuzz" \
		"$(VERIFY) tests/golden" \
		"$(VERIFY) tests/unit" \
		"$(CASES) twins reference::" \
		"$(CASES) twins cycles::" \
		"$(CASES) twins router::" \
		"$(CASES) twins -- blame:: transports::" \
		"$(CASES) twins stream::" \
		"$(CASES) exact -- conservation:: routing::" \
		"$(CASES) twins flits::" \
		"$(CASES) twins -- causes:: cells:: fluid:: frames:: stop_go::" \
		"$(CASES) programs"

fuzz: $(VENV)/built
	$(BIN)/python -m tests.fuzz --cases 10000

check: lint $(VENV)/built
	$(BIN)/python -m pytest -q tests/unit/test_layers.py

# What needs no engine that is built.
lint: $(VENV)/made
	cargo fmt --all --check
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --quiet --check
	$(BIN)/mypy --strict python/tailback studies benches
	cargo clippy --quiet --workspace --all-targets -- -D warnings

# One for Python 3.10 and all later, compiled as a release is, without what debuggers need.
wheel: $(VENV)/made
	RUSTFLAGS="$(RUSTFLAGS) $(PROFILED)" $(BIN)/maturin build --release --locked --strip --out dist

# A lock for all platforms and versions of Python; every version in it is the same everywhere.
lock: $(VENV)/built
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.10 --no-header \
		--extra dev --extra dask --extra dot --extra infragraph --extra notebook --extra pandas pyproject.toml \
		--output-file requirements-dev.lock
	$(BIN)/pip install --requirement requirements-dev.lock
	gzip --best --no-name --stdout \
		$$($(BIN)/python -c 'import plotly; print(plotly.__path__[0])')/package_data/plotly.min.js \
		> python/tailback/plotly_js/plotly.min.js.gz

# The tool is of the same version of LLVM as Rust's (`rustc -vV`; `rustup component add llvm-tools`).
# Programs that run while the engine is built are counted as well, and forgotten. Cargo does not know
# that the engine is compiled by the counts, so it is told that a file has changed.
LLVM_PROFDATA ?= $(firstword $(wildcard $(shell rustc --print target-libdir)/../bin/llvm-profdata) llvm-profdata)
COUNTED := $(CURDIR)/target/counted
profile: $(VENV)/made
	rm -f $(VENV)/built
	RUSTFLAGS="$(RUSTFLAGS) -Cprofile-generate=$(COUNTED)" $(BIN)/maturin develop --release --quiet
	rm -rf $(COUNTED)
	$(BIN)/python -m benches.profile
	mkdir -p $(dir $(PROFILE))
	$(LLVM_PROFDATA) merge --sparse --output=$(PROFILE) $(COUNTED)
	touch crates/engine/src/lib.rs

# Users' libraries may be as old as pyproject.toml says, and as new as there are.
bounds: $(VENV)/built
	$(BIN)/python -m tests.bounds lowest
	$(BIN)/python -m tests.bounds newest

# A link that leads nowhere ends it, and so does a page that is not listed in docs/README.md.
.PHONY: docs locks
docs: $(VENV)/documented $(VENV)/built
	$(BIN)/python docs/site/build.py
	RUSTDOCFLAGS="-D warnings -A rustdoc::private-intra-doc-links" cargo doc --quiet --no-deps
	rm -rf site/rust
	cp -r target/doc site/rust

# What only the site needs.
$(VENV)/documented: $(VENV)/made docs/site/requirements.lock
	$(BIN)/pip install --requirement docs/site/requirements.lock
	touch $@

# Both locks: that of developers, and that of the site, which needs Python 3.11.
locks: lock
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --no-header \
		--extra docs --constraint requirements-dev.lock pyproject.toml \
		--output-file docs/site/requirements.lock

# The environment: libraries and tools in the versions of the lock. uv takes a seventh of pip's time, but
# does not know where else pip is told to look.
$(VENV)/made: requirements-dev.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or newer is needed")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install $$(grep '^uv==' requirements-dev.lock)
	$(BIN)/uv pip install --quiet --requirement requirements-dev.lock || \
		$(BIN)/pip install --requirement requirements-dev.lock
	touch $@

# Tailback itself, importable from python/; its libraries are there.
$(VENV)/built: $(VENV)/made $(SOURCES)
	RUSTFLAGS="$(RUSTFLAGS) $(PROFILED)" $(BIN)/maturin develop --release --quiet
	touch $@
