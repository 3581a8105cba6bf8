/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes as a request (first byte even) or response, received in mode tcp: every fetch of HTTP over
 * it, one value and all of them, captures, and the line of the log. Whatever they say, it is the
 * same when asked again, and "wait" only as long as more may come. */
#include "base/arena.h"
#include "base/bug.h"
#include "expr/capture.h"
#include "expr/expr.h"
#include "expr/logformat.h"
#include "expr/view.h"
#include "http/h1.h"
#include "proxy/proxy.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const char *const texts[] = {
	"base", "baseq", "base32", "url32", "path", "pathq", "query", "url", "url_ip", "url_port",
	"urlp", "urlp(a)", "urlp(a,;)", "urlp_val(a)", "method", "req.ver", "req.proto_http",
	"req.hdr()", "req.hdr(a)", "req.hdr(a,2)", "req.hdr(a,-2)", "req.fhdr()", "req.hdr_cnt",
	"req.fhdr_cnt", "req.hdr_ip()", "req.hdr_val()", "req.hdr_names", "req.hdrs", "req.hdrs_bin",
	"req.cook", "req.cook(a)", "req.cook_cnt", "req.cook_val(a)", "req.body", "req.body_len",
	"req.body_size", "req.body_param", "http_auth_user", "http_auth_pass", "http_auth_type",
	"http_auth_bearer", "http_auth_bearer(a)", "req.fhdr(a),language(en;de,fr)", "status",
	"res.ver", "res.hdr()", "res.fhdr()", "res.hdr_cnt", "res.hdr_ip()", "res.cook", "req.body,json_query($.a.b[1])",
	"req.body,json_query($.a,int)", "req.fhdr(a),jwt_payload_query($.a)",
	"res.cook(a)", "res.cook_cnt", "res.hdrs", "res.body", "res.body_size", "hdr()", "cookie",
};

static struct expr *exprs[ARRAY_LEN(texts)];
static struct logformat *line;
static struct captures captures;
static struct capture any = { .name = { "a", 1 }, .len = 100 };
static struct proxy frontend = { .captures = &captures, .keeps_uri = true };

static void prepare(void)
{
	static struct arena *volatile kept; /* for leak checkers */
	struct expr_context ctx = { 0 };
	size_t i;

	ctx.arena = kept = arena_new(65536);
	for (i = 0; i < ARRAY_LEN(texts); i++) {
		exprs[i] = expr_parse_all(texts[i], &ctx, NULL);
		BUG_ON(!exprs[i]);
	}
	line = logformat_compile("%HM %HU %HP %HQ %HPO %HV %{+Q,+E}r %CC %CS %hr %{+Q}hrl %hs", &ctx,
				 AT_LOG, NULL);
	captures = (struct captures){ .request = { &any, &any, 1 }, .response = { &any, &any, 1 },
				      .cookie = { "a", 1 }, .cookie_len = 20 };
}

static void evaluate(const struct expr *e, const struct view *view, unsigned place)
{
	struct expr_walk walk = { .all = true };
	struct sample one, again, smp;
	enum expr_result result = expr_eval(e, view, place, &one);
	unsigned n = 0;

	BUG_ON(place & AT_FINAL && result == EXPR_WAIT);
	BUG_ON(expr_eval(e, view, place, &again) != result);
	if (result == EXPR_FOUND && (one.type == SMP_STR || one.type == SMP_BIN))
		BUG_ON(!span_equal(one.str, again.str));
	while (expr_eval_next(e, view, place, &walk, &smp) == EXPR_FOUND && smp.flags & SMP_NOT_LAST)
		BUG_ON(++n > 100000);
}

/* What an exchange does with a head that is good. */
static void capture(struct view *view, bool response)
{
	static struct field fields[128];
	struct span bytes = response ? view->response : view->request;
	struct h1_parser parser = { 0 };
	struct message_error error;
	struct message msg;
	enum h1_result result;
	char memory[4096];
	struct text t;

	message_init(&msg, response, fields, ARRAY_LEN(fields));
	if (response)
		result = h1_response_head(&parser, bytes.ptr, bytes.len, 0, METHOD_GET, &msg, &error);
	else
		result = h1_request_head(&parser, bytes.ptr, bytes.len, 0, &msg, &error);
	if (result != H1_DONE)
		return;
	if (response)
		capture_response(&frontend, &msg, view->arena, view->http);
	else
		capture_request(&frontend, &msg, view->arena, view->http);
	text_init(&t, memory, sizeof(memory));
	logformat_write(line, view, &t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct view_http http = { 0 };
	struct view view = { .frontend = &frontend };
	bool response = len && data[0] & 1;
	struct span bytes;
	char *copy;
	size_t i;

	if (!len)
		return 0;
	if (!exprs[0])
		prepare();
	copy = malloc(len > 1 ? len - 1 : 1); /* so that reading beyond it is noticed */
	BUG_ON(!copy);
	memcpy(copy, data + 1, len - 1);
	bytes = (struct span){ copy, len - 1 };
	*(response ? &view.response : &view.request) = bytes;
	for (i = 0; i < ARRAY_LEN(texts); i++) {
		evaluate(exprs[i], &view, response ? AT_RESPONSE : AT_REQUEST);
		evaluate(exprs[i], &view, (response ? AT_RESPONSE : AT_REQUEST) | AT_FINAL);
	}
	view.http = &http;
	view.arena = arena_new(4096);
	capture(&view, response);
	arena_free(&view.arena);
	free(copy);
	return 0;
}
