# SPDX-License-Identifier: MIT
#
# make board           build QEMU, the kernels and what the guest runs
# make board-shell     a shell in the guest, on this terminal
# make check-vm        the guest's tests in all lanes, and the shell; LANE=debug, stock,
#                      two-cores or opp for one lane
BOARD = $(PYTHON) tools/testing/vm/board.py $(1) --out $(O)/vm $(if $(LANE),--lane $(LANE))

LANES := debug stock two-cores opp
TESTS_HOST += tools/testing/vm/test_console.py tools/testing/vm/test_run.py
# a lane that did not start, because the board could not be built, says why
VM_GROUPS = --timeout 2400 --group vm $(O) \
	$(foreach lane,$(or $(LANE),$(LANES)),"tools/testing/vm/board.py check --lane $(lane)") \
	$(if $(LANE),,tools/testing/vm/test_shell.py)

.PHONY: board board-for-tests board-shell check-vm vm-deps
vm-deps:
	@tools/deps.sh vm

board: vm-deps
	$(call BOARD,build)

board-shell: vm-deps
	$(call BOARD,shell)

# A board that cannot be built fails its lanes, and stops no other test.
board-for-tests: vm-deps
	@$(call BOARD,build) || echo "the board could not be built; its lanes will fail"

check-vm: board-for-tests
	@$(RUN_TESTS) $(VM_GROUPS)
