/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes: results stay inside the input or the scratch memory, a longer prefix never takes
 * back a verdict, and what is complete stays complete. */
#include "base/bug.h"
#include "base/result.h"
#include "tls/hello.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { SCRATCH = 600 };

static char scratch[SCRATCH];

static void check_inside(struct span s, struct span data)
{
	if (!s.len)
		return;
	BUG_ON(!(s.ptr >= data.ptr && s.ptr + s.len <= data.ptr + data.len) &&
	       !(s.ptr >= scratch && s.ptr + s.len <= scratch + SCRATCH));
}

static enum hello_result parse(struct span data)
{
	struct hello hello;
	enum hello_result result = hello_parse(data, scratch, SCRATCH, &hello);

	if (result != HELLO_OK)
		return result;
	BUG_ON(hello.type != HELLO_CLIENT && hello.type != HELLO_SERVER);
	check_inside(hello.sni, data);
	check_inside(hello.alpn, data);
	check_inside(hello.session_id, data);
	return result;
}

/* A prefix is not decided yet, or decided as the whole is. */
static void check_prefix(struct span data, size_t len, enum hello_result whole)
{
	enum hello_result before = parse((struct span){ data.ptr, len });

	BUG_ON(before != HELLO_MORE && before != whole);
}

/* Eight prefixes, drawn from the bytes; of one input in sixteen all. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct span all = { (const char *)data, len };
	enum hello_result whole = parse(all);
	uint32_t draw = 2166136261;
	unsigned version;
	size_t i;

	DROPPED(hello_version(all, &version), "any bytes may come");
	for (i = 0; i < len; i++)
		draw = (draw ^ data[i]) * 16777619;
	if (!(draw >> 28))
		for (i = 0; i < len; i++)
			check_prefix(all, i, whole);
	for (i = 0; len && i < 8; i++, draw = draw * 1664525 + 1013904223)
		check_prefix(all, (draw >> 8) % len, whole);
	return 0;
}
