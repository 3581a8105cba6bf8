/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks through recorded files for the unit tests of expr/. */
#include "expr/test_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *sources(void)
{
	const char *srcdir = getenv("srcdir");

	return srcdir ? srcdir : ".";
}

void test_rows(const char *file, bool (*same)(const char *what, const char *result), int least)
{
	char line[8192], *tab;
	int bad = 0, rows = 0;
	FILE *f;

	snprintf(line, sizeof(line), "%s/reg-tests/expr/%s", sources(), file);
	f = fopen(line, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		tab = strchr(line, '\t');
		if (line[0] == '#' || !tab)
			continue;
		*tab = 0;
		rows++;
		if (same(line, tab + 1))
			continue;
		print_error("%s is not '%s'\n", line, tab + 1);
		bad++;
	}
	fclose(f);
	assert_int_equal(bad, 0);
	assert_true(rows > least);
}

void test_rows_expand(const char *text, char *out, size_t size)
{
	size_t n = 0;
	int len;

	for (; *text && n + 1 < size; text++) {
		if (*text != '@') {
			out[n++] = *text;
			continue;
		}
		len = snprintf(out + n, size - n, "%s/reg-tests/expr/patterns/", sources());
		assert_true((size_t)len < size - n);
		n += (size_t)len;
	}
	out[n] = 0;
}
