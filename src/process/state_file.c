/* SPDX-License-Identifier: BSD-2-Clause */
/* The states of servers, carried over a restart in a file that "show servers state" has written
 * (management guide 9.3, version 1): words server-state-base, server-state-file,
 * server-state-file-name, load-server-state-from-file. Read once, after balancing and before the
 * checks start. Proxies and servers are found by their names; a line that is wrong is said and left
 * out, the others hold. */
#include "process/state_file.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "config/config.h"
#include "dns/files.h"
#include "log/log.h"
#include "names/server_names.h"
#include "proxy/facts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of the file, those that are read. */
enum { COL_PROXY = 1, COL_SERVER = 3, COL_ADDR = 4, COL_OP = 5, COL_ADMIN = 6, COL_WEIGHT = 7,
       COL_CONF_WEIGHT = 8, COL_SINCE = 9, COL_HEALTH = 12, COL_CHECK = 13, COL_AGENT = 14,
       COL_NAME = 17, COL_PORT = 18, COL_TLS = 20, COL_CHECK_PORT = 21,
       COL_CHECK_ADDR = 22, COL_AGENT_ADDR = 23, COL_AGENT_PORT = 24,
       COLS_NEEDED = 19, COLS = 25 };

enum { ADMIN_BIT_FORCED_MAINT = 0x01, ADMIN_BIT_INHERITED_MAINT = 0x02,
       ADMIN_BIT_DISABLED = 0x04,
       ADMIN_BIT_FORCED_DRAIN = 0x08, ADMIN_BIT_RESOLUTION = 0x20, ADMIN_BIT_NAME_SET = 0x40,
       ADMIN_BITS_MAINT = ADMIN_BIT_FORCED_MAINT | ADMIN_BIT_INHERITED_MAINT |
			  ADMIN_BIT_RESOLUTION };
enum { CHECK_BIT_CONFIGURED = 0x02, CHECK_BIT_ENABLED = 0x04 };

struct state_files {
	const char *base, *file; /* global words */
};

/* One line, its numbers read. */
struct state_line {
	const char *proxy, *server, *addr, *name;
	const char *check_addr, *agent_addr; /* NULL: not there */
	int64_t op, admin, weight, conf_weight, since_s, health, port, check_port, agent_port;
	int64_t check, agent; /* CHECK_BIT_* */
	int64_t tls;          /* 0, 1; -1: not said */
};

/* ---- reading ---------------------------------------------------------------------------- */

static bool number(const char *text, int64_t max, int64_t *value)
{
	return str_to_int(text, 0, max, value);
}

/* Cuts the line in place. */
static bool parse_line(char *text, struct state_line *line)
{
	char *cols[COLS], *col;
	size_t n = 0;

	for (col = strtok(text, " \n"); col && n < COLS; col = strtok(NULL, " \n"))
		cols[n++] = col;
	if (n < COLS_NEEDED || col)
		return false;
	line->proxy = cols[COL_PROXY];
	line->server = cols[COL_SERVER];
	line->addr = cols[COL_ADDR];
	line->name = cols[COL_NAME];
	line->check_addr = n > COL_CHECK_ADDR ? cols[COL_CHECK_ADDR] : NULL;
	line->agent_addr = n > COL_AGENT_ADDR ? cols[COL_AGENT_ADDR] : NULL;
	line->check_port = line->agent_port = 0;
	line->tls = -1;
	if (n > COL_TLS && !str_to_int(cols[COL_TLS], -1, 1, &line->tls))
		return false;
	if ((n > COL_CHECK_PORT && !number(cols[COL_CHECK_PORT], UINT16_MAX, &line->check_port)) ||
	    (n > COL_AGENT_PORT && !number(cols[COL_AGENT_PORT], UINT16_MAX, &line->agent_port)))
		return false;
	return number(cols[COL_OP], SERVER_STOPPING, &line->op) &&
	       number(cols[COL_ADMIN], 0xff, &line->admin) &&
	       number(cols[COL_WEIGHT], 256, &line->weight) &&
	       number(cols[COL_CONF_WEIGHT], 256, &line->conf_weight) &&
	       number(cols[COL_SINCE], INT32_MAX, &line->since_s) &&
	       number(cols[COL_HEALTH], INT32_MAX, &line->health) &&
	       number(cols[COL_CHECK], 0xff, &line->check) &&
	       number(cols[COL_AGENT], 0xff, &line->agent) &&
	       number(cols[COL_PORT], UINT16_MAX, &line->port);
}

/* ---- applying --------------------------------------------------------------------------- */

/* Whom its checks ask: "set server ... check-port" and the like, before. */
static void apply_target(struct check_state *state, const char *text, int64_t port)
{
	struct addr addr = { 0 };

	if (text && addr_of_ip(text, &addr) == 0)
		state->addr = addr;
	if (port)
		state->port = (uint16_t)port;
}

/* The host of a service, whose port came with it. */
static bool apply_host(struct server *s, const struct state_line *line)
{
	char name[DNS_NAME_MOST + 1];

	if (!line->port || !dns_name(span_of(line->name), name))
		return false;
	free(s->state->hostname);
	s->state->hostname = strdup(name);
	return s->state->hostname;
}

/* "init-addr" of a server with a host name says whether the last address comes first. An address
 * that was written down in the configuration holds. */
static void apply_addr(struct server *s, const struct state_line *line)
{
	struct addr addr = { .port = (uint16_t)line->port };

	if (line->port && s->state->addr.family != AF_UNIX && !s->spec.has_offset &&
	    line->port != s->state->addr.port) {
		if (!s->is_service)
			log_stderr(LOG_L_NOTICE, "%s/%s has port %u by the file of server states, and %u "
				   "by the configuration: the former holds", s->proxy->name, s->id,
				   addr.port, s->state->addr.port);
		s->state->addr.port = addr.port;
	}
	server_moved(s);
	if (!s->spec.hostname || s->set.init_addr[0] != INIT_ADDR_LAST)
		return;
	if (addr_of_ip(line->addr, &addr) < 0)
		return;
	if (s->is_service && !apply_host(s, line))
		return;
	addr.port = s->state->addr.port;
	s->state->addr = addr;
	server_moved(s);
	server_set_admin(s, 0, ADMIN_RESOLUTION);
}

/* Where "disabled" came or went since, the configuration has spoken last. */
static void apply_admin(struct server *s, const struct state_line *line)
{
	const bool disabled = s->set.options.on & SRV_DISABLED;
	unsigned set = 0;

	if (disabled != !!(line->admin & ADMIN_BIT_DISABLED))
		return;
	if (disabled && !(line->admin & ADMIN_BIT_FORCED_MAINT))
		server_set_admin(s, 0, ADMIN_FORCED_MAINT);
	if (line->admin & ADMIN_BIT_FORCED_MAINT)
		set |= ADMIN_FORCED_MAINT;
	if (line->admin & ADMIN_BIT_FORCED_DRAIN)
		set |= ADMIN_FORCED_DRAIN;
	if (set)
		server_set_admin(s, set, 0);
}

static const char by_file[] = "changed from server-state after a reload";

/* "set server health": nobody else changes it. One that was checked then and is not any more would
 * stay down for good. */
static void apply_forced_health(struct server *s, const struct state_line *line)
{
	const int most = s->set.rise + s->set.fall - 1;

	if (s->tracked || line->check & CHECK_BIT_CONFIGURED ||
	    line->agent & CHECK_BIT_CONFIGURED || line->admin & ADMIN_BITS_MAINT)
		return;
	s->state->health = line->health > most ? most : (int)line->health;
	if (line->op == SERVER_STOPPING)
		server_set_stopping(s, by_file);
	else if (line->op == SERVER_DOWN)
		server_set_down(s, by_file);
}

/* Its agent has it down: the health that checks found is whole. */
static bool apply_agent_down(struct server *s, const struct state_line *line)
{
	if (!(s->set.options.on & SRV_AGENT_CHECK) || !(line->agent & CHECK_BIT_CONFIGURED) ||
	    line->op != SERVER_DOWN || line->admin & ADMIN_BITS_MAINT || line->health < s->set.rise)
		return false;
	s->state->agent_down = true;
	server_set_down(s, by_file);
	s->state->health = (int)line->health;
	return true;
}

static void apply_health(struct server *s, const struct state_line *line)
{
	const int most = s->set.rise + s->set.fall - 1;

	if (apply_agent_down(s, line))
		return;
	if (!(s->set.options.on & SRV_CHECK)) {
		apply_forced_health(s, line);
		return;
	}
	s->state->health = line->health > most ? most : (int)line->health;
	if (line->op == SERVER_DOWN && !(line->admin & ADMIN_BIT_FORCED_MAINT))
		server_set_down(s, by_file);
	else if (line->op == SERVER_STOPPING)
		server_set_stopping(s, by_file);
	else if (line->op != SERVER_DOWN) /* "init-state" may have it down */
		server_set_up(s, by_file);
}

static bool is_disabled(int64_t check)
{
	return check & CHECK_BIT_CONFIGURED && !(check & CHECK_BIT_ENABLED);
}

static void apply_checks(struct server *s, const struct state_line *line)
{
	if (s->set.options.on & SRV_CHECK) {
		apply_target(&s->state->check, line->check_addr, line->check_port);
		s->state->check.paused = is_disabled(line->check);
	}
	if (s->set.options.on & SRV_AGENT_CHECK) {
		apply_target(&s->state->agent, line->agent_addr, line->agent_port);
		s->state->agent.paused = is_disabled(line->agent);
	}
}

/* "set server ssl": as in the reference the file wins, which does not know what the configuration
 * said then. So it is told. */
static void apply_tls(struct server *s, const struct state_line *line)
{
	if (!s->tls_switch || line->tls < 0 || !!s->tls == !!line->tls)
		return;
	server_switch_tls(s, line->tls);
	log_stderr(LOG_L_NOTICE, "%s/%s speaks %sTLS by the file of server states, other than the "
		   "configuration says", s->proxy->name, s->id, line->tls ? "" : "no ");
}

/* "set server fqdn". */
static void apply_name(struct server *s, const struct state_line *line)
{
	char memory[1024];
	struct text said;
	struct err err;

	if (!(line->admin & ADMIN_BIT_NAME_SET) || !s->resolvers || s->is_service)
		return;
	text_init(&said, memory, sizeof(memory));
	if (server_set_hostname(s, line->name, "server-state file", &said, &err) < 0)
		log_stderr(LOG_L_WARNING, "%s/%s: %s", s->proxy->name, s->id, err.text);
}

static void apply(struct server *s, const struct state_line *line)
{
	uint64_t since_ms = (uint64_t)line->since_s * 1000;

	apply_name(s, line);
	apply_addr(s, line);
	apply_tls(s, line);
	if (line->conf_weight == s->set.weight && line->weight != s->set.weight) {
		s->state->user_weight = (unsigned)line->weight;
		server_update_weight(s);
	}
	apply_checks(s, line);
	apply_health(s, line);
	apply_admin(s, line);
	s->state->changed_ms = since_ms < clock_now_ms ? clock_now_ms - since_ms : 0;
}

/* ---- a file ----------------------------------------------------------------------------- */

/* Lines of proxies that are gone, or take their states from elsewhere, are none of its business;
 * nor are servers whose state came through a reload. */
static void use_line(const struct proxies *all, const struct proxy *only,
		     const struct state_line *line)
{
	struct proxy *px = proxy_find(all, line->proxy, PROXY_BACKEND);
	struct server *s;

	if (!px || (only ? px != only : px->set.load_state != LOAD_STATE_GLOBAL))
		return;
	s = server_find(px, line->server);
	if (s && !facts_known(s))
		apply(s, line);
}

static void read_lines(const struct proxies *all, const struct proxy *only, const char *path,
		       FILE *file)
{
	struct state_line line;
	unsigned n = 0;
	char *text = NULL;
	size_t size = 0;
	bool foreign = false;

	while (!foreign && getline(&text, &size, file) >= 0) {
		foreign = ++n == 1 && strcmp(text, "1\n");
		if (foreign)
			log_stderr(LOG_L_WARNING, "%s: no file of server states: its first line is to be "
				   "the version, 1", path);
		if (n == 1 || *text == '#' || *text == '\n')
			continue;
		if (parse_line(text, &line))
			use_line(all, only, &line);
		else
			log_stderr(LOG_L_WARNING, "%s:%u: this line of a server's state is left out, "
				   "because it is broken", path, n);
	}
	if (!foreign && !feof(file))
		log_stderr(LOG_L_WARNING, "%s:%u: what follows of the server states cannot be read: %s",
			   path, n, strerror(errno));
	else if (!n)
		log_stderr(LOG_L_WARNING, "%s: the file of server states is empty", path);
	free(text);
}

static void read_file(const struct proxies *all, const struct proxy *only, const char *base,
		      const char *name)
{
	char path[4096];
	FILE *file;

	if (*name == '/' || !base)
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "%s/%s", base, name);
	file = fopen(path, "re");
	if (!file) {
		log_stderr(LOG_L_WARNING, "the file of server states %s cannot be read: %s", path,
			   strerror(errno));
		return;
	}
	read_lines(all, only, path, file);
	fclose(file);
}

/* Was the server to have an address, and neither a name server nor a file knew it? */
static bool lacks_address(const struct server *s)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(s->set.init_addr); i++)
		if (s->set.init_addr[i] == INIT_ADDR_NONE)
			return false;
	return s->spec.unresolved && !s->is_service && !s->added &&
	       s->state->admin & ADMIN_RESOLUTION;
}

static int check_addresses(const struct proxies *all, const struct proxy *px, struct err *err)
{
	const struct server *s;

	for (s = px->servers; s && !all->global.ignore_resolution; s = s->next)
		if (lacks_address(s))
			return err_set(err, "server %s/%s has no address: '%s' could not be resolved, and "
				       "the file of server states does not know it either", px->name,
				       s->id, s->spec.hostname);
	return 0;
}

static int state_file_prepare(struct config *cfg, void *data, struct err *err)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	const struct state_files *files = data;
	bool from_global = false;
	const struct proxy *px;

	facts_restore_states(all);
	list_for_each(px, &all->list, node) {
		if (!px->be || px->set.load_state == LOAD_STATE_NONE)
			continue;
		if (px->set.load_state == LOAD_STATE_GLOBAL)
			from_global = true;
		else
			read_file(all, px, files->base, px->state_file ? px->state_file : px->name);
	}
	if (from_global && files->file)
		read_file(all, NULL, files->base, files->file);
	list_for_each(px, &all->list, node)
		if (px->be && check_addresses(all, px, err))
			return -1;
	return 0;
}

/* ---- words ------------------------------------------------------------------------------ */

static int parse_file_name(struct statement *st, const struct keyword *kw, void *object)
{
	const char *name = stmt_next(st);
	struct proxy *px = object;

	if (px->caps & PROXY_DEFAULTS)
		stmt_warning(st, 0, "'%s' has no effect in a defaults section: each backend has a file of its "
			     "own", kw->name);
	px->state_file = name && strcmp(name, "use-backend-name") ?
				 arena_strdup(st->cfg->arena, name) : NULL;
	return 0;
}

static int state_file_finish(struct config *cfg, void *data)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	const struct state_files *files = data;
	const struct proxy *px;

	list_for_each(px, &all->list, node)
		if (px->state_file && px->set.load_state != LOAD_STATE_LOCAL)
			config_warning(cfg, &px->loc, "'server-state-file-name' of '%s' has no effect "
				       "without 'load-server-state-from-file local'", px->name);
		else if (px->set.load_state == LOAD_STATE_GLOBAL && !files->file &&
			 px->caps & PROXY_BACKEND)
			config_note(cfg, &px->loc, "'%s' loads no states of servers: the global section has "
				    "no 'server-state-file'", px->name);
	return 0;
}

static const struct keyword keywords[] = {
	{ "server-state-base", SCOPE_GLOBAL, KW_FIRST, "<directory>", set_string,
	  .offset = offsetof(struct state_files, base), .dflt = "the working directory",
	  .help = "where files of server states are whose path is relative" },
	{ "server-state-file", SCOPE_GLOBAL, KW_FIRST, "<file>", set_string,
	  .offset = offsetof(struct state_files, file),
	  .help = "states of the servers of all backends, read at the start" },
	{ "load-server-state-from-file", SCOPE_BACK, 0, "{ global | local | none }", set_enum,
	  .offset = offsetof(struct proxy, set.load_state),
	  .names = (const char *const[]){ [LOAD_STATE_NONE] = "none",
					  [LOAD_STATE_GLOBAL] = "global",
					  [LOAD_STATE_LOCAL] = "local", NULL },
	  .dflt = "none", .help = "which file of server states is read at the start" },
	{ "server-state-file-name", SCOPE_BACK, 0, "[ use-backend-name | <file> ]",
	  parse_file_name, .dflt = "use-backend-name",
	  .help = "file of server states of this backend" },
	{ 0 },
};

const struct module state_file_module = {
	.name = "state_file",
	.keywords = keywords,
	.data_size = sizeof(struct state_files),
	.finish = state_file_finish,
	.prepare = state_file_prepare,
};
