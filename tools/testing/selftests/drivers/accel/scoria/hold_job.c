// SPDX-License-Identifier: GPL-2.0-only
/*
 * Has a core run a job for a minute, and waits: for who wants to see what becomes of it when
 * the system goes down. Prints a line when it runs.
 */
#include "scoria_test.h"
#include "sysfs.h"

#define MINUTE_MS	60000

int main(void)
{
	volatile uint32_t *board = board_open();
	const int fd = device_open();
	struct matmul matmul;

	if (fd < 0 || !board || matmul_create(fd, &matmul))
		return 1;
	board_break(board, BOARD_DELAY_IRQ_US, MINUTE_MS * 1000);
	if (write_text(TIMEOUT_MS, "60000") || matmul_submit(fd, &matmul))
		return 1;
	sleep_ms(20);
	puts("# a job runs");
	fflush(stdout);
	pause();
	return 0;
}
