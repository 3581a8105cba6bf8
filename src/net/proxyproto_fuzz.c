/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a PROXY header: whatever follows a complete one changes nothing, each prefix of it
 * is incomplete, and what it says can be written again. */
#include "base/bug.h"
#include "net/proxyproto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_again(const struct proxyproto *h)
{
	char header[PROXYPROTO_V2_MAX];
	struct proxyproto again;
	size_t len;

	if (!h->has_addrs || h->src.family == AF_UNIX)
		return;
	len = proxyproto_v2(header, &h->src, &h->dst, false);
	BUG_ON(proxyproto_parse(header, len, &again) != PROXYPROTO_DONE || again.len != len);
	BUG_ON(!addr_equal(&again.src, &h->src) || !addr_equal(&again.dst, &h->dst));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct proxyproto h, part;
	size_t i;

	if (proxyproto_parse((const char *)data, len, &h) != PROXYPROTO_DONE)
		return 0;
	BUG_ON(h.len > len);
	for (i = 0; i < h.len; i++)
		BUG_ON(proxyproto_parse((const char *)data, i, &part) != PROXYPROTO_INCOMPLETE);
	BUG_ON(proxyproto_parse((const char *)data, h.len, &part) != PROXYPROTO_DONE);
	check_again(&h);
	return 0;
}
