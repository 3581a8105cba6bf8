/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads configurations for unit tests; see the header. */
#include "proxy/test_config.h"

#include "base/err.h"
#include "base/str.h"
#include "config/diag.h"
#include "config/load.h"
#include "proxy/proxy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct config *test_config_read(const struct module *const *list, const char *text)
{
	struct config *cfg = config_new(list, false);

	if (!cfg)
		abort();
	config_read_text(cfg, "test", text, strlen(text));
	if (config_finish(cfg)) {
		diag_print(cfg->diag, stderr, false, 0, DIAG_NOTE);
		abort();
	}
	return cfg;
}

struct config *test_config_serve(const struct module *const *list, const char *text)
{
	struct config *cfg = test_config_read(list, text);
	struct err err = { "" };

	if (proxies_prepare(cfg, config_data(cfg, &proxy_module), &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	return cfg;
}

struct config *test_config_try(const struct module *const *list, const char *text, bool finish,
			       struct text *said)
{
	struct config *cfg = config_new(list, false);
	const struct problem *p;

	if (!cfg)
		abort();
	cfg->diag->verbose = true;
	config_read_text(cfg, "test", text, strlen(text));
	if (finish)
		config_finish(cfg);
	diag_sort(cfg->diag);
	for (p = cfg->diag->first; p; p = p->next)
		text_printf(said, "%u %s: %s%s%s\n", p->place.line,
			    diag_severity_name(p->severity), p->message, p->hint ? " | " : "",
			    p->hint ? p->hint : "");
	return cfg;
}
