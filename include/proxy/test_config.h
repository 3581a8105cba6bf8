/* SPDX-License-Identifier: BSD-2-Clause */
/* Configurations for unit tests. Linked into tests only. */
#ifndef PROXY_TEST_CONFIG_H
#define PROXY_TEST_CONFIG_H

struct config;
struct module;

/* Reads the text with these modules, whose list ends with NULL. What is wrong with it is printed, and
 * ends the test. The caller frees it (config_free). */
struct config *test_config_read(const struct module *const *list, const char *text);
/* The same; its proxies, of proxy_module, are prepared: proxies_running. */
struct config *test_config_serve(const struct module *const *list, const char *text);

#endif
