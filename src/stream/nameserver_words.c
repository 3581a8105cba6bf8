/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A name server over TCP whose line has words of server lines (manual 5.3.2) is a server of a
 * hidden proxy, so that these words are read, and connections begun, as those of servers. The
 * streams of dns/nameserver.c are all it has: no list of proxies knows it. Called through
 * nameserver_way.
 */
#include "stream/nameserver_words.h"

#include "config.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/clock.h"
#include "base/str.h"
#include "config/config.h"
#include "config/module.h"
#include "config/suggest.h"
#include "dns/resolvers.h"
#include "expr/expr.h"
#include "log/log.h"
#include "net/conn.h"
#include "proxy/proxy.h"
#include "proxy/proxy_conf.h"
#include "proxy/server_dial.h"
#include "tls/client.h"
#include "tls/conn.h"
#include "tls/settings.h"

#include <string.h>
#include <unistd.h>

enum { TELL_EVERY_MS = 1000 };

struct nameserver_line {
	struct nameserver_line *next;
	struct nameserver *ns;
	struct server *server;
	const char *sni;      /* NULL: none */
};

struct nameserver_lines {
	struct nameserver_line *first;
};

/* ---- words ---------------------------------------------------------------------------------- */

static bool has_meaning(const char *word)
{
	static const char *const words[] = { "maxconn", "source", "namespace", "tcp-ut", "tfo",
					     "no-tfo",  "sni",    "crt",       "verifyhost" };
	size_t i;

#ifdef HAVE_OPENSSL
	if (tls_settings_word(word, TLS_IN_SERVER) >= 0)
		return true;
#endif
	for (i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

static bool refuses(struct statement *st, void *object)
{
	(void)object;
	if (has_meaning(st->words[st->at].text))
		return false;
	stmt_error(st, st->at, "'%s' has no meaning behind a name server",
		   st->words[st->at].text);
	stmt_hint(st, "of the words of server lines those of TLS count there, and 'maxconn', "
		  "'namespace', 'source', 'tcp-ut' and 'tfo'");
	st->at++;
	return true;
}

static int parse_words(struct statement *st, struct nameserver *ns)
{
	struct nameserver_lines *lines = config_data(st->cfg, &nameserver_words_module);
	struct nameserver_line *line = arena_alloc(st->cfg->arena, sizeof(*line));
	struct proxy *px = proxy_new(st->cfg, ns->resolvers->name, PROXY_BACKEND, &st->loc, NULL);
	struct server *server = server_conf_new(st, px, ns->name);

	server->spec.addr = ns->addr;
	st->refuses = refuses;
	server->refused = stmt_words(st, SCOPE_SERVER, server) < 0;
	ns->line = line;
	ns->maxconn = server->set.maxconn;
	line->ns = ns;
	line->server = server;
	line->next = lines->first;
	lines->first = line;
	return server->refused ? -1 : 0;
}

static int line_finish(struct config *cfg, struct nameserver_line *line)
{
	struct server *server = line->server;
	struct location loc;

	if (server->refused)
		return 0;
	line->sni = expr_fixed_text(server->set.sni, server, cfg->arena);
	if (server->set.sni && !line->sni) {
		loc = config_locate(cfg, &server->loc, "sni");
		return config_error(cfg, &loc, "name server '%s': there is no client whose name "
				    "could be asked for by 'sni': only what is known beforehand, "
				    "such as 'str(name)', can be", line->ns->name);
	}
	if (!(server->set.tls.options.on & TLS_SSL))
		return 0;
	if (!server_need_tls || server_need_tls(cfg, server))
		return -1;
	server->tls = server->check_tls;
	return 0;
}

static int finish(struct config *cfg, void *data)
{
	struct nameserver_line *line;
	int rc = 0;

	for (line = ((struct nameserver_lines *)data)->first; line; line = line->next)
		rc |= line_finish(cfg, line);
	return rc;
}

/* ---- connections ---------------------------------------------------------------------------- */

static struct conn *dial(struct nameserver *ns, void *owner, void (*ready)(struct conn *))
{
	const unsigned flags = CONN_CONNECTING | (ns->addr.family == AF_UNIX ? 0 : CONN_TCP);
	const struct addr nobody = { .family = AF_UNSPEC };
	struct server *server = ns->line->server;
	struct conn *conn;
	int fd;

	if (server_dial(server, &ns->addr, &nobody, NULL, true, NULL, &fd) != DIAL_STARTED)
		return NULL;
	conn = conn_new();
	if (!conn) {
		close(fd);
		return NULL;
	}
	conn->owner = owner;
	if (conn_attach(conn, &fd, flags, ready) < 0)
		conn_close(&conn, false);
	return conn;
}

/* Once in a while. */
static void tell_failure(struct nameserver *ns, const struct conn *conn)
{
	struct server *server = ns->line->server;
	char why[512];
	struct text t;

	if (server->tls_told_ms && clock_now_ms - server->tls_told_ms < TELL_EVERY_MS)
		return;
	server->tls_told_ms = clock_now_ms;
	text_init(&t, why, sizeof(why));
	tls_client_say(conn, &t);
	log_process(LOG_L_WARNING, "resolvers '%s', name server '%s': TLS handshake failed: %s",
		    ns->resolvers->name, ns->name, why);
}

static enum io shake(struct nameserver *ns, struct conn *conn, bool first)
{
	const struct nameserver_line *line = ns->line;
	struct tls_target target = { .sni = span_of(line->sni ? line->sni : "") };
	enum io io;

	if (!line->server->tls)
		return IO_OK;
	if (first && tls_conn_connect(conn, line->server->tls, &target) < 0)
		return IO_ERR;
	io = tls_conn_handshake(conn);
	if (io == IO_EOF || io == IO_ERR) {
		tell_failure(ns, conn);
		tls_client_forget(conn);
	}
	return io;
}

static const struct nameserver_way way = { .parse = parse_words, .dial = dial, .shake = shake };

static void init(struct config *cfg, void *data)
{
	(void)cfg;
	(void)data;
	nameserver_way = &way;
}

const struct module nameserver_words_module = {
	.name = "nameserver_words", .data_size = sizeof(struct nameserver_lines), .init = init,
	.finish = finish,
};
