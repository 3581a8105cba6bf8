/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a target, a query and encoded text. Parts lie within the target and put together are
 * the target; a parameter that was found stands behind its name; decoding never grows, and leaves
 * alone what has nothing to decode.
 */
#include "http/uri.h"

#include "base/bug.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { LEN_MAX = 1024 };

static void check_inside(struct span part, struct span whole)
{
	BUG_ON(part.ptr && (part.ptr < whole.ptr || part.ptr + part.len > whole.ptr + whole.len));
}

static void check_split(struct span target)
{
	struct span pathq = uri_path_and_query(target);
	struct uri uri;

	check_inside(pathq, target);
	if (!uri_split(target, &uri))
		return;
	check_inside(uri.scheme, target);
	check_inside(uri.authority, target);
	check_inside(uri.path, target);
	check_inside(uri.query, target);
	BUG_ON(!uri.path.ptr);
	BUG_ON(uri.scheme.ptr && uri.scheme.ptr + uri.scheme.len + 3 != uri.authority.ptr);
	BUG_ON(uri.authority.ptr && uri.authority.ptr + uri.authority.len != uri.path.ptr);
	BUG_ON(!uri.authority.ptr && uri.path.ptr != target.ptr);
	if (uri.query.ptr) {
		BUG_ON(uri.path.ptr + uri.path.len + 1 != uri.query.ptr);
		BUG_ON(uri.query.ptr[-1] != '?');
		BUG_ON(uri.query.ptr + uri.query.len != target.ptr + target.len);
	} else {
		BUG_ON(uri.path.ptr + uri.path.len != target.ptr + target.len);
	}
	BUG_ON(uri.path.ptr != pathq.ptr);
	BUG_ON(pathq.ptr + pathq.len != target.ptr + target.len);
}

static void check_query(struct span query, char delimiter)
{
	struct span name = { query.ptr, query.len < 2 ? query.len : 2 }, value;

	if (!query_find(query, name, delimiter, &value))
		return;
	check_inside(value, query);
	BUG_ON(value.ptr[-1] != '=');
	BUG_ON(memcmp(value.ptr - 1 - name.len, name.ptr, name.len) != 0);
	BUG_ON(value.len && memchr(value.ptr, delimiter, value.len));
}

static void check_decode(struct span text, bool form)
{
	static char decoded[LEN_MAX];
	size_t n;

	if (text.len > sizeof(decoded))
		return;
	memcpy(decoded, text.ptr, text.len);
	n = url_decode(decoded, text.len, form);
	BUG_ON(n == SIZE_MAX && !memchr(text.ptr, '%', text.len));
	BUG_ON(n != SIZE_MAX && (n > text.len || (text.len - n) % 2));
	if (!memchr(text.ptr, '%', text.len) && !(form && memchr(text.ptr, '+', text.len)))
		BUG_ON(n != text.len || memcmp(decoded, text.ptr, n) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct span text = { (const char *)data + 1, len - 1 };

	if (len < 2)
		return 0;
	check_split(text);
	check_query(text, data[0] & 1 ? '&' : ';');
	check_decode(text, data[0] & 2);
	return 0;
}
