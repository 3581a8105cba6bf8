/* SPDX-License-Identifier: BSD-2-Clause */
#include "lb/key.h"

#include "base/hash.h"
#include "net/addr.h"
#include "proxy/proxy.h"

#include <string.h>

uint32_t balance_hash(const struct proxy *px, struct span key)
{
	static uint32_t (*const functions[])(const void *, size_t) = {
		[HASH_SDBM] = hash_sdbm, [HASH_DJB2] = hash_djb2, [HASH_WT6] = hash_wt6,
		[HASH_CRC32] = hash_crc32,
	};

	return functions[px->set.hash_function](key.ptr, key.len);
}

/* Of an address: its words, one above the other: with IPv4 that is the address itself. */
bool lb_number(const struct proxy *px, const struct balance_key *key, uint32_t *number)
{
	uint32_t words[4];

	*number = key->hash;
	if (px->set.balance != BALANCE_SOURCE)
		return key->hashed;
	if (key->src && key->src->family == AF_INET) {
		*number = ntohl(key->src->v4.s_addr);
		return true;
	}
	if (!key->src || key->src->family != AF_INET6)
		return false;
	memcpy(words, &key->src->v6, sizeof(words));
	*number = ntohl(words[0] ^ words[1] ^ words[2] ^ words[3]);
	return true;
}
