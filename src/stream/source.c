/* SPDX-License-Identifier: BSD-2-Clause */
/* "usesrc hdr_ip(<name>[,<occurrence>])" of servers and backends (manual 4.2 "source"): the text
 * was taken by proxy/source_conf.c, which knows no expressions; it is compiled when all has been
 * read, and evaluated for each connection that is made. */
#include "stream/source.h"

#include "base/err.h"
#include "expr/expr.h"
#include "expr/view.h"
#include "proxy/part.h"
#include "proxy/proxy.h"
#include "proxy/server_add.h"
#include "stream/stream.h"

static const struct source_conf *source_of(const struct stream *s)
{
	return s->server->set.source.set ? &s->server->set.source : &s->backend->set.source;
}

const struct addr *source_client(struct stream *s, struct addr *memory)
{
	const struct source_conf *source = source_of(s);
	struct sample smp;
	struct view view;

	if (!source->set || source->usesrc != USESRC_HDR)
		return stream_src(s);
	*memory = (struct addr){ .family = AF_UNSPEC };
	stream_view(s, &view, NULL);
	if (!source->usesrc_expr || expr_eval_as(source->usesrc_expr, &view, AT_SERVER | AT_FINAL,
						 SMP_ADDR, &smp) != EXPR_FOUND)
		return memory;
	memory->family = smp.type == SMP_IPV4 ? AF_INET : AF_INET6;
	if (smp.type == SMP_IPV4)
		memory->v4 = smp.v4;
	else
		memory->v6 = smp.v6;
	return memory;
}

static int source_compile(struct config *cfg, struct source_conf *source, struct proxy *px,
			  const struct location *loc)
{
	struct expr_context ctx = { .loc = *loc, .proxy = px };
	struct err err = { "" };

	if (!source->set || source->usesrc != USESRC_HDR || source->usesrc_expr)
		return 0;
	expr_context_of(&ctx, cfg);
	source->usesrc_expr = expr_parse_all(source->usesrc_text, &ctx, &err);
	if (!source->usesrc_expr)
		return config_error(cfg, loc, "usesrc: %s", err.text);
	if (expr_has_converters(source->usesrc_expr))
		return config_error(cfg, loc, "usesrc: '%s': no converters can follow",
				    source->usesrc_text);
	if (px->set.mode != MODE_HTTP)
		config_warning(cfg, loc, "'usesrc %s' finds no header: '%s' is in mode tcp",
			       source->usesrc_text, px->name);
	return 0;
}

static int source_make(struct config *cfg, struct server *s)
{
	return source_compile(cfg, &s->set.source, s->proxy, &s->loc);
}

static int source_finish(struct config *cfg, void *data)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	struct server *s;
	struct proxy *px;
	int bad = 0;

	(void)data;
	list_for_each(px, &all->list, node) {
		bad |= source_compile(cfg, &px->set.source, px, &px->loc);
		for (s = px->servers; s; s = s->next)
			bad |= server_finish_with(cfg, s, source_make);
	}
	return bad;
}

static int source_make_backend(struct config *cfg, struct proxy *px)
{
	return source_compile(cfg, &px->set.source, px, &px->loc);
}

struct proxy_part source_proxy_part = { .make = source_make_backend };
struct server_part source_server_part = { .make = source_make };

const struct module source_module = {
	.name = "sources",
	.finish = source_finish,
};
