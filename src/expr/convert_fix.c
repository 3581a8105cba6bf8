/* SPDX-License-Identifier: BSD-2-Clause */
/* The converters fix_is_valid and fix_tag_value: messages of the FIX protocol (Financial
 * Information eXchange), "8=FIX.4.4|9=5|35=0|10=161|" with SOH for each "|". Manual 7.3.1; results
 * are those of the reference. A message that is not complete is no result, so that a rule which
 * reads from the connection waits for the rest; what has been found, and what can never be found,
 * is not waited for. */
#include "base/bug.h"
#include "base/err.h"
#include "expr/tables.h"

#include <strings.h>

enum { SOH = 1, SHORTEST = 26 /* "8=FIX.4.4|9=0|35=A|10=123|" */ };
enum { TAG_BEGIN = 8, TAG_LENGTH = 9, TAG_CHECKSUM = 10, TAG_TYPE = 35, TAG_SENDER = 49, TAG_TARGET = 56 };

enum fix_result { FIX_OK, FIX_MORE, FIX_BAD };

struct fix_field {
	int64_t tag;       /* INT32_MAX + 1: larger than any */
	struct span value;
};

/* The number in front of the '='. */
static enum fix_result fix_tag(struct span *s, int64_t *tag)
{
	size_t i;

	*tag = 0;
	for (i = 0; i < s->len && s->ptr[i] >= '0' && s->ptr[i] <= '9'; i++)
		if (*tag <= INT32_MAX)
			*tag = *tag * 10 + (s->ptr[i] - '0');
	if (i == s->len)
		return FIX_MORE;
	if (s->ptr[i] != '=' || !*tag)
		return FIX_BAD;
	*s = (struct span){ s->ptr + i + 1, s->len - i - 1 };
	return FIX_OK;
}

/* "tag=value|", taken off the front. */
static enum fix_result fix_next(struct span *s, struct fix_field *f)
{
	enum fix_result r = fix_tag(s, &f->tag);
	const char *end;

	if (r != FIX_OK)
		return r;
	end = memchr(s->ptr, SOH, s->len);
	if (!end)
		return FIX_MORE;
	f->value = (struct span){ s->ptr, (size_t)(end - s->ptr) };
	s->len -= f->value.len + 1;
	s->ptr = end + 1;
	return FIX_OK;
}

static bool fix_version(struct span value)
{
	static const char *const versions[] = { "FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4",
						"FIXT.1.1" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(versions); i++)
		if (span_equal(value, span_of(versions[i])))
			return true;
	return false;
}

static bool fix_number(struct span value, uint64_t *n)
{
	size_t i;

	*n = 0;
	for (i = 0; i < value.len; i++) {
		if (value.ptr[i] < '0' || value.ptr[i] > '9' || *n > INT32_MAX)
			return false;
		*n = *n * 10 + (uint64_t)(value.ptr[i] - '0');
	}
	return value.len > 0;
}

/* Three digits: the sum of all bytes in front of the field, modulo 256. */
static bool fix_checksum(struct span value, const char *from, const char *to)
{
	uint64_t said;
	uint8_t sum = 0;

	for (; from < to; from++)
		sum = (uint8_t)(sum + (uint8_t)*from);
	return value.len == 3 && fix_number(value, &said) && said == sum;
}

/* Is the field number n (from 0) what the standard header has there? */
static bool fix_begins(const struct fix_field *f, unsigned n, uint64_t *length)
{
	switch (n) {
	case 0:
		return f->tag == TAG_BEGIN && fix_version(f->value);
	case 1:
		return f->tag == TAG_LENGTH && fix_number(f->value, length);
	case 2:
		return f->tag == TAG_TYPE;
	default:
		return f->tag <= INT32_MAX;
	}
}

static enum fix_result fix_check(struct span message)
{
	const char *body = NULL, *field;
	struct span s = message;
	uint64_t length = 0;
	struct fix_field f;
	enum fix_result r;
	unsigned n;

	if (message.len < SHORTEST)
		return FIX_MORE;
	for (n = 0;; n++) {
		field = s.ptr;
		r = fix_next(&s, &f);
		if (r != FIX_OK)
			return r;
		if (!fix_begins(&f, n, &length))
			return FIX_BAD;
		if (n == 1)
			body = s.ptr;
		if (n > 2 && f.tag == TAG_CHECKSUM)
			break;
	}
	if ((uint64_t)(field - body) != length || !fix_checksum(f.value, message.ptr, field))
		return FIX_BAD;
	return FIX_OK;
}

static bool convert_is_valid(const struct expr_arg *args, struct sample *smp, const struct view *view,
			     const struct converter *row)
{
	enum fix_result r = fix_check(smp->str);

	(void)args, (void)view, (void)row;
	smp->type = SMP_BOOL;
	smp->num = r == FIX_OK;
	if (r != FIX_MORE)
		smp->flags &= ~(unsigned)SMP_MAY_CHANGE;
	return r != FIX_MORE;
}

static bool convert_tag_value(const struct expr_arg *args, struct sample *smp, const struct view *view,
			      const struct converter *row)
{
	struct span s = smp->str;
	struct fix_field f;
	enum fix_result r;

	(void)view, (void)row;
	do {
		r = fix_next(&s, &f);
		if (r == FIX_MORE)
			return false;
	} while (r == FIX_OK && f.tag != args[0].num && f.tag != TAG_CHECKSUM);
	/* Behind the checksum there is another message. */
	smp->flags &= ~(unsigned)SMP_MAY_CHANGE;
	if (r != FIX_OK || f.tag != args[0].num)
		return false;
	smp->str = f.value;
	return true;
}

static int check_tag(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	static const struct {
		const char *name;
		int tag;
	} names[] = {
		{ "BeginString", TAG_BEGIN }, { "BodyLength", TAG_LENGTH }, { "MsgType", TAG_TYPE },
		{ "SenderCompID", TAG_SENDER }, { "TargetCompID", TAG_TARGET },
		{ "CheckSum", TAG_CHECKSUM },
	};
	const char *name = args[0].str.ptr;
	int64_t tag = 0;
	size_t i;

	(void)ctx;
	for (i = 0; i < ARRAY_LEN(names); i++)
		if (!strcasecmp(name, names[i].name))
			tag = names[i].tag;
	if (!tag && (!str_to_int(name, 1, INT32_MAX, &tag)))
		return err_set(err, "'%s' is no tag of FIX: a number is expected, or BeginString, BodyLength, "
			       "MsgType, SenderCompID, TargetCompID or CheckSum", name);
	args[0] = (struct expr_arg){ .type = ARG_INT, .num = tag };
	return 0;
}

const struct converter converter_fix[] = {
	{ "fix_is_valid", ARGS(0), SMP_BIN, SMP_BOOL, convert_is_valid,
	  .help = "is it a valid message of FIX" },
	{ "fix_tag_value", ARGS(1, ARG_STR), SMP_BIN, SMP_BIN, convert_tag_value, check_tag,
	  .help = "value of a tag in a message of FIX" },
	{ 0 },
};
