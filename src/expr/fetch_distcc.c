/* SPDX-License-Identifier: BSD-2-Clause */
/* The fetches distcc_param and distcc_body (manual 7.3.5): tokens of the protocol of distcc,
 * "ARGV00000003gcc": four letters, a number of eight hexadecimal digits, and for most tokens as
 * many bytes. Results are those of the reference. Nothing is kept: each call reads from the first
 * token on. */
#include "base/bug.h"
#include "base/err.h"
#include "expr/tables.h"
#include "expr/view.h"

enum { NAME = 4, DIGITS = 8 };

struct token {
	const char *name;
	uint32_t number;
	bool has_body;
	struct span body; /* as much of it as has come */
};

static bool token_has_body(const char *name)
{
	static const char *const without[] = { "DIST", "ARGC", "NFIL", "STAT", "DONE" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(without); i++)
		if (!memcmp(name, without[i], NAME))
			return false;
	return true;
}

/* EXPR_NONE: that is no token; EXPR_WAIT: not all of its head has come. */
static enum expr_result token_next(struct span *bytes, struct token *t)
{
	int digit, i;

	if (bytes->len < NAME + DIGITS)
		return EXPR_WAIT;
	*t = (struct token){ .name = bytes->ptr, .has_body = token_has_body(bytes->ptr) };
	for (i = 0; i < DIGITS; i++) {
		digit = str_hex_digit(bytes->ptr[NAME + i]);
		if (digit < 0)
			return EXPR_NONE;
		t->number = t->number << 4 | (uint32_t)digit;
	}
	bytes->ptr += NAME + DIGITS;
	bytes->len -= NAME + DIGITS;
	if (!t->has_body)
		return EXPR_FOUND;
	t->body = (struct span){ bytes->ptr, t->number < bytes->len ? t->number : bytes->len };
	bytes->ptr += t->body.len;
	bytes->len -= t->body.len;
	return EXPR_FOUND;
}

static enum expr_result token_find(const struct fetch_call *call, struct token *t)
{
	struct span bytes = call->place & AT_RESPONSE ? call->view->response : call->view->request;
	int64_t left = call->args[1].type == ARG_INT && call->args[1].num ? call->args[1].num : 1;
	enum expr_result r;

	for (;;) {
		r = token_next(&bytes, t);
		if (r != EXPR_FOUND)
			return r;
		if (!memcmp(t->name, call->args[0].str.ptr, NAME) && !--left)
			return EXPR_FOUND;
		if (t->has_body && t->body.len < t->number)
			return EXPR_WAIT;
	}
}

static enum expr_result fetch_param(struct fetch_call *call, struct sample *smp)
{
	struct token t;
	enum expr_result r = token_find(call, &t);

	smp->num = t.number;
	return r;
}

static enum expr_result fetch_body(struct fetch_call *call, struct sample *smp)
{
	struct token t;
	enum expr_result r = token_find(call, &t);

	if (r != EXPR_FOUND)
		return r;
	if (!t.has_body)
		return EXPR_NONE;
	if (t.body.len < t.number)
		return EXPR_WAIT;
	smp->str = t.body;
	smp->flags |= SMP_CONST;
	return EXPR_FOUND;
}

static int check_token(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)ctx;
	if (args[0].str.len != NAME)
		return err_set(err, "the name of a token has four characters, as 'DOTI'");
	if (args[1].type == ARG_INT && args[1].num < 0)
		return err_set(err, "occurrences are counted from 1");
	return 0;
}

const struct fetch fetch_distcc[] = {
	{ "distcc_param", ARGS(1, ARG_STR, ARG_INT), SMP_INT, FROM_REQUEST | FROM_RESPONSE, fetch_param,
	  check_token, .help = "number of a token of distcc" },
	{ "distcc_body", ARGS(1, ARG_STR, ARG_INT), SMP_BIN, FROM_REQUEST | FROM_RESPONSE, fetch_body,
	  check_token, .help = "bytes of a token of distcc" },
	{ 0 },
};
