/* SPDX-License-Identifier: MIT */
/* What a program does about stdin, stdout and stderr, at its start and at its end. */
#ifndef STD_FILES_H
#define STD_FILES_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/*
 * Who closed one of the three makes the next file or device that is opened take its place, and
 * get what is printed. What stands in for it here gives an error when it is used.
 */
static inline void std_files_hold(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			break;
}

/*
 * Whether all that was printed has arrived, which a disk that is full or a stdout that is
 * closed shows here at the latest. If not, and unless @said, one line on stderr says so.
 */
static inline bool std_files_written(const char *program, bool said)
{
	bool lost = ferror(stdout);

	/* of what failed before, the reason is gone */
	errno = 0;
	lost |= fflush(stdout) != 0;
	if (lost && !said)
		fprintf(stderr, "%s: the output could not be written%s%s\n", program,
			errno ? ": " : "", errno ? strerror(errno) : "");
	return !lost;
}

#endif
