/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses "log", "log-tag" and "log-send-hostname" and completes the targets when all files
 * have been read. A proxy's configuration is shared with those that inherited it, until one of
 * them gets a line of its own; the targets themselves, with their counters and sample
 * positions, stay shared.
 */
#include "log/log_conf.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/kind.h"
#include "config/suggest.h"
#include "log/profile.h"
#include "log/ring.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOG_PORT = 514, LOG_FD_MAX = 65535 };

/* What "log global" adds to a proxy: log.c goes on with the global targets there. */
static struct log_target log_to_global = { .kind = LOG_TO_GLOBAL, .name = "global" };

static struct log_data *log_data_of(struct statement *st)
{
	return config_data(st->cfg, &log_module);
}

/* The configuration at *field, made or copied so that it belongs to owner alone. */
static struct log_conf *log_conf_own(struct log_conf **field, const void *owner,
				     struct arena *arena)
{
	struct log_conf *own;

	if (*field && (*field)->owner == owner)
		return *field;
	own = arena_alloc(arena, sizeof(*own));
	if (*field) {
		*own = **field;
		own->targets = arena_alloc(arena, (own->count + 1) * sizeof(*own->targets));
		if (own->count)
			memcpy(own->targets, (*field)->targets,
			       own->count * sizeof(*own->targets));
	}
	own->owner = owner;
	*field = own;
	return own;
}

static void log_conf_add(struct log_conf *conf, struct log_target *t, struct arena *arena)
{
	struct log_target **targets;

	targets = arena_alloc(arena, (conf->count + 1) * sizeof(*targets));
	if (conf->count)
		memcpy(targets, conf->targets, conf->count * sizeof(*targets));
	targets[conf->count++] = t;
	conf->targets = targets;
}

/* -- the address ------------------------------------------------------------------------- */

/* Words for kinds of addresses that only log lines know, in those of addr_parse. */
static const struct log_prefix {
	const char *prefix, *means;
	bool stream;
} log_prefixes[] = {
	{ "udp@", "", false },      { "udp4@", "ipv4@", false }, { "udp6@", "ipv6@", false },
	{ "uxdg@", "unix@", false }, { "tcp@", "", true },        { "tcp4@", "ipv4@", true },
	{ "tcp6@", "ipv6@", true },  { "uxst@", "unix@", true },
};

static int log_parse_ip(struct statement *st, struct log_target *t, const char *text, bool stream)
{
	unsigned allow = ADDR_NAMES | ADDR_UNIX | (stream ? ADDR_PORT_NEEDED : ADDR_STAR);
	struct addr_spec spec;
	struct err err = { "" };

	if (addr_parse(text, allow, st->cfg->arena, &spec, &err))
		return stmt_error(st, st->at - 1, "%s", err.text);
	if (spec.unresolved && st->cfg->check_only)
		stmt_warning(st, st->at - 1, "%s", err.text);
	else if (spec.unresolved)
		return stmt_error(st, st->at - 1, "%s", err.text);
	t->addr = spec.addr;
	if (t->addr.family != AF_UNIX && !t->addr.port)
		t->addr.port = LOG_PORT;
	if (stream)
		return ring_add_implicit(st, t);
	t->kind = LOG_TO_DATAGRAM;
	return 0;
}

static int log_parse_fd(struct statement *st, struct log_target *t, const char *number)
{
	int64_t fd;

	if (!str_to_int(number, 0, LOG_FD_MAX, &fd))
		return stmt_error(st, st->at - 1, "a descriptor must be a number from 0 to %d",
				  LOG_FD_MAX);
	t->kind = LOG_TO_FD;
	t->addr.family = AF_FD;
	t->addr.fd = (int)fd;
	return 0;
}

static int log_parse_address(struct statement *st, struct log_target *t)
{
	const char *text = stmt_need(st, "address of a log server, stdout, stderr, fd@<number> or "
					 "ring@<name>");
	size_t i;

	if (!text)
		return -1;
	t->name = text;
	if (!strcmp(text, "stdout"))
		return log_parse_fd(st, t, "1");
	if (!strcmp(text, "stderr"))
		return log_parse_fd(st, t, "2");
	if (!strncmp(text, "fd@", 3))
		return log_parse_fd(st, t, text + 3);
	if (!strncmp(text, "ring@", 5)) {
		t->kind = LOG_TO_RING;
		t->ring_name = text + 5;
		return 0;
	}
	for (i = 0; i < ARRAY_LEN(log_prefixes); i++) {
		const struct log_prefix *p = &log_prefixes[i];
		size_t len = strlen(p->prefix);

		if (!strncmp(text, p->prefix, len))
			return log_parse_ip(st, t,
					    arena_printf(st->cfg->arena, "%s%s", p->means, text + len),
					    p->stream);
	}
	return log_parse_ip(st, t, text, false);
}

/* -- the words behind it ----------------------------------------------------------------- */

/* The word at st->at, consumed, is one of names: 0 and its index. */
static int log_parse_name(struct statement *st, const char *what, const char *const *names,
			  unsigned *index)
{
	const char *word = stmt_need(st, what);
	unsigned i;

	if (!word)
		return -1;
	for (i = 0; names[i]; i++) {
		if (!strcmp(word, names[i])) {
			*index = i;
			return 0;
		}
	}
	stmt_error(st, st->at - 1, "unknown %s '%s'", what, word);
	stmt_hint_names(st, word, names);
	return -1;
}

static bool log_sample_number(const char **text, unsigned *number)
{
	char *end;
	unsigned long value;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	value = strtoul(*text, &end, 10);
	*text = end;
	*number = (unsigned)value;
	return !errno && value >= 1 && value <= INT_MAX;
}

static bool log_sample_overlaps(const struct log_sample *sample)
{
	unsigned i, last = sample->count - 1;

	for (i = 0; i < last; i++)
		if (sample->range[i].low <= sample->range[last].high &&
		    sample->range[last].low <= sample->range[i].high)
			return true;
	return false;
}

/* "1,3-4:5". NULL, or what is wrong with it. */
static const char *log_sample_parse(struct log_sample *sample, const char *text)
{
	unsigned highest = 0;

	for (;;) {
		unsigned *low = &sample->range[sample->count].low;
		unsigned *high = &sample->range[sample->count].high;

		if (!log_sample_number(&text, low))
			return "a range must be <number> or <number>-<number>, from 1 on";
		*high = *low;
		if (*text == '-' && (text++, !log_sample_number(&text, high) || *high < *low))
			return "a range must end at a number that is not below its first one";
		sample->count++;
		if (log_sample_overlaps(sample))
			return "the ranges overlap";
		highest = *high > highest ? *high : highest;
		if (*text != ',')
			break;
		if (sample->count == LOG_RANGES)
			return "too many ranges, at most 32";
		text++;
	}
	if (*text != ':')
		return "the size of the sample is missing: <ranges>:<size>";
	text++;
	if (!log_sample_number(&text, &sample->period) || *text)
		return "the size of the sample must be a number from 1 on";
	if (sample->period < highest)
		return "the size of the sample must not be below the ranges' highest number";
	return NULL;
}

static int log_parse_sample(struct statement *st, struct log_target *t)
{
	const char *text = stmt_need(st, "sample, <ranges>:<size>"), *problem;

	if (!text)
		return -1;
	t->sample = (struct log_sample){ 0 };
	problem = log_sample_parse(&t->sample, text);
	return problem ? stmt_error(st, st->at - 1, "%s", problem) : 0;
}

struct log_profile_use *log_profile_parse(struct statement *st)
{
	struct log_data *data = config_data(st->cfg, &log_module);
	const char *name = stmt_need(st, "name of a log-profile");
	struct log_profile_use *use;

	if (!name)
		return NULL;
	use = arena_alloc(st->cfg->arena, sizeof(*use));
	KIND_IS(struct log_profile_use, use);
	use->loc = st->loc;
	use->name = arena_strdup(st->cfg->arena, name);
	list_append(&data->profile_uses, &use->node);
	return use;
}

static int log_parse_options(struct statement *st, struct log_target *t)
{
	unsigned format;
	int64_t len;

	for (;;) {
		if (stmt_take(st, "len")) {
			if (stmt_int(st, "length of a log line", LOG_LEN_MIN, LOG_LEN_MAX, &len))
				return -1;
			t->max_len = (unsigned)len;
		} else if (stmt_take(st, "format")) {
			if (log_parse_name(st, "log format", log_format_names, &format))
				return -1;
			t->format = format;
		} else if (stmt_take(st, "sample")) {
			if (log_parse_sample(st, t))
				return -1;
		} else if (stmt_take(st, "profile")) {
			t->profile = log_profile_parse(st);
			if (!t->profile)
				return -1;
		} else {
			return 0;
		}
	}
}

static bool in_names(const char *const *names, const char *word)
{
	for (; *names; names++)
		if (!strcmp(*names, word))
			return true;
	return false;
}

static int log_parse_levels(struct statement *st, struct log_target *t)
{
	unsigned level;

	if (log_parse_name(st, "log facility", log_facility_names, &t->facility)) {
		if (st->at == st->count && in_names(log_facility_names, st->words[st->at - 1].text))
			stmt_hint(st, "the address stands in front of it, as in 'log 127.0.0.1 %s'",
				  st->words[st->at - 1].text);
		return -1;
	}
	if (stmt_peek(st)) {
		if (log_parse_name(st, "log level", log_level_names, &level))
			return -1;
		t->max_level = level;
	}
	if (stmt_peek(st)) {
		if (log_parse_name(st, "minimum log level", log_level_names, &level))
			return -1;
		t->min_level = level;
	}
	return stmt_end(st);
}

static int log_parse_global(struct statement *st, struct log_conf *conf)
{
	unsigned i;

	if (st->scope & SCOPE_GLOBAL)
		return stmt_error(st, st->at - 1, "'log global' belongs into proxies: the global "
						  "section needs an address");
	if (!log_data_of(st)->wanted.file)
		log_data_of(st)->wanted = stmt_location(st);
	for (i = 0; i < conf->count; i++)
		if (conf->targets[i] == &log_to_global)
			return stmt_end(st); /* inherited, or said twice */
	log_conf_add(conf, &log_to_global, st->cfg->arena);
	return stmt_end(st);
}

static struct log_target *log_target_new(struct arena *arena)
{
	struct log_target *t = arena_alloc(arena, sizeof(*t));

	list_init(&t->node);
	t->format = LOG_FMT_DEFAULT;
	t->max_len = LOG_LEN_DEFAULT;
	t->max_level = LOG_L_DEBUG;
	t->min_level = LOG_L_EMERG;
	t->fd = -1;
	return t;
}

static struct ring *log_sink_ring(struct config *cfg, struct log_data *data, const struct location *loc,
				  const char *name)
{
	struct ring *ring = ring_of_name(data, name);

	if (!ring && !strcmp(name, "buf0")) {
		ring = ring_new(cfg, data, "buf0");
		ring->description = "in-memory ring buffer";
		ring->format = LOG_FMT_TIMED;
		ring->loc = *loc;
	}
	return ring;
}

struct log_target *log_sink(struct config *cfg, const struct location *loc, const char *name,
			    struct err *err)
{
	struct log_data *data = config_data(cfg, &log_module);
	bool is_stdout = !strcmp(name, "stdout");
	struct log_target *t;
	struct ring *ring = NULL;

	if (!is_stdout && strcmp(name, "stderr")) {
		ring = log_sink_ring(cfg, data, loc, name);
		if (!ring) {
			err_set(err, "there is no '%s': stdout, stderr, buf0 and the rings of the sections above are "
				     "known", name);
			return NULL;
		}
	}
	t = log_target_new(cfg->arena);
	t->loc = *loc;
	t->name = arena_strdup(cfg->arena, name);
	t->max_len = LOG_SINK_LEN;
	t->kind = ring ? LOG_TO_RING : LOG_TO_FD;
	t->ring_name = t->name;
	t->ring = ring;
	t->format = ring ? ring->format : LOG_FMT_RAW;
	if (!ring)
		t->addr = (struct addr){ .family = AF_FD, .fd = is_stdout ? 1 : 2 };
	list_append(&data->targets, &t->node);
	return t;
}

int log_parse_proxy(struct statement *st, const struct keyword *kw, void *object)
{
	struct log_conf **field = (struct log_conf **)((char *)object + kw->offset);
	struct log_conf *conf = log_conf_own(field, object, st->cfg->arena);
	struct log_target *t;

	if (st->no) {
		conf->count = 0;
		return stmt_end(st);
	}
	if (stmt_take(st, "global"))
		return log_parse_global(st, conf);
	t = log_target_new(st->cfg->arena);
	t->loc = st->loc;
	if (log_parse_address(st, t) || log_parse_options(st, t) || log_parse_levels(st, t))
		return -1;
	list_append(&log_data_of(st)->targets, &t->node);
	log_conf_add(conf, t, st->cfg->arena);
	return 0;
}

int log_parse_proxy_tag(struct statement *st, const struct keyword *kw, void *object)
{
	struct log_conf **field = (struct log_conf **)((char *)object + kw->offset);
	const char *tag = stmt_need(st, "tag");

	if (!tag)
		return -1;
	if (!*tag)
		return stmt_error(st, st->at - 1, "the tag must not be empty");
	log_conf_own(field, object, st->cfg->arena)->tag = arena_strdup(st->cfg->arena, tag);
	return stmt_end(st);
}

static int log_parse_hostname(struct statement *st, const struct keyword *kw, void *object)
{
	struct log_data *data = object;
	const char *name = stmt_next(st);

	(void)kw;
	data->send_hostname = true;
	data->hostname = name ? arena_strdup(st->cfg->arena, name) : NULL;
	return stmt_end(st);
}

/* -- the generation ---------------------------------------------------------------------- */

static void log_init(struct config *cfg, void *module_data)
{
	struct log_data *data = module_data;

	list_init(&data->targets);
	list_init(&data->rings);
	list_init(&data->profiles);
	list_init(&data->profile_uses);
	data->global = arena_alloc(cfg->arena, sizeof(*data->global));
	data->global->owner = data;
	data->global->tag = arena_strdup(cfg->arena, program_invocation_short_name);
}

bool log_has_targets(const struct log_conf *conf, const struct config *cfg)
{
	const struct log_data *data = config_data(cfg, &log_module);
	unsigned i;

	for (i = 0; conf && i < conf->count; i++)
		if (conf->targets[i]->kind != LOG_TO_GLOBAL || data->global->count)
			return true;
	return false;
}

static int no_ring(struct config *cfg, const struct log_data *data, const struct log_target *t)
{
	struct location loc = config_locate(cfg, &t->loc, t->ring_name);
	struct suggestion near = suggest_for(cfg, t->ring_name);
	const struct ring *ring;

	config_error(cfg, &loc, "log %s: there is no ring '%s'", t->name, t->ring_name);
	list_for_each(ring, &data->rings, node)
		suggest_name(&near, ring->name);
	suggest_end(&near);
	return -1;
}

static int log_finish_target(struct config *cfg, struct log_data *data, struct log_target *t)
{
	if (t->format == LOG_FMT_DEFAULT)
		t->format = data->send_hostname ? LOG_FMT_RFC3164 : LOG_FMT_LOCAL;
	if (t->kind != LOG_TO_RING)
		return 0;
	if (!t->ring)
		t->ring = ring_of_name(data, t->ring_name);
	if (!t->ring)
		return no_ring(cfg, data, t);
	if (!t->ring->implicit)
		t->format = t->ring->format;
	if (t->ring->max_len && t->ring->max_len < t->max_len)
		t->max_len = t->ring->max_len; /* here objects are cut so that they stay some */
	return 0;
}

static int log_finish_profile(struct config *cfg, struct log_data *data,
			      struct log_profile_use *use)
{
	struct suggestion near = suggest_for(cfg, use->name);
	const struct log_profile *profile;

	list_for_each(profile, &data->profiles, node) {
		if (!strcmp(use->name, profile->name)) {
			use->profile = profile;
			return 0;
		}
		suggest_name(&near, profile->name);
	}
	config_error(cfg, &use->loc, "there is no log-profile '%s'", use->name);
	suggest_end(&near);
	return -1;
}

static int log_finish(struct config *cfg, void *module_data)
{
	struct log_data *data = module_data;
	struct log_profile_use *use;
	struct log_target *t;
	struct ring *ring;
	int result = 0;

	if (data->send_hostname && !data->hostname) {
		char name[HOST_NAME_MAX + 1];

		if (gethostname(name, sizeof(name)))
			strcpy(name, "localhost");
		name[HOST_NAME_MAX] = 0;
		data->hostname = arena_strdup(cfg->arena, name);
	}
	if (data->wanted.file && !data->global->count)
		config_note(cfg, &data->wanted,
			    "'log global' leads nowhere: section 'global' has no line 'log'");
	list_for_each(ring, &data->rings, node)
		result |= ring_check(cfg, ring);
	list_for_each(use, &data->profile_uses, node)
		result |= log_finish_profile(cfg, data, use);
	list_for_each(t, &data->targets, node)
		result |= log_finish_target(cfg, data, t);
	return result;
}

static const struct keyword log_keywords[] = {
	{ .name = "log",
	  .scope = SCOPE_GLOBAL,
	  .flags = KW_NO,
	  .args = "<address> [len <length>] [format <format>] [sample <ranges>:<size>] "
		  "[profile <name>] <facility> [<level> [<minlevel>]]",
	  .parse = log_parse_proxy,
	  .offset = offsetof(struct log_data, global),
	  .help = "where lines about the process, and those of proxies with \"log global\", go" },
	{ .name = "log-tag",
	  .scope = SCOPE_GLOBAL,
	  .args = "<string>",
	  .parse = log_parse_proxy_tag,
	  .offset = offsetof(struct log_data, global),
	  .dflt = "the program's name",
	  .help = "the name in front of each log line" },
	{ .name = "log-send-hostname",
	  .scope = SCOPE_GLOBAL,
	  .flags = KW_FIRST,
	  .args = "[<string>]",
	  .parse = log_parse_hostname,
	  .help = "put a host name, by default the system's, into log headers" },
	{ .name = NULL },
};

const struct module log_module = {
	.name = "log",
	.keywords = log_keywords,
	.data_size = sizeof(struct log_data),
	.init = log_init,
	.finish = log_finish,
};
