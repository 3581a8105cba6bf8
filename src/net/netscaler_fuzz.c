/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes behind the magic number: whatever follows a complete header changes nothing, and each
 * prefix of it is incomplete. */
#include "base/bug.h"
#include "net/netscaler.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct netscaler h, part;
	uint32_t magic = 0x12345678;
	size_t i;

	if (netscaler_parse((const char *)data, len, magic, &h) != NETSCALER_DONE)
		return 0;
	BUG_ON(h.len > len);
	for (i = 0; i < h.len; i++)
		BUG_ON(netscaler_parse((const char *)data, i, magic, &part) !=
		       NETSCALER_INCOMPLETE);
	BUG_ON(netscaler_parse((const char *)data, h.len, magic, &part) != NETSCALER_DONE);
	BUG_ON(!addr_equal(&part.src, &h.src) || !addr_equal(&part.dst, &h.dst));
	BUG_ON(netscaler_parse((const char *)data, len, magic + 1, &part) != NETSCALER_MAGIC);
	return 0;
}
