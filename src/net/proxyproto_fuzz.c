/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a PROXY header: whatever follows a complete one changes nothing, each prefix of it
 * is incomplete, its vectors lie inside of it, and what it says can be written again. */
#include "base/bug.h"
#include "net/proxyproto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The vectors, one behind the other; those that are not written by us alone. */
static void copy_vectors(const struct proxyproto *h, struct proxyproto_out *out)
{
	struct span left = h->vectors, value;
	uint8_t type;

	while (proxyproto_next(&left, &type, &value)) {
		BUG_ON(value.ptr < h->vectors.ptr ||
		       value.ptr + value.len > h->vectors.ptr + h->vectors.len);
		if (type != PROXYPROTO_CRC32C)
			proxyproto_add(out, type, value);
	}
	BUG_ON(left.len);
}

static void check_again(const struct proxyproto *h)
{
	static char header[2 * PROXYPROTO_V2_LONGEST];
	struct proxyproto_out out;
	struct proxyproto again;
	size_t len;

	if (!h->has_addrs || h->src.family == AF_UNIX)
		return;
	proxyproto_begin(&out, header, sizeof(header), &h->src, &h->dst, true);
	copy_vectors(h, &out);
	len = proxyproto_end(&out);
	if (len > PROXYPROTO_V2_LONGEST)
		return; /* the checksum was too much */
	BUG_ON(proxyproto_parse(header, len, &again) != PROXYPROTO_DONE || again.len != len);
	BUG_ON(!addr_equal(&again.src, &h->src) || !addr_equal(&again.dst, &h->dst));
}

/* Looks for every type, inner ones too. */
static void check_finding(const struct proxyproto *h)
{
	struct span left, value;
	int type;

	for (type = 0; type < 256; type++) {
		left = h->vectors;
		while (proxyproto_find(&left, (uint8_t)type, &value))
			BUG_ON(value.len > h->vectors.len);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct proxyproto h, part;
	size_t i;

	if (proxyproto_parse((const char *)data, len, &h) != PROXYPROTO_DONE)
		return 0;
	BUG_ON(h.len > len);
	for (i = 0; i < h.len; i += 1 + i / 64)
		BUG_ON(proxyproto_parse((const char *)data, i, &part) != PROXYPROTO_INCOMPLETE);
	BUG_ON(proxyproto_parse((const char *)data, h.len, &part) != PROXYPROTO_DONE);
	check_again(&h);
	check_finding(&h);
	return 0;
}
