/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of patterns and lines that have patterns: who uses them, and what they are called. Called
 * while the configuration is read by ACLs and maps; pattern_change.c changes what is in them while
 * the program runs. */
#include "expr/pattern_ref.h"

#include "base/err.h"
#include "base/str.h"
#include "expr/expr_conf.h"
#include "expr/pattern_file.h"

#include <stdio.h>
#include <stdlib.h>

struct pattern_ref *pattern_refs_running;

/* -- the configuration ------------------------------------------------------------------ */

static struct pattern_ref *ref_new(struct config *cfg, const struct location *loc,
				   enum pattern_kind kind)
{
	struct pattern_ref **tail = expr_conf_pattern_refs(cfg), *ref;

	ref = arena_alloc(cfg->arena, sizeof(*ref));
	ref->kind = kind;
	ref->loc = *loc;
	ref->id = -1;
	ref->uses_tail = &ref->uses;
	ref->next = *tail; /* newest first: pattern_refs_finish sorts */
	*tail = ref;
	return ref;
}

static struct pattern_ref *ref_find(struct config *cfg, enum pattern_kind kind, const char *path)
{
	struct pattern_ref *ref = *expr_conf_pattern_refs(cfg);

	while (ref && (!ref->path || ref->kind != kind || strcmp(ref->path, path)))
		ref = ref->next;
	return ref;
}

struct pattern_ref *pattern_ref_loaded(struct config *cfg, enum pattern_kind kind, const char *path)
{
	struct pattern_ref *ref = ref_find(cfg, kind, path);

	return ref && ref->uses ? ref : NULL;
}

struct pattern_ref *pattern_ref_get(struct config *cfg, enum pattern_kind kind, const char *path,
				    const struct location *wanted)
{
	struct pattern_ref *ref = ref_find(cfg, kind, path);

	if (ref)
		return ref;
	ref = ref_new(cfg, wanted, kind);
	ref->path = arena_strdup(cfg->arena, path);
	return ref;
}

static struct pattern_use *ref_add_use(struct config *cfg, struct pattern_ref *ref,
				       const struct location *loc, struct pattern_set *set,
				       unsigned flags)
{
	struct pattern_use *use = arena_alloc(cfg->arena, sizeof(*use));

	*use = (struct pattern_use){ .set = set, .flags = flags, .loc = *loc };
	set->table.exact.arena = set->table.folded.arena = NULL; /* it will change */
	*ref->uses_tail = use;
	ref->uses_tail = &use->next;
	ref->use_count++;
	return use;
}

/* The version in force, of which the sets have the tables. */
static int ref_begin(struct pattern_ref *ref, struct err *err)
{
	if (ref->current)
		return 0;
	ref->current = version_new(ref, 0);
	if (!ref->current)
		return err_set(err, "out of memory");
	free(ref->current->tables);
	ref->current->tables = NULL;
	return 0;
}

/* -- loading ---------------------------------------------------------------------------- */

static int set_take(const struct pattern_file *file, const char *text, const char *value,
		    unsigned line, struct err *err)
{
	const unsigned *flags = file->other;

	(void)line;
	return pattern_add(file->arg, text, value, OP_EQUAL, *flags, err);
}

/* Into a set that nobody can change. */
static int set_load(struct pattern_set *set, const char *path, unsigned flags, struct err *err)
{
	const struct pattern_file file = { .values = flags & PATTERN_MAP, .add = set_take,
					   .arg = set, .other = &flags };

	return pattern_file_read(&file, path, err);
}

static int ref_append(struct pattern_ref *ref, struct pattern_entry *e, struct err *err)
{
	if (e && version_append(ref->current, e))
		return 0;
	if (!e)
		return -1;
	entry_free(ref, e);
	return err_set(err, "out of memory");
}

static int ref_take(const struct pattern_file *file, const char *text, const char *value,
		    unsigned line, struct err *err)
{
	struct pattern_ref *ref = file->arg;
	struct pattern_entry *e = entry_new(ref, text, value, OP_EQUAL, 0, err);

	if (e)
		e->line = line;
	return ref_append(ref, e, err);
}

static int ref_read(struct pattern_ref *ref, struct err *err)
{
	const struct pattern_file file = { .values = ref->kind == PATTERN_VALUES, .add = ref_take,
					   .arg = ref };

	struct pattern_slab *slab = NULL;
	int rc;

	ref->loaded = true;
	entries_together(&slab);
	rc = pattern_file_read(&file, ref->path, err);
	entries_apart();
	slab_close(&slab);
	return rc;
}

/* It was read before, for another. */
static int ref_share(struct pattern_ref *ref, const struct pattern_use *use, struct err *err)
{
	struct pattern_entry *e;
	struct pattern *p;

	for (e = ref->current->first; e; e = e->next) {
		if (entry_add_use(ref, e, use, err))
			return err_prefix(err, "%s:%u", ref->path, e->line);
		for (p = e->patterns; p->sibling; )
			p = p->sibling;
		if (!pattern_enter(use->set, &use->set->table, p))
			return err_set(err, "out of memory");
	}
	return 0;
}

/* Ids follow the order in which files are loaded, not that in which somebody wants to change
 * them. */
static void ref_make_newest(struct config *cfg, struct pattern_ref *ref)
{
	struct pattern_ref **first = expr_conf_pattern_refs(cfg), **at = first;

	while (*at != ref)
		at = &(*at)->next;
	*at = ref->next;
	ref->next = *first;
	*first = ref;
}

int pattern_ref_load(struct config *cfg, const struct location *loc, struct pattern_set *set,
		     const char *path, unsigned flags, bool acl, struct err *err)
{
	enum pattern_kind kind = flags & PATTERN_MAP ? PATTERN_VALUES : PATTERN_ACL;
	struct pattern_use *use;
	struct pattern_ref *ref;

	if (!cfg)
		return set_load(set, path, flags, err);
	ref = pattern_ref_get(cfg, kind, path, loc);
	ref->in_acl |= acl;
	if (!ref->loaded)
		ref_make_newest(cfg, ref);
	if (ref_begin(ref, err))
		return -1;
	use = ref_add_use(cfg, ref, loc, set, flags);
	use->of_acl = acl;
	return ref->loaded ? ref_share(ref, use, err) : ref_read(ref, err);
}

static bool id_is_used(struct config *cfg, int64_t id)
{
	const struct pattern_ref *ref = *expr_conf_pattern_refs(cfg);

	while (ref && ref->id != id)
		ref = ref->next;
	return ref;
}

struct pattern_ref *pattern_ref_line(struct config *cfg, const struct location *loc,
				     struct pattern_set *set, const char *criterion, int64_t id,
				     unsigned flags, struct err *err)
{
	struct pattern_ref *ref;

	if (id >= 0 && id_is_used(cfg, id)) {
		err_set(err, "the id %lld is used by another ACL", (long long)id);
		return NULL;
	}
	ref = ref_new(cfg, loc, PATTERN_ACL);
	ref->criterion = arena_strndup(cfg->arena, criterion, strcspn(criterion, "(,"));
	ref->id = id;
	ref->in_acl = true;
	ref_add_use(cfg, ref, loc, set, flags & ~(unsigned)PATTERN_MAP);
	return ref_begin(ref, err) ? NULL : ref;
}

/* As a range it is no worse than with an operator, and can be shown and added. */
static const char *operand(const char *text, enum match match, const struct pattern *p,
			   char *memory, size_t size)
{
	char low[32] = "", high[32] = "";

	if (match == MATCH_VERSION) {
		if (p->min != INT64_MIN)
			snprintf(low, sizeof(low), "%d.%d", (int)(p->min >> 16),
				 (int)(p->min & 65535));
		if (p->max != INT64_MAX)
			snprintf(high, sizeof(high), "%d.%d", (int)(p->max >> 16),
				 (int)(p->max & 65535));
	} else {
		if (p->min != INT64_MIN)
			snprintf(low, sizeof(low), "%lld", (long long)p->min);
		if (p->max != INT64_MAX)
			snprintf(high, sizeof(high), "%lld", (long long)p->max);
	}
	if (p->min > p->max || strpbrk(text + 1, ":-"))
		return text;
	snprintf(memory, size, "%s:%s", low, high);
	return memory;
}

int pattern_ref_put(struct pattern_ref *ref, const char *text, enum pattern_op op, struct err *err)
{
	struct pattern_entry *e = entry_new(ref, text, NULL, op, 0, err);
	char memory[80];

	if (e && op != OP_EQUAL) {
		e->text = arena_strdup(&e->arena, operand(text, ref->uses->set->match, e->patterns,
							  memory, sizeof(memory)));
		e->patterns->text = e->text;
		index_set_key(&e->node, e->text, strlen(e->text), strlen(e->text));
	}
	return ref_append(ref, e, err);
}

/* -- its end ---------------------------------------------------------------------------- */

/* Those that have no id get the lowest that is free, in the order of the configuration. */
static void refs_give_ids(struct pattern_ref *const *refs, size_t count)
{
	size_t used = 0, i;
	char *taken = calloc(count + 1, 1);

	for (i = 0; taken && i < count; i++)
		if (refs[i]->id >= 0 && refs[i]->id < (int64_t)count)
			taken[refs[i]->id] = 1;
	for (i = 0; taken && i < count; i++) {
		if (refs[i]->id >= 0 || !refs[i]->uses)
			continue;
		while (taken[used])
			used++;
		refs[i]->id = (int64_t)used++;
	}
	free(taken);
}

static int by_id(const void *a, const void *b)
{
	const struct pattern_ref *const *x = a, *const *y = b;

	return (*x)->id < (*y)->id ? -1 : (*x)->id > (*y)->id;
}

static const char *ref_key(struct arena *arena, const struct pattern_ref *ref)
{
	if (ref->path)
		return arena_printf(arena, "%c%s", ref->kind == PATTERN_ACL ? 'a' : 'm', ref->path);
	return arena_printf(arena, "l%lld %s %s:%u", (long long)ref->id, ref->criterion,
			    ref->loc.file ? ref->loc.file : "", ref->loc.line);
}

static void refs_sort(struct config *cfg)
{
	struct pattern_ref **first = expr_conf_pattern_refs(cfg), *ref, **list;
	size_t count = 0, i;

	for (ref = *first; ref; ref = ref->next)
		count++;
	list = arena_alloc(cfg->arena, (count + 1) * sizeof(*list));
	for (ref = *first, i = count; ref; ref = ref->next)
		list[--i] = ref;
	refs_give_ids(list, count);
	qsort(list, count, sizeof(*list), by_id);
	for (i = 0; i < count; i++) {
		list[i]->next = list[i + 1];
		list[i]->key = ref_key(cfg->arena, list[i]);
	}
	*first = list[0];
}

void pattern_refs_finish(struct config *cfg)
{
	struct pattern_ref *ref;

	refs_sort(cfg);
	pattern_refs_running = *expr_conf_pattern_refs(cfg);
	for (ref = pattern_refs_running; ref; ref = ref->next) {
		if (!ref->uses)
			config_warning(cfg, &ref->loc, "no %s is loaded from '%s', so that nothing "
				       "is changed", ref->kind == PATTERN_ACL ? "ACL" : "map",
				       ref->path);
	}
}

void pattern_warn_unresolved(struct config *cfg, const struct location *loc,
			     const struct pattern_set *set)
{
	const struct pattern *p, *first = NULL;
	unsigned more = 0;

	if (set->match != MATCH_IP)
		return;
	for (p = pattern_first(set); p; p = p->next) {
		more += first && p->unresolved;
		if (!first && p->unresolved)
			first = p;
	}
	if (first && more)
		config_warning(cfg, loc, "could not resolve address '%s' of a pattern, and %u more",
			       first->text, more);
	else if (first)
		config_warning(cfg, loc, "could not resolve address '%s' of a pattern", first->text);
}

/* The tables of the sets go with the version. */
static void ref_release(const struct pattern_ref *ref)
{
	struct pattern_version *v, *next, *empty;

	for (v = ref->others; v; v = next) {
		next = v->next;
		version_drop(v);
	}
	if (!ref->current)
		return;
	empty = version_new(ref->current->ref, 0);
	if (!empty)
		return; /* the process ends */
	version_drop(version_switch(empty));
	free(empty);
}

void pattern_refs_release(const struct pattern_ref *refs)
{
	if (pattern_refs_running == refs)
		pattern_refs_running = NULL;
	for (; refs; refs = refs->next)
		ref_release(refs);
	versions_bury();
}

/* -- names ------------------------------------------------------------------------------ */

static struct pattern_ref *ref_with_id(int64_t id)
{
	struct pattern_ref *ref = pattern_refs_running;

	while (ref && ref->id != id)
		ref = ref->next;
	return ref;
}

static struct pattern_ref *ref_with_path(const char *path, bool maps)
{
	struct pattern_ref *ref = pattern_refs_running;

	for (; ref; ref = ref->next)
		if (ref->path && ref->current && !strcmp(ref->path, path) &&
		    (maps ? ref->kind == PATTERN_VALUES : ref->in_acl))
			return ref;
	return NULL;
}

struct pattern_ref *pattern_ref_named(const char *name, bool maps)
{
	struct pattern_ref *ref;
	int64_t id;

	if (*name != '#')
		return ref_with_path(name, maps);
	if (!str_to_int(name + 1, 0, INT32_MAX, &id))
		return NULL;
	ref = ref_with_id(id);
	if (!ref || !ref->current || !(maps ? ref->kind == PATTERN_VALUES : ref->in_acl))
		return NULL;
	return ref;
}

struct pattern_ref *pattern_ref_by_key(const char *key)
{
	struct pattern_ref *ref = pattern_refs_running;

	while (ref && strcmp(ref->key, key) != 0)
		ref = ref->next;
	return ref && ref->current ? ref : NULL;
}
