/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes: results stay inside the input or the scratch memory, a longer prefix never takes
 * back a verdict, and what is complete stays complete. */
#include "base/bug.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct span part = { (const char *)data, len };
	enum hello_result whole = parse(part), before;
	unsigned version;

	hello_version(part, &version);
	for (part.len = 0; part.len < len && part.len < 200; part.len++) {
		before = parse(part);
		BUG_ON(before != HELLO_MORE && before != whole);
	}
	return 0;
}
