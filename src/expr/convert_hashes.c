/* SPDX-License-Identifier: BSD-2-Clause */
/* Hashing converters (manual 7.3.1): the same functions as in hash-type. */
#include "base/hash.h"
#include "expr/tables.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { BY_CRC32, BY_CRC32C, BY_DJB2, BY_SDBM, BY_WT6 };

static uint32_t hash_by(int which, struct span s)
{
	switch (which) {
	case BY_CRC32:
		return hash_crc32(s.ptr, s.len);
	case BY_CRC32C:
		return hash_crc32c(s.ptr, s.len);
	case BY_DJB2:
		return hash_djb2(s.ptr, s.len);
	case BY_SDBM:
		return hash_sdbm(s.ptr, s.len);
	default:
		return hash_wt6(s.ptr, s.len);
	}
}

static bool convert_hash(const struct expr_arg *args, struct sample *smp,
			 const struct view *view, const struct converter *row)
{
	uint32_t hash = hash_by(row->data, smp->str);

	(void)view;
	if (args[0].type == ARG_INT && args[0].num)
		hash = hash_avalanche(hash);
	smp->num = hash;
	smp->type = SMP_INT;
	return true;
}

enum { XXH_SHORT, XXH_LONG, XXH_THREE };

static bool convert_xxh(const struct expr_arg *args, struct sample *smp, const struct view *view,
			const struct converter *row)
{
	uint64_t seed = args[0].type == ARG_INT ? (uint64_t)args[0].num : 0;

	(void)view;
	if (row->data == XXH_SHORT)
		smp->num = XXH32(smp->str.ptr, smp->str.len, (uint32_t)seed);
	else if (row->data == XXH_LONG)
		smp->num = (int64_t)XXH64(smp->str.ptr, smp->str.len, seed);
	else
		smp->num = (int64_t)XXH3_64bits_withSeed(smp->str.ptr, smp->str.len, seed);
	smp->type = SMP_INT;
	return true;
}

#define HASH(name, run, which, text)                                                          \
	{ name, ARGS(0, ARG_INT), SMP_BIN, SMP_INT, run, .data = which, .help = text }

const struct converter converter_hashes[] = {
	HASH("crc32", convert_hash, BY_CRC32, "CRC32 of Ethernet; 1: with avalanche"),
	HASH("crc32c", convert_hash, BY_CRC32C, "CRC32C; 1: with avalanche"),
	HASH("djb2", convert_hash, BY_DJB2, "djb2; 1: with avalanche"),
	HASH("sdbm", convert_hash, BY_SDBM, "sdbm; 1: with avalanche"),
	HASH("wt6", convert_hash, BY_WT6, "wt6; 1: with avalanche"),
	HASH("xxh3", convert_xxh, XXH_THREE, "XXH3, 64 bits, with an optional seed"),
	HASH("xxh32", convert_xxh, XXH_SHORT, "XXH32, with an optional seed"),
	HASH("xxh64", convert_xxh, XXH_LONG, "XXH64, with an optional seed"),
	{ 0 },
};
