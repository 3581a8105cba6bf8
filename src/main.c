/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entry point: reads the command line, loads the configuration, answers -v, -vv and -c.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/version.h"
#include "config/diag.h"
#include "config/load.h"
#include "config/module.h"

static int load(const struct config_files *files, bool check, bool verbose)
{
	struct config *cfg = config_new(modules, check);
	int rc;

	if (!cfg)
		return 1;
	rc = config_load(cfg, files) < 0;
	diag_print(cfg->diag, stderr, isatty(2), DIAG_NOTE);
	if (!rc && check && verbose)
		printf("Configuration file is valid\n");
	config_free(&cfg);
	return rc;
}

int main(int argc, char **argv)
{
	struct config_files files = { 0 };
	bool check = false, verbose = false;
	struct err err;
	int i;

	if (argc == 2 && (!strcmp(argv[1], "-v") || !strcmp(argv[1], "-vv"))) {
		printf("Penstock version %s\n", version_penstock);
		if (!strcmp(argv[1], "-vv"))
			printf("HAProxy language level %s\n", version_language);
		return 0;
	}
	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-c")) {
			check = true;
		} else if (!strcmp(argv[i], "-V")) {
			verbose = true;
		} else if (!strcmp(argv[i], "-f") && i + 1 < argc) {
			if (config_files_add(&files, argv[++i], &err) < 0) {
				fprintf(stderr, "penstock: %s\n", err.text);
				return 1;
			}
		} else {
			fprintf(stderr, "usage: penstock -v | -vv | -c -f FILE\n");
			return 1;
		}
	}
	return load(&files, check, verbose);
}
