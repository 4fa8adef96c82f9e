# SPDX-License-Identifier: MIT
#
# make check-static    what the kernel's own tools say about the kernel code
STATIC_TESTS := $(sort $(wildcard tools/testing/static/test_*.py))
# most of a first run builds the trees that they look at
STATIC_GROUPS = --timeout 2400 --group static $(O) $(STATIC_TESTS)

.PHONY: check-static
check-static: vm-deps
	@$(RUN_TESTS) $(STATIC_GROUPS)
