/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders of unit tests; see the header. */
#include "base/test_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATHS = 8, PATH_SIZE = 200, DESCRIPTORS = 4 };

static char folder[] = "/tmp/penstock-test-XXXXXX";

void test_folder_begin(void)
{
	assert_non_null(mkdtemp(folder));
}

static int remove_it(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

void test_folder_end(void)
{
	assert_int_equal(nftw(folder, remove_it, DESCRIPTORS, FTW_DEPTH | FTW_PHYS), 0);
	memset(strrchr(folder, '-') + 1, 'X', 6);
}

const char *test_folder(void)
{
	return folder;
}

const char *test_path(const char *name)
{
	static char paths[PATHS][PATH_SIZE];
	static unsigned turn;
	char *path = paths[turn++ % PATHS];

	assert_in_range(snprintf(path, PATH_SIZE, "%s/%s", folder, name), 1, PATH_SIZE - 1);
	return path;
}

const char *test_file(const char *name, char *text)
{
	const char *path = test_path(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	free(text);
	return path;
}

void test_with_folder(char *to, size_t size, const char *text)
{
	const char *end = to + size;

	for (; *text; text++) {
		assert_true((size_t)(end - to) > sizeof(folder));
		if (text[0] == 'D' && text[1] == '/')
			to = stpcpy(to, folder);
		else
			*to++ = *text;
	}
	*to = 0;
}
