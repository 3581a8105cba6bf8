/* SPDX-License-Identifier: BSD-2-Clause */
/* option forwarded: tells the server in the field Forwarded (RFC 7239) who asked, by which protocol
 * and for which host. The element follows what the client has sent in its last such field. Its
 * order and quotes are those of HAProxy 2.8. Called once for each request, as option forwardfor is.
 */
#include "exchange/forwarded_field.h"

#include "base/arena.h"
#include "config/keyword.h"
#include "exchange/exchange.h"
#include "expr/expr.h"
#include "expr/http.h"
#include "expr/rfc7239.h"
#include "expr/view.h"
#include "http/message.h"
#include "http/rfc7239.h"
#include "proxy/proxy.h"
#include "stream/steps.h"
#include "stream/stream.h"
#include "tls/link.h"

enum { ELEMENT_MAX = 2048 };

/* Where a part comes from. */
struct part {
	bool given;
	struct expr *expr; /* NULL: from the connection, or the Host field */
};

/* An option line; a later one replaces it as a whole. */
struct forwarded_field {
	bool proto;
	struct part host, by, by_port, from, from_port;
};

struct proxy_part forwarded_field_part = { PROXY_SETTINGS("forwarded field",
							   struct forwarded_field),
					   .back_steps = REQUEST_FIELDS };

/* -- parsing ---------------------------------------------------------------------------- */

static const struct {
	const char *name;
	size_t offset;
} parts[] = {
	{ "by", offsetof(struct forwarded_field, by) },
	{ "by_port", offsetof(struct forwarded_field, by_port) },
	{ "for", offsetof(struct forwarded_field, from) },
	{ "for_port", offsetof(struct forwarded_field, from_port) },
	{ "host", offsetof(struct forwarded_field, host) },
};

/* "for", or "for-expr <expression>". 1: it was one, 0: another word, -1: after a report. */
static int parse_part(struct statement *st, struct proxy *px, struct forwarded_field *f)
{
	const char *word = stmt_peek(st);
	struct part *part;
	size_t i, len;

	for (i = 0; i < ARRAY_LEN(parts); i++) {
		len = strlen(parts[i].name);
		if (strncmp(word, parts[i].name, len) != 0 ||
		    (word[len] && strcmp(word + len, "-expr") != 0))
			continue;
		part = (struct part *)((char *)f + parts[i].offset);
		*part = (struct part){ .given = true };
		stmt_next(st);
		if (!word[len])
			return 1;
		part->expr = expr_parse_words(st, px);
		if (!part->expr)
			return -1;
		if (!expr_allowed(part->expr, AT_SERVER, st->cfg, &st->loc))
			return stmt_error(st, st->at - 1,
					  "'%s' finds nothing in a request that leaves: it "
					  "looks at the %s",
					  expr_text(part->expr), expr_source(part->expr));
		return 1;
	}
	return 0;
}

static void warn_port(struct statement *st, const struct part *node, struct part *port,
		      const char *name)
{
	if (!port->given || node->given)
		return;
	stmt_warning(st, 0, "'%s_port' is ignored: there is no '%s'", name, name);
	port->given = false;
}

static int parse_option(struct statement *st, const struct keyword *kw, void *object)
{
	static const char *const words[] = { "by", "by-expr", "by_port", "by_port-expr", "for",
					     "for-expr", "for_port", "for_port-expr", "host",
					     "host-expr", "proto", NULL };
	struct forwarded_field *f = arena_alloc(st->cfg->arena, sizeof(*f));
	struct proxy *px = object;
	int said;

	(void)kw;
	if (st->no) {
		proxy_part_set(px, &forwarded_field_part, NULL);
		return stmt_end(st);
	}
	f->proto = f->from.given = !stmt_peek(st);
	while (stmt_peek(st)) {
		said = stmt_take(st, "proto") ? 1 : parse_part(st, px, f);
		if (said < 0)
			return -1;
		if (!said)
			return stmt_unknown(st, st->at, "word of this option", words);
		f->proto |= !strcmp(st->words[st->at - 1].text, "proto");
	}
	warn_port(st, &f->by, &f->by_port, "by");
	warn_port(st, &f->from, &f->from_port, "for");
	if (px->caps == PROXY_FRONTEND)
		stmt_warning(st, 0,
			     "'option forwarded' is ignored in a frontend: it belongs to backends");
	proxy_part_set(px, &forwarded_field_part, f);
	return 0;
}

static const struct keyword keywords[] = {
	{ .name = "option forwarded",
	  .scope = SCOPE_PROXY,
	  .flags = KW_NO,
	  .args = "[proto] [host | host-expr <expr>] [by | by-expr <expr>] [by_port | by_port-expr "
		  "<expr>] "
		  "[for | for-expr <expr>] [for_port | for_port-expr <expr>]",
	  .parse = parse_option,
	  .dflt = "off",
	  .help = "tells the server who asked, in the field Forwarded (RFC 7239)" },
	{ 0 },
};

/* -- adding ----------------------------------------------------------------------------- */

static bool eval(const struct part *part, const struct view *view, struct sample *smp)
{
	return expr_eval(part->expr, view, AT_SERVER | AT_FINAL, smp) == EXPR_FOUND;
}

static void put_name(struct text *t, const char *name)
{
	if (t->len)
		text_char(t, ';');
	text_str(t, name);
	text_char(t, '=');
}

static void put_host(struct text *t, const struct part *part, const struct view *view,
		     const struct message *req)
{
	struct span host = { NULL, 0 };
	struct sample smp;

	if (!part->expr)
		http_first_value(req, span_of("host"), &host);
	else if (eval(part, view, &smp) && sample_cast(&smp, SMP_STR))
		host = smp.str;
	put_name(t, "host");
	text_char(t, '"');
	if (host.len && rfc7239_host_is_valid(host))
		text_add(t, host.ptr, host.len);
	text_char(t, '"');
}

static void put_addr_node(struct text *t, const struct addr *addr)
{
	if (addr && addr->family == AF_INET)
		rfc7239_put_v4(t, addr->v4);
	else if (addr && addr->family == AF_INET6)
		rfc7239_put_v6(t, &addr->v6);
	else
		text_str(t, "unknown");
}

/* ":80", or nothing. */
static void put_port(struct text *t, const struct part *part, const struct addr *addr,
		     const struct view *view)
{
	size_t before = t->len;
	struct sample smp = { .type = SMP_INT };

	text_char(t, ':');
	if (part->expr ? eval(part, view, &smp) && rfc7239_put_sample_port(t, &smp) :
			 addr && addr->family != AF_UNIX &&
				 ((smp.num = addr->port), rfc7239_put_sample_port(t, &smp)))
		return;
	t->len = before;
	t->ptr[before] = 0;
}

/* Quotes stand where a colon may be. */
static void put_node(struct text *t, const char *name, const struct part *node,
		     const struct part *port, const struct addr *addr, const struct view *view)
{
	char memory[ELEMENT_MAX];
	struct sample smp;
	struct text own;
	bool quoted;

	text_init(&own, memory, sizeof(memory));
	if (!node->expr)
		put_addr_node(&own, addr);
	else if (eval(node, view, &smp))
		rfc7239_put_sample_node(&own, &smp);
	else
		text_str(&own, "unknown");
	quoted = port->given || *own.ptr == '[';
	if (port->given)
		put_port(&own, port, addr, view);
	put_name(t, name);
	if (quoted)
		text_char(t, '"');
	text_add(t, own.ptr, own.len);
	t->cut |= own.cut;
	if (quoted)
		text_char(t, '"');
}

static void put_element(struct text *t, const struct forwarded_field *f, const struct exchange *x)
{
	struct addr memory;
	struct view view;

	stream_view(x->stream, &view, NULL);
	if (f->proto) {
		put_name(t, "proto");
		text_str(t, tls_link_is(view.client_link) ? "https" : "http");
	}
	if (f->host.given)
		put_host(t, &f->host, &view, &x->req);
	if (f->by.given)
		put_node(t, "by", &f->by, &f->by_port, view_dst(&view, &memory), &view);
	if (f->from.given)
		put_node(t, "for", &f->from, &f->from_port, view.src, &view);
}

/* The last one that holds anything. */
static struct field *last_field(const struct message *req, struct span name)
{
	struct field *f, *last = NULL;
	unsigned at = 0;

	while ((f = message_find(req, name, &at)))
		last = f;
	return last && last->value.len ? last : NULL;
}

/* An element that is too long is left out. */
bool forwarded_field_add(struct exchange *x)
{
	const struct proxy *backend = x->stream->backend;
	const struct forwarded_field *f = backend ? proxy_part(backend, &forwarded_field_part) : NULL;
	struct span name = span_of("forwarded");
	char memory[2 * ELEMENT_MAX];
	struct field *last;
	struct text t, all;

	if (!f)
		return true;
	text_init(&t, memory, sizeof(memory));
	put_element(&t, f, x);
	if (t.cut || !t.len)
		return true;
	last = last_field(&x->req, name);
	if (!last)
		return message_add(&x->req, x->arena, name,
				   arena_keep(x->arena, (struct span){ t.ptr, t.len }));
	all.size = last->value.len + t.len + 2;
	all.ptr = arena_alloc(x->arena, all.size);
	if (!all.ptr)
		return false;
	text_init(&all, all.ptr, all.size);
	text_add(&all, last->value.ptr, last->value.len);
	text_char(&all, ',');
	text_add(&all, t.ptr, t.len);
	message_set_value(&x->req, last, (struct span){ all.ptr, all.len });
	return true;
}

const struct module forwarded_field_module = {
	.name = "forwarded field",
	.keywords = keywords,
};
