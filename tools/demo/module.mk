# SPDX-License-Identifier: MIT
# The tour. Neither `make` nor the tests need libpng: the program is built for
# `make demo` alone, once what it needs is installed.

DEMO_OBJS := $(patsubst %.c,$(O)/%.o,$(wildcard tools/demo/*.c))
DEMO_LIBS = $(LIB_STATIC) $(MODEL_LIB) $(REFERENCE_LIB)

$(O)/demo/demo: $(DEMO_OBJS) $(LIB_STATIC) $(MODEL_LIB) $(REFERENCE_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(DEMO_OBJS) -Wl,--start-group $(DEMO_LIBS) \
		-Wl,--end-group -lpng $(LDLIBS)

.PHONY: demo
demo:
	@tools/deps.sh demo
	@echo "Building $(O)/demo/demo"
	@+$(MAKE_QUIET) $(O)/demo/demo
	@$(O)/demo/demo --photo "$(or $(PHOTO),tools/demo/chelsea.png)" --out $(O)/demo

TESTS_HOST += tools/demo/tests/test_readme.py
