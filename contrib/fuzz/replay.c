/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * main() for a fuzzer that is built without libFuzzer: feeds each file of
 * $srcdir/reg-tests/corpus/x/ to LLVMFuzzerTestOneInput() once, where the program's name is
 * x_fuzz, or the files and folders named as arguments. An empty corpus is a failure: such
 * a test would check nothing. The copies are exact in size, so that the sanitizers see any
 * read beyond the end.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int replay_file(const char *path)
{
	struct stat st;
	uint8_t *data;
	FILE *f = fopen(path, "rb");

	if (!f || fstat(fileno(f), &st)) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	data = malloc(st.st_size ? st.st_size : 1);
	if (!data || fread(data, 1, st.st_size, f) != (size_t)st.st_size) {
		fprintf(stderr, "%s: cannot read\n", path);
		exit(1);
	}
	fclose(f);
	printf("%s: %zu bytes\n", path, (size_t)st.st_size);
	fflush(stdout);
	if (st.st_size) {
		LLVMFuzzerTestOneInput(data, st.st_size);
	} else {
		/* An empty input has no readable byte at all. */
		LLVMFuzzerTestOneInput(data + 1, 0);
	}
	free(data);
	return 1;
}

static int replay_path(const char *path)
{
	struct dirent *entry;
	int n = 0;
	DIR *dir = opendir(path);

	if (!dir)
		return replay_file(path);
	while ((entry = readdir(dir))) {
		char name[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		n += replay_path(name);
	}
	closedir(dir);
	return n;
}

static int replay_corpus(const char *argv0)
{
	const char *srcdir = getenv("srcdir");
	const char *name = strrchr(argv0, '/');
	char path[4096];
	size_t len;

	name = name ? name + 1 : argv0;
	len = strlen(name);
	if (len > 5 && !strcmp(name + len - 5, "_fuzz"))
		len -= 5;
	snprintf(path, sizeof(path), "%s/reg-tests/corpus/%.*s", srcdir ? srcdir : ".", (int)len,
		 name);
	return replay_path(path);
}

int main(int argc, char **argv)
{
	int i, n = 0;

	if (argc == 1)
		n = replay_corpus(argv[0]);
	for (i = 1; i < argc; i++)
		n += replay_path(argv[i]);
	printf("%d inputs\n", n);
	return n ? 0 : 1;
}
