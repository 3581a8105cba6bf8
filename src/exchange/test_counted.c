/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of whole streams, for tests (exchange/test_counted.h). */
#include "exchange/test_counted.h"

#include "exchange/test_world.h"
#include "proxy/proxy.h"
#include "stream/origin.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	size_t offset;
} columns[] = {
#define COUNTER(field, text) { #field, offsetof(struct counters, field) },
#include "tally/counters.def"
#undef COUNTER
	{ "session_rate.current", offsetof(struct counters, session_rate.current) },
	{ "request_rate.current", offsetof(struct counters, request_rate.current) },
};

struct looked_at {
	const char *name;
	struct counters *now, before;
};
static struct looked_at looked_at[5];

static uint64_t column(const struct counters *c, size_t i)
{
	uint64_t value;

	memcpy(&value, (const char *)c + columns[i].offset, sizeof(value));
	return value;
}

static void look(unsigned i, const char *name, struct counters *c)
{
	looked_at[i] = (struct looked_at){ name, c, *c };
	/* A maximum that is there already does not move. */
	c->connections_max = c->queue_max = looked_at[i].before.connections_max =
		looked_at[i].before.queue_max = 0;
	c->session_rate = c->request_rate = looked_at[i].before.session_rate =
		looked_at[i].before.request_rate = (struct rate){ 0 };
}

struct proxy *looked_backend;

struct server *server_at(unsigned place)
{
	struct server *server = looked_backend->servers;

	while (place--)
		server = server->next;
	return server;
}

void look_at(const char *frontend, const char *backend)
{
	looked_backend = world_backend(backend);
	memset(looked_at, 0, sizeof(looked_at));
	look(0, "front", &world_frontend(frontend)->fe->counters);
	look(1, "listener", &origin_uncounted);
	look(2, "back", &looked_backend->be->counters);
	look(3, "server", &server_at(0)->tally->counters);
	if (server_at(0)->next)
		look(4, "second", &server_at(1)->tally->counters);
}

void moved(const char *expected)
{
	char text[3000];
	size_t len = 0, i, k;

	for (k = 0; k < 5 && looked_at[k].name; k++) {
		len += (size_t)sprintf(text + len, "%s:", looked_at[k].name);
		for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
			int64_t by = (int64_t)(column(looked_at[k].now, i) -
					       column(&looked_at[k].before, i));

			if (by)
				len += (size_t)sprintf(text + len, " %s %lld", columns[i].name,
						       (long long)by);
		}
		len += (size_t)sprintf(text + len, "\n");
	}
	assert_string_equal(text, expected);
}

void at_rest(void)
{
	const struct proxy_tally *be = looked_backend->be;

	assert_int_equal(be->current, 0);
	assert_int_equal(be->served, 0);
	assert_int_equal(be->queued, 0);
	assert_int_equal(be->total_queued, 0);
	assert_int_equal(be->retrying, 0);
	assert_int_equal(server_at(0)->tally->current, 0);
	assert_int_equal(server_at(0)->tally->queued, 0);
	assert_int_equal(streams_count, 0);
}
