/* SPDX-License-Identifier: BSD-2-Clause */
#include "colocate/btf.h"

#include <linux/btf.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * typedef struct inner { int a; int b; } alias;
 * struct outer { int first; union { int x; struct { int y; volatile alias deep; }; }; alias last;
 *                int bits : 3 (bit 5 of byte 28); };
 */
static const char names[] = "\0int\0inner\0a\0b\0alias\0outer\0first\0x\0y\0deep\0last\0bits";

static uint32_t name(const char *word)
{
	size_t at;

	for (at = 1; at < sizeof(names); at += strlen(names + at) + 1)
		if (!strcmp(names + at, word))
			return (uint32_t)at;
	fail_msg("%s", word);
	return 0;
}

static struct {
	struct btf_header head;
	uint32_t types[128];
	char names[sizeof(names)];
} data;
static unsigned words;

static void put(uint32_t word)
{
	data.types[words++] = word;
}

static void put_type(const char *n, unsigned kind, unsigned count, bool bit_fields, uint32_t type)
{
	put(n ? name(n) : 0);
	put(kind << 24 | count | (uint32_t)bit_fields << 31);
	put(type);
}

static void put_member(const char *n, uint32_t type, uint32_t bits)
{
	put(n ? name(n) : 0);
	put(type);
	put(bits);
}

static void build(void)
{
	memset(&data, 0, sizeof(data));
	words = 0;
	put_type("int", 1, 0, false, 4); /* 1 */
	put(32);
	put_type("inner", 4, 2, false, 8); /* 2 */
	put_member("a", 1, 0);
	put_member("b", 1, 32);
	put_type("alias", 8, 0, false, 2); /* 3 */
	put_type(NULL, 9, 0, false, 3);    /* 4: volatile */
	put_type(NULL, 4, 2, false, 12);   /* 5 */
	put_member("y", 1, 0);
	put_member("deep", 4, 32);
	put_type(NULL, 5, 2, false, 12); /* 6 */
	put_member("x", 1, 0);
	put_member(NULL, 5, 0);
	put_type("outer", 4, 4, true, 32); /* 7 */
	put_member("first", 1, 0);
	put_member(NULL, 6, 32);
	put_member("last", 3, 160);
	put_member("bits", 1, 3u << 24 | 229);
	memcpy(data.names, names, sizeof(names));
	data.head = (struct btf_header){ .magic = BTF_MAGIC, .version = 1,
					 .hdr_len = sizeof(data.head), .type_len = words * 4,
					 .str_off = sizeof(data.types), .str_len = sizeof(names) };
}

static void offsets(void **state)
{
	struct err err;
	struct btf *btf;

	(void)state;
	build();
	btf = btf_read(&data, sizeof(data), &err);
	assert_non_null(btf);
	assert_int_equal(btf_offset(btf, "outer", "first"), 0);
	assert_int_equal(btf_offset(btf, "outer", "x"), 4);
	assert_int_equal(btf_offset(btf, "outer", "y"), 4);
	assert_int_equal(btf_offset(btf, "outer", "deep"), 8);
	assert_int_equal(btf_offset(btf, "outer", "deep.b"), 12);
	assert_int_equal(btf_offset(btf, "outer", "last.a"), 20);
	assert_int_equal(btf_offset(btf, "inner", "b"), 4);
	assert_int_equal(btf_offset(btf, "outer", "bits"), -1);
	assert_int_equal(btf_offset(btf, "outer", "none"), -1);
	assert_int_equal(btf_offset(btf, "outer", "first.a"), -1);
	assert_int_equal(btf_offset(btf, "outer", ""), -1);
	assert_int_equal(btf_offset(btf, "alias", "a"), -1);
	assert_int_equal(btf_offset(btf, "nothing", "a"), -1);
	btf_free(&btf);
	assert_null(btf);
}

static void refuse(size_t size)
{
	struct err err = { "" };

	assert_null(btf_read(&data, size, &err));
	assert_true(err.text[0]);
}

static void damage(void **state)
{
	size_t size;

	(void)state;
	build();
	for (size = 0; size < offsetof(typeof(data), names) + sizeof(names); size++)
		refuse(size);
	data.head.magic++;
	refuse(sizeof(data));
	build();
	data.head.type_len -= 4;
	refuse(sizeof(data));
	build();
	data.names[sizeof(names) - 1] = 'x'; /* the last name does not end */
	refuse(sizeof(data));
	build();
	data.types[1] = 20u << 24; /* no such kind */
	refuse(sizeof(data));
	build();
	data.types[5] |= 0xffff; /* more members than there are bytes */
	refuse(sizeof(data));
	build();
	data.head.type_off = UINT32_MAX;
	refuse(sizeof(data));
}

/* A structure in itself, and a name for itself, end the search. */
static void circles(void **state)
{
	struct err err;
	struct btf *btf;

	(void)state;
	memset(&data, 0, sizeof(data));
	words = 0;
	build();
	data.types[4 + 9 + 2] = 3;          /* alias of alias */
	data.types[4 + 9 + 3 + 3 + 3 + 4] = 5; /* deep is what it stands in */
	btf = btf_read(&data, sizeof(data), &err);
	assert_non_null(btf);
	assert_int_equal(btf_offset(btf, "outer", "last.a"), -1);
	assert_int_equal(btf_offset(btf, "outer", "deep.deep.deep.y"), 16);
	btf_free(&btf);
}

/* What the programs ask for is in the kernel of this machine, where it describes itself. */
static void this_kernel(void **state)
{
	struct err err;
	struct btf *btf = btf_load("/sys/kernel/btf/vmlinux", &err);

	(void)state;
	if (!btf)
		skip();
	assert_int_equal(btf_offset(btf, "sock", "__sk_common"), 0);
	assert_true(btf_offset(btf, "tcp_sock", "copied_seq") >
		    btf_offset(btf, "inet_connection_sock", "icsk_ulp_ops"));
	btf_free(&btf);
	assert_null(btf_load("/nonexistent", &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets),
		cmocka_unit_test(damage),
		cmocka_unit_test(circles),
		cmocka_unit_test(this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
