/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The word "stick-table": reads declarations of tables, opens them before the first process is
 * forked. Rules, fetches and commands find a table by its declaration.
 */
#include "proxy/stick_conf.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "config/module.h"
#include "config/value.h"
#include "log/log.h"
#include "proxy/proxy.h"
#include "proxy/suggest.h"
#include "share/segment.h"
#include "stick/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static struct stick_conf none = { .lines = LIST_INIT(none.lines) };
const struct stick_conf *stick_running = &none;
uint64_t stick_stored;

static const char *const key_types[] = {
	[STICK_IP] = "ip", [STICK_IPV6] = "ipv6", [STICK_INTEGER] = "integer",
	[STICK_STRING] = "string", [STICK_BINARY] = "binary", NULL,
};

const char *stick_key_type_name(enum stick_key_type type)
{
	return key_types[type];
}

enum stick_data stick_data_find(struct span name)
{
	unsigned i;

	for (i = 0; i < STICK_DATA; i++)
		if (span_equal(name, span_of(stick_data_types[i].name)))
			break;
	return (enum stick_data)i;
}

struct stick_line *stick_line_find(const struct stick_conf *conf, const char *name)
{
	struct stick_line *line;

	list_for_each(line, &conf->lines, node)
		if (!strcmp(line->name, name))
			return line;
	return NULL;
}

struct stick_line *stick_line_before(const struct stick_conf *conf, const struct stick_line *line)
{
	const struct list *at = line ? line->node.prev : conf->lines.prev;
	struct stick_line *before;

	for (; at != &conf->lines; at = at->prev) {
		before = list_entry(at, struct stick_line, node);
		if (before->table)
			return before;
	}
	return NULL;
}

void stick_line_store(struct stick_line *line, enum stick_data what)
{
	BUG_ON(line->table);
	if (!stick_stores(&line->def, what))
		line->def.columns[what].count = 1;
}

/* ---- store --------------------------------------------------------------------------------- */

/* "gpc_rate(3,10s)": what stands between the parentheses. */
static int data_arguments(struct statement *st, int at, const struct stick_data_type *type,
			  struct span text, struct stick_column *column)
{
	char word[32], *comma = NULL;
	const char *period = word, *bad;
	enum value_result r;
	uint64_t us;
	long n;

	if (text.len >= sizeof(word))
		return stmt_error(st, at, "'%s': the arguments are too long", type->name);
	memcpy(word, text.ptr, text.len);
	word[text.len] = '\0';
	if (type->argument == STICK_ARRAY || type->argument == STICK_BOTH) {
		n = strtol(word, &comma, 10);
		if (comma == word || n < 1 || n > STICK_ARRAY_MOST ||
		    *comma != (type->argument == STICK_BOTH ? ',' : '\0'))
			return stmt_error(st, at, "'%s' expects %s: a number from 1 to %d%s", type->name,
					  type->argument == STICK_BOTH ? "(<elements>,<period>)" :
									 "(<elements>)",
					  STICK_ARRAY_MOST,
					  type->argument == STICK_BOTH ? ", and a time" : "");
		column->count = (uint16_t)n;
		period = comma + 1;
	}
	if (type->argument == STICK_ARRAY)
		return 0;
	r = value_time(period, 'm', &us, &bad);
	if (r != VALUE_OK || us < 1000 || us / 1000 > INT_MAX)
		return stmt_error(st, at, "'%s' expects a period such as 10s, not '%s'", type->name,
				  period);
	column->period = (uint32_t)((us + 999) / 1000);
	return 0;
}

static int store_one(struct statement *st, int at, struct span word, struct stick_line *line)
{
	const char *paren = memchr(word.ptr, '(', word.len);
	struct span name = { word.ptr, paren ? (size_t)(paren - word.ptr) : word.len }, inside;
	enum stick_data what = stick_data_find(name);
	const struct stick_data_type *type;
	struct stick_column column = { .count = 1 };
	const char *names[STICK_DATA + 1];
	unsigned i;

	if (!name.len)
		return stmt_error(st, at, "the name of a data type is missing");
	if (what == STICK_DATA) {
		for (i = 0; i < STICK_DATA; i++)
			names[i] = stick_data_types[i].name;
		names[i] = NULL;
		return stmt_unknown_part(st, at, arena_strndup(st->cfg->arena, name.ptr, name.len),
					 "data type", names);
	}
	type = &stick_data_types[what];
	if (stick_stores(&line->def, what)) {
		stmt_warning(st, at, "'%s' is stored already; the first one holds", type->name);
		return 0;
	}
	if (!paren != (type->argument == STICK_NONE))
		return stmt_error(st, at, type->argument == STICK_NONE ?
				  "'%s' has no argument" : type->argument == STICK_PERIOD ?
				  "'%s' needs a period: %s(10s)" : "'%s' needs its elements: %s(2%s",
				  type->name, type->name,
				  type->argument == STICK_BOTH ? ",10s)" : ")");
	inside = (struct span){ paren ? paren + 1 : "", 0 };
	if (paren) {
		if (word.ptr[word.len - 1] != ')')
			return stmt_error(st, at, "'%s': ')' expected", type->name);
		inside.len = (size_t)(word.ptr + word.len - 1 - inside.ptr);
	}
	if (paren && data_arguments(st, at, type, inside, &column))
		return -1;
	line->def.columns[what] = column;
	return 0;
}

/* Data types behind one another; commas in parentheses belong to arguments. Goes on behind what is
 * wrong. */
static int parse_store(struct statement *st, struct stick_line *line)
{
	const char *word = stmt_need(st, "the data to be stored"), *from;
	int depth = 0, at = st->at - 1, bad = 0;

	if (!word)
		return -1;
	for (from = word;; word++) {
		depth += (*word == '(') - (*word == ')');
		if (*word && (*word != ',' || depth > 0))
			continue;
		if (*word || word > from)
			bad |= store_one(st, at, (struct span){ from, (size_t)(word - from) }, line);
		if (!*word)
			return bad;
		from = word + 1;
	}
}

/* Arrays take the place of what has a name of its own (manual). */
static int check_arrays(struct statement *st, const struct stick_line *line)
{
	static const struct {
		enum stick_data array, single[2];
	} excludes[] = {
		{ STICK_gpc, { STICK_gpc0, STICK_gpc1 } },
		{ STICK_gpc_rate, { STICK_gpc0_rate, STICK_gpc1_rate } },
		{ STICK_gpt, { STICK_gpt0, STICK_gpt0 } },
	};
	unsigned i, k;

	for (i = 0; i < ARRAY_LEN(excludes); i++)
		for (k = 0; k < 2; k++)
			if (stick_stores(&line->def, excludes[i].array) &&
			    stick_stores(&line->def, excludes[i].single[k]))
				return stmt_error(st, 0, "'%s' cannot be stored beside '%s', which has it as its "
						  "element %u",
						  stick_data_types[excludes[i].single[k]].name,
						  stick_data_types[excludes[i].array].name, k);
	return 0;
}

/* ---- the line ------------------------------------------------------------------------------ */

static int parse_type(struct statement *st, struct stick_line *line)
{
	const char *word = stmt_need(st, "the type of keys");
	struct stick_definition *def = &line->def;
	static const uint32_t lens[] = { 4, 16, 4, STICK_KEY_LEN, STICK_KEY_LEN };
	int64_t len;
	unsigned i;

	if (!word)
		return -1;
	for (i = 0; key_types[i] && strcmp(word, key_types[i]); i++)
		;
	if (!strcmp(word, "ipv4"))
		i = STICK_IP;
	if (!key_types[i]) {
		stmt_unknown(st, st->at - 1, "type of keys", key_types);
		if (stmt_take(st, "len"))
			stmt_next(st);
		return -1;
	}
	def->type = (enum stick_key_type)i;
	def->key_len = lens[i];
	if (!stmt_take(st, "len"))
		return 0;
	if (i != STICK_STRING && i != STICK_BINARY) {
		stmt_error(st, st->at - 1, "keys of type '%s' have no 'len'", word);
		stmt_next(st);
		return -1;
	}
	if (stmt_int(st, "the length of keys", 1, 16384, &len))
		return -1;
	def->key_len = (uint32_t)len;
	return 0;
}

static int parse_srvkey(struct statement *st, struct stick_line *line)
{
	static const char *const kinds[] = { "name", "addr", NULL };
	const char *word = stmt_need(st, "'name' or 'addr'");

	if (!word)
		return -1;
	line->by_address = !strcmp(word, "addr");
	return line->by_address || !strcmp(word, "name") ?
		0 : stmt_unknown(st, st->at - 1, "kind of key", kinds);
}

static int parse_peers(struct statement *st, struct stick_line *line)
{
	const char *word = stmt_need(st, "the name of a section 'peers'");

	if (!word)
		return -1;
	if (line->peers)
		return stmt_error(st, st->at - 2, "the table belongs to the section '%s' already",
				  line->peers);
	line->peers = arena_strdup(st->cfg->arena, word);
	line->peers_loc = st->loc;
	return 0;
}

static int parse_write_to(struct statement *st, struct stick_line *line)
{
	const char *word = stmt_need(st, "the name of a table");

	if (word)
		line->write_to = arena_strdup(st->cfg->arena, word);
	return word ? 0 : -1;
}

static int parse_word(struct statement *st, struct stick_line *line)
{
	static const char *const words[] = { "type", "size", "expire", "nopurge", "peers", "brates-factor",
					     "srvkey", "write-to", "recv-only", "store", NULL };
	unsigned ms;
	int64_t block;
	size_t size;

	if (stmt_take(st, "type"))
		return parse_type(st, line);
	if (stmt_take(st, "size")) {
		if (stmt_size(st, "the number of entries", &size))
			return -1;
		if (!size || size > UINT32_C(1) << 30)
			return stmt_error(st, st->at - 1, "the number of entries must be from 1 to 1g");
		line->def.size = (uint32_t)size;
		return 0;
	}
	if (stmt_take(st, "expire")) {
		if (stmt_duration(st, "the life of an entry", 'm', &ms))
			return -1;
		if (ms > INT_MAX)
			return stmt_error(st, st->at - 1, "the life of an entry must be from 1ms to 24d, or 0: for ever");
		line->def.expire_ms = ms;
		return 0;
	}
	if (stmt_take(st, "nopurge")) {
		line->def.nopurge = true;
		return 0;
	}
	if (stmt_take(st, "recv-only")) {
		line->recv_only = true;
		return 0;
	}
	if (stmt_take(st, "peers"))
		return parse_peers(st, line);
	if (stmt_take(st, "write-to"))
		return parse_write_to(st, line);
	if (stmt_take(st, "brates-factor")) {
		if (stmt_int(st, "a block of bytes", 1, 1024, &block))
			return -1;
		line->def.block = (uint32_t)block;
		return 0;
	}
	if (stmt_take(st, "srvkey"))
		return parse_srvkey(st, line);
	if (stmt_take(st, "store"))
		return parse_store(st, line);
	return stmt_unknown(st, st->at, "word of 'stick-table'", words);
}

/* All that is wrong is said, up to a word that is none of these. */
static int parse_words(struct statement *st, struct stick_line *line)
{
	int at, bad = 0;

	while (stmt_peek(st)) {
		at = st->at;
		if (parse_word(st, line))
			bad = -1;
		if (st->at == at)
			break;
	}
	return bad;
}

struct stick_line *stick_line_parse(struct statement *st, const char *name, const char *peers)
{
	struct stick_conf *conf = config_data(st->cfg, &stick_module);
	struct stick_line *line = arena_alloc(st->cfg->arena, sizeof(*line));

	*line = (struct stick_line){ .name = name, .loc = st->loc, .peers = peers,
				     .peers_loc = st->loc,
				     .def = { .name = name, .type = STICK_KEY_TYPES } };
	if (parse_words(st, line))
		return NULL;
	if (line->def.type == STICK_KEY_TYPES || !line->def.size) {
		stmt_error(st, 0, "the table needs %s",
			   line->def.size ? "the type of its keys" : "its size");
		stmt_hint(st, line->def.size ? "such as 'type ip'"
					     : "the most entries, such as 'size 100k'");
		return NULL;
	}
	if (check_arrays(st, line))
		return NULL;
	list_append(&conf->lines, &line->node);
	return line;
}

static int parse_stick_table(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy *px = object;

	(void)kw;
	if (px->stick)
		return stmt_error(st, 0, "'%s' has a stick table already; another one stands in a backend of "
				  "its own", px->name);
	px->stick = stick_line_parse(st, px->name, NULL);
	px->stick_wrong = !px->stick;
	return px->stick ? 0 : -1;
}

/* ---- life ---------------------------------------------------------------------------------- */

static void stick_init(struct config *cfg, void *data)
{
	struct stick_conf *conf = data;

	(void)cfg;
	list_init(&conf->lines);
}

/* A table of the same keys, which writes to no further one. */
static int find_written_to(struct config *cfg, const struct stick_conf *conf,
			   struct stick_line *line)
{
	struct stick_line *to = stick_line_find(conf, line->write_to);

	line->written_to = to;
	if (!to) {
		config_error(cfg, &line->loc, "'write-to': there is no stick table '%s'",
			     line->write_to);
		table_suggest(cfg, line->write_to);
		return -1;
	}
	if (to == line)
		return config_error(cfg, &line->loc, "'write-to' names the table that it stands in");
	if (to->write_to)
		return config_error(cfg, &line->loc, "'write-to': the table '%s' has a 'write-to' itself, at "
				    "%s:%u", to->name, to->loc.file, to->loc.line);
	if (to->def.type != line->def.type || to->def.key_len != line->def.key_len)
		return config_error(cfg, &line->loc, "'write-to': the keys of table '%s' have another type or "
				    "length, at %s:%u", to->name, to->loc.file, to->loc.line);
	return 0;
}

static int stick_finish(struct config *cfg, void *data)
{
	const struct stick_conf *conf = data;
	struct stick_line *line;
	const struct stick_line *other;
	int bad = 0;

	list_for_each(line, &conf->lines, node) {
		other = stick_line_find(conf, line->name);
		if (other != line)
			bad |= config_error(cfg, &line->loc, "there is a stick table '%s' already, at %s:%u",
					    line->name, other->loc.file, other->loc.line);
		if (line->write_to)
			bad |= find_written_to(cfg, conf, line);
		if (!line->peers && (line->write_to || line->recv_only))
			config_note(cfg, &line->loc, "'%s' without 'peers': nobody fills the table",
				    line->write_to ? "write-to" : "recv-only");
		if (line->def.nopurge && !line->def.expire_ms)
			config_note(cfg, &line->loc, "'nopurge' without 'expire': the table takes no more keys once it "
				    "is full");
	}
	return bad;
}

static void note_stored(const struct stick_definition *def)
{
	unsigned what;

	for (what = 0; what < STICK_DATA; what++)
		stick_stored |= (uint64_t)stick_stores(def, (enum stick_data)what) << what;
}

static int stick_prepare(struct config *cfg, void *data, struct err *err)
{
	const struct stick_conf *conf = data;
	struct stick_line *line;
	bool anew;

	(void)cfg;
	stick_running = conf;
	stick_stored = 0;
	if (list_empty(&conf->lines))
		return 0;
	if (stick_memory_begin(segment && segment_fd(segment) >= 0, err) < 0)
		return -1;
	list_for_each(line, &conf->lines, node) {
		stick_layout(&line->def);
		note_stored(&line->def);
		line->table = stick_table_open(&line->def, &anew, err);
		if (!line->table)
			return -1;
		if (anew)
			log_process(LOG_L_NOTICE, "Stick table '%s' begins anew: its definition has changed.",
				line->name);
	}
	return 0;
}

/* A worker: what it does to tables is its own from here on. */
static int stick_start(struct config *cfg, void *data, struct err *err)
{
	const struct stick_conf *conf = data;

	(void)cfg;
	if (list_empty(&conf->lines))
		stick_memory_end(); /* the parent has it for workers of before */
	if (!stick_memory_is())
		return 0;
	stick_sweep_start();
	return segment && segment_fd(segment) >= 0 && segment_own_row ?
		stick_memory_confine(segment_own_row, err) : 0;
}

static const struct keyword keywords[] = {
	{ "stick-table", SCOPE_FRONTEND | SCOPE_BACKEND, 0,
	  "type <type> [len <length>] size <entries> [expire <time>] [nopurge] [peers <section>] "
	  "[brates-factor <bytes>] [srvkey <kind>] [write-to <table>] [recv-only] [store <data>[,...]]...",
	  parse_stick_table, .dflt = "none",
	  .help = "a table of keys that are remembered, with counters" },
	{ 0 },
};

const struct module stick_module = {
	.name = "stick",
	.keywords = keywords,
	.data_size = sizeof(struct stick_conf),
	.init = stick_init,
	.finish = stick_finish,
	.prepare = stick_prepare,
	.start = stick_start,
	.stop = stick_memory_end,
};
