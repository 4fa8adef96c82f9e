# SPDX-License-Identifier: MIT
# The `scoria` command: every file here, and what reads streams and vectors.
SCORIA_OBJS := $(patsubst %.c,$(O)/%.o,$(wildcard tools/scoria/*.c)) \
	$(O)/drivers/accel/scoria/scoria_stream.o $(NPU_TABLE_OBJS) \
	$(O)/tools/testing/vectors/vec_file.o $(O)/tools/testing/model/tests/sparse_mem.o \
	$(addprefix $(O)/tools/bench/, measure_loops.o measure_npu.o timing.o work.o)

# The library needs the model and the command needs both, in whatever order.
SCORIA_LIBS := $(filter %.a,$(LIBRARIES))
SCORIA_LINK = $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) \
	-Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LDLIBS)

PROGRAMS += $(O)/scoria

$(O)/scoria: $(SCORIA_OBJS) $(SILICON_OBJS) $(SCORIA_LIBS)
	$(SCORIA_LINK)

TESTS_HOST += tools/scoria/tests/test_decode.py tools/scoria/tests/test_library_streams.py \
	tools/scoria/tests/test_vectors.py tools/scoria/tests/test_info.py \
	tools/scoria/tests/test_doctor.py tools/scoria/tests/test_top.py \
	tools/scoria/tests/test_bench.py tools/scoria/tests/test_output.py \
	$(O)/tools/scoria/tests/test_stream $(O)/tools/scoria/tests/test_json

$(O)/tools/scoria/tests/test_stream: $(O)/tools/scoria/tests/test_stream.o \
		$(O)/drivers/accel/scoria/scoria_stream.o $(NPU_TABLE_OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(O)/tools/scoria/tests/test_json: $(O)/tools/scoria/tests/test_json.o $(O)/tools/scoria/json.o
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# The command with a watcher between the library and the model.
PROGRAMS += $(O)/tools/scoria/tests/scoria-watched

$(O)/tools/scoria/tests/scoria-watched: LDFLAGS += -Wl,--wrap=npu_core_create,--wrap=npu_core_write
$(O)/tools/scoria/tests/scoria-watched: $(O)/tools/scoria/tests/watch_streams.o \
		$(SCORIA_OBJS) $(SILICON_OBJS) $(SCORIA_LIBS)
	$(SCORIA_LINK)

# The command with answers that no board gave.
PROGRAMS += $(O)/tools/silicon/tests/scoria-answered

$(O)/tools/silicon/tests/switches.o: tools/testing/model/switches.c tools/silicon/tests/answers.def
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -DNPU_ANSWERS='"$(abspath tools/silicon/tests/answers.def)"' -c -o $@ $<
$(O)/tools/silicon/tests/scoria-answered: $(O)/tools/silicon/tests/switches.o \
		$(SCORIA_OBJS) $(SILICON_OBJS) $(SCORIA_LIBS)
	$(SCORIA_LINK)
