/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a Cookie and as a Set-Cookie value. Cookies lie within the value, in order, one
 * behind the other; when one is removed the others are left, byte by byte.
 */
#include "http/cookie.h"

#include "base/bug.h"
#include "http/chars.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { LEN_MAX = 1024, COOKIES = 512 };

static void check_inside(struct span part, struct span whole)
{
	BUG_ON(!part.ptr || part.ptr < whole.ptr || part.ptr + part.len > whole.ptr + whole.len);
}

static void check_cookie(const struct cookie *c, struct span field)
{
	check_inside(c->whole, field);
	check_inside(c->name, c->whole);
	check_inside(c->value, c->whole);
	BUG_ON(c->name.ptr + c->name.len >= c->whole.ptr + c->whole.len);
	BUG_ON(c->value.ptr <= c->name.ptr + c->name.len);
	BUG_ON(c->value.len && char_is(c->value.ptr[0], CHAR_BLANK));
	BUG_ON(c->name.len && memchr(c->name.ptr, '=', c->name.len));
}

static unsigned list(struct span field, struct cookie *cookies)
{
	unsigned n = 0;
	size_t at = 0;

	for (; n < COOKIES && cookie_next(field, &at, &cookies[n]); n++) {
		check_cookie(&cookies[n], field);
		BUG_ON(n && cookies[n].whole.ptr <
				    cookies[n - 1].whole.ptr + cookies[n - 1].whole.len + 1);
		BUG_ON(at > field.len);
	}
	return n;
}

/* Every `step`th, from the first one on. */
static void check_removal(struct span field, const struct cookie *cookies, unsigned n,
			  unsigned first, unsigned step)
{
	static struct cookie left[COOKIES];
	static char memory[LEN_MAX];
	struct cookie_edit edit;
	struct span rest = { memory, 0 };
	unsigned i, k = 0, count;

	cookie_edit_begin(&edit, field, memory);
	for (i = first; i < n; i += step)
		cookie_edit_remove(&edit, cookies[i].whole);
	rest.len = cookie_edit_end(&edit);
	BUG_ON(rest.len >= field.len);
	count = list(rest, left);
	for (i = 0; i < n; i++)
		if (i < first || (i - first) % step)
			BUG_ON(k >= count || !span_equal(left[k++].whole, cookies[i].whole));
	BUG_ON(k != count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct span field = { (const char *)data + 1, len - 1 };
	static struct cookie cookies[COOKIES];
	struct cookie set;
	unsigned n;

	if (len < 2 || len > LEN_MAX)
		return 0;
	n = list(field, cookies);
	if (n && n < COOKIES)
		check_removal(field, cookies, n, data[0] % n, 1 + data[1] % 5);
	if (set_cookie_parse(field, &set))
		check_cookie(&set, field);
	return 0;
}
