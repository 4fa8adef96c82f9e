// SPDX-License-Identifier: MIT
/*
 * Runs a fuzz target over files and directories of inputs, without libFuzzer,
 * so that any compiler and its sanitizers can replay a corpus. Exit status 1 when
 * there is none or one cannot be read.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

#define MAX_FILE (1 << 20)

static unsigned int replayed;

static int replay_file(const char *path)
{
	uint8_t *data = malloc(MAX_FILE);
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!data || !file) {
		perror(path);
		return 1;
	}
	size = fread(data, 1, MAX_FILE, file);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	replayed++;
	return 0;
}

static int replay_directory(const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort), failed = 0;

	if (n < 0) {
		perror(path);
		return 1;
	}
	for (int i = 0; i < n; i++) {
		char name[4096];

		snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			failed |= replay_file(name);
		free(entries[i]);
	}
	free(entries);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (LLVMFuzzerInitialize && LLVMFuzzerInitialize(&argc, &argv))
		return 1;
	for (int i = 1; i < argc; i++) {
		struct stat st;

		if (!stat(argv[i], &st) && S_ISDIR(st.st_mode))
			failed |= replay_directory(argv[i]);
		else
			failed |= replay_file(argv[i]);
	}
	fprintf(stderr, "%u inputs\n", replayed);
	return failed || !replayed;
}
