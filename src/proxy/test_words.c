/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of tests of words; see the header. */
#include "proxy/test_words.h"

#include "config/environment.h"
#include "config/load.h"
#include "net/bind_conf.h"
#include "proxy/proxy.h"
#include "proxy/test_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

static const struct module *const list[] = { &environment_module, &bind_module, &proxy_module,
					     &server_module, NULL };
struct config *cfg;
char said[4096];

void read_lines(const char *fmt, ...)
{
	char lines[1024];
	struct text t;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(lines, sizeof(lines), fmt, ap);
	va_end(ap);
	config_free(&cfg);
	text_init(&t, said, sizeof(said));
	cfg = test_config_try(list, lines, false, &t);
}

struct proxies *all(void)
{
	return config_data(cfg, &proxy_module);
}

struct proxy *last_proxy(void)
{
	assert_false(list_empty(&all()->list));
	return list_entry(all()->list.prev, struct proxy, node);
}

struct server *last_server(void)
{
	struct server *s = last_proxy()->servers;

	assert_non_null(s);
	while (s->next)
		s = s->next;
	return s;
}

int cleanup(void **state)
{
	(void)state;
	config_free(&cfg);
	return 0;
}
