/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases in files ("penstock test"), and how "explain" and "test" are used. */
#include "explain/explain.h"

#include "explain/ask.h"

#include <stdio.h>
#include <string.h>

bool explain_help(const char *word)
{
	if (!strcmp(word, "explain")) {
		printf("penstock explain -f FILE [OPTION...] [METHOD] URL\n"
		       "  tells what would happen to the request, by the rules of the file: nothing is\n"
		       "  opened, nobody is asked. Exit: 0; 1 an expectation does not hold; 2 a mistake\n\n");
		ask_usage(stdout);
		return true;
	}
	return false;
}

int explain_test(const struct explain *e)
{
	(void)e;
	return EXPLAIN_BROKEN;
}
