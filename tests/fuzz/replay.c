/* SPDX-License-Identifier: MIT */
/*
 * main() of a fuzzer without libFuzzer: tries every input of the folders that are named, one after
 * the other, in the order of their names, and prints TAP, one line a folder.  An input that fails
 * ends the program; its name is the last one printed.  A folder without inputs is a failure.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static int is_input(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* The whole file, exactly as large as it is, so that a sanitizer sees a read past its end. */
static uint8_t *bytes_of(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long len = 0;
	MUST(f && fseek(f, 0, SEEK_END) == 0 && (len = ftell(f)) >= 0);
	rewind(f);
	*size = (size_t)len;
	MUST((data = malloc(*size ? *size : 1)) && fread(data, 1, *size, f) == *size);
	(void)fclose(f);
	return data;
}

static int replay(const char *folder)
{
	struct dirent **list;
	int count = scandir(folder, &list, is_input, alphasort);
	for (int i = 0; i < count; i++) {
		char path[4096];
		size_t size;
		(void)snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
		printf("# %s\n", path);
		(void)fflush(stdout);
		uint8_t *data = bytes_of(path, &size);
		MUST(LLVMFuzzerTestOneInput(data, size) == 0);
		free(data);
		free(list[i]);
	}
	if (count >= 0)
		free(list);
	return count;
}

int main(int argc, char **argv)
{
	int bad = 0;
	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++) {
		int count = replay(argv[i]);
		printf("%s %d - %s, %d inputs\n", count > 0 ? "ok" : "not ok", i, argv[i], count > 0 ? count : 0);
		bad |= count <= 0;
	}
	return bad || argc < 2;
}
