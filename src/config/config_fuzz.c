/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a configuration file, read with the words of all modules as -c does, and the
 * problems printed in both forms. Names are not asked of the network, nor does a line's
 * setenv outlive the input. Whatever is refused must have said so; what is accepted must say
 * nothing that is an error.
 */
#include "config/config.h"
#include "config/diag.h"
#include "config/load.h"
#include "config/module.h"

#include "base/bug.h"

#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* In the place of the system's: every name is unknown. */
int getaddrinfo(const char *restrict name, const char *restrict service,
		const struct addrinfo *restrict hints, struct addrinfo **restrict list)
{
	(void)name;
	(void)service;
	(void)hints;
	(void)list;
	return EAI_NONAME;
}

struct hostent *gethostbyname2(const char *name, int family)
{
	(void)name;
	(void)family;
	return NULL;
}

static void print_problems(const struct config *cfg)
{
	static FILE *sink;

	if (!sink)
		sink = fopen("/dev/null", "w");
	BUG_ON(!sink);
	diag_sort(cfg->diag);
	diag_print(cfg->diag, sink, true, 80, DIAG_NOTE);
	diag_print_json(cfg->diag, sink, DIAG_NOTE);
}

static void set_environment(void)
{
	clearenv();
	setenv("NAME", "value", 1);
	setenv("LIST", " one two  three", 1);
	setenv("EMPTY", "", 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct config *cfg;
	int rc;

	set_environment();
	cfg = config_new(modules, true);
	BUG_ON(!cfg);
	cfg->diag->verbose = true;
	rc = config_read_text(cfg, "fuzz.cfg", (const char *)data, len);
	BUG_ON((rc < 0) != (cfg->diag->count[DIAG_ERROR] > 0));
	rc = config_finish(cfg);
	BUG_ON((rc < 0) != (cfg->diag->count[DIAG_ERROR] > 0));
	print_problems(cfg);
	config_free(&cfg);
	return 0;
}
