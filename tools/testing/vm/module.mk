# SPDX-License-Identifier: MIT
#
# make board           build QEMU, the kernels and what the guest runs
# make board-shell     a shell in the guest, on this terminal
# make check-vm        the guest's tests in both lanes; LANE=debug or LANE=stock for one
BOARD = $(PYTHON) tools/testing/vm/board.py $(1) --out $(O)/vm $(if $(LANE),--lane $(LANE))

TESTS_HOST += tools/testing/vm/test_console.py

.PHONY: board board-shell check-vm vm-deps
vm-deps:
	@tools/deps.sh vm

board: vm-deps
	$(call BOARD,build)

board-shell: vm-deps
	$(call BOARD,shell)

check-vm: vm-deps
	$(call BOARD,check)
