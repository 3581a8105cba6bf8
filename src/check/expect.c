/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Judging raw bytes that a server has sent: strings, binary strings, regular expressions and what
 * log formats write, found anywhere in what came since the last send. Called by walk_run.c whenever
 * more has come. Never keeps anything.
 *
 * As long as more may come, what was not found may still be: the answer is "wait", unless min-recv
 * says from how many bytes on an answer is final. Stock checks know where an answer ends.
 */
#include "check/walk.h"

#include "expr/expr.h"
#include "expr/regex.h"

bool hex_decode(char *text, size_t *len)
{
	size_t i;
	int high, low;

	if (*len % 2)
		return false;
	for (i = 0; i < *len; i += 2) {
		high = str_hex_digit(text[i]);
		low = str_hex_digit(text[i + 1]);
		if (high < 0 || low < 0)
			return false;
		text[i / 2] = (char)(high << 4 | low);
	}
	*len /= 2;
	return true;
}

static bool expect_find(struct span bytes, struct span what)
{
	return memmem(bytes.ptr, bytes.len, what.ptr, what.len) != NULL;
}

/* As many of the bytes as fit into scratch memory, two upper-case digits each. */
static bool expect_binary_regex(const struct regex *regex, struct span bytes)
{
	static const char digits[] = "0123456789ABCDEF";
	char *hex = expr_scratch();
	size_t i, n = bytes.len < expr_scratch_size / 2 ? bytes.len : expr_scratch_size / 2;

	for (i = 0; i < n; i++) {
		hex[2 * i] = digits[(unsigned char)bytes.ptr[i] >> 4];
		hex[2 * i + 1] = digits[bytes.ptr[i] & 15];
	}
	return regex_test(regex, (struct span){ hex, 2 * n });
}

/* What the log format says now, in the walk's second buffer. */
static bool expect_format(struct walk *walk, const struct step_expect *e, struct span *what)
{
	struct text t;

	if (!walk_format(walk, e->format, &t))
		return false;
	*what = (struct span){ t.ptr, t.len };
	if (e->kind != EXPECT_BINARY_FORMAT || hex_decode(t.ptr, &what->len))
		return true;
	walk->status = e->error ? e->error : CHECK_L7RSP;
	text_str(&walk->said,
		 "Failed to parse hexastring resulting of eval of a log-format string");
	return false;
}

static bool expect_more(const struct step_expect *e, struct span bytes, struct span what)
{
	if (e->min_recv > 0 && bytes.len < (size_t)e->min_recv)
		return true;
	return bytes.len < what.len || (e->whole && !e->whole(bytes));
}

enum expect_result expect_bytes(struct walk *walk, const struct step_expect *e, bool last)
{
	struct span bytes = walk_received(walk), what = e->data;
	bool found;

	if (e->kind == EXPECT_CUSTOM)
		return e->custom(walk, bytes, last);
	if ((e->kind == EXPECT_STRING_FORMAT || e->kind == EXPECT_BINARY_FORMAT) &&
	    !expect_format(walk, e, &what))
		return EXPECT_REPORT;
	if (!last && expect_more(e, bytes, what))
		return EXPECT_WAIT;
	if (e->kind == EXPECT_REGEX)
		found = regex_test(e->regex, bytes);
	else if (e->kind == EXPECT_BINARY_REGEX)
		found = expect_binary_regex(e->regex, bytes);
	else
		found = expect_find(bytes, what);
	if (!found && !last && e->min_recv < 0)
		return EXPECT_WAIT;
	return found != e->negated ? EXPECT_YES : EXPECT_NO;
}
