/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLS on the way to a server: the name that is asked for (manual 5.2 "sni"), the beginning of the
 * handshake, and what the log says when it fails. Called by connect.c, which waits for the
 * handshake and decides what a failure means.
 */
#include "stream/connect_tls.h"

#include "base/clock.h"
#include "base/err.h"
#include "config/config.h"
#include "config/module.h"
#include "expr/expr.h"
#include "expr/view.h"
#include "http/upgrade_field.h"
#include "log/log.h"
#include "net/faults.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/stream.h"
#include "tls/client.h"
#include "tls/conn.h"
#include "tls/link.h"

#include <string.h>

enum { TELL_EVERY_MS = 1000 }; /* of one server: one that is set up wrongly fails at each request */

/* ---- sni --------------------------------------------------------------------------------- */

static int parse_sni(struct statement *st, const struct keyword *kw, void *object)
{
	struct server *server = object;
	struct expr_context ctx = { .arena = st->cfg->arena, .loc = st->loc,
				    .proxy = server->proxy };
	const char *text = stmt_need(st, "an expression such as 'req.hdr(host)' or "
					 "'str(www.example.com)'");
	struct expr *expr;
	struct err err;

	(void)kw;
	if (!text)
		return -1;
	expr_context_of(&ctx, st->cfg);
	expr = expr_parse_all(text, &ctx, &err);
	if (!expr) {
		stmt_error(st, st->at - 1, "%s", err.text);
		if (strchr(text, '.') && !strpbrk(text, "(,"))
			stmt_hint(st, "a name that is always the same is written 'str(%s)'", text);
		return -1;
	}
	if (!(expr_where(expr) & AT_SERVER))
		return stmt_error(st, st->at - 1, "'%s' looks at the %s, which is not there yet "
				  "when a connection to the server is made", expr_fetch_name(expr),
				  expr_source(expr));
	server->set.sni = expr;
	return 0;
}

static const struct keyword sni_keywords[] = {
	{ "sni", SCOPE_SERVER, 0, "<expression>", parse_sni, .dflt = "none",
	  .help = "the name that the server is asked for, and that its certificate must be for" },
	{ 0 }
};

const struct module sni_module = {
	.name = "sni",
	.keywords = sni_keywords,
};

bool connect_tls_name(struct stream *s, struct span *name)
{
	struct sample smp;
	struct view view;
	bool unsaid;

	*name = (struct span){ "", 0 };
	if (!s->server->set.sni) {
		if (unlikely(s->origin->carrier->server_name != NULL))
			*name = s->origin->carrier->server_name(s->origin, &unsaid);
		return true;
	}
	stream_view(s, &view, NULL);
	if (expr_eval_as(s->server->set.sni, &view, AT_SERVER | AT_FINAL, SMP_STR, &smp) !=
	    EXPR_FOUND)
		return true;
	/* One that is cut would be another's. */
	if (smp.str.len > TLS_NAME_MOST || (smp.str.len && memchr(smp.str.ptr, 0, smp.str.len)))
		return false;
	*name = smp.str;
	return true;
}

/* ---- maxsslconn -------------------------------------------------------------------------- */

/* Once in a while: how many were not told is told with the next. */
static bool connect_tls_tells(struct server *server)
{
	if (server->tls_told_ms && clock_now_ms - server->tls_told_ms < TELL_EVERY_MS) {
		server->tls_untold++;
		return false;
	}
	server->tls_told_ms = clock_now_ms;
	return true;
}

void connect_tls_too_many(const struct stream *s)
{
	struct server *server = s->server;

	if (!connect_tls_tells(server))
		return;
	log_printf(s->backend->set.log, LOG_L_ERR, "Cannot connect to server %s/%s: maxsslconn "
		   "(%u) is reached, counting connections of clients and to servers.",
		   s->backend->name, server->id, global_state->max_tls);
}

/* ---- the handshake ----------------------------------------------------------------------- */

bool connect_tls_begin(struct stream *s, struct span name, struct span early)
{
	struct tls_target target = { .sni = name, .early = early };

	if (unlikely(s->server->ws) && s->exchange && upgrade_is_websocket(s->kind->message(s)))
		target.alpn = protos[s->server->ws].alpn;

	if (unlikely(s->origin->carrier->server_name != NULL))
		s->origin->carrier->server_name(s->origin, &target.unsaid);
	return tls_conn_connect(end_conn(&s->relay.server), s->server->tls, &target) == 0;
}

/* Names may come from the client. */
static void connect_tls_clean(struct text *t)
{
	size_t i;

	for (i = 0; i < t->len; i++)
		if ((unsigned char)t->ptr[i] < ' ' || (unsigned char)t->ptr[i] >= 0x7f)
			t->ptr[i] = '?';
}

static void connect_tls_count(struct counters *c, bool resumed)
{
	c->tls_sessions += !resumed;
	c->tls_resumed += resumed;
}

void connect_tls_done(struct stream *s)
{
	bool resumed = tls_link_has(end_own_link(&s->relay.server), TLS_NUMBER_RESUMED);

	connect_tls_count(&s->server->tally->counters, resumed);
	connect_tls_count(&s->backend->be->counters, resumed);
	if (s->extra) {
		s->extra->server_fault = FAULT_NONE;
		s->extra->tls_failed = false;
		s->extra->tls_error = 0;
	}
}

/* What bc_err is from now on. */
static enum conn_fault connect_tls_fault(const struct stream *s)
{
	const struct conn *conn = end_conn(&s->relay.server);

	if (tls_client_wrong_name(conn))
		return s->server->set.sni ? FAULT_TLS_MISMATCH_SNI : FAULT_TLS_MISMATCH;
	return tls_link_fault(conn_link(conn)) == TLS_FAULT_NONE ? FAULT_TLS_TIMEOUT :
								   FAULT_TLS_HANDSHAKE;
}

static void connect_tls_tell_carrier(const struct stream *s, const struct conn *conn)
{
	char why[256];
	struct text t;

	if (!s->origin->carrier->tls_failed)
		return;
	text_init(&t, why, sizeof(why));
	tls_client_say(conn, &t);
	s->origin->carrier->tls_failed((struct end *)&s->relay.client, why);
}

void connect_tls_failed(struct stream *s)
{
	const struct conn *conn = end_conn(&s->relay.server);
	struct server *server = s->server;
	char memory[1024];
	struct text t;

	server->tally->counters.tls_failed++;
	s->backend->be->counters.tls_failed++;
	if (extra_get(s)) {
		s->extra->server_fault = (uint8_t)connect_tls_fault(s);
		s->extra->tls_failed = true;
		s->extra->tls_error = tls_link_error(conn_link(conn));
	}
	if (tls_link_fault(conn_link(conn)) != TLS_FAULT_NONE) {
		tls_client_forget(conn);
		connect_tls_tell_carrier(s, conn);
	}
	if (!connect_tls_tells(server))
		return;
	text_init(&t, memory, sizeof(memory));
	text_printf(&t, "Server %s/%s: TLS handshake failed: ", s->backend->name, server->id);
	tls_client_say(conn, &t);
	if (tls_link_error(conn_link(conn))) {
		text_str(&t, " [");
		tls_client_say_library(conn, &t);
		text_char(&t, ']');
	}
	if (server->tls_untold)
		text_printf(&t, "; %u failures before were not told", server->tls_untold);
	server->tls_untold = 0;
	connect_tls_clean(&t);
	log_send(s->backend->set.log, LOG_L_ERR, t.ptr, t.len);
}
