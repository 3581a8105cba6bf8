/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands that change a server: set server, set and get weight, enable and disable server and
 * health, set maxconn server. They change the state alone, never the configuration; what
 * follows for trackers, balancing and queues is done by proxy/server_change.c and its hooks.
 */
#include "check/checks.h"
#include "check/health.h"
#include "cli/modes.h"
#include "cli/tables.h"
#include "cli/words.h"
#include "exchange/idle.h"
#include "names/server_names.h"
#include "proxy/proxy.h"
#include "proxy/server_add.h"
#include "proxy/server_asked.h"

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
		server_make_ready(s);
	else if (!strcmp(word, "drain"))
		server_make_drain(s);
	else if (!strcmp(word, "maint"))
		server_make_maint(s);
	else
		return err_set(err,
			       "'set server <srv> state' expects 'ready', 'drain' and 'maint'.");
	return 0;
}

static int health_set(struct server *s, const char *word, struct err *err)
{
	static const struct {
		const char *word;
		enum server_op op;
	} healths[] = { { "up", SERVER_UP }, { "stopping", SERVER_STOPPING }, { "down", SERVER_DOWN } };
	size_t i;

	if (s->tracked)
		return err_set(err, "cannot change health on a tracking server.");
	for (i = 0; i < ARRAY_LEN(healths); i++)
		if (!strcmp(word, healths[i].word)) {
			server_force_health(s, healths[i].op, "changed from CLI");
			return 0;
		}
	return err_set(err, "'set server <srv> health' expects 'up', 'stopping', or 'down'.");
}

/* -- address --------------------------------------------------------------------------------- */

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
	if (server_set_addr(s, cli_arg(call, 2), port ? cli_arg(call, 4) : NULL,
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
	if (!check_of(s))
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

	if (!check_of(s))
		return without_checks(call, "health");
	if (!*cli_arg(call, 2))
		return err_set(err, "set server <b>/<s> check-addr requires an address and "
				    "optionally a port.");
	if (addr_of_ip(cli_arg(call, 2), &addr)) {
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
	return check_agent_of(s) && !s->state->agent.paused ?
		       0 : err_set(err, "agent checks are not enabled on this server.");
}

static int agent_set(struct server *s, const char *word, struct err *err)
{
	if (agent_missing(s, err))
		return -1;
	if (strcmp(word, "up") != 0 && strcmp(word, "down") != 0)
		return err_set(err, "'set server <srv> agent' expects 'up' or 'down'.");
	health_force_agent(s, !strcmp(word, "down"));
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
	if (addr_of_ip(cli_arg(call, 2), &addr)) {
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
	if (!check_of(s))
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
	if (!check_agent_of(s))
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

static int maxconn_server(struct cli_call *call, struct err *err)
{
	struct server *s = cli_server(call, 0, err);

	if (!s)
		return -1;
	if (!*cli_arg(call, 1))
		return err_set(err, "Require <maxconn>.");
	return server_set_maxconn(s, cli_arg(call, 1), err);
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
