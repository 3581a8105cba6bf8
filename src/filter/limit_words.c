/* SPDX-License-Identifier: BSD-2-Clause */
/* The words behind "filter bwlim-in" and "filter bwlim-out", and what is checked when all files have
 * been read: that the table of a shared limit has the rate. */
#include "filter/limit.h"

#include "base/arena.h"
#include "base/kind.h"
#include "config/module.h"
#include "expr/expr.h"
#include "expr/expr_conf.h"
#include "filter/filter.h"
#include "proxy/proxy.h"
#include "proxy/stick_conf.h"

const struct filter_line *limit_find(const struct proxy *px, const char *name)
{
	const struct filter_line *line = filter_find(px, &limit_in_filter, name);

	return line ? line : filter_find(px, &limit_out_filter, name);
}

static int parse_size(struct statement *st, const char *what, size_t *bytes)
{
	if (stmt_size(st, what, bytes))
		return -1;
	return *bytes ? 0 : stmt_error(st, st->at - 1, "%s cannot be 0", what);
}

static int parse_period(struct statement *st, unsigned *ms)
{
	if (stmt_duration(st, "the period", 'm', ms))
		return -1;
	return *ms ? 0 : stmt_error(st, st->at - 1, "the period cannot be 0");
}

/* Words of the two forms; each may stand where it likes. */
struct forms {
	bool own, shared;
	int table; /* place of that word; 0: it is not there */
};

static int parse_own(struct statement *st, struct limit_line *own)
{
	return stmt_take(st, "default-limit") ? parse_size(st, "the limit", &own->bytes) :
	       stmt_take(st, "default-period") ? parse_period(st, &own->period_ms) : 1;
}

static int parse_shared(struct statement *st, struct proxy *px, struct limit_line *own,
			struct forms *seen)
{
	if (stmt_take(st, "limit"))
		return parse_size(st, "the limit", &own->bytes);
	if (stmt_take(st, "key")) {
		own->key = expr_parse_words(st, px);
		return own->key ? 0 : -1;
	}
	if (!stmt_take(st, "table"))
		return 1;
	seen->table = st->at - 1;
	return stmt_need(st, "the name of a stick table") ? 0 : -1;
}

/* The key, which may stand behind the table, says which tables there may be. */
static int take_table(struct statement *st, struct proxy *px, const struct filter_line *line,
		      struct limit_line *own, int at)
{
	int end = st->at;

	if (!own->key)
		return stmt_error(st, st->at, "'key' and an expression are expected: streams with the "
				  "same value share the limit");
	st->at = at ? at : end;
	own->table = expr_take_table(st, px, line->kind->name, expr_type(own->key));
	st->at = end;
	return own->table ? 0 : -1;
}

static int parse_words(struct statement *st, struct proxy *px, const struct filter_line *line,
		       struct limit_line *own)
{
	static const char *const words[] = { "default-limit", "default-period", "key", "limit",
					     "min-size", "table", NULL };
	struct forms seen = { 0 };
	int r, at;

	while (stmt_peek(st)) {
		at = st->at;
		if (stmt_take(st, "min-size")) {
			if (stmt_size(st, "the size", &own->least))
				return -1;
			continue;
		}
		seen.own |= (r = parse_own(st, own)) <= 0;
		if (r > 0)
			seen.shared |= (r = parse_shared(st, px, own, &seen)) <= 0;
		if (r > 0)
			return stmt_unknown(st, at, "word", words);
		if (r < 0)
			return -1;
		if (seen.own && seen.shared)
			return stmt_error(st, at, "each stream has a limit of its own "
					  "('default-limit', 'default-period'), or streams share one "
					  "('limit', 'key', 'table'): not both");
	}
	return seen.shared ? take_table(st, px, line, own, seen.table) : 0;
}

int limit_parse(struct statement *st, struct proxy *px, struct filter_line *line)
{
	struct limit_line *own = arena_alloc(st->cfg->arena, sizeof(*own));

	KIND_IS(struct limit_line, own);
	line->data = own;
	line->name = stmt_need(st, "the name of the limit");
	if (!line->name)
		return -1;
	if (limit_find(px, line->name))
		return stmt_error(st, st->at - 1, "'%s' has a limit '%s' already", px->name,
				  line->name);
	if (parse_words(st, px, line, own))
		return -1;
	if (!own->bytes)
		return stmt_error(st, st->at, "'%s' and how many bytes are expected",
				  own->key ? "limit" : "default-limit");
	if (!own->key && !own->period_ms)
		return stmt_error(st, st->at, "'default-period' and a time are expected");
	return 0;
}

/* ---- the end of the configuration ------------------------------------------------------------ */

static int finish_line(struct config *cfg, const struct filter_line *line)
{
	enum stick_data what = line->kind == &limit_out_filter ? STICK_bytes_out_rate :
								 STICK_bytes_in_rate;
	const struct limit_line *own = KIND_OF(const struct limit_line, line->data);
	struct stick_line *table = own->key ? own->table->table : NULL;

	if (!table)
		return 0; /* none, or reported */
	if (own->bytes / (table->def.block ? table->def.block : 1) > UINT32_MAX)
		return config_error(cfg, &line->loc, "'%s' counts less than that in a period: "
				    "'brates-factor' makes room for more", table->name);
	if (stick_stores(&table->def, what))
		return 0;
	return config_error(cfg, &line->loc, "filter %s '%s' needs a stick table with "
			    "'store %s(<period>)', which '%s' has not", line->kind->name, line->name,
			    stick_data_types[what].name, table->name);
}

static int limit_finish(struct config *cfg, void *data)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	const struct filter_line *line;
	struct proxy *px;
	int bad = 0;

	(void)data;
	list_for_each(px, &all->list, node)
		for (line = px->filters; line; line = line->next)
			if (line->kind == &limit_in_filter || line->kind == &limit_out_filter)
				bad |= finish_line(cfg, line);
	return bad;
}

const struct module limit_module = {
	.name = "limit",
	.finish = limit_finish,
};
