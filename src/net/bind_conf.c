/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bind lines: addresses become listeners, words become settings. Nothing is opened here.
 * A Unix socket for which no mode or owner is given gets those of the global "unix-bind".
 */
#include "net/bind_conf.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/memory.h"
#include "base/str.h"
#include "net/addr_conf.h"
#include "net/listen_socket.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Global words: data of the module. */
struct bind_data {
	int max_accept;     /* -1: no limit */
	bool no_reuseport;
	const char *prefix; /* unix-bind */
	int mode, uid, gid; /* unix-bind; -1: not given */
};

struct bind_conf *bind_conf_new(struct statement *st, void *owner)
{
	struct bind_conf *bind = arena_alloc(st->cfg->arena, sizeof(*bind));

	list_init(&bind->node);
	list_init(&bind->listeners);
	bind->loc = st->loc;
	bind->section = st->section ? arena_strdup(st->cfg->arena, st->section) : "";
	bind->owner = owner;
	bind->mode = bind->uid = bind->gid = -1;
	return bind;
}

static void add_listener(struct arena *arena, struct bind_conf *bind, const struct addr *addr)
{
	struct listener *l = arena_alloc(arena, sizeof(*l));

	l->addr = *addr;
	listener_init(l, bind);
}

void bind_conf_export(const struct bind_conf *bind, const char *variable)
{
	const struct listener *l;
	const char *before;
	char *after, name[256];
	struct text t;

	list_for_each(l, &bind->listeners, node) {
		text_init(&t, name, sizeof(name));
		addr_print_named(&l->addr, &t);
		before = getenv(variable);
		if (asprintf(&after, "%s%s%s", before ? before : "", before ? ";" : "", name) < 0)
			memory_exhausted();
		setenv(variable, after, 1);
		free(after);
	}
}

void bind_conf_listen(struct config *cfg, struct bind_conf *bind, const struct addr *addr)
{
	add_listener(cfg->arena, bind, addr);
}

/* "unix-bind" speaks of bind lines, not of stats sockets. */
static bool unix_bind_applies(const struct statement *st)
{
	return st->scope != SCOPE_GLOBAL;
}

static void apply_prefix(struct config *cfg, struct addr *addr)
{
	const struct bind_data *data = config_data(cfg, &bind_module);

	if (data->prefix && addr->family == AF_UNIX && addr->path[0] != '@')
		addr->path = arena_printf(cfg->arena, "%s%s", data->prefix, addr->path);
}

static int add_address(struct statement *st, struct bind_conf *bind, const char *text)
{
	const unsigned allow = ADDR_PORT_NEEDED | ADDR_PORT_RANGE | ADDR_NAMES | ADDR_FDS |
			       ADDR_UNIX | ADDR_STAR;
	struct addr_spec spec;
	unsigned port;

	if (addr_conf_parse(st, text, allow, &spec))
		return -1;
	if (unix_bind_applies(st))
		apply_prefix(st->cfg, &spec.addr);
	for (port = spec.addr.port; port <= spec.last_port; port++) {
		spec.addr.port = (uint16_t)port;
		add_listener(st->cfg->arena, bind, &spec.addr);
	}
	return 0;
}

int bind_conf_addresses(struct statement *st, struct bind_conf *bind)
{
	const char *word = stmt_need(st, "an address");
	char *text, *comma;
	int rc = 0;

	if (!word)
		return -1;
	text = arena_strdup(st->cfg->arena, word);
	for (; text && !rc; text = comma) {
		comma = strchr(text, ',');
		if (comma)
			*comma++ = 0;
		if (comma && !*comma)
			comma = NULL;
		rc = add_address(st, bind, text);
	}
	return rc;
}

static void default_owner(struct config *cfg, struct bind_conf *bind)
{
	const struct bind_data *data = config_data(cfg, &bind_module);

	if (bind->mode < 0)
		bind->mode = data->mode;
	if (bind->uid < 0)
		bind->uid = data->uid;
	if (bind->gid < 0)
		bind->gid = data->gid;
}

static void copy_settings(struct bind_conf *bind)
{
	struct listener *l;

	list_for_each(l, &bind->listeners, node) {
		l->maxconn = bind->maxconn;
		l->id = bind->id;
	}
}

int bind_conf_parse(struct statement *st, struct bind_conf *bind)
{
	int rc = bind_conf_addresses(st, bind);

	if (stmt_words(st, SCOPE_BIND, bind))
		rc = -1;
	if (bind->id && bind->listeners.next != bind->listeners.prev)
		rc = stmt_error(st, st->count, "'id' needs a line with a single address and port");
	if (unix_bind_applies(st))
		default_owner(st->cfg, bind);
	copy_settings(bind);
	return rc;
}

/* -- words ------------------------------------------------------------------------------- */

static int parse_octal(struct statement *st, int *mode)
{
	const char *word = stmt_need(st, "a mode in octal, such as 660,");
	char *end;
	long value;

	if (!word)
		return -1;
	value = strtol(word, &end, 8);
	if (!*word || *end || value < 0 || value > 07777)
		return stmt_error(st, st->at - 1, "'%s' is not a mode: octal digits, such as 660, "
				  "expected", word);
	*mode = (int)value;
	return 0;
}

static int parse_id(struct statement *st, const char *what, int *id)
{
	int64_t value;

	if (stmt_int(st, what, 0, INT_MAX, &value))
		return -1;
	*id = (int)value;
	return 0;
}

static int parse_user(struct statement *st, int *uid)
{
	const char *word = stmt_need(st, "the name of a user");
	const struct passwd *pw;

	if (!word)
		return -1;
	if (st->cfg->elsewhere)
		return 0;
	pw = getpwnam(word);
	if (!pw)
		return stmt_error(st, st->at - 1, "there is no user '%s' on this system", word);
	*uid = (int)pw->pw_uid;
	return 0;
}

static int parse_group(struct statement *st, int *gid)
{
	const char *word = stmt_need(st, "the name of a group");
	const struct group *gr;

	if (!word)
		return -1;
	if (st->cfg->elsewhere)
		return 0;
	gr = getgrnam(word);
	if (!gr)
		return stmt_error(st, st->at - 1, "there is no group '%s' on this system", word);
	*gid = (int)gr->gr_gid;
	return 0;
}

static int bind_mode(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	return parse_octal(st, &((struct bind_conf *)object)->mode);
}

static int bind_uid(struct statement *st, const struct keyword *kw, void *object)
{
	return parse_id(st, kw->name, &((struct bind_conf *)object)->uid);
}

static int bind_gid(struct statement *st, const struct keyword *kw, void *object)
{
	return parse_id(st, kw->name, &((struct bind_conf *)object)->gid);
}

static int bind_user(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	return parse_user(st, &((struct bind_conf *)object)->uid);
}

static int bind_group(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	return parse_group(st, &((struct bind_conf *)object)->gid);
}

static int bind_name(struct statement *st, const struct keyword *kw, void *object)
{
	if (set_string(st, kw, object))
		return -1;
	if (strlen(((struct bind_conf *)object)->name) > NAME_MOST)
		return stmt_error(st, st->at - 1, "a name of more than %d characters", NAME_MOST);
	return 0;
}

static int bind_expose_fd(struct statement *st, const struct keyword *kw, void *object)
{
	struct bind_conf *bind = object;

	(void)kw;
	if (!stmt_take(st, "listeners"))
		return stmt_error(st, st->at, "'expose-fd' needs the word 'listeners'");
	bind->options.on |= BIND_EXPOSE_FD;
	bind->options.given |= BIND_EXPOSE_FD;
	return 0;
}

static int bind_mss(struct statement *st, const struct keyword *kw, void *object)
{
	int64_t value;

	if (stmt_int(st, kw->name, -65535, 65535, &value))
		return -1;
	if (!value)
		return stmt_error(st, st->at - 1, "'mss' must be between -65535 and 65535, and not 0");
	((struct bind_conf *)object)->mss = (int)value;
	return 0;
}

static int bind_proto(struct statement *st, const struct keyword *kw, void *object)
{
	enum proto proto = proto_take(st, PROTO_CLIENTS);

	if (!proto)
		return stmt_unknown(st, st->at, "protocol of clients", kw->names);
	((struct bind_conf *)object)->proto = proto;
	return 0;
}

static int global_unix_bind(struct statement *st, const struct keyword *kw, void *object)
{
	struct bind_data *data = object;
	int rc = 0;

	(void)kw;
	while (stmt_peek(st) && !rc) {
		if (stmt_take(st, "mode"))
			rc = parse_octal(st, &data->mode);
		else if (stmt_take(st, "uid"))
			rc = parse_id(st, "uid", &data->uid);
		else if (stmt_take(st, "gid"))
			rc = parse_id(st, "gid", &data->gid);
		else if (stmt_take(st, "user"))
			rc = parse_user(st, &data->uid);
		else if (stmt_take(st, "group"))
			rc = parse_group(st, &data->gid);
		else if (!stmt_take(st, "prefix"))
			rc = stmt_error(st, st->at, "'unix-bind' takes prefix, mode, user, uid, "
					"group and gid, not '%s'", stmt_peek(st));
		else if (!(data->prefix = stmt_need(st, "a prefix for paths")))
			rc = -1;
	}
	return rc;
}

/* At once: names in the lines below are resolved that way. */
static int parse_nogetaddrinfo(struct statement *st, const struct keyword *kw, void *object)
{
	(void)st;
	(void)kw;
	(void)object;
	addr_names.avoid_getaddrinfo = true;
	return 0;
}

#define AT(field) offsetof(struct bind_conf, field)
#define GLOBAL(field) offsetof(struct bind_data, field)

static const struct keyword bind_keywords[] = {
	{ "nogetaddrinfo", SCOPE_GLOBAL, 0, "", parse_nogetaddrinfo,
	  .help = "resolve host names by gethostbyname(), as with -dG" },
	{ "accept-proxy", SCOPE_BIND, 0, "", set_bit, .offset = AT(options),
	  .bit = BIND_ACCEPT_PROXY,
	  .help = "each connection begins with a PROXY header that tells its addresses" },
	{ "backlog", SCOPE_BIND, 0, "<backlog>", set_int, .offset = AT(backlog), .min = 0,
	  .max = INT_MAX, .dflt = "that of the frontend",
	  .help = "connections that the kernel may hold until they are accepted" },
	{ "defer-accept", SCOPE_BIND, 0, "", set_bit, .offset = AT(options),
	  .bit = BIND_DEFER_ACCEPT, .help = "accept a connection once the client has sent data" },
	{ "expose-fd", SCOPE_BIND, 0, "listeners", bind_expose_fd,
	  .help = "stats socket: a new process may fetch the listening sockets (-x)" },
	{ "gid", SCOPE_BIND, 0, "<gid>", bind_gid, .help = "group of the Unix socket, by number" },
	{ "group", SCOPE_BIND, 0, "<group>", bind_group, .help = "group of the Unix socket" },
	{ "id", SCOPE_BIND | SCOPE_DGRAM, 0, "<id>", set_int, .offset = AT(id), .min = 1,
	  .max = INT_MAX, .dflt = "numbered from 1", .help = "numeric identifier of the socket" },
	{ "interface", SCOPE_BIND | SCOPE_DGRAM, 0, "<interface>", set_string,
	  .offset = AT(interface), .help = "accept only what arrives on this network interface" },
	{ "maxconn", SCOPE_BIND | SCOPE_DGRAM, 0, "<maxconn>", set_unsigned, .offset = AT(maxconn),
	  .min = 0, .max = INT_MAX, .dflt = "that of the frontend",
	  .help = "most concurrent connections of each of the line's sockets" },
	{ "mode", SCOPE_BIND, 0, "<mode>", bind_mode, .dflt = "by the umask",
	  .help = "permissions of the Unix socket, in octal" },
	{ "mss", SCOPE_BIND, 0, "<maxseg>", bind_mss,
	  .help = "TCP segment size to advertise; negative: so much less than usual" },
	{ "name", SCOPE_BIND | SCOPE_DGRAM, 0, "<name>", bind_name, .offset = AT(name),
	  .help = "name of these sockets in statistics" },
	{ "namespace", SCOPE_BIND | SCOPE_DGRAM, 0, "<name>", set_string, .offset = AT(namespace),
	  .help = "network namespace in which to listen" },
	{ "nice", SCOPE_BIND | SCOPE_DGRAM, 0, "<nice>", set_int, .offset = AT(nice), .min = -1024,
	  .max = 1024, .dflt = "0",
	  .help = "priority of its connections; positive: others go first" },
	{ "proto", SCOPE_BIND, 0, PROTO_ARGS, bind_proto, .names = proto_words + 1,
	  .dflt = "agreed by ALPN, or told by what comes",
	  .help = "protocol of the clients of these sockets" },
	{ "tcp-ut", SCOPE_BIND, 0, "<delay>", set_duration, .offset = AT(tcp_ut), .min = 0,
	  .max = INT_MAX, .help = "how long sent data may stay unacknowledged" },
	{ "tfo", SCOPE_BIND, 0, "", set_bit, .offset = AT(options), .bit = BIND_TFO,
	  .help = "TCP Fast Open" },
	{ "transparent", SCOPE_BIND | SCOPE_DGRAM, 0, "", set_bit, .offset = AT(options),
	  .bit = BIND_TRANSPARENT, .help = "bind to addresses that this machine has not" },
	{ "uid", SCOPE_BIND, 0, "<uid>", bind_uid, .help = "owner of the Unix socket, by number" },
	{ "user", SCOPE_BIND, 0, "<user>", bind_user, .help = "owner of the Unix socket" },
	{ "v4v6", SCOPE_BIND | SCOPE_DGRAM, 0, "", set_bit, .offset = AT(options), .bit = BIND_V4V6,
	  .help = "an IPv6 address accepts IPv4, too" },
	{ "v6only", SCOPE_BIND | SCOPE_DGRAM, 0, "", set_bit, .offset = AT(options),
	  .bit = BIND_V6ONLY, .help = "an IPv6 address accepts no IPv4" },
	{ "noreuseport", SCOPE_GLOBAL, 0, "", set_flag, .offset = GLOBAL(no_reuseport),
	  .help = "listening sockets without SO_REUSEPORT" },
	{ "tune.maxaccept", SCOPE_GLOBAL, KW_FIRST, "<number>", set_int,
	  .offset = GLOBAL(max_accept), .min = -1, .max = INT_MAX, .dflt = "4",
	  .help = "most connections that one listener accepts in a row; -1: no limit" },
	{ "unix-bind", SCOPE_GLOBAL, 0,
	  "[prefix <prefix>] [mode <mode>] [user <user>] [uid <uid>] [group <group>] [gid <gid>]",
	  global_unix_bind, .help = "settings for the Unix sockets of all bind lines" },
	{ 0 }
};

static void bind_init(struct config *cfg, void *data)
{
	struct bind_data *b = data;

	(void)cfg;
	b->max_accept = 4;
	b->mode = b->uid = b->gid = -1;
}

static int bind_prepare(struct config *cfg, void *data, struct err *err)
{
	const struct bind_data *b = data;

	(void)cfg;
	(void)err;
	listener_max_accept = b->max_accept > 0 ? (unsigned)b->max_accept : UINT_MAX;
	if (b->no_reuseport)
		listen_socket_conf.reuseport = false;
	return 0;
}

static int bind_enabled(const void *data, const char *option)
{
	const struct bind_data *b = data;

	if (!strcmp(option, "REUSEPORT"))
		return !b->no_reuseport;
	return !strcmp(option, "GETADDRINFO") ? !addr_names.avoid_getaddrinfo : -1;
}

const struct module bind_module = {
	.name = "bind",
	.keywords = bind_keywords,
	.data_size = sizeof(struct bind_data),
	.init = bind_init,
	.prepare = bind_prepare,
	.enabled = bind_enabled,
};
