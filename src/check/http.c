/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HTTP in health checks: the request as bytes, the response by the codec of http/, its body as far
 * as the buffer reaches. One request a connection; what comes behind the response is not looked at.
 * A response is read as the traffic reads it, with the same options: a server whose every answer
 * would be a 502 is not up. The result says what is wrong.
 */
#include "check/http.h"

#include "check/check_conf.h"
#include "check/h2_call.h"
#include "expr/logformat.h"
#include "expr/regex.h"
#include "expr/view.h"
#include "http/h1.h"
#include "http/uri.h"
#include "proxy/global.h"
#include "proxy/sums.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum { HTTP_FIELDS = 128 };

struct walk_http {
	struct h1_parser parser;
	struct message msg;
	struct h1_chunks chunks;
	struct view_http view;
	size_t body_at, body_len;
	bool head, done;      /* the head is complete; the body is */
	struct field fields[HTTP_FIELDS];
};

/* -- the request ----------------------------------------------------------------------------- */

static bool method_has_no_body(struct span method)
{
	static const char *const names[] = { "GET", "HEAD", "OPTIONS", "DELETE" };
	unsigned i;

	for (i = 0; i < 4; i++)
		if (span_equal(method, span_of(names[i])))
			return true;
	return false;
}

static bool field_is(const struct request_field *f, const char *name)
{
	return f->name.len == strlen(name) && !strncasecmp(f->name.ptr, name, f->name.len);
}

/* Names are written in lower case, as HTTP/2 will need them. */
static void put_name(struct text *out, struct span name)
{
	size_t i;

	for (i = 0; i < name.len; i++)
		text_char(out, (char)tolower((unsigned char)name.ptr[i]));
	text_str(out, ": ");
}

static void put_format(struct walk *walk, const struct logformat *format, struct text *out)
{
	struct view view = walk_view(walk);

	logformat_write(format, &view, out);
}

/* False: its value is empty, and it was left out. */
static bool put_field(struct walk *walk, const struct request_field *f, struct text *out)
{
	size_t before = out->len, start;

	put_name(out, f->name);
	start = out->len;
	if (f->format)
		put_format(walk, f->format, out);
	else
		text_add(out, f->value.ptr, f->value.len);
	if (out->len == start) {
		out->len = before;
		return false;
	}
	text_str(out, "\r\n");
	return true;
}

/* Manual 4.2 "http-check send-state". */
static void put_state(const struct walk *walk, struct text *out)
{
	const struct server *s = walk->check->server, *other;
	unsigned weight = 0, sessions = 0;
	char status[64], host[256] = "";

	for (other = s->proxy->servers; other; other = other->next) {
		if (server_usable(other))
			weight += other->state->effective_weight;
		sessions += server_sessions(other);
	}
	if (!global_node && gethostname(host, sizeof(host) - 1))
		host[0] = 0;
	text_printf(out, "x-haproxy-server-state: %s; address=",
		    server_status_text(s, status, sizeof(status)));
	if (s->state->addr.family == AF_UNIX)
		text_str(out, "unix; port=unix");
	else {
		addr_print(&s->state->addr, out);
		text_printf(out, "; port=%u", s->state->addr.port);
	}
	text_printf(out, "; name=%s/%s; node=%s; weight=%u/%u; scur=%u/%u; qcur=%u\r\n",
		    s->proxy->name, s->id, global_node ? global_node : host,
		    s->state->effective_weight, weight,
		    server_sessions(s), sessions, server_queued(s));
}

/* The target; a Host that is given stands in for the authority of an absolute one. */
static void put_target(struct text *out, struct span target, struct span host)
{
	struct uri uri;
	const char *behind;

	if (!host.ptr || !uri_split(target, &uri) || !uri.scheme.ptr || !uri.authority.ptr) {
		text_add(out, target.ptr, target.len);
		return;
	}
	behind = uri.authority.ptr + uri.authority.len;
	text_add(out, target.ptr, (size_t)(uri.authority.ptr - target.ptr));
	text_add(out, host.ptr, host.len);
	text_add(out, behind, (size_t)(target.ptr + target.len - behind));
}

/* The value of Host, if one is sent, in memory. */
static struct span host_value(struct walk *walk, const struct request_conf *req, struct text *t)
{
	const struct request_field *f;

	for (f = req->fields; f; f = f->next) {
		if (!field_is(f, "host"))
			continue;
		if (!f->format)
			return f->value;
		put_format(walk, f->format, t);
		return (struct span){ t->ptr, t->len };
	}
	return (struct span){ NULL, 0 };
}

static void put_start(struct walk *walk, const struct request_conf *req, bool old, struct text *out)
{
	char memory[2048], host_memory[512];
	struct text target, host;
	struct span uri = req->uri;

	text_init(&target, memory, sizeof(memory));
	text_init(&host, host_memory, sizeof(host_memory));
	if (req->uri_format) {
		put_format(walk, req->uri_format, &target);
		uri = (struct span){ target.ptr, target.len };
		out->cut |= target.cut;
	}
	text_add(out, req->method.ptr, req->method.len);
	text_char(out, ' ');
	put_target(out, uri.len ? uri : span_of("/"), host_value(walk, req, &host));
	text_char(out, ' ');
	text_str(out, old ? "HTTP/1.0\r\n" : "HTTP/1.1\r\n");
}

/* The target of the request line that was written. */
static struct span target_of(const struct text *out)
{
	const char *from = memchr(out->ptr, ' ', out->len), *to;

	if (!from)
		return (struct span){ NULL, 0 };
	from++;
	to = memchr(from, ' ', (size_t)(out->ptr + out->len - from));
	return (struct span){ from, to ? (size_t)(to - from) : 0 };
}

/* RFC 9112 3.2: a request of HTTP/1.1 has one. Where none is configured it says what an absolute
 * target says, else the name or the address that the connection leads to. */
static void put_host(const struct walk *walk, struct span target, struct text *out)
{
	bool v6 = walk->to.family == AF_INET6;
	struct uri uri;

	text_str(out, "host: ");
	if (uri_split(target, &uri) && uri.authority.ptr) {
		text_add(out, uri.authority.ptr, uri.authority.len);
	} else if (walk->to.family == AF_UNIX) {
		text_str(out, "localhost");
	} else {
		if (walk->host)
			text_str(out, walk->host);
		else if (v6)
			text_char(out, '[');
		if (!walk->host)
			addr_print(&walk->to, out);
		if (!walk->host && v6)
			text_char(out, ']');
		if (walk->to.port != (walk->tls ? 443 : 80))
			text_printf(out, ":%u", walk->to.port);
	}
	text_str(out, "\r\n");
}

bool http_build(struct walk *walk, const struct step *step, struct text *out)
{
	const struct request_conf *req = step->send.request;
	const struct request_field *f;
	bool old = !walk->h2 && span_equal(req->version, span_of("HTTP/1.0"));
	bool host = false, connection = false;
	char memory[4096];
	struct text body;

	text_init(&body, memory, sizeof(memory));
	if (req->body_format)
		put_format(walk, req->body_format, &body);
	else if (req->body.len && req->body.len < sizeof(memory))
		text_add(&body, req->body.ptr, req->body.len);
	put_start(walk, req, old, out);
	for (f = req->fields; f; f = f->next) {
		if (field_is(f, "content-length") || field_is(f, "transfer-encoding") ||
		    !put_field(walk, f, out))
			continue;
		connection |= field_is(f, "connection");
		host |= field_is(f, "host");
	}
	if (!host && !old)
		put_host(walk, target_of(out), out);
	if (req->send_state)
		put_state(walk, out);
	if (body.len || !method_has_no_body(req->method))
		text_printf(out, "content-length: %zu\r\n", body.len);
	if (!connection && !old)
		text_str(out, "connection: close\r\n");
	text_str(out, "\r\n");
	text_add(out, body.ptr, body.len);
	out->cut |= body.cut;
	walk->method = (uint8_t)method_find(req->method);
	return true;
}

/* What is sent over HTTP/2 is what would be sent over HTTP/1.1, written once more. */
bool http_call(struct walk *walk, struct span request, const char **wrong)
{
	struct span scheme = span_of(walk->tls ? "https" : "http"), body;
	struct field fields[HTTP_FIELDS];
	struct h1_parser parser = { 0 };
	struct message_error error;
	struct message msg;

	message_init(&msg, false, fields, HTTP_FIELDS);
	if (h1_request_head(&parser, request.ptr, request.len, H1_ACCEPT_INVALID | H1_ANY_PAYLOAD, &msg,
			    &error) != H1_DONE) {
		*wrong = "the request cannot leave by HTTP/2";
		return false;
	}
	body = (struct span){ request.ptr + msg.head_len, request.len - msg.head_len };
	walk->call = h2_call_new(&msg, scheme, body, wrong);
	return walk->call;
}

/* -- the response ---------------------------------------------------------------------------- */

void http_forget(struct walk *walk)
{
	free(walk->http);
	walk->http = NULL;
	h2_call_free(&walk->call);
}

static struct span http_body(const struct walk *walk)
{
	return (struct span){ walk->in->data + walk->http->body_at, walk->http->body_len };
}

struct view_http *http_view(struct walk *walk)
{
	struct walk_http *http = walk->http;

	if (!http || !http->head)
		return NULL;
	http->view = (struct view_http){ .response = &http->msg, .response_body = http_body(walk),
					 .response_body_final = true,
					 .server_status = http->msg.status,
					 .status = http->msg.status };
	return &http->view;
}

static enum h1_result http_head(struct walk *walk)
{
	struct walk_http *http = walk->http;
	const struct proxy *backend = walk->check->server->proxy;
	unsigned options = backend->set.options.on & OPT_ACCEPT_BAD_RESPONSE ? H1_ACCEPT_INVALID : 0;
	struct message_error error;
	enum h1_result result;

	result = h1_response_head(&http->parser, walk->in->data, walk->in->len, options,
				  walk->method, &http->msg, &error);
	if (result == H1_BAD)
		walk_set_failure(walk, CHECK_L7RSP, error.text);
	if (result != H1_DONE)
		return result;
	if (walk->call) { /* it was written as HTTP/1 for us */
		http->msg.major = 2;
		http->msg.minor = 0;
	}
	http->head = true;
	http->body_at = http->msg.head_len;
	walk->code = http->msg.status;
	return H1_DONE;
}

/* What has come behind the body so far becomes part of it; its coding is taken off. */
static bool http_read_body(struct walk *walk)
{
	struct walk_http *http = walk->http;
	size_t at = http->body_at + http->body_len, len, consumed, payload;
	struct message_error error;

	if (http->done || walk->in->len < at)
		return true;
	len = walk->in->len - at;
	switch (http->msg.framing) {
	case BODY_CHUNKED:
		switch (h1_chunks_decode(&http->chunks, walk->in->data + at, len, &consumed, &payload,
					 &error)) {
		case H1_BAD:
			walk_set_failure(walk, CHECK_L7RSP, error.text);
			return false;
		case H1_FULL: /* said of heads alone */
			return false;
		case H1_DONE:
			http->done = true;
			break;
		case H1_INCOMPLETE:
			break;
		}
		http->body_len += payload;
		walk->in->len = (uint32_t)(http->body_at + http->body_len);
		return true;
	case BODY_LENGTH:
		if (len >= http->msg.length - http->body_len) {
			len = (size_t)(http->msg.length - http->body_len);
			http->done = true;
		}
		http->body_len += len;
		return true;
	case BODY_CLOSE:
		http->body_len += len;
		return true;
	default:
		http->done = true; /* there is none */
		return true;
	}
}

/* -- judging --------------------------------------------------------------------------------- */

static bool status_in(const struct status_range *range, unsigned status)
{
	for (; range->last; range++)
		if (status >= range->first && status <= range->last)
			return true;
	return false;
}

static bool text_matches(const struct header_pattern *p, struct span what, struct span text,
			 bool ignore_case)
{
	int (*compare)(const char *, const char *, size_t) = ignore_case ? strncasecmp : strncmp;
	size_t i;

	if (p->match == HEADER_REG)
		return regex_test(p->regex, text);
	if (text.len < what.len)
		return false;
	switch (p->match) {
	case HEADER_STR:
		return text.len == what.len && !compare(text.ptr, what.ptr, what.len);
	case HEADER_BEG:
		return !compare(text.ptr, what.ptr, what.len);
	case HEADER_END:
		return !compare(text.ptr + text.len - what.len, what.ptr, what.len);
	case HEADER_SUB:
		for (i = 0; i + what.len <= text.len; i++)
			if (!compare(text.ptr + i, what.ptr, what.len))
				return true;
		return false;
	case HEADER_REG:
		break;
	}
	return false;
}

/* What a pattern says now. */
static struct span pattern_text(struct walk *walk, const struct header_pattern *p, struct text *t)
{
	if (!p->format)
		return p->text;
	put_format(walk, p->format, t);
	return (struct span){ t->ptr, t->len };
}

static bool value_matches(const struct header_test *test, const struct field *f, struct span value)
{
	struct span element;
	size_t at = 0;

	if (test->full)
		return text_matches(&test->value, value, f->value, false);
	while (list_next_any(f->value, &at, &element))
		if (text_matches(&test->value, value, element, false))
			return true;
	return false;
}

static bool header_found(struct walk *walk, const struct header_test *test)
{
	const struct message *msg = &walk->http->msg;
	char name_memory[256], value_memory[1024];
	struct text name_text, value_text;
	struct span name, value;
	unsigned i;

	text_init(&name_text, name_memory, sizeof(name_memory));
	text_init(&value_text, value_memory, sizeof(value_memory));
	name = pattern_text(walk, &test->name, &name_text);
	value = pattern_text(walk, &test->value, &value_text);
	for (i = 0; i < msg->count; i++) {
		const struct field *f = &msg->fields[i];

		if (text_matches(&test->name, name, f->name, true) &&
		    (!test->has_value || value_matches(test, f, value)))
			return true;
	}
	return false;
}

static bool status_matches(const struct step_expect *e, unsigned status)
{
	struct text t;
	char text[8];

	text_init(&t, text, sizeof(text));
	text_num(&t, status);
	return e->kind == EXPECT_STATUS ? status_in(e->ranges, status) :
					  regex_test(e->regex, (struct span){ text, t.len });
}

static enum expect_result body_expect(struct walk *walk, const struct step_expect *e, bool last)
{
	struct span body = http_body(walk), what = e->data;
	struct text t;
	bool found;

	last |= walk->http->done;
	if (!body.len && !last)
		return EXPECT_WAIT;
	if (!body.len) {
		walk_set_failure(walk, e->error ? e->error : CHECK_L7RSP,
				 "HTTP content check could not find a response body");
		return EXPECT_REPORT;
	}
	if (e->kind == EXPECT_BODY_FORMAT) {
		if (!walk_format(walk, e->format, &t))
			return EXPECT_REPORT;
		what = (struct span){ t.ptr, t.len };
	}
	if (!last && ((e->min_recv > 0 && body.len < (size_t)e->min_recv) || body.len < what.len))
		return EXPECT_WAIT;
	found = e->kind == EXPECT_BODY_REGEX ? regex_test(e->regex, body) :
					       memmem(body.ptr, body.len, what.ptr, what.len) != NULL;
	if (!found && !last && e->min_recv < 0)
		return EXPECT_WAIT;
	return found != e->negated ? EXPECT_YES : EXPECT_NO;
}

/* "http-check disable-on-404", of a server that is in use. */
static bool on_its_way_out(const struct walk *walk)
{
	return walk->check->rules->disable_on_404 && walk->http->msg.status == 404 &&
	       walk->check->server->state->op != SERVER_DOWN;
}

static bool http_start(struct walk *walk)
{
	struct walk_http *http = walk->http;

	if (http)
		return true;
	http = calloc(1, sizeof(*http));
	if (!http)
		return false;
	message_init(&http->msg, true, http->fields, HTTP_FIELDS);
	walk->http = http;
	return true;
}

enum expect_result http_expect(struct walk *walk, const struct step_expect *e, bool last)
{
	enum h1_result result;
	bool found;

	walk->status = CHECK_L7RSP;
	if (!http_start(walk))
		return EXPECT_REPORT;
	if (!walk->http->head) {
		result = http_head(walk);
		if (result == H1_INCOMPLETE && !last)
			return EXPECT_WAIT;
		if (result != H1_DONE)
			return EXPECT_REPORT;
	}
	if (!http_read_body(walk))
		return EXPECT_REPORT;
	last = walk->ended || !buf_room(walk->in);
	if (on_its_way_out(walk)) {
		walk->status = CHECK_L7OKC;
		return EXPECT_REPORT;
	}
	if (e->kind == EXPECT_CUSTOM)
		return e->custom(walk, http_body(walk), last);
	if (e->kind == EXPECT_STATUS || e->kind == EXPECT_STATUS_REGEX)
		found = status_matches(e, walk->http->msg.status);
	else if (e->kind == EXPECT_HEADER)
		found = header_found(walk, e->header);
	else
		return body_expect(walk, e, last);
	return found != e->negated ? EXPECT_YES : EXPECT_NO;
}

enum check_status http_error_status(const struct step_expect *e)
{
	if (e->error)
		return e->error;
	return e->kind == EXPECT_STATUS || e->kind == EXPECT_STATUS_REGEX ||
	       e->kind == EXPECT_HEADER ? CHECK_L7STS : CHECK_L7RSP;
}

void http_failed(struct walk *walk, const struct step_expect *e)
{
	bool body = e->kind >= EXPECT_BODY && e->kind <= EXPECT_BODY_FORMAT;
	struct span reason = walk->http->msg.reason;
	char text[CHECK_SAID_SIZE];
	struct text t;

	text_init(&t, text, sizeof(text));
	if (body)
		text_str(&t, e->negated ? "HTTP check matched unwanted content" :
					  "HTTP content check did not match");
	else
		text_add(&t, reason.ptr, reason.len);
	walk_set_failure(walk, http_error_status(e), text);
}
