/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entry point: reads the command line and answers -v and -vv.
 */
#include <stdio.h>
#include <string.h>

#include "base/version.h"

int main(int argc, char **argv)
{
	if (argc == 2 && (!strcmp(argv[1], "-v") || !strcmp(argv[1], "-vv"))) {
		printf("Penstock version %s\n", version_penstock);
		if (!strcmp(argv[1], "-vv"))
			printf("HAProxy language level %s\n", version_language);
		return 0;
	}
	fprintf(stderr, "usage: penstock -v | -vv\n");
	return 1;
}
