/* SPDX-License-Identifier: BSD-2-Clause */
/* filter trace: says on the standard error stream what happens to a stream at its place among the
 * filters: moments of its life, heads, and the bytes that pass. With random-forwarding it lets a
 * random part of what it is shown pass, which tries out the filters behind it. */
#include "filter/trace.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/kind.h"
#include "base/pool.h"
#include "base/str.h"
#include "config/module.h"
#include "filter/filter.h"
#include "http/message.h"
#include "proxy/proxy.h"
#include "relay/pump.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct trace_line {
	const char *name;
	bool quiet, hexdump, random;
	KIND_MEMBER
};

struct trace {
	struct filter filter;
	struct pump_filter request, response;
};

static struct pool trace_pool = POOL_INIT("trace", sizeof(struct trace));

/* ---- lines ---------------------------------------------------------------------------------- */

static const struct trace_line *trace_conf(const struct filter *f)
{
	return KIND_OF(const struct trace_line, f->line->data);
}

static void trace_write(const char *text, int len)
{
	fwrite(text, 1, (size_t)len, stderr);
}

/* When, and at which place. */
static int trace_begin(const struct trace_line *conf, const struct proxy *px, char *line, size_t size)
{
	struct timeval now = clock_wall();
	char place[64];

	snprintf(place, sizeof(place), "%s/%s", conf->name, px->name);
	return snprintf(line, size, "%" PRId64 ".%06u [%-20.20s] ", (int64_t)now.tv_sec,
			(unsigned)now.tv_usec, place);
}

static void trace_say(struct filter *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void trace_say(struct filter *f, const char *fmt, ...)
{
	const struct trace_line *conf = trace_conf(f);
	char line[2048];
	va_list args;
	int n, m;

	if (conf->quiet)
		return;
	n = trace_begin(conf, f->proxy, line, sizeof(line));
	n += snprintf(line + n, sizeof(line) - (size_t)n, "[strm 0x%" PRIx64 " 0x%08x 0x%08x] ",
		      f->set->stream, f->set->relay->request.flags, f->set->relay->response.flags);
	va_start(args, fmt);
	m = vsnprintf(line + n, sizeof(line) - (size_t)n - 1, fmt, args);
	va_end(args);
	n += m;
	if (n > (int)sizeof(line) - 2)
		n = (int)sizeof(line) - 2;
	line[n++] = '\n';
	trace_write(line, n);
}

static const char *trace_mode(const struct filter *f)
{
	return f->set->http ? "HTTP" : "TCP";
}

/* Which proxy has the stream at present. */
static const char *trace_side(const struct filter *f)
{
	return f->set->backend ? "backend" : "frontend";
}

/* What such lines begin with. */
#define WHERE "%-25s: channel=%-10s - mode=%-5s (%s)"

static const char *trace_channel(bool response)
{
	return response ? "RESPONSE" : "REQUEST";
}

static void trace_say_where(struct filter *f, const char *what, bool response)
{
	trace_say(f, WHERE, what, trace_channel(response), trace_mode(f), trace_side(f));
}

enum { HEX_ROW = 16 };

static int trace_byte(char *text, size_t size, const char *bytes, size_t at, size_t len)
{
	const char *gap = at % (HEX_ROW / 2) == HEX_ROW / 2 - 1 ? "  " : "";

	if (at >= len)
		return snprintf(text, size, "   %s", gap);
	return snprintf(text, size, "%02x %s", (unsigned char)bytes[at], gap);
}

static void trace_hex(const char *bytes, size_t len)
{
	char line[128];
	size_t at, i;
	int n;

	for (at = 0; at < len; at += HEX_ROW) {
		n = snprintf(line, sizeof(line), "\t0x%06zx: ", at);
		for (i = 0; i < HEX_ROW; i++)
			n += trace_byte(line + n, sizeof(line) - (size_t)n, bytes, at + i, len);
		line[n++] = '|';
		for (i = 0; i < HEX_ROW && at + i < len; i++)
			line[n++] = isprint((unsigned char)bytes[at + i]) ? bytes[at + i] : '.';
		line[n++] = '|';
		line[n++] = '\n';
		trace_write(line, n);
	}
}

/* ---- moments -------------------------------------------------------------------------------- */

static struct trace *trace_of(struct filter *f)
{
	return FILTER_STATE(struct trace, f, &trace_pool);
}

static void trace_attach(struct filter *f)
{
	trace_say(f, "%-25s: filter-type=%s", "trace_attach",
		  f->proxy == f->set->frontend ? "frontend" : "backend");
	if (f->proxy != f->set->frontend)
		return;
	trace_say(f, "%-25s", "trace_stream_start");
	trace_say_where(f, "trace_chn_start_analyze", false);
}

static void trace_backend(struct filter *f)
{
	trace_say(f, "%-25s: backend=%s", "trace_stream_set_backend", f->set->backend->name);
}

static void trace_fields(struct filter *f, const struct message *msg)
{
	char name[128];
	unsigned i;
	size_t n;

	for (i = 0; i < msg->count; i++) {
		const struct field *field = &msg->fields[i];

		if (!field->name.ptr)
			continue;
		for (n = 0; n < field->name.len && n < sizeof(name) - 1; n++)
			name[n] = (char)tolower((unsigned char)field->name.ptr[n]);
		name[n] = 0;
		trace_say(f, "\t%s: %.*s", name, (int)field->value.len, field->value.ptr);
	}
}

static bool trace_request(struct filter *f, struct filter_heads *heads)
{
	const struct message *req = heads->req;

	trace_say(f, WHERE "\t%.*s %.*s HTTP/%u.%u", "trace_http_headers", trace_channel(false),
		  trace_mode(f), trace_side(f), (int)req->method_text.len, req->method_text.ptr,
		  (int)req->target.len, req->target.ptr, req->major, req->minor);
	trace_fields(f, req);
	return true;
}

static bool trace_response(struct filter *f, struct filter_heads *heads)
{
	const struct message *res = heads->res;

	if (heads->local) {
		trace_say_where(f, "trace_http_reply", true);
		return true;
	}
	trace_say_where(f, "trace_chn_start_analyze", true);
	trace_say(f, WHERE "\tHTTP/%u.%u %u %.*s", "trace_http_headers", trace_channel(true),
		  trace_mode(f), trace_side(f), res->major, res->minor, res->status,
		  (int)res->reason.len, res->reason.ptr);
	trace_fields(f, res);
	return true;
}

static void trace_end(struct filter *f)
{
	trace_say_where(f, "trace_chn_end_analyze", false);
	trace_say_where(f, "trace_chn_end_analyze", true);
	trace_say(f, "%-25s", "trace_stream_stop");
	trace_say(f, "%-25s: filter-type=%s", "trace_detach",
		  f->proxy == f->set->frontend ? "frontend" : "backend");
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static void trace_payload(struct filter *f, bool response, const struct filter_piece *piece)
{
	const char *what = f->set->http ? "trace_http_payload" : "trace_tcp_payload";

	trace_say(f, WHERE " - offset=0 - len=%zu - forward=%zu", what, trace_channel(response),
		  trace_mode(f), trace_side(f), piece->len, piece->taken);
	if (trace_conf(f)->hexdump && !trace_conf(f)->quiet)
		trace_hex(piece->bytes, piece->taken);
	if (f->set->http && piece->last && piece->taken == piece->len)
		trace_say_where(f, "trace_http_end", response);
}

static bool trace_pass(struct filter *f, bool response, struct filter_piece *piece)
{
	piece->taken = piece->len;
	if (trace_conf(f)->random && piece->len)
		piece->taken = (size_t)random() % (piece->len + 1);
	trace_payload(f, response, piece);
	return true;
}

static bool trace_pass_request(struct pump_filter *member, struct filter_piece *piece)
{
	return trace_pass(&container_of(member, struct trace, request)->filter, false, piece);
}

static bool trace_pass_response(struct pump_filter *member, struct filter_piece *piece)
{
	return trace_pass(&container_of(member, struct trace, response)->filter, true, piece);
}

static const struct pump_filter_ops trace_ops[2] = {
	{ .pass = trace_pass_request, .holds = true },
	{ .pass = trace_pass_response, .holds = true },
};

/* Who neither says nor holds anything leaves bytes in their pipes. */
static void trace_open(struct filter *f, bool response)
{
	struct trace *t = trace_of(f);
	struct pump_filter *member = response ? &t->response : &t->request;

	if ((trace_conf(f)->quiet && !trace_conf(f)->random) || member->ops)
		return;
	member->ops = &trace_ops[response];
	filter_link(f, response, member);
}

static void trace_forget(struct filter *f)
{
	trace_of(f)->response = (struct pump_filter){ .ops = NULL };
}

/* ---- the words ------------------------------------------------------------------------------ */

static int parse_trace(struct statement *st, struct proxy *px, struct filter_line *line)
{
	static const char *const words[] = { "name", "quiet", "random-forwarding", "hexdump", NULL };
	struct trace_line *conf = arena_alloc(st->cfg->arena, sizeof(*conf));

	(void)px;
	KIND_IS(struct trace_line, conf);
	line->data = conf;
	conf->name = "TRACE";
	while (stmt_peek(st)) {
		if (stmt_take(st, "name")) {
			conf->name = stmt_need(st, "a name");
			if (!conf->name)
				return -1;
		} else if (stmt_take(st, "quiet")) {
			conf->quiet = true;
		} else if (stmt_take(st, "random-forwarding")) {
			conf->random = true;
		} else if (stmt_take(st, "hexdump")) {
			conf->hexdump = true;
		} else if (stmt_take(st, "random-parsing")) {
			config_notice(st->cfg, &st->loc, "'random-parsing' is of older releases: bytes are "
				      "parsed before a filter sees them; 'random-forwarding' holds "
				      "them back");
		} else {
			return stmt_unknown(st, st->at, "word", words);
		}
	}
	return 0;
}

static void trace_introduce(const struct trace_line *conf, const struct proxy *px)
{
	char line[256];
	int n;

	if (conf->quiet)
		return;
	n = trace_begin(conf, px, line, sizeof(line));
	n += snprintf(line + n, sizeof(line) - (size_t)n,
		      "filter initialized [quiet=false - fwd random=%s - hexdump=%s]\n",
		      conf->random ? "true" : "false", conf->hexdump ? "true" : "false");
	trace_write(line, n);
}

static int trace_prepare(struct config *cfg, void *data, struct err *err)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	const struct filter_line *line;
	const struct proxy *px;

	(void)data;
	(void)err;
	list_for_each(px, &all->list, node)
		for (line = px->filters; line; line = line->next)
			if (line->kind == &trace_filter)
				trace_introduce(KIND_OF(const struct trace_line, line->data), px);
	return 0;
}

const struct filter_kind trace_filter = {
	.name = "trace",
	.parse = parse_trace,
	.pool = &trace_pool,
	.moments = AT_MOMENT(BEGUN),
	.begin = trace_attach,
	.backend = trace_backend,
	.request = trace_request,
	.response = trace_response,
	.open = trace_open,
	.forget = trace_forget,
	.end = trace_end,
};

const struct module trace_module = {
	.name = "trace",
	.prepare = trace_prepare,
};
