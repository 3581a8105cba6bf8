/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands that change a server: set server, set and get weight, enable and disable server and
 * health, set maxconn server. They change the state alone, never the configuration; what
 * follows for trackers, balancing and queues is done by proxy/server_change.c and its hooks.
 */
#include "cli/set_server.h"

#include "check/checks.h"
#include "check/health.h"
#include "cli/session.h"
#include "cli/tables.h"
#include "cli/words.h"
#include "exchange/idle.h"
#include "log/log.h"
#include "proxy/facts.h"
#include "proxy/names.h"
#include "proxy/proxy.h"
#include "proxy/queue.h"
#include "proxy/server_add.h"

#include <arpa/inet.h>

/* -- weight ---------------------------------------------------------------------------------- */

static int weight_set(struct server *s, const char *text, struct err *err)
{
	if (!*text)
		return err_set(err, "Require <weight> or <weight%%>.");
	return server_set_weight(s, text, err);
}

static int weight_start(struct cli_call *call, struct err *err)
{
	struct server *s = cli_server(call, 0, err);

	return s ? weight_set(s, cli_arg(call, 1), err) : -1;
}

static int weight_get(struct cli_call *call, struct err *err)
{
	const struct server *s = server_find_path(cli_arg(call, 0), err);

	if (!s)
		return -1;
	text_printf(call->out, "%u (initial %d)\n", s->state->user_weight, s->set.weight);
	return 0;
}

/* -- state and health ------------------------------------------------------------------------ */

static int state_set(struct server *s, const char *word, struct err *err)
{
	if (!strcmp(word, "ready"))
		server_set_admin(s, 0, ADMIN_NOT_READY);
	else if (!strcmp(word, "drain"))
		server_set_admin(s, ADMIN_FORCED_DRAIN, ADMIN_FORCED_MAINT);
	else if (!strcmp(word, "maint"))
		server_set_admin(s, ADMIN_FORCED_MAINT, ADMIN_FORCED_DRAIN);
	else
		return err_set(err,
			       "'set server <srv> state' expects 'ready', 'drain' and 'maint'.");
	return 0;
}

static int health_set(struct server *s, const char *word, struct err *err)
{
	static const char reason[] = "changed from CLI";

	if (s->tracked)
		return err_set(err, "cannot change health on a tracking server.");
	if (!strcmp(word, "up")) {
		s->state->health = s->set.rise + s->set.fall - 1;
		server_set_up(s, reason);
	} else if (!strcmp(word, "stopping")) {
		s->state->health = s->set.rise + s->set.fall - 1;
		server_set_stopping(s, reason);
	} else if (!strcmp(word, "down")) {
		s->state->health = 0;
		server_set_down(s, reason);
	} else {
		return err_set(err,
			       "'set server <srv> health' expects 'up', 'stopping', or 'down'.");
	}
	facts_publish_checks(s); /* also where nothing but the health has changed */
	return 0;
}

/* -- address --------------------------------------------------------------------------------- */

/* An IP address without port. */
static int addr_read(const char *text, struct addr *addr)
{
	*addr = (struct addr){ 0 };
	if (inet_pton(AF_INET, text, &addr->v4) == 1)
		addr->family = AF_INET;
	else if (inet_pton(AF_INET6, text, &addr->v6) == 1)
		addr->family = AF_INET6;
	else
		return -1;
	return 0;
}

/* Sets the address, "IP changed from ..."; keeps the port. */
static void addr_change(struct server *s, struct addr addr, struct text *said)
{
	struct addr *now = &s->state->addr;

	addr.port = now->port;
	if (addr_equal(&addr, now)) {
		text_str(said, "no need to change the addr");
		return;
	}
	text_str(said, "IP changed from '");
	addr_print(now, said);
	text_str(said, "' to '");
	addr_print(&addr, said);
	text_char(said, '\'');
	*now = addr;
	server_moved(s);
}

static void port_print(const struct server *s, struct text *said)
{
	const struct server_state *st = s->state;

	text_printf(said, st->port_follows ? "+%u" : "%u",
		    st->port_follows ? st->port_offset : st->addr.port);
}

/* "8080", or "+10", "-10": the client's, plus or minus that (manual, "server"). Checks follow no
 * client, so they must have been given a port. */
static void port_change(struct server *s, const char *text, struct text *said)
{
	bool follows = *text == '+' || *text == '-';
	struct server_state *st = s->state;
	uint16_t port, now = st->port_follows ? st->port_offset : st->addr.port;
	int64_t number;

	text_str(said, ", ");
	if (!str_to_int(text + follows, 0, INT64_MAX, &number)) {
		text_printf(said, "problem converting port '%.*s' to an int", STR_CUT(text, 32));
		return;
	}
	if (follows && !st->port_follows && !st->check.port) {
		text_str(said,
			 "can't change <port> to port map because it is incompatible with current "
			 "health check port configuration (use 'port' statement from the 'server' "
			 "directive.");
		return;
	}
	if (number > 65535) {
		text_str(said, "provided port is not valid");
		return;
	}
	port = (uint16_t)(*text == '-' ? -number : number);
	if (follows == st->port_follows && port == now) {
		text_str(said, "no need to change the port");
		return;
	}
	text_str(said, "port changed from '");
	port_print(s, said);
	text_printf(said, "' to '%.1s%u'", follows ? text : "", (unsigned)number);
	server_set_port(s, follows, port);
	server_moved(s);
}

int cli_set_addr(struct server *s, const char *text, const char *port, const char *by,
		 struct text *said, struct err *err)
{
	struct addr addr;

	if (addr_read(text, &addr))
		return err_set(err, "Invalid addr '%.*s' by '%s'", STR_CUT(text, 200), by);
	addr_change(s, addr, said);
	if (port)
		port_change(s, port, said);
	text_printf(said, " by '%s'", by);
	if (s->state->admin & ADMIN_RESOLUTION)
		server_set_admin(s, 0, ADMIN_RESOLUTION);
	log_printf(s->proxy->set.log, LOG_L_NOTICE, "%s/%s: %s", s->proxy->name, s->id, said->ptr);
	return 0;
}

/* A refusal that the reference has as a warning: a change that is none, in all processes. */
static int warned(struct cli_call *call, const struct err *err)
{
	cli_say(call, LOG_L_WARNING, "%s", err->text);
	return 0;
}

static int addr_set(struct cli_call *call, struct server *s, struct err *err)
{
	bool port = !strcmp(cli_arg(call, 3), "port");
	char memory[512];
	struct text said;

	text_init(&said, memory, sizeof(memory));
	if (!*cli_arg(call, 2))
		return err_set(err, "set server <b>/<s> addr requires an address and optionally a "
				    "port.");
	if (*cli_arg(call, 3) && !port)
		return err_set(err, "'port' expected instead of '%.*s'",
			       STR_CUT(cli_arg(call, 3), 200));
	if (cli_set_addr(s, cli_arg(call, 2), port ? cli_arg(call, 4) : NULL,
			 "stats socket command", &said, err))
		return warned(call, err);
	cli_say(call, LOG_L_WARNING, "%s", memory);
	return 0;
}

static int fqdn_set(struct cli_call *call, struct server *s, struct err *err)
{
	char memory[1024];
	struct text said;

	if (!*cli_arg(call, 2))
		return err_set(err, "set server <b>/<s> fqdn requires a FQDN.");
	text_init(&said, memory, sizeof(memory));
	if (server_set_hostname(s, cli_arg(call, 2), "stats socket command", &said, err))
		return -1;
	cli_say(call, LOG_L_WARNING, "%s", memory);
	return 0;
}

/* -- checks ---------------------------------------------------------------------------------- */

static int check_port_read(const char *text, uint16_t *port, struct err *err)
{
	int64_t n;

	if (!str_to_int(text, INT32_MIN, INT32_MAX, &n))
		return err_set(err, "provided port is not an integer");
	if (n < 0 || n > 65535)
		return err_set(err, "provided port is invalid");
	*port = (uint16_t)n;
	return 0;
}

/* "port <port>" may follow an address. */
static int check_port_behind(const struct cli_call *call, uint16_t *port, struct err *err)
{
	if (!*cli_arg(call, 3))
		return 0;
	if (strcmp(cli_arg(call, 3), "port") != 0)
		return err_set(err, "'port' expected instead of '%.*s'",
			       STR_CUT(cli_arg(call, 3), 200));
	return check_port_read(cli_arg(call, 4), port, err);
}

static int without_checks(struct cli_call *call, const char *which)
{
	cli_say(call, LOG_L_WARNING, "%s checks are not enabled on this server", which);
	return 0;
}

static int check_port_set(struct cli_call *call, struct server *s, struct err *err)
{
	if (!s->check)
		return without_checks(call, "health");
	if (!*cli_arg(call, 2))
		return err_set(err, "set server <b>/<s> check-port requires a port.");
	if (check_port_read(cli_arg(call, 2), &s->state->check.port, err))
		return warned(call, err);
	return 0;
}

static int check_addr_set(struct cli_call *call, struct server *s, struct err *err)
{
	uint16_t port = s->state->check.port;
	struct addr addr;

	if (!s->check)
		return without_checks(call, "health");
	if (!*cli_arg(call, 2))
		return err_set(err, "set server <b>/<s> check-addr requires an address and "
				    "optionally a port.");
	if (addr_read(cli_arg(call, 2), &addr)) {
		err_set(err, "invalid addr '%.*s'", STR_CUT(cli_arg(call, 2), 200));
		return warned(call, err);
	}
	if (check_port_behind(call, &port, err))
		return warned(call, err);
	s->state->check.addr = addr;
	s->state->check.port = port;
	return 0;
}

/* -- agents ---------------------------------------------------------------------------------- */

/* One that is paused counts as none. */
static int agent_missing(const struct server *s, struct err *err)
{
	return s->agent && !s->state->agent.paused ?
		       0 : err_set(err, "agent checks are not enabled on this server.");
}

static int agent_set(struct server *s, const char *word, struct err *err)
{
	if (agent_missing(s, err))
		return -1;
	if (!strcmp(word, "up"))
		s->state->agent_down = false;
	else if (!strcmp(word, "down"))
		s->state->agent_down = true;
	else
		return err_set(err, "'set server <srv> agent' expects 'up' or 'down'.");
	health_agent_set(s);
	return 0;
}

static int agent_port_set(struct cli_call *call, struct server *s, const char *text,
			  struct err *err)
{
	uint16_t port;

	if (agent_missing(s, err))
		return without_checks(call, "agent");
	if (!*text)
		return err_set(err, "set server <b>/<s> agent-port requires a port.");
	if (check_port_read(text, &port, err))
		return warned(call, err);
	s->state->agent.port = port;
	return 0;
}

static int agent_addr_set(struct cli_call *call, struct server *s, struct err *err)
{
	uint16_t port = s->state->agent.port;
	struct addr addr;

	if (!*cli_arg(call, 2))
		return err_set(err, "set server <b>/<s> agent-addr requires an address and "
				    "optionally a port.");
	if (agent_missing(s, err))
		return without_checks(call, "agent");
	if (addr_read(cli_arg(call, 2), &addr)) {
		err_set(err, "invalid addr '%.*s'", STR_CUT(cli_arg(call, 2), 200));
		return warned(call, err);
	}
	if (check_port_behind(call, &port, err))
		return warned(call, err);
	s->state->agent.addr = addr;
	s->state->agent.port = port;
	return 0;
}

static int agent_send_set(struct server *s, const char *text, struct err *err)
{
	if (agent_missing(s, err))
		return -1;
	if (check_agent_send(s, text) < 0)
		return err_set(err, "cannot allocate memory for new string.");
	return 0;
}

/* -- TLS, name ------------------------------------------------------------------------------- */

/* Connections that are there stay what they are; none of them is used again. */
static int ssl_set(struct cli_call *call, struct server *s, struct err *err)
{
	const char *word = cli_arg(call, 2);

	if (s->added)
		return err_set(err, "'set server <srv> ssl' not supported on dynamic servers");
	if (!s->tls_switch)
		return err_set(err, "'set server <srv> ssl' cannot be set.  default-server should "
				    "define ssl settings");
	if (strcmp(word, "on") != 0 && strcmp(word, "off") != 0)
		return err_set(err, "'set server <srv> ssl' expects 'on' or 'off'.");
	server_switch_tls(s, !strcmp(word, "on"));
	idle_close_server(s);
	cli_say(call, LOG_L_NOTICE, "server ssl setting updated.");
	return 0;
}

static int name_set(struct cli_call *call, struct server *s, struct err *err)
{
	if (server_rename(s, cli_arg(call, 2), err) < 0)
		return -1;
	cli_say(call, LOG_L_NOTICE, "Server renamed.");
	return 0;
}

/* -- set server ------------------------------------------------------------------------------ */

static const char set_server_usage[] =
	"usage: set server <backend>/<server> addr | agent | agent-addr | agent-port | agent-send | "
	"check-addr | check-port | fqdn | health | name | ssl | state | weight";

/* Words that nothing would look at. */
static int surplus(const struct cli_call *call, struct err *err)
{
	static const struct {
		const char *what;
		int most; /* with the server: one word behind it, or "<address> port <port>" */
	} forms[] = {
		{ "addr", 5 }, { "agent", 3 }, { "agent-addr", 5 }, { "agent-port", 3 },
		{ "agent-send", 3 }, { "check-addr", 5 }, { "check-port", 3 }, { "fqdn", 3 },
		{ "health", 3 }, { "name", 3 }, { "ssl", 3 }, { "state", 3 }, { "weight", 3 },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(forms); i++)
		if (!strcmp(cli_arg(call, 1), forms[i].what) && call->argc > forms[i].most)
			return err_set(err, "'%.*s' is one word too many behind '%s'.",
				       STR_CUT(call->argv[forms[i].most], 200), forms[i].what);
	return 0;
}

static int set_server(struct cli_call *call, struct err *err)
{
	struct server *s = cli_server(call, 0, err);
	const char *what = cli_arg(call, 1);

	if (!s || surplus(call, err))
		return -1;
	if (!strcmp(what, "weight"))
		return weight_set(s, cli_arg(call, 2), err);
	if (!strcmp(what, "state"))
		return state_set(s, cli_arg(call, 2), err);
	if (!strcmp(what, "health"))
		return health_set(s, cli_arg(call, 2), err);
	if (!strcmp(what, "addr"))
		return addr_set(call, s, err);
	if (!strcmp(what, "check-port"))
		return check_port_set(call, s, err);
	if (!strcmp(what, "check-addr"))
		return check_addr_set(call, s, err);
	if (!strcmp(what, "agent"))
		return agent_set(s, cli_arg(call, 2), err);
	if (!strcmp(what, "agent-addr"))
		return agent_addr_set(call, s, err);
	if (!strcmp(what, "agent-port"))
		return agent_port_set(call, s, cli_arg(call, 2), err);
	if (!strcmp(what, "agent-send"))
		return agent_send_set(s, cli_arg(call, 2), err);
	if (!strcmp(what, "fqdn"))
		return fqdn_set(call, s, err);
	if (!strcmp(what, "ssl"))
		return ssl_set(call, s, err);
	if (!strcmp(what, "name"))
		return name_set(call, s, err);
	return err_set(err, "%s", set_server_usage);
}

static int enable_server(struct cli_call *call, struct err *err)
{
	struct server *s = cli_server(call, 0, err);

	return s ? state_set(s, "ready", err) : -1;
}

static int disable_server(struct cli_call *call, struct err *err)
{
	struct server *s = cli_server(call, 0, err);

	if (!s)
		return -1;
	server_set_admin(s, ADMIN_FORCED_MAINT, 0);
	return 0;
}

static int enable_health(struct cli_call *call, struct err *err)
{
	struct server *s = cli_server(call, 0, err);

	if (!s)
		return -1;
	if (!s->check)
		return err_set(err,
			       "Health check was not configured on this server, cannot enable.");
	check_pause(s, false);
	return 0;
}

static int disable_health(struct cli_call *call, struct err *err)
{
	struct server *s = cli_server(call, 0, err);

	if (!s)
		return -1;
	check_pause(s, true);
	return 0;
}

static int enable_agent(struct cli_call *call, struct err *err)
{
	struct server *s = cli_server(call, 0, err);

	if (!s)
		return -1;
	if (!s->agent)
		return err_set(err, "Agent was not configured on this server, cannot enable.");
	check_pause_agent(s, false);
	return 0;
}

static int disable_agent(struct cli_call *call, struct err *err)
{
	struct server *s = cli_server(call, 0, err);

	if (!s)
		return -1;
	check_pause_agent(s, true);
	return 0;
}

int cli_set_maxconn(struct server *s, const char *text, struct err *err)
{
	int64_t n;

	if (!str_to_int(text, INT64_MIN, INT64_MAX, &n))
		return err_set(err, "maxconn string empty or preceded by garbage");
	if (n < 0 || n > INT32_MAX)
		return err_set(err, "Value out of range.");
	s->state->maxconn = (unsigned)n;
	queue_serve(s);
	return 0;
}

static int maxconn_server(struct cli_call *call, struct err *err)
{
	struct server *s = cli_server(call, 0, err);

	if (!s)
		return -1;
	if (!*cli_arg(call, 1))
		return err_set(err, "Require <maxconn>.");
	return cli_set_maxconn(s, cli_arg(call, 1), err);
}

const struct cli_command cli_set_server_commands[] = {
	{ .words = "set server", .args = "<bk>/<srv> [opts]", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED,
	  .start = set_server, .help = "change a server's state, weight or address" },
	{ .words = "set weight", .args = "<bk>/<srv>  (DEPRECATED)", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED,
	  .start = weight_start,
	  .help = "change a server's weight (use 'set server' instead)" },
	{ .words = "get weight", .args = "<bk>/<srv>", .level = LEVEL_USER, .start = weight_get,
	  .help = "report a server's current weight" },
	{ .words = "enable server", .args = "(DEPRECATED)", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED,
	  .start = enable_server,
	  .help = "enable a disabled server (use 'set server' instead)" },
	{ .words = "disable server", .args = "(DEPRECATED)", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED,
	  .start = disable_server,
	  .help = "disable a server for maintenance (use 'set server' instead)" },
	{ .words = "enable health", .level = LEVEL_ADMIN, .flags = CLI_SHARED,
	  .start = enable_health,
	  .help = "enable health checks" },
	{ .words = "disable health", .level = LEVEL_ADMIN, .flags = CLI_SHARED,
	  .start = disable_health,
	  .help = "disable health checks" },
	{ .words = "enable agent", .level = LEVEL_ADMIN, .flags = CLI_SHARED,
	  .start = enable_agent,
	  .help = "enable agent checks" },
	{ .words = "disable agent", .level = LEVEL_ADMIN, .flags = CLI_SHARED,
	  .start = disable_agent,
	  .help = "disable agent checks" },
	{ .words = "set maxconn server", .args = "<bk>/<srv>", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED,
	  .start = maxconn_server, .help = "change a server's maxconn setting" },
	{ .words = NULL },
};
