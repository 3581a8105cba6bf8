/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as the file of a response: spans stay within them, and none can end a line. */
#include "base/bug.h"
#include "base/err.h"
#include "http/errorfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check(struct span s, const char *bytes, size_t len)
{
	if (!s.len)
		return;
	BUG_ON(s.ptr < bytes || s.ptr + s.len > bytes + len);
	BUG_ON(memchr(s.ptr, '\r', s.len) || memchr(s.ptr, '\n', s.len) || memchr(s.ptr, 0, s.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *bytes = (const char *)data;
	struct errorfile file;
	struct err err;
	unsigned i;

	if (errorfile_parse(bytes, len, &file, &err))
		return 0;
	check(file.reason, bytes, len);
	for (i = 0; i < file.field_count; i++) {
		BUG_ON(!file.fields[i].name.len);
		check(file.fields[i].name, bytes, len);
		check(file.fields[i].value, bytes, len);
	}
	BUG_ON(file.body.ptr + file.body.len != bytes + len);
	return 0;
}
