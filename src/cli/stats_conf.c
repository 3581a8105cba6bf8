/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of the global section around the stats socket, and the names of the node that it
 * shows. The sockets are the listeners of a hidden frontend, GLOBAL, that is answered by a
 * conversation instead of a server. (Manual 3.1 and management guide 9.3.)
 */
#include "cli/stats_conf.h"

#include "base/arena.h"
#include "cli/applet.h"
#include "cli/cli.h"
#include "cli/conversation.h"
#include "config/config.h"
#include "event/talk.h"
#include "net/bind_conf.h"
#include "net/bind_part.h"
#include "net/listener.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "proxy/proxy_conf.h"
#include "stats/info.h"
#include "stream/tune.h"

#include <stdlib.h>
#include <string.h>

#define SOCKETS_VARIABLE "HAPROXY_CLI"

struct bind_part cli_socket_part = { BIND_PART("stats socket", struct cli_socket) };
const struct cli_socket cli_socket_usual;

void cli_socket_allow(struct bind_conf *bind, struct arena *arena, int level)
{
	struct cli_socket *words = bind_part_make(bind, &cli_socket_part, arena);

	words->level = level;
}

struct stats_conf {
	struct proxy *frontend; /* NULL: no socket yet */
	unsigned timeout, maxconn;
	const char *node, *description;
};

static void stats_conf_init(struct config *cfg, void *data)
{
	struct stats_conf *conf = data;

	(void)cfg;
	unsetenv(SOCKETS_VARIABLE);
	conf->timeout = 10000;
	conf->maxconn = 10;
}

static struct proxy *stats_frontend(struct statement *st, struct stats_conf *conf)
{
	struct proxies *all = config_data(st->cfg, &proxy_module);
	const struct proxy *px;

	if (conf->frontend)
		return conf->frontend;
	conf->frontend = proxy_new(st->cfg, "GLOBAL", PROXY_FRONTEND, &st->loc, NULL);
	conf->frontend->stats_socket = true;
	conf->frontend->applet = cli_applet_open;
	list_append(&all->stats_frontends, &conf->frontend->node);
	all->stats_place = 1;
	list_for_each(px, &all->list, node)
		all->stats_place++;
	return conf->frontend;
}

static bool is_loopback(const struct addr *addr)
{
	return addr->family == AF_INET ? ntohl(addr->v4.s_addr) >> 24 == 127 :
					 IN6_IS_ADDR_LOOPBACK(&addr->v6);
}

/* Whoever reaches it may do all that the program can. */
static void doubt_admin(struct statement *st, const struct bind_conf *bind)
{
	const struct listener *l;
	bool others = bind->mode > 0 && bind->mode & 06;

	if (cli_socket_of(bind)->level != LEVEL_ADMIN)
		return;
	list_for_each(l, &bind->listeners, node) {
		if (l->addr.family == AF_UNIX && others)
			stmt_note(st, 2,
				  "every user of the machine is an administrator here: 'mode 660' "
				  "and 'group' leave it to some");
		else if ((l->addr.family == AF_INET || l->addr.family == AF_INET6) &&
			 !is_loopback(&l->addr))
			stmt_note(st, 2,
				  "whoever reaches this address is an administrator here, without "
				  "a password: a Unix socket, or 127.0.0.1, leaves it to the "
				  "machine");
		else
			continue;
		return;
	}
}

static int socket_level(struct statement *st, const struct keyword *kw, void *object)
{
	static const char *const names[] = { [LEVEL_USER] = "user", [LEVEL_OPERATOR] = "operator",
					     [LEVEL_ADMIN] = "admin" };
	const char *word = stmt_need(st, "user, operator or admin");
	int i;

	(void)kw;
	if (!word)
		return -1;
	for (i = LEVEL_USER; i <= LEVEL_ADMIN; i++)
		if (!strcmp(word, names[i])) {
			((struct cli_socket *)object)->level = i;
			return 0;
		}
	return stmt_error(st, st->at - 1, "'%s' is not a level: user, operator or admin expected",
			  word);
}

static void *socket_words(struct statement *st, void *object)
{
	return bind_part_make(object, &cli_socket_part, st->cfg->arena);
}

static int stats_parse_socket(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy *px = stats_frontend(st, object);
	struct bind_conf *bind = bind_conf_new(st, px);

	(void)kw;
	cli_socket_allow(bind, st->cfg->arena, LEVEL_OPERATOR);
	list_append(&px->binds, &bind->node);
	if (bind_conf_parse(st, bind))
		return -1;
	doubt_admin(st, bind);
	return 0;
}

static int stats_parse_bind_process(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word;

	(void)kw;
	(void)object;
	while ((word = stmt_next(st)))
		if (strcmp(word, "1") && strcmp(word, "all") && strcmp(word, "odd") &&
		    strcmp(word, "even"))
			return stmt_error(st, st->at - 1,
					  "there is one process: 'stats bind-process' takes 1, "
					  "'all', 'odd' or 'even', not '%s'", word);
	return 0;
}

static int stats_parse_node(struct statement *st, const struct keyword *kw, void *object)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789.-_";
	const char *word = stmt_need(st, "the name of the node");

	(void)kw;
	if (!word)
		return -1;
	if (!*word || word[strspn(word, allowed)])
		return stmt_error(st, st->at - 1,
				  "the name of a node has letters, digits, '.', '-' and '_' only");
	((struct stats_conf *)object)->node = word;
	return 0;
}

/* The words as they are, with one blank between them. */
static int stats_parse_description(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "a description"), *text = word;

	(void)kw;
	if (!word)
		return -1;
	while ((word = stmt_next(st)))
		text = arena_printf(st->cfg->arena, "%s %s", text, word);
	((struct stats_conf *)object)->description = text;
	return 0;
}

static int stats_conf_finish(struct config *cfg, void *data)
{
	struct stats_conf *conf = data;
	const struct bind_conf *bind;

	(void)cfg;
	if (!conf->frontend)
		return 0;
	conf->frontend->set.timeout.client = conf->timeout;
	conf->frontend->set.maxconn = conf->maxconn;
	list_for_each(bind, &conf->frontend->binds, node)
		bind_conf_export(bind, SOCKETS_VARIABLE);
	return 0;
}

static int stats_conf_prepare(struct config *cfg, void *data, struct err *err)
{
	const struct stats_conf *conf = data;
	const struct tune *tune = config_data(cfg, &tune_module);

	(void)err;
	cli_line_most = tune->bufsize > CLI_LINE_LEAST ? tune->bufsize : CLI_LINE_LEAST;
	talk_serve = conversation_serve_talk;
	info_begin();
	info_conf.node = global_node = conf->node;
	info_conf.description = conf->description;
	return 0;
}

#define AT(field) offsetof(struct stats_conf, field)

static const struct keyword stats_conf_keywords[] = {
	{ "description", SCOPE_GLOBAL, 0, "<text>", stats_parse_description,
	  .help = "description of this node, shown by \"show info\"" },
	{ "level", SCOPE_BIND, 0, "<level>", socket_level, .within = socket_words,
	  .dflt = "operator",
	  .help = "stats socket: user, operator or admin" },
	{ "node", SCOPE_GLOBAL, 0, "<name>", stats_parse_node, .dflt = "the name of the host",
	  .help = "name of this node, shown by \"show info\"" },
	{ "severity-output", SCOPE_BIND, 0, "<format>", set_enum, .within = socket_words,
	  .offset = offsetof(struct cli_socket, severity_output),
	  .names = (const char *const[]){ "none", "number", "string", NULL }, .dflt = "none",
	  .help = "stats socket: put the severity in front of messages" },
	{ "stats bind-process", SCOPE_GLOBAL, 0, "[1|all|odd|even]", stats_parse_bind_process,
	  .help = "for old configurations: there is one process" },
	{ "stats maxconn", SCOPE_GLOBAL, 0, "<connections>", set_unsigned, .offset = AT(maxconn),
	  .min = 1, .max = 1000000, .dflt = "10",
	  .help = "most connections to the stats sockets at a time" },
	{ "stats socket", SCOPE_GLOBAL, 0, "<address>|<path> [<bind words>]", stats_parse_socket,
	  .help = "listen for commands: statistics and changes at run time" },
	{ "stats timeout", SCOPE_GLOBAL, 0, "<time>", set_duration, .offset = AT(timeout),
	  .min = 1, .max = INT32_MAX, .dflt = "10s",
	  .help = "close a connection to a stats socket that is idle for so long" },
	{ 0 },
};

const struct module stats_conf_module = {
	.name = "stats socket",
	.keywords = stats_conf_keywords,
	.data_size = sizeof(struct stats_conf),
	.init = stats_conf_init,
	.finish = stats_conf_finish,
	.prepare = stats_conf_prepare,
};
