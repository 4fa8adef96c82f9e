# SPDX-License-Identifier: MIT
# Tests: those of the model here, and the targets that run everybody's.
#
# A directory adds to TESTS_HOST what prints TAP and exits 0 or 1: programs
# below $(O), or scripts by their path, which find $O in the environment. What
# is in TESTS_SAN runs a second time, built by clang with ASan and UBSan.

T := $(O)/tools/testing
JOBS ?= $(shell nproc)

MODEL_TEST_LIB := $(T)/libmodel-test.a
MODEL_TESTS := $(addprefix $(T)/model/tests/test_, sparse_mem fp16 pc cna core dpu_float dpu_int \
	dpu_wdma dpu_rdma lut ppu hang iommu power)
TEST_FUZZ := tools/testing/fuzz/test_fuzz.py
TESTS_TESTING := $(MODEL_TESTS) $(addprefix tools/testing/vectors/, test_vec_run.py test_programs.py)

PROGRAMS += $(O)/vec-run
TESTS_HOST += $(TESTS_TESTING) $(TEST_FUZZ) $(addprefix tools/testing/, test_run_tests.py \
	test_selftests_make.py test_style.py test_faults.py test_deps.py)
TESTS_SAN += $(TESTS_TESTING) \
	$(O)/registers/tests/test_table $(O)/tools/scoria/tests/test_stream \
	$(O)/tools/scoria/tests/test_json tools/scoria/tests/test_decode.py

$(MODEL_TEST_LIB): $(addprefix $(T)/model/tests/, sparse_mem.o task.o rig.o recipe.o conv.o flying.o)
	@rm -f $@
	$(AR) rcs $@ $^

$(T)/model/tests/test_power: $(T)/model/qemu/power.o
$(MODEL_TESTS): %: %.o $(MODEL_TEST_LIB) $(MODEL_LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(O)/vec-run: $(addprefix $(T)/, vectors/vec_run.o vectors/vec_file.o model/tests/sparse_mem.o) \
		$(MODEL_LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# --- fuzzing: replay_* for every compiler, fuzz_* for clang's libFuzzer ---

FUZZ_PC := $(T)/fuzz/fuzz_pc.o $(MODEL_LIB)
FUZZ_DECODE := $(T)/fuzz/fuzz_decode.o $(filter $(O)/tools/scoria/decode% $(O)/tools/scoria/lint% \
	$(O)/tools/scoria/json.o $(O)/tools/scoria/cmd_decode.o \
	$(filter-out $(O)/tools/scoria/% $(O)/tools/bench/%,$(SCORIA_OBJS)),$(SCORIA_OBJS))
FUZZ_REPLAY := $(O)/fuzz/replay_pc $(O)/fuzz/replay_decode
FUZZERS := $(O)/fuzz/fuzz_pc $(O)/fuzz/fuzz_decode

$(O)/fuzz/replay_pc: $(T)/fuzz/replay.o $(FUZZ_PC)
$(O)/fuzz/replay_decode: $(T)/fuzz/replay.o $(FUZZ_DECODE)
$(O)/fuzz/fuzz_pc: $(T)/fuzz/fuzz_pc_mutate.o $(FUZZ_PC)
$(O)/fuzz/fuzz_decode: $(FUZZ_DECODE)
$(FUZZERS): LDFLAGS += -fsanitize=fuzzer
$(FUZZ_REPLAY) $(FUZZERS):
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# --- what the three builds of the check consist of: that of the fuzzers counts
# branches, which makes sanitized programs three times slower ---

.PHONY: check-programs check-programs-san check-fuzzers
TEST_PROGRAMS = $(filter $(O)/%,$(TESTS_HOST))
TEST_PROGRAMS_SAN = $(filter $(O)/%,$(TESTS_SAN))
check-programs: all $(TEST_PROGRAMS) $(FUZZ_REPLAY)
check-programs-san: all $(TEST_PROGRAMS_SAN)
check-fuzzers: $(FUZZ_REPLAY) $(FUZZERS)

CHECK_GCC := $(O)/check-gcc
CHECK_CLANG := $(O)/check-clang
CHECK_FUZZ := $(O)/check-fuzz
SAN_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all
MAKE_QUIET = $(MAKE) -s $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS)) --no-print-directory
# the same object whatever the clone is called, so that the cache knows it
CHECK_FLAGS := -Werror -ffile-prefix-map=$(CURDIR)=.
CHECK_CC := tools/testing/ccache.sh
MAKE_GCC = $(MAKE_QUIET) O=$(CHECK_GCC) CC="$(CHECK_CC) gcc" WERROR="$(CHECK_FLAGS)"
MAKE_SAN = $(MAKE_QUIET) CC="$(CHECK_CC) clang" WERROR="$(CHECK_FLAGS)" OPT="-O1 -gline-tables-only"
MAKE_CLANG = $(MAKE_SAN) O=$(CHECK_CLANG) SAN="$(SAN_FLAGS)"
MAKE_FUZZ = $(MAKE_SAN) O=$(CHECK_FUZZ) SAN="$(SAN_FLAGS) -fsanitize=fuzzer-no-link"

RUN_TESTS = $(PYTHON) tools/testing/run-tests -j $(JOBS) --log $(O)/logs
HOST_GROUPS = --timeout 600 \
	--group gcc $(CHECK_GCC) $(patsubst $(O)/%,$(CHECK_GCC)/%,$(TESTS_HOST)) \
	--group clang-sanitized $(CHECK_CLANG) $(patsubst $(O)/%,$(CHECK_CLANG)/%,$(TESTS_SAN)) \
	$(FUZZ_GROUP)
FUZZ_GROUP = --group clang-fuzzer $(CHECK_FUZZ) $(TEST_FUZZ)

.PHONY: check check-host check-deps check-host-programs fuzz fuzz-smoke
# for make check all that it needs is named at once
check: CHECK_LANES := check vm
check-deps:
	@tools/deps.sh $(or $(CHECK_LANES),check)

check-host-programs: check-deps
	@echo "building with gcc into $(CHECK_GCC)"
	@+$(MAKE_GCC) check-programs
	@echo "building with clang and sanitizers into $(CHECK_CLANG)"
	@+$(MAKE_CLANG) check-programs-san
	@echo "building the fuzzers into $(CHECK_FUZZ)"
	@+$(MAKE_FUZZ) check-fuzzers

check-host: check-host-programs
	@$(RUN_TESTS) $(HOST_GROUPS)

# The lanes first, as they take longest: a guest keeps one processor busy, the
# other tests the rest.
check: check-host-programs board-for-tests
	@$(RUN_TESTS) $(VM_GROUPS) $(STATIC_GROUPS) $(HOST_GROUPS)

# --- fuzzing alone: make fuzz RUNS=10000000 [FUZZ=pc|decode] ---

RUNS ?= 1000000
FUZZ ?= pc decode
# most of a run is the allocator otherwise
FUZZ_ENV := ASAN_OPTIONS=quarantine_size_mb=2:malloc_context_size=2:allocator_release_to_os_interval_ms=-1
FUZZ_FLAGS := -timeout=10 -rss_limit_mb=2048 -max_len=8192 -close_fd_mask=3 -print_final_stats=1

fuzz-smoke: check-deps
	@+$(MAKE_FUZZ) check-fuzzers
	@$(RUN_TESTS) --timeout 600 $(FUZZ_GROUP)

fuzz: check-deps
	@+$(MAKE_FUZZ) check-fuzzers
	tools/testing/fuzz/make_corpus.py $(O)/corpus tools/testing/vectors/*.vec
	set -e; for f in $(FUZZ); do \
		mkdir -p $(O)/corpus/found-$$f; \
		$(FUZZ_ENV) $(CHECK_FUZZ)/fuzz/fuzz_$$f -runs=$(RUNS) $(FUZZ_FLAGS) -artifact_prefix=$(O)/corpus/ \
			$(O)/corpus/found-$$f $(O)/corpus/$$f; \
	done
