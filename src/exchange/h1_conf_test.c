/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of fields whose letters are adjusted: which lines and files are taken, what is said of
 * others. All modules read them. */
#include "exchange/h1_conf.h"

#include "config/test_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char file[] = "/tmp/names-XXXXXX";

/* Of a section global of these lines, which is not the first one. */
static void global_says(const char *lines, const char *expected)
{
	char text[300], said[400];

	snprintf(text, sizeof(text), "global\n%s", lines);
	snprintf(said, sizeof(said), "1 note: this section stands behind others: which of its "
		 "words they see is not defined\n%s", expected);
	config_says(text, said);
}

static void line_says(const char *words, const char *expected)
{
	char lines[200];

	snprintf(lines, sizeof(lines), " h1-case-adjust %s\n", words);
	global_says(lines, expected);
}

/* Of a file of these lines; what is said of it is one line, behind its name. */
static void file_says(const char *lines, const char *expected)
{
	char text[200], said[300] = "";
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	fputs(lines, f);
	fclose(f);
	snprintf(text, sizeof(text), " h1-case-adjust x-there X-There\n h1-case-adjust-file %s\n", file);
	if (*expected)
		snprintf(said, sizeof(said), "3 error: %s, %s\n", file, expected);
	global_says(text, said);
}

static int begin(void **state)
{
	int fd = mkstemp(file);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return unlink(file);
}

#define SAME "<from> and <to> may differ in the case of letters only"

static void a_line_has_two_names(void **state)
{
	(void)state;
	line_says("content-length Content-LENGTH", "");
	line_says("a A\n h1-case-adjust b B", "");
	line_says("", "2 error: the name of a field in lower case expected here\n");
	line_says("a", "2 error: the same name with the letters wanted expected here\n");
	line_says("ab AC", "2 error at AC: 'ab' and 'AC': " SAME "\n");
	line_says("ab ABC", "2 error at ABC: 'ab' and 'ABC': " SAME "\n");
	line_says("a:b A:B", "2 error at A:B: 'a:b' and 'A:B': this is no name of a field\n");
	line_says("a: A:", "2 error at A:: 'a:' and 'A:': this is no name of a field\n");
	line_says("a A\n h1-case-adjust A a", "3 error at a: 'A' and 'a': this name is there already\n");
}

static void so_has_one_of_a_file(void **state)
{
	(void)state;
	file_says("", "");
	file_says("a A\n# b\n\n \t#c\n  d\t D \r\n", "");
	file_says("a A\nb\n", "line 2: two names are expected");
	file_says("#\n\na A b\n", "line 3: there are more than two names");
	file_says("ab AC\n", "line 1: " SAME);
	file_says("a A\nA a\n", "line 2: this name is there already");
	file_says("x-THERE x-there", "line 1: this name is there already");
	file_says("a( A(\n", "line 1: this is no name of a field");
}

static void a_file_may_have_many(void **state)
{
	char lines[2000] = "";
	size_t len = 0;
	unsigned i;

	(void)state;
	for (i = 0; i < 40; i++)
		len += (size_t)snprintf(lines + len, sizeof(lines) - len, "name-%u NAME-%u\n", i, i);
	file_says(lines, "");
	snprintf(lines + len, sizeof(lines) - len, "Name-0 NAME-0\n");
	file_says(lines, "line 41: this name is there already");
}

static void a_file_is_there(void **state)
{
	(void)state;
	global_says(" h1-case-adjust-file /nowhere/names\n",
		    "2 error: cannot read /nowhere/names: No such file or directory\n");
	global_says(" h1-case-adjust-file /\n", "2 error: cannot read /: Is a directory\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_two_names),
		cmocka_unit_test(so_has_one_of_a_file),
		cmocka_unit_test(a_file_may_have_many),
		cmocka_unit_test(a_file_is_there),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
