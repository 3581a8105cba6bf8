/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text as an expression; what parses is evaluated against a few bytes of request and response
 * with variables that are set, and every byte of the result is read, before and after it is cast to
 * every type. */
#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "expr/expr.h"
#include "expr/vars.h"
#include "expr/view.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct vars session_vars, stream_vars;

/* Of each scope, text and numbers: "txn.a", "txn.n" ... */
static void set_variables(const struct view *view)
{
	static const char *const texts[] = { "proc.a", "sess.a", "txn.a", "req.a", "res.a" };
	static const char *const numbers[] = { "proc.n", "sess.n", "txn.n", "req.n", "res.n" };
	struct sample text = { .type = SMP_STR, .str = span_of("some,words:of a text") };
	struct sample number = { .type = SMP_INT, .num = 42 };
	unsigned i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		var_set(var_name(span_of(texts[i]), NULL), view, &text, 0);
		var_set(var_name(span_of(numbers[i]), NULL), view, &number, 0);
	}
}

static volatile unsigned bytes_read;

static void read_all(const struct sample *smp)
{
	size_t i;

	if (smp->type != SMP_STR && smp->type != SMP_BIN && smp->type != SMP_METH)
		return;
	for (i = 0; i < smp->str.len; i++)
		bytes_read += (unsigned char)smp->str.ptr[i];
}

static void evaluate(const struct expr *e, const struct view *view, unsigned place)
{
	struct expr_walk walk = { 0 };
	struct sample smp, cast;
	unsigned type, n = 0;

	set_variables(view);
	while (expr_eval_next(e, view, place, &walk, &smp) == EXPR_FOUND) {
		BUG_ON(smp.type == SMP_ANY || smp.type >= SMP_TYPES);
		read_all(&smp);
		for (type = SMP_BOOL; type < SMP_TYPES; type++) {
			cast = smp;
			if (!sample_cast(&cast, (enum sample_type)type))
				continue;
			BUG_ON(cast.type != type);
			read_all(&cast);
		}
		if (!(smp.flags & SMP_NOT_LAST))
			break;
		BUG_ON(++n > 1000);
	}
	BUG_ON(place & AT_FINAL && expr_eval(e, view, place, &smp) == EXPR_WAIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char request[] = "\26\3\1\0\5\1\0\0\1\0 and \0 more";
	struct arena *arena = arena_new(4096);
	struct expr_context ctx = { .arena = arena };
	struct view view = { .request = { request, sizeof(request) - 1 },
			     .response = span_of("HTTP/1.1 200 OK\r\n"),
			     .session_vars = &session_vars, .stream_vars = &stream_vars };
	struct view response = view;
	char *text = arena_strndup(arena, (const char *)data, len);
	struct err err;
	struct expr *e = expr_parse_all(text, &ctx, &err);

	response.responding = true;
	if (e) {
		evaluate(e, &view, AT_REQUEST);
		evaluate(e, &view, AT_REQUEST | AT_FINAL);
		evaluate(e, &response, AT_RESPONSE);
		evaluate(e, &view, AT_CONFIG);
	} else {
		BUG_ON(!err.text[0]);
	}
	vars_free(&session_vars);
	vars_free(&stream_vars);
	arena_free(&arena);
	return 0;
}
