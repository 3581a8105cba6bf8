/* SPDX-License-Identifier: BSD-2-Clause */
/* Hash functions. Pure; tables of the CRCs are made at their first use. */
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint32_t hash_sdbm(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint32_t h = 0;

	while (len--)
		h = *p++ + (h << 6) + (h << 16) - h;
	return h;
}

uint32_t hash_djb2(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint32_t h = 5381;

	while (len--)
		h = (h << 5) + h + *p++;
	return h;
}

static void crc_table(uint32_t *table, uint32_t polynomial)
{
	uint32_t i, crc;
	int bit;

	for (i = 0; i < 256; i++) {
		crc = i;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
		table[i] = crc;
	}
}

/* before: the checksum of what came before; 0: nothing. */
static uint32_t crc_run(const uint32_t *table, uint32_t before, const uint8_t *p, size_t len)
{
	uint32_t crc = ~before;

	while (len--)
		crc = crc >> 8 ^ table[(crc ^ *p++) & 0xff];
	return ~crc;
}

uint32_t hash_crc32(const void *data, size_t len)
{
	static uint32_t table[256];

	if (!table[1])
		crc_table(table, 0xedb88320);
	return crc_run(table, 0, data, len);
}

uint32_t hash_crc32c_more(uint32_t before, const void *data, size_t len)
{
	static uint32_t table[256];

	if (!table[1])
		crc_table(table, 0x82f63b78);
	return crc_run(table, before, data, len);
}

uint32_t hash_crc32c(const void *data, size_t len)
{
	return hash_crc32c_more(0, data, len);
}

uint32_t hash_wt6(const void *data, size_t len)
{
	return XXH32(data, len, 6);
}

/* http://burtleburtle.net/bob/hash/integer.html; the last step, found by comparing with the
 * reference, spreads the lowest bits to the highest. */
uint32_t hash_avalanche(uint32_t a)
{
	a = (a + 0x7ed55d16) + (a << 12);
	a = (a ^ 0xc761c23c) ^ (a >> 19);
	a = (a + 0x165667b1) + (a << 5);
	a = (a + 0xd3a2646c) ^ (a << 9);
	a = (a + 0xfd7046c5) + (a << 3);
	a = (a ^ 0xb55a4f09) ^ (a >> 16);
	return a - (a << 30);
}
