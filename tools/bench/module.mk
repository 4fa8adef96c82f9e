# SPDX-License-Identifier: MIT
# Benchmarks. OpenBLAS is loaded at run time, where it is installed.

BENCH_OBJS := $(patsubst %.c,$(O)/%.o,$(wildcard tools/bench/*.c)) $(O)/tools/scoria/json.o

$(O)/bench_model: $(BENCH_OBJS) $(LIB_STATIC) $(MODEL_LIB) $(REFERENCE_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(BENCH_OBJS) -Wl,--start-group \
		$(filter %.a,$^) -Wl,--end-group -ldl $(LDLIBS)

.PHONY: bench
bench:
	@tools/deps.sh bench
	@echo "Building $(O)/bench_model"
	@+$(MAKE_QUIET) $(O)/bench_model
	@$(O)/bench_model $(O)/bench.json
	@$(PYTHON) tools/bench/bench_board.py $(O)/bench.json --out $(O)/vm
	@echo "Also in $(O)/bench.json."
