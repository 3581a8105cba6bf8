/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The section "resolvers", and the one called "default" that makes itself of /etc/resolv.conf where
 * no section has that name. Files are read while the configuration is. What is counted of name
 * servers lies in memory that the workers share, a row for each, so that any of them can show it.
 */
#include "dns/resolvers.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "config/module.h"
#include "config/suggest.h"
#include "dns/files.h"
#include "dns/message.h"
#include "net/addr.h"
#include "share/region.h"
#include "share/segment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PAYLOAD = 512, RETRIES = 3, SECOND = 1000, HOLD_MS = 30000, HOLD_VALID_MS = 10000,
       RESOLV_MOST = 65536 /* bytes of the file that are read */ };
enum { VERSION = 1 };
#define RESOLV_CONF "/etc/resolv.conf"

struct resolvers_data {
	struct list all; /* struct resolvers, in the order of the file */
	unsigned nameservers;
};

const char *const nameserver_count_names[] = {
#define COUNT(name, help) #name,
#include "dns/nameserver_counts.def"
#undef COUNT
};

const struct nameserver_way *nameserver_way;

static struct list nobody = LIST_INIT(nobody);
static struct resolvers_data *running;

/* ---- words ---------------------------------------------------------------------------------- */

static struct resolvers *find(const struct resolvers_data *data, const char *name)
{
	struct resolvers *r;

	list_for_each(r, &data->all, node)
		if (!strcmp(r->name, name))
			return r;
	return NULL;
}

static struct resolvers *add(struct config *cfg, const char *name)
{
	struct resolvers_data *data = config_data(cfg, &resolvers_module);
	struct resolvers *r = arena_alloc(cfg->arena, sizeof(*r));
	int i;

	r->name = arena_strdup(cfg->arena, name);
	for (i = 0; i < HOLDS; i++)
		r->hold_ms[i] = HOLD_MS;
	r->hold_ms[HOLD_OBSOLETE] = 0;
	r->hold_ms[HOLD_VALID] = HOLD_VALID_MS;
	r->retries = RETRIES;
	r->resolve_ms = r->retry_ms = SECOND;
	r->payload = PAYLOAD;
	list_init(&r->resolutions);
	list_append(&data->all, &r->node);
	return r;
}

static void *resolvers_begin(struct statement *st)
{
	const char *name = stmt_need(st, "the name of the section");
	const struct resolvers *other;
	struct resolvers *r;

	if (!name || stmt_end(st))
		return NULL;
	other = find(config_data(st->cfg, &resolvers_module), name);
	if (!dns_library())
		stmt_error(st, 0, "this build asks no name servers: it was made without c-ares");
	if (other)
		stmt_error(st, 1, "there is another section 'resolvers %s', at %s:%u", name,
			   other->loc.file, other->loc.line);
	r = add(st->cfg, name);
	r->loc = st->loc;
	return r;
}

static const struct nameserver *nameserver_find(const struct resolvers *r, const char *name)
{
	const struct nameserver *ns;

	for (ns = r->nameservers; ns; ns = ns->next)
		if (!strcmp(ns->name, name))
			return ns;
	return NULL;
}

static struct nameserver *nameserver_enter(struct config *cfg, struct resolvers *r, const char *name,
					   const struct addr *addr, bool stream)
{
	struct resolvers_data *data = config_data(cfg, &resolvers_module);
	struct nameserver *ns = arena_alloc(cfg->arena, sizeof(*ns)), **at = &r->nameservers;

	ns->resolvers = r;
	ns->name = arena_strdup(cfg->arena, name);
	ns->addr = *addr;
	ns->stream = stream;
	ns->number = data->nameservers++;
	list_init(&ns->ports);
	while (*at)
		at = &(*at)->next;
	*at = ns;
	r->count++;
	return ns;
}

static int parse_address(struct statement *st, const char *word, struct addr_spec *spec)
{
	struct err err;

	if (addr_parse(word, ADDR_PORT_NEEDED | ADDR_DGRAM | ADDR_STREAM_TOO | ADDR_NAMES | ADDR_UNIX |
		       ADDR_STAR, st->cfg->arena, spec, &err) || spec->unresolved)
		return stmt_error(st, st->at - 1, "%s", err.text);
	if (spec->addr.family != AF_UNIX || spec->stream)
		return 0;
	stmt_error(st, st->at - 1, "'%s' is a Unix socket for datagrams, which name servers have none of", word);
	stmt_hint(st, "one for streams begins with 'stream+unix@'");
	return -1;
}

static int parse_nameserver(struct statement *st, const struct keyword *kw, void *object)
{
	const char *name = stmt_need(st, "the name of the name server"), *word;
	struct resolvers *r = object;
	struct nameserver *ns;
	struct addr_spec spec;

	(void)kw;
	if (name && nameserver_find(r, name))
		return stmt_error(st, st->at - 1, "there is another name server '%s' in this section", name);
	word = name ? stmt_need(st, "the address and port of the name server") : NULL;
	if (!word || parse_address(st, word, &spec))
		return -1;
	if (stmt_peek(st) && !spec.stream)
		return stmt_error(st, st->at, "'%s' has no meaning behind a name server that is asked over UDP",
				  stmt_peek(st));
	ns = nameserver_enter(st->cfg, r, name, &spec.addr, spec.stream);
	return stmt_peek(st) ? nameserver_way->parse(st, ns) : 0;
}

/* Each is called as its address. Lines that give none are told, where somebody has asked for them.
 */
static void resolv_conf_line(struct config *cfg, struct resolvers *r, const struct dns_server_line *line,
			     bool tells)
{
	const struct location loc = { .file = RESOLV_CONF, .line = line->number };
	const struct nameserver *other;
	char name[64] = "";
	struct text t;

	text_init(&t, name, sizeof(name));
	if (line->good)
		addr_print(&line->addr, &t);
	other = nameserver_find(r, name);
	if (line->good && !other)
		nameserver_enter(cfg, r, name, &line->addr, false);
	else if (tells && other)
		config_warning(cfg, &loc, "there is a name server '%s' already in section 'resolvers %s': "
			       "the line is left out", name, r->name);
	else if (tells && line->word.len)
		config_warning(cfg, &loc, "'%.*s' is not an address: the name server is left out",
			       (int)line->word.len, line->word.ptr);
	else if (tells)
		config_warning(cfg, &loc, "the address of the name server is missing: the line is left out");
}

/* -1: the file cannot be read. */
static int add_resolv_conf(struct config *cfg, struct resolvers *r, bool tells)
{
	struct dns_server_line line = { 0 };
	struct span rest;
	size_t len;
	char *text;

	text = dns_file_read(RESOLV_CONF, RESOLV_MOST, &len);
	if (!text)
		return -1;
	rest = (struct span){ text, len };
	while (dns_servers_next(&rest, &line))
		resolv_conf_line(cfg, r, &line, tells);
	free(text);
	return 0;
}

static int parse_resolv_conf(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	if (stmt_end(st))
		return -1;
	if (add_resolv_conf(st->cfg, object, true))
		return stmt_error(st, 0, RESOLV_CONF " cannot be read: %s", strerror(errno));
	return 0;
}

/* ---- the module ----------------------------------------------------------------------------- */

struct resolvers *resolvers_find(struct config *cfg, const char *name)
{
	return find(config_data(cfg, &resolvers_module), name);
}

void resolvers_suggest(struct config *cfg, const char *name)
{
	const struct resolvers_data *data = config_data(cfg, &resolvers_module);
	struct suggestion s = suggest_for(cfg, name);
	const struct resolvers *r;

	list_for_each(r, &data->all, node)
		suggest_name(&s, r->name);
	suggest_end(&s);
}

const struct list *resolvers_running(void)
{
	return running ? &running->all : &nobody;
}

static void init(struct config *cfg, void *data)
{
	(void)cfg;
	list_init(&((struct resolvers_data *)data)->all);
}

static int finish(struct config *cfg, void *data)
{
	const struct resolvers_data *all = data;
	struct resolvers *r;

	list_for_each(r, &all->all, node)
		if (!r->count && !config_failed(cfg)) /* perhaps it is there, and wrong */
			config_warning(cfg, &r->loc, "resolvers '%s' have no name server", r->name);
	if (dns_library() && !find(data, "default")) {
		r = add(cfg, "default");
		r->implicit = true;
		add_resolv_conf(cfg, r, false);
		if (!r->count)
			list_remove(&r->node);
	}
	return 0;
}

/* ---- what is counted ------------------------------------------------------------------------ */

static struct region region = REGION_NONE;
static _Atomic uint64_t *counts; /* row x name server x count */

static const struct region_spec *counts_spec(void)
{
	static struct region_spec spec = { .name = "nameservers", .what = "counts of name servers" };
	static const struct region_member members[] = { { "counts", NAMESERVER_COUNTS, 0 } };

	if (!spec.layout)
		spec.layout = region_layout(VERSION, members, ARRAY_LEN(members));
	return &spec;
}

static _Atomic uint64_t *count_of(const struct nameserver *ns, unsigned row)
{
	return counts + ((size_t)row * running->nameservers + ns->number) * NAMESERVER_COUNTS;
}

void nameserver_add(const struct nameserver *ns, enum nameserver_count what)
{
	_Atomic uint64_t *count = counts ? count_of(ns, segment_own_row) + what : NULL;

	if (count) /* nobody else writes it */
		atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
				      memory_order_relaxed);
}

uint64_t nameserver_sum(const struct nameserver *ns, enum nameserver_count what)
{
	unsigned row, rows = counts ? segment_capacity(segment) : 0;
	uint64_t sum = 0;

	for (row = 0; row < rows; row++)
		sum += atomic_load_explicit(count_of(ns, row) + what, memory_order_relaxed);
	return sum;
}

static int prepare(struct config *cfg, void *data, struct err *err)
{
	struct resolvers_data *all = data;
	size_t size = (size_t)segment_capacity(segment) * all->nameservers * NAMESERVER_COUNTS *
		      sizeof(*counts);

	(void)cfg;
	running = all;
	if (!size)
		return 0;
	size = (size + REGION_PAGE - 1) / REGION_PAGE * REGION_PAGE;
	if (region_new(&region, counts_spec(), size, false, err) < 0)
		return -1;
	counts = region_window(&region, 0, size);
	return counts ? 0 : err_set(err, "no memory for counts of name servers: %s", strerror(errno));
}

static void stop(void)
{
	counts = NULL;
	if (region_is(&region))
		region_free(&region);
	running = NULL;
}

static const struct section sections[] = {
	{ .name = "resolvers", .scope = SCOPE_RESOLVERS, .begin = resolvers_begin,
	  .help = "name servers, and how long their answers hold" },
	{ .name = NULL },
};

#define AT(field) offsetof(struct resolvers, field)
#define HOLD(name_, what_, dflt_, help_)                                                  \
	{ .name = "hold " name_, .scope = SCOPE_RESOLVERS, .args = "<period>",            \
	  .parse = set_duration, .offset = AT(hold_ms) + sizeof(unsigned) * (what_),      \
	  .max = INT32_MAX, .dflt = dflt_, .help = help_ }

static const struct keyword keywords[] = {
	{ .name = "nameserver", .scope = SCOPE_RESOLVERS, .args = "<name> <address>:<port> [param*]",
	  .parse = parse_nameserver, .help = "a name server, asked over UDP, or over TCP alone (tcp@)" },
	{ .name = "parse-resolv-conf", .scope = SCOPE_RESOLVERS, .args = "",
	  .parse = parse_resolv_conf, .help = "the name servers of /etc/resolv.conf" },
	HOLD("nx", HOLD_NX, "30s", "how long an address holds while there is no such name"),
	HOLD("obsolete", HOLD_OBSOLETE, "0", "how long an address holds that answers have no more"),
	HOLD("other", HOLD_OTHER, "30s", "how long an address holds while answers fail otherwise"),
	HOLD("refused", HOLD_REFUSED, "30s", "how long an address holds while name servers refuse"),
	HOLD("timeout", HOLD_TIMEOUT, "30s", "how long an address holds without answers"),
	HOLD("valid", HOLD_VALID, "10s", "how long do-resolve uses an answer again"),
	{ .name = "resolve_retries", .scope = SCOPE_RESOLVERS, .args = "<nb>", .parse = set_int,
	  .offset = AT(retries), .min = 1, .max = INT16_MAX, .dflt = "3",
	  .help = "questions in a row before a failure counts" },
	{ .name = "timeout resolve", .scope = SCOPE_RESOLVERS, .args = "<time>",
	  .parse = set_duration, .offset = AT(resolve_ms), .min = 1, .max = INT32_MAX, .dflt = "1s",
	  .help = "time between two questions for a name" },
	{ .name = "timeout retry", .scope = SCOPE_RESOLVERS, .args = "<time>",
	  .parse = set_duration, .offset = AT(retry_ms), .min = 1, .max = INT32_MAX, .dflt = "1s",
	  .help = "how long an answer is waited for" },
	{ .name = "accepted_payload_size", .scope = SCOPE_RESOLVERS, .args = "<nb>",
	  .parse = set_int, .offset = AT(payload), .min = 12, .max = 65535, .dflt = "512",
	  .help = "longest answer that is taken over UDP" },
	{ .name = NULL },
};

const struct module resolvers_module = {
	.name = "resolvers", .keywords = keywords, .sections = sections,
	.data_size = sizeof(struct resolvers_data), .init = init, .finish = finish,
	.prepare = prepare, .stop = stop,
};
