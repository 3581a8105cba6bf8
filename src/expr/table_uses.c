/* SPDX-License-Identifier: BSD-2-Clause */
/* What is asked of stick tables that do not store it, or of sticky counters that nothing follows: said
 * when the configuration is complete. Called by what parses rules, fetches and converters, and by the
 * last module that adds data types to tables. */
#include "expr/table_uses.h"

#include "base/arena.h"
#include "expr/expr.h"
#include "expr/expr_conf.h"
#include "proxy/proxy.h"
#include "proxy/proxy_conf.h"
#include "proxy/stick_conf.h"

struct noted_track {
	struct noted_track *next, *before;
	struct table_track track;
};

struct noted_use {
	struct noted_use *next;
	const struct noted_track *before; /* the last one in front of it */
	struct table_use use;
};

struct table_uses {
	struct noted_use *uses, **uses_tail;
	struct noted_track *tracks, **tracks_tail, *last_track;
};

/* Made with the first note; NULL: nothing was noted. */
static struct table_uses *uses_of(struct config *cfg, bool make)
{
	struct table_uses **uses = expr_conf_table_uses(cfg);

	if (!*uses && make) {
		*uses = arena_alloc(cfg->arena, sizeof(**uses));
		**uses = (struct table_uses){ 0 };
		(*uses)->uses_tail = &(*uses)->uses;
		(*uses)->tracks_tail = &(*uses)->tracks;
	}
	return *uses;
}

void table_use_note(struct config *cfg, const struct table_use *use)
{
	struct table_uses *uses = cfg ? uses_of(cfg, true) : NULL;
	struct noted_use *noted;

	if (!uses)
		return;
	noted = arena_alloc(cfg->arena, sizeof(*noted));
	*noted = (struct noted_use){ .before = uses->last_track, .use = *use };
	noted->use.what = arena_strdup(cfg->arena, use->what);
	*uses->uses_tail = noted;
	uses->uses_tail = &noted->next;
}

void table_track_note(struct config *cfg, const struct table_track *track)
{
	struct table_uses *uses = cfg ? uses_of(cfg, true) : NULL;
	struct noted_track *noted;

	if (!uses)
		return;
	noted = arena_alloc(cfg->arena, sizeof(*noted));
	*noted = (struct noted_track){ .before = uses->last_track, .track = *track };
	uses->last_track = noted;
	*uses->tracks_tail = noted;
	uses->tracks_tail = &noted->next;
}

/* ---- at the end ---------------------------------------------------------------------------- */

static bool is_array(enum stick_data what)
{
	return what != STICK_DATA && (stick_data_types[what].argument == STICK_ARRAY ||
				      stick_data_types[what].argument == STICK_BOTH);
}

static bool no_element(const struct table_use *use)
{
	return is_array(use->data[0]) && (use->element < 0 || use->element >= STICK_ARRAY_MOST);
}

static bool line_stores(const struct stick_line *line, const struct table_use *use)
{
	unsigned i, at;

	if (use->data[0] == STICK_DATA)
		return true;
	for (i = 0; i < 2; i++) {
		at = (unsigned)use->element;
		if (use->data[i] != STICK_DATA &&
		    stick_stored_as(&line->def, use->data[i], &at) != STICK_DATA)
			return true;
	}
	return false;
}

/* ---- what runs together -------------------------------------------------------------------- */

static bool inherits(const struct proxy *px, const struct proxy *defaults)
{
	while (px && px != defaults)
		px = px->defaults;
	return px != NULL;
}

/* May a stream that runs the one section follow what the other says? It has one frontend and at the
 * most one backend. Defaults run in the sections that use them. */
static bool may_meet(const struct proxies *all, const struct proxy *one, const struct proxy *other)
{
	const struct proxy *px;

	if (!one || !other || one == other)
		return true;
	if (!((one->caps | other->caps) & PROXY_DEFAULTS))
		return proxy_leads(one, other) || proxy_leads(other, one);
	if (!(one->caps & PROXY_DEFAULTS))
		return may_meet(all, other, one);
	list_for_each(px, &all->list, node)
		if (inherits(px, one) && may_meet(all, px, other))
			return true;
	return false;
}

bool table_use_runs(struct config *cfg, const struct proxy *proxy, const bool *used)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	const struct proxy *px;

	if (used && !*used)
		return false;
	if (!proxy || !(proxy->caps & PROXY_DEFAULTS))
		return !proxy || !proxy->set.disabled;
	list_for_each(px, &all->list, node)
		if (inherits(px, proxy) && !px->set.disabled)
			return true;
	return false;
}

/* ---- what is said -------------------------------------------------------------------------- */

/* No error: generated files have such look-ups, and the reference takes them silently. */
static void say_in_vain(struct config *cfg, const struct table_use *use, const char *why)
{
	if (table_use_runs(cfg, use->proxy, use->used))
		config_warning(cfg, &use->loc, "%s never finds anything: %s", use->what, why);
	else
		config_notice(cfg, &use->loc, "%s never finds anything: %s", use->what, why);
}

/* "gpc(3)", "gpc0_rate(<period>)" */
static const char *as_stored(struct config *cfg, enum stick_data what, unsigned elements)
{
	const struct stick_data_type *type = &stick_data_types[what];

	switch (type->argument) {
	case STICK_PERIOD:
		return arena_printf(cfg->arena, "%s(<period>)", type->name);
	case STICK_ARRAY:
		return arena_printf(cfg->arena, "%s(%u)", type->name, elements);
	case STICK_BOTH:
		return arena_printf(cfg->arena, "%s(%u,<period>)", type->name, elements);
	default:
		return type->name;
	}
}

/* An array and what has a name of its own are not stored beside each other. */
static const struct {
	enum stick_data array, single[2]; /* elements 0 and 1; STICK_DATA: none */
} replaces[] = {
	{ STICK_gpc, { STICK_gpc0, STICK_gpc1 } },
	{ STICK_gpc_rate, { STICK_gpc0_rate, STICK_gpc1_rate } },
	{ STICK_gpt, { STICK_gpt0, STICK_DATA } },
};

/* The array that the data type is, or is an element of: its row; -1: none. element: which. */
static int array_of(enum stick_data what, unsigned *element)
{
	unsigned i, k;

	for (i = 0; i < ARRAY_LEN(replaces); i++) {
		if (replaces[i].array == what)
			return (int)i;
		for (k = 0; k < 2; k++) {
			if (replaces[i].single[k] != what)
				continue;
			*element = k;
			return (int)i;
		}
	}
	return -1;
}

/* How many of the singles the table stores, as elements: 2 where gpc1 is. */
static unsigned singles_stored(const struct stick_line *line, int row)
{
	unsigned k, count = 0;

	for (k = 0; k < 2; k++)
		if (replaces[row].single[k] != STICK_DATA &&
		    stick_stores(&line->def, replaces[row].single[k]))
			count = k + 1;
	return count;
}

/* "'gpc0'", "'gpc0' and 'gpc1'" */
static const char *singles(struct config *cfg, const struct stick_line *line, int row)
{
	const enum stick_data *single = replaces[row].single;

	if (singles_stored(line, row) == 2 && stick_stores(&line->def, single[0]))
		return arena_printf(cfg->arena, "'%s' and '%s'", stick_data_types[single[0]].name,
				    stick_data_types[single[1]].name);
	return arena_printf(cfg->arena, "'%s'",
			    stick_data_types[single[singles_stored(line, row) - 1]].name);
}

static void say_not_stored(struct config *cfg, const struct table_use *use,
			   const struct stick_line *line)
{
	enum stick_data what = use->data[0];
	unsigned element = (unsigned)use->element, elements, before;
	int row = array_of(what, &element);
	const char *why;

	elements = row >= 0 ? line->def.columns[replaces[row].array].count : 0;
	before = !elements && is_array(what) ? singles_stored(line, row) : 0;
	if (elements)
		why = arena_printf(cfg->arena, "the stick table '%s' stores %u of its elements; make "
				   "that '%s' at %s:%u", line->name, elements,
				   as_stored(cfg, replaces[row].array, element + 1),
				   line->loc.file, line->loc.line);
	else if (before)
		why = arena_printf(cfg->arena, "the stick table '%s' does not store it; put '%s' in "
				   "place of %s at %s:%u", line->name,
				   as_stored(cfg, what, element + 1 > before ? element + 1 : before),
				   singles(cfg, line, row), line->loc.file, line->loc.line);
	else
		why = arena_printf(cfg->arena, "the stick table '%s' does not store it; add 'store %s' at "
				   "%s:%u", line->name, as_stored(cfg, what, element + 1),
				   line->loc.file, line->loc.line);
	say_in_vain(cfg, use, why);
}

static void say_no_element(struct config *cfg, const struct table_use *use)
{
	say_in_vain(cfg, use, arena_printf(cfg->arena, "there is no element %lld, arrays go from 0 to %d",
					   (long long)use->element, STICK_ARRAY_MOST - 1));
}

/* In HAProxy both have the value 0 or none, and snippets that many files share ask for them. */
static void say_not_followed(struct config *cfg, const struct table_use *use)
{
	config_notice(cfg, &use->loc, "%s never finds anything: no rule here says 'track-sc%lld'", use->what,
		      (long long)use->number);
}

static void say_other_keys(struct config *cfg, const struct table_use *use,
			   const struct stick_line *followed, const struct stick_line *named)
{
	config_notice(cfg, &use->loc, "%s is always 0: keys of the stick table '%s', which is followed, are of type %s, "
		      "those of '%s' are of type %s", use->what, followed->name,
		      stick_key_type_name(followed->def.type), named->name,
		      stick_key_type_name(named->def.type));
}

/* Mostly a rule in front of it, in its own section, follows what it asks for: of thousands of sections
 * not all are looked at. */
static bool found_near(const struct noted_use *noted)
{
	const struct table_use *use = &noted->use;
	const struct noted_track *t;

	if (use->table && use->table->type == ARG_TABLE)
		return false;
	for (t = noted->before; t && t->track.proxy == use->proxy; t = t->before)
		if (t->track.number == use->number && t->track.table->type == ARG_TABLE &&
		    t->track.table->table && line_stores(t->track.table->table, use))
			return true;
	return false;
}

/* What is followed under the number: in no table of these. */
static void check_followed(struct config *cfg, const struct noted_track *track,
			   const struct table_use *use)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	const struct stick_line *named = use->table && use->table->type == ARG_TABLE ?
		use->table->table : NULL;
	const struct stick_line *line, *first = NULL;

	for (; track; track = track->next) {
		if (track->track.number != use->number ||
		    !may_meet(all, use->proxy, track->track.proxy))
			continue;
		line = track->track.table->type == ARG_TABLE ? track->track.table->table : NULL;
		if (!line || (named ? line->def.type == named->def.type : line_stores(line, use)))
			return;
		first = first ? first : line;
	}
	if (first && !named)
		say_not_stored(cfg, use, first);
	else if (first)
		say_other_keys(cfg, use, first, named);
	else
		say_not_followed(cfg, use);
}

static void check_use(struct config *cfg, const struct table_uses *uses,
		      const struct noted_use *noted)
{
	const struct table_use *use = &noted->use;
	const struct stick_line *line =
		use->table && use->table->type == ARG_TABLE ? use->table->table : NULL;

	if (no_element(use))
		say_no_element(cfg, use);
	else if (line && !line_stores(line, use))
		say_not_stored(cfg, use, line);
	else if (use->number != TABLE_USE_KEY && !found_near(noted))
		check_followed(cfg, uses->tracks, use);
}

void table_uses_check(struct config *cfg)
{
	const struct table_uses *uses = uses_of(cfg, false);
	const struct noted_use *noted;

	for (noted = uses ? uses->uses : NULL; noted; noted = noted->next)
		check_use(cfg, uses, noted);
}
