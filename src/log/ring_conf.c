/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring section, the rings that "tcp@" log lines make for themselves, and the start and end
 * of all rings.
 */
#include "base/arena.h"
#include "base/err.h"
#include "log/log_conf.h"
#include "log/ring.h"
#include "log/ring_server.h"

#include <string.h>

struct ring *ring_new(struct config *cfg, struct log_data *data, const char *name)
{
	struct ring *ring = arena_alloc(cfg->arena, sizeof(*ring));

	ring->name = ring->description = name;
	ring->format = LOG_FMT_RAW;
	ring->size = RING_DEFAULT_SIZE;
	list_init(&ring->servers);
	list_init(&ring->readers);
	list_append(&data->rings, &ring->node);
	return ring;
}

struct ring *ring_of_name(const struct log_data *data, const char *name)
{
	struct ring *ring;

	list_for_each(ring, &data->rings, node)
		if (!strcmp(ring->name, name))
			return ring;
	return NULL;
}

static struct ring_server *ring_server_new(struct config *cfg, struct ring *ring, const char *name)
{
	struct ring_server *s = arena_alloc(cfg->arena, sizeof(*s));

	s->ring = ring;
	s->name = name;
	s->src.fd = -1;
	list_append(&ring->servers, &s->reader.node);
	return s;
}

int ring_add_implicit(struct statement *st, struct log_target *t)
{
	struct log_data *data = config_data(st->cfg, &log_module);
	struct ring *ring = ring_of_name(data, t->name);

	t->kind = LOG_TO_RING;
	t->ring_name = t->name;
	if (!ring) {
		ring = ring_new(st->cfg, data, t->name);
		ring->loc = st->loc;
		ring->implicit = true;
		ring_server_new(st->cfg, ring, t->name)->addr = t->addr;
	}
	t->ring = ring;
	return 0;
}

/* -- the section ------------------------------------------------------------------------- */

static void *ring_begin(struct statement *st)
{
	struct log_data *data = config_data(st->cfg, &log_module);
	const char *name = stmt_need(st, "name of the ring");
	struct ring *ring;

	if (!name || stmt_end(st))
		return NULL;
	ring = ring_of_name(data, name);
	if (ring) {
		stmt_error(st, 1, "ring '%s' exists already, since %s:%u", name, ring->loc.file,
			   ring->loc.line);
		return NULL;
	}
	ring = ring_new(st->cfg, data, arena_strdup(st->cfg->arena, name));
	ring->loc = st->loc;
	return ring;
}

static int ring_parse_server(struct statement *st, const struct keyword *kw, void *object)
{
	const char *name = stmt_need(st, "name of the server"), *address;
	struct addr_spec spec;
	struct err err = { "" };
	struct ring_server *s;

	(void)kw;
	if (!name)
		return -1;
	address = stmt_need(st, "address of the server");
	if (!address)
		return -1;
	if (addr_parse(address, ADDR_PORT_NEEDED | ADDR_NAMES | ADDR_UNIX, st->cfg->arena, &spec,
		       &err))
		return stmt_error(st, st->at - 1, "%s", err.text);
	if (spec.unresolved && st->cfg->check_only)
		stmt_warning(st, st->at - 1, "%s", err.text);
	else if (spec.unresolved)
		return stmt_error(st, st->at - 1, "%s", err.text);
	s = ring_server_new(st->cfg, object, arena_strdup(st->cfg->arena, name));
	s->loc = st->loc;
	s->addr = spec.addr;
	while (stmt_peek(st)) {
		if (!stmt_take(st, "log-proto"))
			return stmt_error(st, st->at, "'%s' is not supported yet for a ring's server: "
						      "only log-proto is", stmt_peek(st));
		if (stmt_take(st, "octet-count"))
			s->octet_count = true;
		else if (stmt_take(st, "legacy"))
			s->octet_count = false;
		else
			return stmt_error(st, st->at, "'legacy' or 'octet-count' expected");
	}
	return 0;
}

int ring_check(struct config *cfg, struct ring *ring)
{
	enum { RING_OVERHEAD = 4 };

	if (ring->max_len + RING_OVERHEAD > ring->size) {
		config_warning(cfg, &ring->loc,
			       "ring '%s': maxlen %u does not fit into its size of %zu bytes", ring->name,
			       ring->max_len, ring->size);
		ring->max_len = (unsigned)ring->size - RING_OVERHEAD;
	}
	return 0;
}

int ring_prepare(struct ring *ring, struct err *err)
{
	if (ring_alloc(ring))
		return err_set(err, "ring %s: no memory for %zu bytes", ring->name, ring->size);
	return 0;
}

int ring_start(struct ring *ring, struct err *err)
{
	struct ring_server *s;

	list_for_each(s, &ring->servers, reader.node)
		if (ring_server_start(s, err))
			return -1;
	return 0;
}

void ring_stop(struct ring *ring)
{
	struct ring_server *s;

	list_for_each(s, &ring->servers, reader.node)
		ring_server_stop(s);
	ring_release(ring);
}

const struct keyword ring_keywords[] = {
	{ .name = "description",
	  .scope = SCOPE_RING,
	  .args = "<text>",
	  .parse = set_string,
	  .offset = offsetof(struct ring, description),
	  .dflt = "its name",
	  .help = "what \"show events\" says of the ring" },
	{ .name = "format",
	  .scope = SCOPE_RING,
	  .args = "<format>",
	  .parse = set_enum,
	  .offset = offsetof(struct ring, format),
	  .names = log_format_names,
	  .dflt = "raw",
	  .help = "header of the messages in the ring, whatever the log line says" },
	{ .name = "maxlen",
	  .scope = SCOPE_RING,
	  .args = "<length>",
	  .parse = set_unsigned,
	  .offset = offsetof(struct ring, max_len),
	  .min = 1,
	  .max = LOG_LEN_MAX,
	  .dflt = "as the log line",
	  .help = "longest message with its header; longer ones are cut" },
	{ .name = "size",
	  .scope = SCOPE_RING,
	  .args = "<size>",
	  .parse = set_size,
	  .offset = offsetof(struct ring, size),
	  .min = RING_MIN_SIZE,
	  .max = 1 << 30,
	  .dflt = "16384",
	  .help = "bytes that the ring keeps" },
	{ .name = "timeout connect",
	  .scope = SCOPE_RING,
	  .args = "<time>",
	  .parse = set_duration,
	  .offset = offsetof(struct ring, connect_ms),
	  .help = "how long a connection to a server of the ring may take" },
	{ .name = "timeout server",
	  .scope = SCOPE_RING,
	  .args = "<time>",
	  .parse = set_duration,
	  .offset = offsetof(struct ring, server_ms),
	  .help = "how long a server of the ring may take nothing" },
	{ .name = "server",
	  .scope = SCOPE_RING,
	  .args = "<name> <address> [log-proto legacy|octet-count]",
	  .parse = ring_parse_server,
	  .help = "forward the messages over a stream; more than one get the same" },
	{ .name = NULL },
};

const struct section ring_sections[] = {
	{ .name = "ring",
	  .scope = SCOPE_RING,
	  .begin = ring_begin,
	  .help = "messages kept in memory, for \"show events\" and log servers over TCP" },
	{ .name = NULL },
};

const struct module ring_module = {
	.name = "ring",
	.keywords = ring_keywords,
	.sections = ring_sections,
};
