# The `scoria` command: every file here, and what reads streams and vectors.
SCORIA_OBJS := $(patsubst %.c,$(O)/%.o,$(wildcard tools/scoria/*.c)) \
	$(O)/drivers/accel/scoria/scoria_stream.o $(NPU_TABLE_OBJS) \
	$(O)/tools/testing/vectors/vec_file.o $(O)/tools/testing/model/tests/sparse_mem.o

PROGRAMS += $(O)/scoria

# The library needs the model and the command needs both, in whatever order.
$(O)/scoria: $(SCORIA_OBJS) $(filter %.a,$(LIBRARIES))
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(SCORIA_OBJS) \
		-Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LDLIBS)
