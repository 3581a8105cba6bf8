/* SPDX-License-Identifier: BSD-2-Clause */
/* Converters of text (manual 7.3.1): case, parts, joining, comparing, replacing. Results are
 * spans of the input where possible, otherwise made in scratch memory; what does not fit
 * there is no result. */
#include "base/arena.h"
#include "base/err.h"
#include "expr/regex.h"
#include "expr/tables.h"
#include "expr/vars.h"

#include <ctype.h>

static bool text_result(const struct text *t, struct sample *smp)
{
	if (t->cut)
		return false;
	smp->str = (struct span){ t->ptr, t->len };
	smp->type = SMP_STR;
	smp->flags &= ~(unsigned)SMP_CONST;
	return true;
}

static void text_scratch(struct text *t)
{
	text_init(t, expr_scratch(), expr_scratch_size);
}

/* -- case, length, trimming ------------------------------------------------------------- */

enum { TO_LOWER, TO_UPPER };

static bool convert_case(const struct expr_arg *args, struct sample *smp,
			 const struct view *view, const struct converter *row)
{
	char *out = expr_scratch();
	size_t i;

	(void)args;
	(void)view;
	if (smp->str.len > expr_scratch_size)
		return false;
	for (i = 0; i < smp->str.len; i++) {
		char c = smp->str.ptr[i];

		if (row->data == TO_LOWER && c >= 'A' && c <= 'Z')
			c |= 0x20;
		else if (row->data == TO_UPPER && c >= 'a' && c <= 'z')
			c &= ~0x20;
		out[i] = c;
	}
	smp->str.ptr = out;
	smp->flags &= ~(unsigned)SMP_CONST;
	return true;
}

static bool convert_length(const struct expr_arg *args, struct sample *smp,
			   const struct view *view, const struct converter *row)
{
	(void)args;
	(void)view;
	(void)row;
	smp->num = (int64_t)smp->str.len;
	smp->type = SMP_INT;
	return true;
}

static bool is_one_of(char c, struct span set)
{
	return memchr(set.ptr, c, set.len) != NULL;
}

enum { TRIM_LEFT, TRIM_RIGHT };

static bool convert_trim(const struct expr_arg *args, struct sample *smp,
			 const struct view *view, const struct converter *row)
{
	struct span set = args[0].str, *s = &smp->str;

	(void)view;
	while (row->data == TRIM_LEFT && s->len && is_one_of(*s->ptr, set)) {
		s->ptr++;
		s->len--;
	}
	while (row->data == TRIM_RIGHT && s->len && is_one_of(s->ptr[s->len - 1], set))
		s->len--;
	return true;
}

static bool convert_cut_crlf(const struct expr_arg *args, struct sample *smp,
			     const struct view *view, const struct converter *row)
{
	size_t i;

	(void)args;
	(void)view;
	(void)row;
	for (i = 0; i < smp->str.len && smp->str.ptr[i] != '\r' && smp->str.ptr[i] != '\n'; i++)
		;
	smp->str.len = i;
	return true;
}

/* -- parts ------------------------------------------------------------------------------ */

static int check_part(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)ctx;
	if (!args[0].num)
		return err_set(err, "the index counts from 1, or from -1 at the end");
	if (!args[1].str.len)
		return err_set(err, "the list of delimiters is empty");
	if (args[2].type == ARG_NONE)
		args[2] = (struct expr_arg){ .type = ARG_INT, .num = 1 };
	if (args[2].num < 0)
		args[2].num = 0; /* as in the reference: all that follow */
	return 0;
}

/* Part number n (from 1) of s, split at single delimiters, and count - 1 more; 0: all.
 * words: runs of delimiters count as one, and those at the ends do not count. A part that is not
 * there has no value. */
struct parts {
	struct span s, delimiters;
	int64_t index, count;
	bool words;
};

static bool parts_forward(const struct parts *in, struct span *out)
{
	const char *p = in->s.ptr, *end = p + in->s.len, *start;
	int64_t n = 1, more = in->count ? in->count - 1 : INT64_MAX;

	for (;; p++, n++) {
		while (in->words && p < end && is_one_of(*p, in->delimiters))
			p++;
		if (in->words && p == end)
			return false;
		start = p;
		while (p < end && !is_one_of(*p, in->delimiters))
			p++;
		if (n == in->index)
			break;
		if (p == end)
			return false;
	}
	while (more-- && p < end) {
		p++;
		while (in->words && p < end && is_one_of(*p, in->delimiters))
			p++;
		while (p < end && !is_one_of(*p, in->delimiters))
			p++;
	}
	*out = (struct span){ start, (size_t)(p - start) };
	return true;
}

static bool parts_backward(const struct parts *in, struct span *out)
{
	const char *begin = in->s.ptr, *p = begin + in->s.len, *stop;
	int64_t n = -1, more = in->count ? in->count - 1 : INT64_MAX;

	for (;; p--, n--) {
		while (in->words && p > begin && is_one_of(p[-1], in->delimiters))
			p--;
		if (in->words && p == begin)
			return false;
		stop = p;
		while (p > begin && !is_one_of(p[-1], in->delimiters))
			p--;
		if (n == in->index)
			break;
		if (p == begin)
			return false;
	}
	while (more-- && p > begin) {
		p--;
		while (in->words && p > begin && is_one_of(p[-1], in->delimiters))
			p--;
		while (p > begin && !is_one_of(p[-1], in->delimiters))
			p--;
	}
	*out = (struct span){ p, (size_t)(stop - p) };
	return true;
}

enum { PART_FIELD, PART_WORD };

static bool convert_part(const struct expr_arg *args, struct sample *smp,
			 const struct view *view, const struct converter *row)
{
	struct parts in = { smp->str, args[1].str, args[0].num, args[2].num,
			    row->data == PART_WORD };

	(void)view;
	return in.index > 0 ? parts_forward(&in, &smp->str) : parts_backward(&in, &smp->str);
}

static bool convert_reverse(const struct expr_arg *args, struct sample *smp,
			    const struct view *view, const struct converter *row)
{
	char *out = expr_scratch();
	size_t i, len = smp->str.len;

	(void)args;
	(void)view;
	(void)row;
	if (len > expr_scratch_size)
		return false;
	for (i = 0; i < len; i++)
		out[i] = smp->str.ptr[len - 1 - i];
	smp->str.ptr = out;
	smp->flags &= ~(unsigned)SMP_CONST;
	return true;
}

/* -- hosts ------------------------------------------------------------------------------ */

/* Behind the last ':' that is not inside brackets; NULL: no port. */
static const char *host_port(struct span host)
{
	size_t i;

	for (i = host.len; i > 0; i--) {
		if (host.ptr[i - 1] == ':')
			return host.ptr + i;
		if (host.ptr[i - 1] == ']')
			return NULL;
	}
	return NULL;
}

static bool convert_host_only(const struct expr_arg *args, struct sample *smp,
			      const struct view *view, const struct converter *row)
{
	const char *port = host_port(smp->str);

	if (port)
		smp->str.len = (size_t)(port - 1 - smp->str.ptr);
	return convert_case(args, smp, view, row);
}

static bool convert_port_only(const struct expr_arg *args, struct sample *smp,
			      const struct view *view, const struct converter *row)
{
	const char *port = host_port(smp->str), *end = smp->str.ptr + smp->str.len;
	int64_t n = 0;

	(void)args;
	(void)view;
	(void)row;
	for (; port && port < end && *port >= '0' && *port <= '9' && n <= UINT16_MAX; port++)
		n = n * 10 + (*port - '0');
	if (port && port != end)
		n = 0;
	smp->num = n;
	smp->type = SMP_INT;
	return true;
}

/* "a.b.c" as "c.b.a"; a dot at the end is not there, an empty label is no domain. */
static bool convert_reverse_dom(const struct expr_arg *args, struct sample *smp,
				const struct view *view, const struct converter *row)
{
	const char *begin = smp->str.ptr, *stop = begin + smp->str.len, *from;
	struct text t;

	(void)args;
	(void)view;
	(void)row;
	text_scratch(&t);
	if (stop > begin && stop[-1] == '.')
		stop--;
	for (;; stop = from - 1, text_char(&t, '.')) {
		for (from = stop; from > begin && from[-1] != '.'; from--)
			;
		if (from == stop)
			return false;
		text_add(&t, from, (size_t)(stop - from));
		if (from == begin)
			return text_result(&t, smp);
	}
}

/* -- joining and comparing -------------------------------------------------------------- */

/* The variable's value as text; empty when it is not set. */
static struct span var_text(const struct expr_arg *arg, const struct view *view)
{
	struct sample value = { .flags = 0 };

	if (arg->type != ARG_VAR || !var_get(arg->var, view, &value) ||
	    !sample_cast(&value, SMP_STR))
		return (struct span){ "", 0 };
	return value.str;
}

static void text_arg(struct text *t, const struct expr_arg *arg)
{
	if (arg->type == ARG_STR)
		text_add(t, arg->str.ptr, arg->str.len);
}

static bool convert_concat(const struct expr_arg *args, struct sample *smp,
			   const struct view *view, const struct converter *row)
{
	struct span var = var_text(&args[1], view);
	struct text t;

	(void)row;
	text_scratch(&t);
	text_add(&t, smp->str.ptr, smp->str.len);
	text_arg(&t, &args[0]);
	text_add(&t, var.ptr, var.len);
	text_arg(&t, &args[2]);
	return text_result(&t, smp);
}

static int check_add_item(struct expr_arg *args, const struct expr_context *ctx,
			  struct err *err)
{
	(void)ctx;
	if (args[1].type == ARG_NONE && (args[2].type == ARG_NONE || !args[2].str.len))
		return err_set(err, "a variable or a suffix is missing");
	return 0;
}

static bool convert_add_item(const struct expr_arg *args, struct sample *smp,
			     const struct view *view, const struct converter *row)
{
	struct span var = var_text(&args[1], view);
	bool item = var.len || (args[2].type == ARG_STR && args[2].str.len);
	struct text t;

	(void)row;
	text_scratch(&t);
	text_add(&t, smp->str.ptr, smp->str.len);
	if (smp->str.len && item)
		text_arg(&t, &args[0]);
	text_add(&t, var.ptr, var.len);
	text_arg(&t, &args[2]);
	return text_result(&t, smp);
}

static bool convert_strcmp(const struct expr_arg *args, struct sample *smp,
			   const struct view *view, const struct converter *row)
{
	struct sample other = { .flags = 0 };
	size_t shorter;
	int order;

	(void)row;
	if (!var_get(args[0].var, view, &other) || !sample_cast(&other, SMP_STR))
		return false;
	shorter = smp->str.len < other.str.len ? smp->str.len : other.str.len;
	order = shorter ? memcmp(smp->str.ptr, other.str.ptr, shorter) : 0;
	if (!order)
		order = (smp->str.len > other.str.len) - (smp->str.len < other.str.len);
	smp->num = order;
	smp->type = SMP_INT;
	return true;
}

/* In a time that depends on the length alone. */
static bool convert_secure_memcmp(const struct expr_arg *args, struct sample *smp,
				  const struct view *view, const struct converter *row)
{
	struct sample other = { .flags = 0 };
	unsigned char differ = 0;
	size_t i;

	(void)row;
	if (!var_get(args[0].var, view, &other) || !sample_cast(&other, SMP_BIN))
		return false;
	for (i = 0; smp->str.len == other.str.len && i < smp->str.len; i++)
		differ |= (unsigned char)(smp->str.ptr[i] ^ other.str.ptr[i]);
	smp->num = smp->str.len == other.str.len && !differ;
	smp->type = SMP_BOOL;
	return true;
}

/* -- URLs ------------------------------------------------------------------------------- */

static int check_enc_type(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)ctx;
	if (args[0].type == ARG_STR && args[0].str.len && strcmp(args[0].str.ptr, "query"))
		return err_set(err, "the only encoding is 'query', not '%s'", args[0].str.ptr);
	return 0;
}

/* RFC 3986 2.3: unreserved characters stay. */
static bool convert_url_enc(const struct expr_arg *args, struct sample *smp,
			    const struct view *view, const struct converter *row)
{
	struct text t;
	size_t i;

	(void)args;
	(void)view;
	(void)row;
	text_scratch(&t);
	for (i = 0; i < smp->str.len; i++) {
		unsigned char c = (unsigned char)smp->str.ptr[i];

		if (isalnum(c) || (c && strchr("-._~", c))) {
			text_char(&t, (char)c);
		} else {
			char code[3] = { '%', "0123456789ABCDEF"[c >> 4], "0123456789ABCDEF"[c & 15] };

			text_add(&t, code, sizeof(code));
		}
	}
	return text_result(&t, smp);
}

/* '+' is a blank in forms and behind the question mark. A broken escape: no result. */
static bool convert_url_dec(const struct expr_arg *args, struct sample *smp,
			    const struct view *view, const struct converter *row)
{
	bool form = args[0].type == ARG_INT && args[0].num;
	const char *p = smp->str.ptr, *end = p + smp->str.len;
	struct text t;

	(void)view;
	(void)row;
	text_scratch(&t);
	for (; p < end; p++) {
		if (*p == '%') {
			if (end - p < 3 || str_hex_digit(p[1]) < 0 || str_hex_digit(p[2]) < 0)
				return false;
			text_char(&t, (char)(str_hex_digit(p[1]) << 4 | str_hex_digit(p[2])));
			p += 2;
			continue;
		}
		form = form || *p == '?';
		text_char(&t, form && *p == '+' ? ' ' : *p);
	}
	return text_result(&t, smp);
}

/* The delimiter in argument 1: one character, or its code as 0xHH. */
static int check_param(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	struct span given = args[1].type == ARG_STR ? args[1].str : span_of("&");
	int high, low;
	char c = *given.ptr;

	(void)ctx;
	if (given.len != 1) {
		high = given.len == 4 ? str_hex_digit(given.ptr[2]) : -1;
		low = given.len == 4 ? str_hex_digit(given.ptr[3]) : -1;
		if (strncmp(given.ptr, "0x", 2) != 0 || high < 0 || low < 0)
			return err_set(err,
				       "the delimiter is one character or its code, such as 0x3b, "
				       "not '%s'",
				       given.ptr);
		c = (char)(high << 4 | low);
	}
	args[1] = (struct expr_arg){ .type = ARG_INT, .num = (unsigned char)c };
	return 0;
}

/* The value of the first part that is the name, or "name=..." */
static bool convert_param(const struct expr_arg *args, struct sample *smp, const struct view *view,
			  const struct converter *row)
{
	const char *p = smp->str.ptr, *end = p + smp->str.len, *stop;
	struct span name = args[0].str;

	(void)view;
	(void)row;
	for (; p < end; p = stop + 1) {
		stop = memchr(p, (int)args[1].num, (size_t)(end - p));
		if (!stop)
			stop = end;
		if ((size_t)(stop - p) < name.len || memcmp(p, name.ptr, name.len) != 0)
			continue;
		p += name.len;
		if (p < stop && *p != '=')
			continue;
		p += p < stop;
		smp->str = (struct span){ p, (size_t)(stop - p) };
		return true;
	}
	return false;
}

/* -- replacing -------------------------------------------------------------------------- */

/* Flags are parsed; the regular expression goes to argument 0, "g" to argument 2. */
static int check_regsub(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	const char *flags = args[2].type == ARG_STR ? args[2].str.ptr : "", *f;
	struct regex *re;

	if (!args[0].str.len)
		return err_set(err, "the regular expression is missing");
	for (f = flags; *f; f++) {
		if (*f != 'i' && *f != 'g')
			return err_set(err, "flag '%.*s' is unknown; i and g exist",
				       str_char(f), f);
	}
	re = regex_compile(args[0].str.ptr, strchr(flags, 'i') != NULL, ctx->arena, err);
	if (!re)
		return -1;
	args[0] = (struct expr_arg){ .type = ARG_PTR, .ptr = re };
	args[2] = (struct expr_arg){ .type = ARG_INT, .num = strchr(flags, 'g') != NULL };
	return 0;
}

static bool convert_regsub(const struct expr_arg *args, struct sample *smp,
			   const struct view *view, const struct converter *row)
{
	const struct regex *re = args[0].ptr;
	const char *text = smp->str.ptr;
	size_t len = smp->str.len, at = 0, from, to;
	uint64_t given_up = regex_given_up;
	struct regex_match match;
	struct text t;

	(void)view;
	(void)row;
	text_scratch(&t);
	while (at <= len && !t.cut && regex_find(re, smp->str, at, &match)) {
		from = (size_t)(match.group[0].ptr - text);
		to = from + match.group[0].len;
		text_add(&t, text + at, from - at);
		regex_expand(&t, args[1].str, &match);
		at = to;
		if (!args[2].num)
			break;
		if (from == to) { /* an empty match: step over one character */
			if (at < len)
				text_char(&t, text[at]);
			at++;
		}
	}
	if (at < len)
		text_add(&t, text + at, len - at);
	return regex_given_up == given_up && text_result(&t, smp);
}

#define TEXT(name, run, what, text)                                                           \
	{ name, { 0 }, SMP_STR, SMP_STR, run, .data = what, .help = text }

const struct converter converter_strings[] = {
	{ "add_item", ARGS(2, ARG_STR, ARG_VAR, ARG_STR), SMP_STR, SMP_STR, convert_add_item,
	  check_add_item, .help = "adds a variable, parted by a delimiter where it is needed" },
	{ "concat", ARGS(1, ARG_STR, ARG_VAR, ARG_STR), SMP_STR, SMP_STR, convert_concat,
	  .help = "adds text, a variable and text" },
	TEXT("cut_crlf", convert_cut_crlf, 0, "ends at the first CR or LF"),
	{ "field", ARGS(2, ARG_INT, ARG_STR, ARG_INT), SMP_STR, SMP_STR, convert_part, check_part,
	  .data = PART_FIELD, .help = "part of a text split at each delimiter" },
	TEXT("host_only", convert_host_only, TO_LOWER, "host of \"host:port\""),
	{ "length", { 0 }, SMP_STR, SMP_INT, convert_length, .help = "number of characters" },
	TEXT("lower", convert_case, TO_LOWER, "to lower case"),
	{ "ltrim", ARGS(1, ARG_STR), SMP_STR, SMP_STR, convert_trim, .data = TRIM_LEFT,
	  .help = "removes characters at the beginning" },
	{ "param", ARGS(1, ARG_STR, ARG_STR), SMP_STR, SMP_STR, convert_param, check_param,
	  .help = "value of a parameter in a query or a form" },
	{ "port_only", { 0 }, SMP_STR, SMP_INT, convert_port_only, .help = "port of \"host:port\"" },
	{ "regsub", ARGS(2, ARG_STR, ARG_STR, ARG_STR), SMP_STR, SMP_STR, convert_regsub,
	  check_regsub, .help = "replaces what a regular expression matches" },
	TEXT("reverse", convert_reverse, 0, "the bytes from the last to the first"),
	TEXT("reverse_dom", convert_reverse_dom, 0, "labels of a domain the other way round"),
	{ "rtrim", ARGS(1, ARG_STR), SMP_STR, SMP_STR, convert_trim, .data = TRIM_RIGHT,
	  .help = "removes characters at the end" },
	{ "secure_memcmp", ARGS(1, ARG_VAR), SMP_BIN, SMP_BOOL, convert_secure_memcmp,
	  .help = "is it equal to a variable? in constant time" },
	{ "strcmp", ARGS(1, ARG_VAR), SMP_STR, SMP_INT, convert_strcmp,
	  .help = "order against a variable: below, equal to or above 0" },
	TEXT("upper", convert_case, TO_UPPER, "to upper case"),
	{ "url_dec", ARGS(0, ARG_INT), SMP_STR, SMP_STR, convert_url_dec,
	  .help = "resolves the escapes of URLs" },
	{ "url_enc", ARGS(0, ARG_STR), SMP_STR, SMP_STR, convert_url_enc, check_enc_type,
	  .help = "escapes for use in URLs" },
	{ "word", ARGS(2, ARG_INT, ARG_STR, ARG_INT), SMP_STR, SMP_STR, convert_part, check_part,
	  .data = PART_WORD, .help = "word of a text, parted by delimiters" },
	{ 0 },
};
