/* SPDX-License-Identifier: BSD-2-Clause */
/* The json converter: text as the inside of a JSON string, in ASCII (manual 7.3.1, RFC 8259
 * 7). Characters above U+FFFF have no short escape and count as errors, as in the reference. */
#include "base/err.h"
#include "expr/tables.h"

/* How the input is read, and what becomes of errors. */
enum { JSON_UTF8 = 1 << 0,  /* else each byte is a character */
       JSON_FIX = 1 << 1,   /* characters written with too many bytes are taken */
       JSON_SKIP = 1 << 2,  /* other errors are left out, else there is no result */
};

static int check_json(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	static const struct {
		const char *name;
		int flags;
	} codes[] = {
		{ "", 0 },
		{ "ascii", 0 },
		{ "utf8", JSON_UTF8 },
		{ "utf8s", JSON_UTF8 | JSON_SKIP },
		{ "utf8p", JSON_UTF8 | JSON_FIX },
		{ "utf8ps", JSON_UTF8 | JSON_FIX | JSON_SKIP },
	};
	const char *name = args[0].type == ARG_STR ? args[0].str.ptr : "";
	size_t i;

	(void)ctx;
	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (!strcmp(name, codes[i].name)) {
			args[0] = (struct expr_arg){ .type = ARG_INT, .num = codes[i].flags };
			return 0;
		}
	}
	return err_set(err, "the input is ascii, utf8, utf8s, utf8p or utf8ps, not '%s'", name);
}

/* Reads one character of UTF-8 and moves *s behind it; false: an error, behind which reading
 * may go on. overlong: it took more bytes than needed. */
static bool utf8_next(struct span *s, uint32_t *code, bool *overlong)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const uint8_t *p = (const uint8_t *)s->ptr;
	size_t len = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2, i;
	bool good = *p < 0x80 || (*p >= 0xc0 && *p < 0xf8);

	*code = len == 1 ? *p : *p & (0xffu >> (len + 1));
	for (i = 1; good && i < len && i < s->len && (p[i] & 0xc0) == 0x80; i++)
		*code = *code << 6 | (p[i] & 0x3f);
	good = good && (i == len || len == 1);
	*overlong = good && *code < least[len];
	s->ptr += i;
	s->len -= i;
	return good;
}

static bool code_allowed(uint32_t code)
{
	return code < 0xfffe && (code < 0xd800 || code > 0xdfff);
}

/* false: an error that the flags do not excuse. skip: nothing is to be written. */
static bool json_next(struct span *s, int flags, uint32_t *code, bool *skip)
{
	bool overlong = false, good = true;

	if (flags & JSON_UTF8) {
		good = utf8_next(s, code, &overlong) && code_allowed(*code);
	} else {
		*code = (uint8_t)*s->ptr++;
		s->len--;
	}
	if (overlong && !(flags & JSON_FIX))
		good = false;
	*skip = !good;
	return good || flags & JSON_SKIP;
}

static void json_write(struct text *t, uint32_t code)
{
	static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
	const char *e;

	for (e = escapes; *e; e += 2) {
		if ((uint8_t)e[1] == code) {
			text_char(t, '\\');
			text_char(t, e[0]);
			return;
		}
	}
	if (code >= 0x20 && code < 0x7f)
		text_char(t, (char)code);
	else
		text_printf(t, "\\u%04x", code);
}

static bool convert_json(const struct expr_arg *args, struct sample *smp,
			 const struct view *view, const struct converter *row)
{
	struct span left = smp->str;
	struct text t;
	uint32_t code;
	bool skip;

	(void)view;
	(void)row;
	text_init(&t, expr_scratch(), expr_scratch_size);
	while (left.len) {
		if (!json_next(&left, (int)args[0].num, &code, &skip))
			return false;
		if (!skip)
			json_write(&t, code);
	}
	smp->str = (struct span){ t.ptr, t.len };
	smp->flags &= ~(unsigned)SMP_CONST;
	return !t.cut;
}

const struct converter converter_json[] = {
	{ "json", ARGS(1, ARG_STR), SMP_STR, SMP_STR, convert_json, check_json,
	  .help = "escapes for the inside of a JSON string" },
	{ 0 },
};
