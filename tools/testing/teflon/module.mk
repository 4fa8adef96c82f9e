# SPDX-License-Identifier: MIT
#
# make check-teflon    TFLite networks through Mesa's Teflon delegate on the test board;
#                      DRIVER=rocket for the in-tree module in place of ours
# make bench-drivers   what jobs cost on the in-tree module and on ours
DRIVER ?= scoria

.PHONY: check-teflon bench-drivers
check-teflon: vm-deps
	@$(RUN_TESTS) --timeout 1800 --group vm $(O) "tools/testing/teflon/check.py --driver $(DRIVER)"

bench-drivers: vm-deps
	@$(PYTHON) tools/testing/vm/drivers.py --out $(O)/vm
