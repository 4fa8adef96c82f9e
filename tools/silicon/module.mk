# SPDX-License-Identifier: MIT
# Experiments that ask a board what the model assumes; `scoria silicon` runs them.
SILICON_OBJS := $(patsubst %.c,$(O)/%.o,$(wildcard tools/silicon/*.c)) \
	$(addprefix $(O)/tools/testing/model/tests/, task.o recipe.o conv.o rig.o)
SILICON_TEST := $(O)/tools/silicon/tests/test_silicon

TESTS_HOST += $(SILICON_TEST) tools/silicon/tests/test_command.py
TESTS_SAN += tools/silicon/tests/test_command.py

$(SILICON_TEST): $(SILICON_TEST).o $(SILICON_OBJS) $(O)/tools/scoria/json.o \
		$(O)/tools/lib/scoria/tests/page.o \
		$(O)/tools/testing/model/tests/sparse_mem.o $(LIB_STATIC) $(MODEL_LIB) $(NPU_TABLE_OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB_STATIC) $(MODEL_LIB) $(LDLIBS)
