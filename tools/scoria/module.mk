# The `scoria` command: every file here, and what reads streams and vectors.
SCORIA_OBJS := $(patsubst %.c,$(O)/%.o,$(wildcard tools/scoria/*.c)) \
	$(O)/drivers/accel/scoria/scoria_stream.o $(NPU_TABLE_OBJS) \
	$(O)/tools/testing/vectors/vec_file.o $(O)/tools/testing/model/tests/sparse_mem.o

PROGRAMS += $(O)/scoria

# The library needs the model and the command needs both, in whatever order.
$(O)/scoria: $(SCORIA_OBJS) $(filter %.a,$(LIBRARIES))
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(SCORIA_OBJS) \
		-Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LDLIBS)

TESTS_HOST += tools/scoria/tests/test_decode.py \
	$(O)/tools/scoria/tests/test_stream $(O)/tools/scoria/tests/test_json

$(O)/tools/scoria/tests/test_stream: $(O)/tools/scoria/tests/test_stream.o \
		$(O)/drivers/accel/scoria/scoria_stream.o $(NPU_TABLE_OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(O)/tools/scoria/tests/test_json: $(O)/tools/scoria/tests/test_json.o $(O)/tools/scoria/json.o
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
