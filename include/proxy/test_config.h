/* SPDX-License-Identifier: BSD-2-Clause */
/* Configurations for unit tests. Linked into tests only. */
#ifndef PROXY_TEST_CONFIG_H
#define PROXY_TEST_CONFIG_H

#include <stdbool.h>

struct config;
struct module;
struct text;

/* Reads the text with these modules, whose list ends with NULL. What is wrong with it is printed, and
 * ends the test. The caller frees it (config_free). */
struct config *test_config_read(const struct module *const *list, const char *text);
/* The same; its proxies, of proxy_module, are prepared: proxies_running. */
struct config *test_config_serve(const struct module *const *list, const char *text);

/* Reads the text, and goes on to the end of the configuration (finish) or stops there. What is said
 * goes to said, notes too, in the order of the lines: "LINE SEVERITY: MESSAGE | HINT\n". */
struct config *test_config_try(const struct module *const *list, const char *text, bool finish,
			       struct text *said);

#endif
