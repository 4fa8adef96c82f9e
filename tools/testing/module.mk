# SPDX-License-Identifier: MIT
# Tests: those of the model here, and the targets that run everybody's.
#
# A directory adds to TESTS_HOST what prints TAP and exits 0 or 1: programs
# below $(O), or scripts by their path, which find $O in the environment. What
# is in TESTS_SAN too runs a second time under ASan and UBSan, built by clang.

T := $(O)/tools/testing
MODEL_TEST_LIB := $(T)/libmodel-test.a
MODEL_TESTS := $(addprefix $(T)/model/tests/test_, sparse_mem fp16 pc cna core dpu_float dpu_int \
	dpu_wdma dpu_rdma lut ppu hang)
VECTORS := $(sort $(wildcard tools/testing/vectors/*.vec))

PROGRAMS += $(O)/vec-run
TESTS_MINE := $(MODEL_TESTS)
TESTS_HOST += $(TESTS_MINE)
TESTS_SAN += $(TESTS_MINE)

$(MODEL_TEST_LIB): $(addprefix $(T)/model/tests/, sparse_mem.o rig.o recipe.o conv.o flying.o)
	@rm -f $@
	$(AR) rcs $@ $^

$(MODEL_TESTS): %: %.o $(MODEL_TEST_LIB) $(MODEL_LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(O)/vec-run: $(T)/vectors/vec_run.o $(T)/vectors/vec_file.o $(T)/model/tests/sparse_mem.o $(MODEL_LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
