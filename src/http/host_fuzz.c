/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as an authority. An accepted one is host and port and nothing else, has no character
 * that could end a host in somebody else's eyes, and its host alone is accepted as the same host.
 */
#include "http/uri.h"

#include "base/bug.h"
#include "http/chars.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_host(struct span host)
{
	size_t i;

	if (host.len && host.ptr[0] == '[') {
		BUG_ON(host.ptr[host.len - 1] != ']');
		return;
	}
	for (i = 0; i < host.len; i++) {
		BUG_ON(!char_is(host.ptr[i], CHAR_HOST) && host.ptr[i] != '%');
		BUG_ON(strchr("/?#@:[] \t", host.ptr[i]));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct span authority = { (const char *)data, len }, host, again;
	char text[16];
	unsigned port, none;
	size_t rest;

	if (!host_split(authority, &host, &port))
		return 0;
	BUG_ON(host.ptr != authority.ptr || host.len > len || port > 65535);
	check_host(host);
	BUG_ON(!host_split(host, &again, &none) || !span_equal(host, again) || none);
	rest = len - host.len;
	BUG_ON(rest && data[host.len] != ':');
	if (rest > 1 && rest < sizeof(text)) {
		memcpy(text, data + host.len + 1, rest - 1);
		text[rest - 1] = 0;
		BUG_ON((unsigned)strtoul(text, NULL, 10) != port);
	}
	return 0;
}
