/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text as an address, with each set of what is allowed that callers use (names aside, so
 * that nothing is asked of the network): what is accepted must survive the system's form. */
#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "base/str.h"
#include "net/addr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const unsigned uses[] = {
	ADDR_PORT_NEEDED | ADDR_PORT_RANGE | ADDR_FDS | ADDR_UNIX | ADDR_STAR,
	ADDR_PORT_OFFSET | ADDR_UNIX | ADDR_STAR,
	ADDR_STAR | ADDR_PORT_RANGE,
	ADDR_PORT_NONE,
	ADDR_DGRAM | ADDR_UNIX,
	ADDR_DGRAM | ADDR_STREAM_TOO | ADDR_UNIX | ADDR_STAR | ADDR_PORT_NEEDED,
};

static void check(const struct addr_spec *spec)
{
	struct sockaddr_storage ss;
	struct addr back;
	char buf[80];
	struct text t;

	BUG_ON(spec->last_port < spec->addr.port);
	addr_from_sockaddr(&back, &ss, addr_to_sockaddr(&spec->addr, &ss));
	if (spec->addr.family == AF_INET || spec->addr.family == AF_INET6)
		BUG_ON(!addr_equal(&spec->addr, &back));
	text_init(&t, buf, sizeof(buf));
	addr_print_port(&spec->addr, &t);
	BUG_ON(t.cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct arena *arena = arena_new(1024);
	char *text = arena_strndup(arena, (const char *)data, len);
	struct addr_spec spec;
	struct err err;
	size_t i;

	for (i = 0; i < ARRAY_LEN(uses); i++)
		if (addr_parse(text, uses[i], arena, &spec, &err) == 0)
			check(&spec);
	arena_free(&arena);
	return 0;
}
