/* SPDX-License-Identifier: BSD-2-Clause */
/* The values that HAProxy 2.6 gives for the same input, as its converters print them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/siphash.h"

static void equals_reference(void **state)
{
	(void)state;
	assert_int_equal(hash_sdbm("abc", 3), 807794786);
	assert_int_equal(hash_djb2("abc", 3), 193485963);
	assert_int_equal(hash_crc32("abc", 3), 891568578);
	assert_int_equal(hash_crc32c("abc", 3), 910901175);
	assert_int_equal(hash_crc32c_more(hash_crc32c("ab", 2), "c", 1), 910901175);
	assert_int_equal(hash_djb2("abcdefghijklmnopqrstuvwxyz", 26), 3927029252);
	assert_int_equal(hash_crc32("", 0), 0);
}

static void avalanche_equals_reference(void **state)
{
	(void)state;
	assert_int_equal(hash_avalanche(807794786), 659243622);
	assert_int_equal(hash_avalanche(193485963), 2235766107);
	assert_int_equal(hash_avalanche(891568578), 930845320);
	assert_int_equal(hash_avalanche(910901175), 1285784220);
}

static void wt6_is_spread(void **state)
{
	(void)state;
	assert_int_not_equal(hash_wt6("abc", 3), hash_wt6("abd", 3));
	assert_int_equal(hash_wt6("abc", 3), hash_wt6("abcd", 3));
}

/* The first and some later vectors that its authors publish: key 00 01 ... 0f, data 00 01 ... */
static void siphash_equals_its_vectors(void **state)
{
	static const uint64_t key[2] = { 0x0706050403020100, 0x0f0e0d0c0b0a0908 };
	unsigned char data[64];
	struct siphash made = siphash(key, "", 0);
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)i;
	assert_true(made.low == 0xe6a825ba047f81a3 && made.high == 0x930255c71472f66d);
	made = siphash(key, data, 1);
	assert_true(made.low == 0x44af996bd8c187da && made.high == 0x45fc229b11597634);
	for (i = 1; i < sizeof(data); i++)
		assert_true(siphash(key, data, i).low != siphash(key, data, i - 1).low);
}

/* SipHash-1-3 of the same; another program's, which has the published vectors of SipHash-2-4. */
static void siphash_quick_equals_its_vectors(void **state)
{
	static const uint64_t key[2] = { 0x0706050403020100, 0x0f0e0d0c0b0a0908 };
	static const struct {
		size_t len;
		uint64_t hash;
	} vectors[] = {
		{ 0, 0xabac0158050fc4dc }, { 1, 0xc9f49bf37d57ca93 }, { 4, 0xcf75576088d38328 },
		{ 7, 0xd3927d989bb11140 }, { 8, 0x369095118d299a8e }, { 15, 0xd320d86d2a519956 },
		{ 20, 0xc0dc2f46a6cce040 },
	};
	unsigned char data[64];
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)i;
	for (i = 0; i < sizeof(vectors) / sizeof(*vectors); i++)
		assert_true(siphash_quick(key, data, vectors[i].len) == vectors[i].hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_reference),
		cmocka_unit_test(siphash_equals_its_vectors),
		cmocka_unit_test(siphash_quick_equals_its_vectors),
		cmocka_unit_test(avalanche_equals_reference),
		cmocka_unit_test(wt6_is_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
