# SPDX-License-Identifier: MIT
#
# Userspace of scoria: the op library, the NPU model, the command and their
# tests. Each directory says what it adds in a module.mk; nothing recurses.
#
#   make            build/scoria and the libraries
#   make install    both, below PREFIX (/usr/local) in DESTDIR
#   make demo       the tour: a photograph and two matmuls through the model
#   make bench      how fast the model is
#   make check      every test
#   make check-host those that need no virtual machine
#   make check-vm   the kernel module's tests on the test board
#   make modules    the kernel module, against KDIR

O       ?= build
ifeq ($(origin CC),default)
CC      := gcc
endif
PYTHON  ?= /usr/bin/python3
OPT     ?= -O2 -g
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
CPPFLAGS += -D_GNU_SOURCE -Iinclude -Itools/include -Iregisters
CFLAGS  += -std=c11 -ffp-contract=off $(OPT) $(WARN) $(WERROR) $(SAN) -fno-strict-aliasing -MMD -MP
LDLIBS  += -lm -lpthread

# what the module.mk files fill in
PROGRAMS :=
LIBRARIES :=
CLEAN :=

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:

include registers/module.mk
include drivers/accel/scoria/module.mk
include tools/testing/model/module.mk
include tools/lib/scoria/module.mk
include tools/silicon/module.mk
include tools/scoria/module.mk
include tools/demo/module.mk
include tools/bench/module.mk
include tools/testing/module.mk
include tools/testing/vm/module.mk
include tools/testing/static/module.mk
include tools/testing/teflon/module.mk

.PHONY: all clean
all: $(LIBRARIES) $(PROGRAMS)

clean:
	rm -rf $(O)

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

-include $(shell find $(O) -name '*.d' 2>/dev/null)
