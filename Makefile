# Two commands do all the set-up on a fresh machine:
#
#   make check FILE=examples/spinlock_safe.c    builds everything and checks a C file
#   make test                                   runs the tests
#
# After the first, target/release/slam works by itself. docs/guide/building.md says more, also about
# the two other ways to get Z3 (Z3=vendored and Z3=system).

CARGO ?= cargo
PREFIX ?= /usr/local
BINARIES = slam c2bp bebop getafix newton zing

# Where Z3 comes from: wheel (the pinned library), vendored (built from source), or system (an
# installed one, in Z3_LIB_DIR).
Z3 ?= wheel
Z3_LIB_DIR ?= $(CURDIR)/third_party/z3/lib

TARGET_DIR := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)
RELEASE := $(TARGET_DIR)/release

ifeq ($(Z3),wheel)
FEATURES =
else ifeq ($(Z3),vendored)
FEATURES = --features smt/vendored-z3
export Z3_SYS_Z3_VERSION =
else ifeq ($(Z3),system)
FEATURES = --features smt/system-z3
export Z3_LIBRARY_PATH_OVERRIDE = $(Z3_LIB_DIR)
export Z3_SYS_Z3_VERSION =
else
$(error Z3=$(Z3) is not known; use Z3=wheel (the default), Z3=vendored or Z3=system)
endif

# The binaries look for the library relative to their own place in target/, and doc-tests have no
# such path at all.
ifneq ($(Z3),vendored)
with_library = LD_LIBRARY_PATH="$(Z3_LIB_DIR)$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH}" \
	DYLD_LIBRARY_PATH="$(Z3_LIB_DIR)$${DYLD_LIBRARY_PATH:+:$$DYLD_LIBRARY_PATH}"
endif

.PHONY: all setup guard build build-all check test test-long install clean

all: build

# Downloads the pinned Z3 library into third_party/z3, unless it is there.
setup:
ifeq ($(Z3),wheel)
	@scripts/setup-z3.sh
endif

# RUSTFLAGS replaces the flags of .cargo/config.toml, and with them the paths by which the binaries
# find the Z3 library.
guard:
	@if [ -n "$${RUSTFLAGS+set}$${CARGO_ENCODED_RUSTFLAGS+set}" ]; then \
	    echo "make: RUSTFLAGS (or CARGO_ENCODED_RUSTFLAGS) is set in the environment. It switches off the" >&2; \
	    echo "flags of .cargo/config.toml, and the binaries would not find the Z3 library. Unset it, or add" >&2; \
	    echo "your flags to .cargo/config.toml." >&2; \
	    exit 1; \
	fi

# With the features that the whole workspace has, so that `make test` does not build the packages again.
build: guard setup
	$(CARGO) build --locked --release $(FEATURES) --workspace --bin slam

build-all: guard setup
	$(CARGO) build --locked --release $(FEATURES) --workspace --bins

# Safe (0), unsafe (10) and unknown (5) are all normal answers about FILE.
check: export CHECKED_FILE = $(FILE)
check: guard
	@if [ -z "$$CHECKED_FILE" ]; then \
	    echo "usage: make check FILE=examples/spinlock_safe.c" >&2; exit 1; \
	fi
	@$(MAKE) --no-print-directory build
	@status=0; \
	$(with_library) $(RELEASE)/slam check -v "$$CHECKED_FILE" || status=$$?; \
	case $$status in 0|5|10) ;; *) exit $$status ;; esac

# What is tested is what is used: the optimised build, which keeps its overflow checks. The end-to-end tests of the
# package `tests` run its binaries.
# At the end stand the tests that were skipped since a tool is not installed, and those that took longest.
run_tests = SLAM_BINARIES="$(abspath $(RELEASE))" CARGO="$(CARGO)" $(with_library) \
	scripts/test.sh --locked --release $(FEATURES) --workspace

# The random tests begin with one seed, so that a change fails or passes whenever it is tested; `make test RANDOM_SEED=2`
# tries others.
RANDOM_SEED ?= 1
test: build-all
	@export PROPTEST_RNG_SEED=$(RANDOM_SEED); $(run_tests)

# The random tests once more, for hours and with new seeds: the numbers are those of a release. `make test` runs a sample of
# each. Decision diagrams are compared with those of a second package.
LONG = LONG_TESTS=1 CMM_RANDOM_CASES=6000 C2BP_RANDOM_CASES=10000 NEWTON_RANDOM_CASES=5000 BEBOP_TWIN_CASES=10000 \
	GETAFIX_RANDOM_CASES=3000 ZING_RANDOM_CASES=3000 DATAFLOW_RANDOM_CASES=3000 CFRONT_MUTANTS=20000 \
	ADVERSARY_CASES=10000 ADVERSARY_FIRST=1000 RANDOM_C_CASES=1000 TRUST_RANDOM_CASES=300 MANY_CHECKS_CASES=300 \
	ATTACK_CASES=1000 KILLS=100 ARRAYS_PROGRAMS=500 BLOCKS_PROGRAMS=500 BYTES_PROGRAMS=500 LIVES_PROGRAMS=500 \
	ALIGNMENT_PROGRAMS=500 RULES_CASES=500 \
	INVARIANTS_PROGRAMS=500 INVARIANTS_RANDOM_CASES=3000 LIBRARY_CALLS=10000 LIBRARY_LIMIT=20 \
	THREADS_RANDOM_CASES=5000 THREADS_PROGRAMS=500 REREAD_EVERY=1 \
	ORDER_PROGRAMS=2000 TOLD_EXAMPLES=1000 TOLD_RUNS=300 COMBINATIONS=10000 MUTANT_RUNS=20000 INTERRUPTS=150 WRITTEN_PROGRAMS=5000
test-long: FEATURES += --features bdd/oxidd,bebop/oxidd,getafix/oxidd
test-long: build-all
	@export $(LONG); $(run_tests)
	scripts/fuzz.sh 60

# Puts the binaries (stripped), the Z3 library, completions, manual pages and licences under PREFIX. Nothing there refers to
# the checkout.
# What is generated comes from the binaries that were built, so that DESTDIR may be for another place.
SHARE = $(DESTDIR)$(PREFIX)/share
COMPLETIONS = bash:bash-completion/completions/%s zsh:zsh/site-functions/_%s fish:fish/vendor_completions.d/%s.fish \
	elvish:elvish/lib/%s.elv
install: build-all
	mkdir -p "$(DESTDIR)$(PREFIX)/bin"
	for binary in $(BINARIES); do \
	    install -s -m 755 "$(RELEASE)/$$binary" "$(DESTDIR)$(PREFIX)/bin/$$binary" || exit 1; \
	done
ifeq ($(Z3),wheel)
	mkdir -p "$(DESTDIR)$(PREFIX)/lib"
	for library in third_party/z3/lib/libz3.so.* third_party/z3/lib/libz3.dylib; do \
	    if [ -f "$$library" ]; then install -m 755 "$$library" "$(DESTDIR)$(PREFIX)/lib/" || exit 1; fi; \
	done
endif
	for binary in $(BINARIES); do \
	    $(with_library) "$(RELEASE)/$$binary" --man-pages "$(SHARE)/man/man1" >/dev/null || exit 1; \
	    for each in $(COMPLETIONS); do \
	        file="$(SHARE)/$$(printf "$${each#*:}" "$$binary")"; \
	        mkdir -p "$$(dirname "$$file")" || exit 1; \
	        $(with_library) "$(RELEASE)/$$binary" --completions "$${each%%:*}" >"$$file" || exit 1; \
	    done; \
	done
	scripts/licences.py --cargo "$(CARGO)" "$(SHARE)/doc/slam"

clean:
	$(CARGO) clean
	rm -rf third_party
