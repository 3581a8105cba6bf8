/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * option grpc-check: a unary call of gRPC over HTTP/2, as its health checking protocol says
 * (grpc.health.v1.Health/Check). The word, the rules that it stands for, and what the response means;
 * its message is read by answers.c. Called while the configuration is read, and by http.c.
 */
#include "check/check_conf.h"

#include "base/arena.h"
#include "check/answers.h"
#include "check/h2_call.h"
#include "check/http.h"
#include "expr/view.h"
#include "http/message.h"

#include <stdlib.h>
#include <string.h>

/* -- the response ---------------------------------------------------------------------------- */

/* A field among lines. ptr NULL: it is not there. */
static struct span line_value(struct span lines, struct span name)
{
	const char *p = lines.ptr, *end = p + lines.len, *eol, *colon;

	for (; p < end && (eol = memchr(p, '\r', (size_t)(end - p))); p = eol + 2) {
		colon = memchr(p, ':', (size_t)(eol - p));
		if (colon && span_equal((struct span){ p, (size_t)(colon - p) }, name))
			return (struct span){ colon + 2, (size_t)(eol - colon - 2) };
	}
	return (struct span){ NULL, 0 };
}

/* Behind the message, or in a response that has nothing but a head. */
static struct span grpc_field(const struct walk *walk, const struct message *msg, const char *name)
{
	struct span value = line_value(h2_call_trailers(walk->call), span_of(name));
	const struct field *f;
	unsigned at = 0;

	if (value.ptr)
		return value;
	f = message_find(msg, span_of(name), &at);
	return f ? f->value : (struct span){ NULL, 0 };
}

/* grpc-message: bytes that are not printable are %XX. */
static void say_message(struct text *t, struct span message)
{
	size_t i;

	for (i = 0; i < message.len; i++) {
		char digits[3] = { 0 };

		if (message.ptr[i] == '%' && i + 2 < message.len) {
			memcpy(digits, message.ptr + i + 1, 2);
			if (strspn(digits, "0123456789abcdefABCDEF") == 2) {
				text_char(t, (char)strtoul(digits, NULL, 16));
				i += 2;
				continue;
			}
		}
		text_char(t, message.ptr[i]);
	}
}

static const char *status_name(struct span status)
{
	static const char *const names[] = {
		"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
		"ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
		"ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
		"UNAUTHENTICATED",
	};
	unsigned n = 0;
	size_t i;

	for (i = 0; i < status.len && i < 3; i++) {
		if (status.ptr[i] < '0' || status.ptr[i] > '9')
			return "no number";
		n = n * 10 + (unsigned)(status.ptr[i] - '0');
	}
	return i == status.len && i && n < ARRAY_LEN(names) ? names[n] : "unknown";
}

static enum expect_result grpc_fails(struct walk *walk, enum check_status status, const char *why)
{
	walk_set_failure(walk, status, why);
	return EXPECT_REPORT;
}

/* The call has failed. UNIMPLEMENTED is what servers answer that have no such service. */
static enum expect_result grpc_refused(struct walk *walk, const struct message *msg, struct span status)
{
	struct span message = grpc_field(walk, msg, "grpc-message");
	char memory[CHECK_SAID_SIZE];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	text_printf(&t, "grpc-status %.*s (%s)", (int)(status.len < 8 ? status.len : 8), status.ptr,
		    status_name(status));
	if (span_equal(status, span_of("12"))) {
		text_str(&t, ": the server has no health service");
	} else if (message.len) {
		text_str(&t, ": ");
		say_message(&t, message);
	}
	return grpc_fails(walk, CHECK_L7STS, memory);
}

static bool is_grpc(const struct message *msg)
{
	static const char type[] = "application/grpc";
	const struct field *f;
	unsigned at = 0;

	f = message_find(msg, span_of("content-type"), &at);
	return f && f->value.len >= sizeof(type) - 1 && !memcmp(f->value.ptr, type, sizeof(type) - 1);
}

static enum expect_result grpc_expect(struct walk *walk, struct span body, bool last)
{
	const struct message *msg = http_view(walk)->response;
	struct answer answer;
	struct span status;

	if (msg->status != 200)
		return grpc_fails(walk, CHECK_L7STS, "the status of HTTP is not 200");
	if (!is_grpc(msg))
		return grpc_fails(walk, CHECK_L7RSP, "the response is not one of gRPC");
	if (!last)
		return EXPECT_WAIT;
	if (!h2_call_done(walk->call))
		return grpc_fails(walk, CHECK_L7RSP, "the response exceeds tune.bufsize");
	status = grpc_field(walk, msg, "grpc-status");
	if (!status.ptr)
		return grpc_fails(walk, CHECK_L7RSP, "the response has no grpc-status");
	if (!span_equal(status, span_of("0")))
		return grpc_refused(walk, msg, status);
	answer = answer_grpc(body, true);
	return answer.status == CHECK_L7OK ? EXPECT_YES : grpc_fails(walk, answer.status, answer.text.ptr);
}

/* -- the request ----------------------------------------------------------------------------- */

enum { SERVICE_MOST = 120 }; /* its length is one byte of a varint */

/* HealthCheckRequest: the name of the service is field 1, which is left out when it is empty. In front
 * the length of the message, and that it is not compressed. */
static struct span grpc_message(struct arena *arena, const char *service)
{
	size_t len = strlen(service), message = len ? len + 2 : 0;
	char *bytes = arena_alloc(arena, 5 + message);

	bytes[4] = (char)message;
	if (len) {
		bytes[5] = 1 << 3 | 2;
		bytes[6] = (char)len;
		memcpy(bytes + 7, service, len);
	}
	return (struct span){ bytes, 5 + message };
}

static struct request_field *grpc_add(struct arena *arena, struct request_field *next, const char *name,
				      const char *value)
{
	struct request_field *f = arena_alloc(arena, sizeof(*f));

	f->name = span_of(name);
	f->value = span_of(value);
	f->next = next;
	return f;
}

struct ruleset *grpc_rules(struct config *cfg, const struct check_conf *conf)
{
	struct request_conf *req = arena_alloc(cfg->arena, sizeof(*req));
	struct ruleset *rules = arena_alloc(cfg->arena, sizeof(*rules));
	struct step_list list = { NULL, NULL, 0 };
	struct step *step;

	req->method = span_of("POST");
	req->uri = span_of("/grpc.health.v1.Health/Check");
	req->version = span_of("HTTP/1.1");
	req->fields = grpc_add(cfg->arena, NULL, "te", "trailers");
	req->fields = grpc_add(cfg->arena, req->fields, "content-type", "application/grpc");
	req->body = grpc_message(cfg->arena, conf->service);
	step_add(cfg->arena, &list, STEP_CONNECT)->connect.as_server = true;
	step = step_add(cfg->arena, &list, STEP_SEND);
	step->send.build = http_build;
	step->send.request = req;
	step = step_add(cfg->arena, &list, STEP_EXPECT);
	step->expect.kind = EXPECT_CUSTOM;
	step->expect.min_recv = -1;
	step->expect.custom = grpc_expect;
	for (step = list.first; step; step = step->next)
		step->number = 0;
	rules->type = CHECK_GRPC;
	rules->first = list.first;
	return rules;
}

/* -- the word -------------------------------------------------------------------------------- */

static int parse_option(struct statement *st, const struct keyword *kw, void *object)
{
	struct check_conf *conf = check_conf_own(st->cfg, object);
	const char *service = stmt_next(st);

	(void)kw;
	conf->type = CHECK_GRPC;
	conf->loc = st->loc;
	conf->service = service ? service : "";
	if (strlen(conf->service) > SERVICE_MOST)
		return stmt_error(st, st->at - 1, "the name of a service has at most %d bytes", SERVICE_MOST);
	return stmt_end(st);
}

static const struct keyword keywords[] = {
	{ .name = "option grpc-check", .scope = SCOPE_BACK, .args = "[ <service> ]", .parse = parse_option,
	  .help = "checks ask the health service of gRPC" },
	{ .name = NULL },
};

const struct module check_grpc_module = { .name = "check_grpc", .keywords = keywords };
