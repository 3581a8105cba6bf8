/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields that tell the server who asked: X-Forwarded-For, X-Original-To, the unique id (manual
 * 4.2). Called once for each request, behind the rules of the backend; rules do not see them.
 * Where frontend and backend both have the option: a network that either excepts is left out, the
 * backend's name wins, and the field is only left out for being there if both say so. */
#include "exchange/forwarded.h"

#include "base/arena.h"
#include "config/keyword.h"
#include "exchange/edit.h"
#include "exchange/exchange.h"
#include "expr/arg.h"
#include "expr/unique_id.h"
#include "http/message.h"
#include "http/scan.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

#include <arpa/inet.h>

/* An option line; a later one replaces it as a whole. */
struct forwarded {
	struct span name;
	bool if_none;
	int family;          /* of the excepted network; 0: none */
	struct in_addr net4, mask4;
	struct in6_addr net6, mask6;
};

struct proxy_part forwarded_part = { PROXY_SETTINGS("forwarded", struct forwarded_conf) };

/* -- parsing ---------------------------------------------------------------------------- */

/* "10.0.0.0/8", "192.0.2.1", "2001:db8::/32" */
static bool parse_network(const char *word, struct forwarded *f)
{
	char addr[64];
	const char *slash = strchr(word, '/');
	size_t len = slash ? (size_t)(slash - word) : strlen(word);
	struct span mask = span_of(slash ? slash + 1 : "");

	if (len >= sizeof(addr))
		return false;
	memcpy(addr, word, len);
	addr[len] = 0;
	if (inet_aton(addr, &f->net4)) {
		f->family = AF_INET;
		return arg_mask4(slash ? mask : span_of("32"), &f->mask4);
	}
	f->family = AF_INET6;
	return inet_pton(AF_INET6, addr, &f->net6) == 1 &&
	       arg_mask6(slash ? mask : span_of("128"), &f->mask6);
}

static int parse_except(struct statement *st, struct forwarded *f)
{
	const char *word = stmt_need(st, "a network");

	if (!word || parse_network(word, f))
		return word ? 0 : -1;
	return stmt_error(st, st->at - 1, "'%s' is no network such as 10.0.0.0/8 or 2001:db8::/32",
			  word);
}

static int parse_name(struct statement *st, struct span *name)
{
	const char *word = stmt_need(st, "the name of a header");

	if (!word)
		return -1;
	*name = span_of(word);
	if (!name->len || *scan_token(word, word + name->len))
		return stmt_error(st, st->at - 1, "'%s' is no name of a header", word);
	return 0;
}

enum { FORWARDFOR, ORIGINALTO };

static struct forwarded_conf *conf_of(struct statement *st, void *object)
{
	return proxy_part_make(object, &forwarded_part, st->cfg->arena);
}

static int parse_forwarded(struct statement *st, const struct keyword *kw, void *object)
{
	static const char *const words[] = { "except", "header", "if-none", NULL };
	struct forwarded *f = arena_alloc(st->cfg->arena, sizeof(*f));
	bool original = kw->min == ORIGINALTO;

	f->name = span_of(original ? "X-Original-To" : "X-Forwarded-For");
	while (stmt_peek(st)) {
		if (stmt_take(st, "except")) {
			if (parse_except(st, f))
				return -1;
		} else if (stmt_take(st, "header")) {
			if (parse_name(st, &f->name))
				return -1;
		} else if (!original && stmt_take(st, "if-none")) {
			f->if_none = true;
		} else {
			return stmt_unknown(st, st->at, "word of this option", words);
		}
	}
	if (original)
		conf_of(st, object)->originalto = f;
	else
		conf_of(st, object)->forwardfor = f;
	return 0;
}

static int parse_unique_id(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	return parse_name(st, &conf_of(st, object)->unique_id_header);
}

/* It is set on the way to the server: what tells where a message ends must not be. */
static int parse_name_header(struct statement *st, const struct keyword *kw, void *object)
{
	static const char *const framing[] = { "content-length", "transfer-encoding", "connection",
					       "upgrade", "te", "trailer" };
	struct span *name = &conf_of(st, object)->name_header;
	size_t i;

	(void)kw;
	if (parse_name(st, name))
		return -1;
	for (i = 0; i < sizeof(framing) / sizeof(framing[0]); i++) {
		if (span_equal_nocase(*name, span_of(framing[i])))
			return stmt_error(st, st->at - 1, "'%s' belongs to the connection or tells where "
					  "a message ends: it cannot be a server's name", framing[i]);
	}
	return 0;
}

static const struct keyword keywords[] = {
	{ .name = "http-send-name-header", .scope = SCOPE_BACK, .args = "<name>",
	  .parse = parse_name_header,
	  .help = "header that tells each server its own name" },
	{ .name = "option forwardfor", .scope = SCOPE_PROXY,
	  .args = "[except <network>] [header <name>] [if-none]", .parse = parse_forwarded,
	  .min = FORWARDFOR,
	  .help = "tells the server the client's address in X-Forwarded-For" },
	{ .name = "option originalto", .scope = SCOPE_PROXY,
	  .args = "[except <network>] [header <name>]", .parse = parse_forwarded,
	  .min = ORIGINALTO, .max = ORIGINALTO,
	  .help = "tells the server in X-Original-To which address the client connected to" },
	{ .name = "unique-id-header", .scope = SCOPE_FRONT, .args = "<name>",
	  .parse = parse_unique_id,
	  .help = "header that tells the server the unique id of the request" },
	{ 0 },
};

/* -- adding ----------------------------------------------------------------------------- */

static bool excepts(const struct forwarded *f, const struct addr *addr)
{
	size_t i;

	if (!f || f->family != addr->family)
		return false;
	if (f->family == AF_INET)
		return (addr->v4.s_addr & f->mask4.s_addr) == (f->net4.s_addr & f->mask4.s_addr);
	for (i = 0; i < sizeof(addr->v6); i++) {
		if ((addr->v6.s6_addr[i] & f->mask6.s6_addr[i]) !=
		    (f->net6.s6_addr[i] & f->mask6.s6_addr[i]))
			return false;
	}
	return true;
}

static bool add_address(struct exchange *x, const struct forwarded *front,
			const struct forwarded *back, const struct addr *addr)
{
	const struct forwarded *names = back ? back : front;
	struct message *req = &x->req;
	char memory[80];
	unsigned at = 0;
	struct text t;

	if (!names || (addr->family != AF_INET && addr->family != AF_INET6))
		return true;
	if (excepts(front, addr) || excepts(back, addr))
		return true;
	if ((!front || front->if_none) && (!back || back->if_none) &&
	    message_find(req, names->name, &at))
		return true;
	text_init(&t, memory, sizeof(memory));
	addr_print(addr, &t);
	return edit_add(req, x->arena, names->name,
			arena_keep(x->arena, (struct span){ t.ptr, t.len }));
}

static bool add_unique_id(struct exchange *x, const struct proxy *frontend,
			  const struct forwarded_conf *conf)
{
	struct view view;
	struct span id;

	if (!frontend->set.unique_id)
		return true;
	stream_view(x->stream, &view, NULL);
	id = unique_id_of(&view); /* for the log, too: the request is still there */
	if (!conf || !conf->unique_id_header.ptr)
		return true;
	return edit_add(&x->req, x->arena, conf->unique_id_header, id);
}

bool forwarded_name_server(struct exchange *x)
{
	const struct stream *s = x->stream;
	const struct forwarded_conf *conf = s->backend ? forwarded_conf_of(s->backend) : NULL;

	return !conf || !conf->name_header.ptr || !s->server || server_is_dispatch(s->server) ||
	       edit_set(&x->req, x->arena, conf->name_header, span_of(s->server->id));
}

bool forwarded_add(struct exchange *x)
{
	const struct proxy *frontend = x->stream->origin->frontend, *backend = x->stream->backend;
	static const struct forwarded_conf none;
	const struct forwarded_conf *front = forwarded_conf_of(frontend), *back = front;
	struct addr dst;

	if (backend)
		back = forwarded_conf_of(backend);
	if (!add_unique_id(x, frontend, front))
		return false;
	if (!front && !back)
		return true;
	front = front ? front : &none;
	back = back ? back : &none;
	if (!add_address(x, front->forwardfor, back->forwardfor, stream_src(x->stream)))
		return false;
	if (!front->originalto && !back->originalto)
		return true;
	return !stream_dst(x->stream, &dst) ||
	       add_address(x, front->originalto, back->originalto, &dst);
}

const struct module forwarded_module = {
	.name = "forwarded",
	.keywords = keywords,
};
