/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text as an expression; what parses is evaluated against a few bytes of request and
 * response, cast to every type, and evaluated again: it must say the same. */
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

static void evaluate(const struct expr *e, const struct view *view, unsigned place)
{
	struct expr_walk walk = { 0 };
	struct sample smp, cast;
	unsigned type, n = 0;

	while (expr_eval_next(e, view, place, &walk, &smp) == EXPR_FOUND) {
		BUG_ON(smp.type == SMP_ANY || smp.type >= SMP_TYPES);
		for (type = SMP_BOOL; type < SMP_TYPES; type++) {
			cast = smp;
			BUG_ON(sample_cast(&cast, (enum sample_type)type) && cast.type != type);
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
	char *text = arena_strndup(arena, (const char *)data, len);
	struct err err;
	struct expr *e = expr_parse_all(text, &ctx, &err);

	if (e) {
		evaluate(e, &view, AT_REQUEST);
		evaluate(e, &view, AT_REQUEST | AT_FINAL);
		evaluate(e, &view, AT_RESPONSE);
		evaluate(e, &view, AT_CONFIG);
	} else {
		BUG_ON(!err.text[0]);
	}
	vars_free(&session_vars);
	vars_free(&stream_vars);
	arena_free(&arena);
	return 0;
}
