# SPDX-License-Identifier: MIT
# libscoria: the op library, and the CPU reference that tests and commands compare with.

LIB_OBJS := $(patsubst %.c,$(O)/%.o,$(wildcard tools/lib/scoria/*.c))
LIB_STATIC := $(O)/libscoria.a
LIB_SHARED := $(O)/libscoria.so
LIB_MAP := tools/lib/scoria/libscoria.map
REFERENCE_OBJS := $(patsubst %.c,$(O)/%.o,$(wildcard tools/lib/reference/*.c))
REFERENCE_LIB := $(O)/libscoria-reference.a

LIBRARIES += $(LIB_STATIC) $(LIB_SHARED) $(REFERENCE_LIB)

# the shared library contains the model
$(LIB_OBJS) $(MODEL_OBJ) $(NPU_TABLE_OBJS): CFLAGS += -fPIC
$(LIB_OBJS): CFLAGS += -fvisibility=hidden
# the kernel's interface
$(addprefix $(O)/tools/lib/scoria/, accel_facts.o accel_node.o device_accel.o device_native.o): \
	CPPFLAGS += -Iinclude/uapi
# the loops over whole tensors
$(REFERENCE_OBJS) $(O)/tools/lib/scoria/pack.o $(O)/tools/lib/scoria/pack_weights.o \
$(O)/tools/lib/scoria/unpack.o $(O)/tools/lib/scoria/convert.o \
$(O)/tools/lib/scoria/row_maxima.o $(O)/tools/lib/scoria/units.o: OPT += -O3
# choices between floats are vectorised only when both sides may be computed
$(O)/tools/lib/scoria/convert.o: OPT += -fno-trapping-math

$(LIB_STATIC): $(LIB_OBJS)
	@mkdir -p $(@D)
	@rm -f $@
	$(AR) rcs $@ $^

$(REFERENCE_LIB): $(REFERENCE_OBJS)
	@mkdir -p $(@D)
	@rm -f $@
	$(AR) rcs $@ $^

$(LIB_SHARED): $(LIB_OBJS) $(MODEL_LIB) $(LIB_MAP)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libscoria.so.0 \
		-Wl,--version-script=$(LIB_MAP) -o $@ $(LIB_OBJS) $(MODEL_LIB) $(LDLIBS)
	ln -sf $(@F) $@.0

# --- make install: the command, the libraries and what compiles against them ---

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
VERSION = $(shell sed -n 's/^\#define SCORIA_VERSION "\(.*\)"/\1/p' tools/scoria/main.c)
INSTALL ?= install

.PHONY: install
install: $(O)/scoria $(LIB_STATIC) $(MODEL_LIB) $(LIB_SHARED)
	$(INSTALL) -d $(addprefix $(DESTDIR),$(PREFIX)/bin $(PREFIX)/include/scoria $(LIBDIR)/pkgconfig)
	$(INSTALL) $(O)/scoria $(DESTDIR)$(PREFIX)/bin/scoria
	$(INSTALL) -m 644 include/scoria/*.h $(DESTDIR)$(PREFIX)/include/scoria
	$(INSTALL) -m 644 $(LIB_STATIC) $(MODEL_LIB) $(DESTDIR)$(LIBDIR)
	$(INSTALL) -m 644 $(LIB_SHARED) $(DESTDIR)$(LIBDIR)/libscoria.so.0
	ln -sf libscoria.so.0 $(DESTDIR)$(LIBDIR)/libscoria.so
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|' \
		tools/lib/scoria/scoria.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/scoria.pc

# Tests: each test_*.c is a program; the other files of the directory are shared.
LIB_TESTS_DIR := tools/lib/scoria/tests
LIB_TESTS := $(patsubst %.c,$(O)/%,$(wildcard $(LIB_TESTS_DIR)/test_*.c))
LIB_TEST_OBJS := $(patsubst %.c,$(O)/%.o,$(filter-out $(LIB_TESTS_DIR)/test_%, \
	$(wildcard $(LIB_TESTS_DIR)/*.c)))

$(LIB_TESTS): $(O)/%: $(O)/%.o $(LIB_TEST_OBJS) $(REFERENCE_LIB) $(LIB_STATIC) $(MODEL_LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# a driver that is not there
$(O)/$(LIB_TESTS_DIR)/test_rocket: LDFLAGS += -Wl,--wrap=ioctl
$(O)/$(LIB_TESTS_DIR)/test_rocket.o: CPPFLAGS += -Iinclude/uapi

TESTS_HOST += $(LIB_TESTS) tools/scoria/tests/test_ops.py $(LIB_TESTS_DIR)/test_install.py
# the walk of test_random goes through what the longest tests add
TESTS_SAN += $(filter-out %/test_conv2d %/test_matmul %/test_matmul_sizes %/test_ops_contractions \
	%/test_ops_eltwise,$(LIB_TESTS)) \
	tools/scoria/tests/test_ops.py
