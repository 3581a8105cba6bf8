/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries and versions. A version that is made ready has tables of its own; putting it in force
 * swaps them with those of the sets, so that a lookup sees the one or the other and pays for
 * neither.
 *
 * What goes is taken out at once, and freed by a task in pieces of BURY_US: a rule may still use
 * what its lookup has found, and a version may have a million entries. Called by pattern_ref.c
 * while the configuration is read and by pattern_change.c while the program runs.
 */
#include "expr/pattern_version.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "event/loop.h"

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

enum { BURY_US = 200, BURY_ONCE = 32 };

static struct pattern_entry *dead_entries;
static struct pattern_value *dead_values;
static struct pattern_version *dead_versions;
static struct task burier;
static struct pattern_slab **open_slab; /* NULL: entries lie by themselves */

/* -- freeing ---------------------------------------------------------------------------------- */

static void value_free(struct pattern_value *value)
{
	if (!value)
		return;
	arena_reset(&value->arena);
	slab_give(value->slab, value);
}

static void entry_release(struct pattern_entry *e)
{
	value_free(e->value);
	arena_reset(&e->arena);
	slab_give(e->slab, e);
}

static void entry_forget(const struct pattern_ref *ref, struct pattern_entry *e)
{
	const struct pattern_use *use = ref->uses;
	struct pattern *p;

	for (p = e->patterns; p; p = p->sibling, use = use->next)
		pattern_forget(use->set, p);
}

void entry_free(const struct pattern_ref *ref, struct pattern_entry *e)
{
	entry_forget(ref, e);
	entry_release(e);
}

static bool tables_free(const struct pattern_version *v, unsigned most)
{
	size_t i;

	for (i = 0; v->tables && i < v->ref->use_count; i++)
		if (!index_free(&v->tables[i].exact, most) || !index_free(&v->tables[i].folded, most))
			return false;
	return true;
}

/* Some of what the version has; true: that was all, and the version itself. */
static bool version_bury(struct pattern_version *v)
{
	struct pattern_entry *e;
	unsigned n;

	for (n = BURY_ONCE; n && (e = v->first); n--) {
		v->first = e->next;
		entry_free(v->ref, e);
	}
	if (v->first || !tables_free(v, BURY_ONCE) || !index_free(&v->texts, BURY_ONCE))
		return false;
	free(v->tables);
	free(v);
	return true;
}

/* The first that nobody reads. */
static struct pattern_version **dead_version(void)
{
	struct pattern_version **v = &dead_versions;

	while (*v && !list_empty(&(*v)->readers))
		v = &(*v)->next;
	return v;
}

/* Frees a few things; false: there is nothing that could be freed. */
static bool bury_some(void)
{
	struct pattern_version **v = dead_version(), *next = *v ? (*v)->next : NULL;
	struct pattern_entry *e = dead_entries;
	struct pattern_value *value = dead_values;

	if (e) {
		dead_entries = e->next;
		entry_release(e);
	}
	if (value) {
		dead_values = value->next;
		value_free(value);
	}
	if (*v && version_bury(*v))
		*v = next;
	return dead_entries || dead_values || *dead_version();
}

static void bury(struct task *task)
{
	uint64_t until = clock_read_us() + BURY_US;
	unsigned n = 0;

	while (bury_some())
		if (++n % 4 == 0 && clock_read_us() >= until) {
			task_wake(task);
			return;
		}
}

static void bury_later(void)
{
	if (!burier.run)
		task_init(&burier, bury);
	task_wake(&burier);
}

void versions_bury(void)
{
	while (bury_some())
		;
	if (burier.run)
		task_cancel(&burier);
}

/* -- entries ---------------------------------------------------------------------------------- */

/* Zeroed memory for an object that ends with an arena, whose first block of this size lies behind
 * it. */
static void *with_arena(size_t object, size_t arena_at, size_t block, struct pattern_slab **slab)
{
	const size_t align = _Alignof(max_align_t);
	struct arena *arena;
	char *made;

	object = (object + align - 1) & ~(align - 1);
	made = slab_take(open_slab, object + block, slab);
	if (!made)
		return NULL;
	memset(made, 0, object);
	arena = (struct arena *)(void *)(made + arena_at);
	arena_init(arena, made + object, block);
	arena->may_fail = true;
	return made;
}

/* The last that was taken from a slab gives back what its arena has not used. */
static void trim(struct arena *arena, struct pattern_slab *slab)
{
	if (!slab || arena->first != &arena->own)
		return;
	arena->own.size = arena->own.used;
	slab_trim(slab, arena->own.bytes + arena->own.used);
}

void entries_together(struct pattern_slab **slab)
{
	open_slab = slab;
}

void entries_apart(void)
{
	open_slab = NULL;
}

static struct pattern_value *value_new(const struct pattern_ref *ref, const char *text,
				       const char *value, unsigned flags, struct err *err)
{
	size_t len = strlen(value), i = 0;
	struct pattern_slab *slab;
	struct pattern_value *made = with_arena(sizeof(*made), offsetof(struct pattern_value, arena),
						len + 48 + ref->use_count * (sizeof(void *) + 32),
						&slab);
	const struct pattern_use *use;

	if (!made) {
		err_set(err, "Out of memory.");
		return NULL;
	}
	made->slab = slab;
	made->text = arena_strndup(&made->arena, value, len);
	made->data = arena_alloc(&made->arena, (ref->use_count + 1) * sizeof(void *));
	for (use = ref->uses; use; use = use->next, i++) {
		if (!use->set->convert || !use->set->convert(text, made->text, &made->data[i],
							      &made->arena, err))
			continue;
		if (flags & PATTERN_RUNNING)
			err_set(err, "unable to parse '%s'.", value);
		value_free(made);
		return NULL;
	}
	trim(&made->arena, slab);
	return made;
}

static void entry_take_value(struct pattern_entry *e, struct pattern_value *value)
{
	struct pattern *p;
	size_t i = 0;

	e->value = value;
	for (p = e->patterns; p; p = p->sibling, i++) {
		p->value = value ? value->text : NULL;
		p->data = value ? value->data[i] : NULL;
	}
}

/* In the order of uses; those of earlier ones are there. */
static int entry_make_pattern(struct pattern_entry *e, const struct pattern_use *use,
			      enum pattern_op op, unsigned flags, struct err *err)
{
	struct pattern **tail = &e->patterns;

	while (*tail)
		tail = &(*tail)->sibling;
	*tail = pattern_make(use->set, &e->arena, e->text, op, flags | use->flags, err);
	if (e->arena.failed)
		return err_set(err, "Out of memory.");
	return *tail ? 0 : -1;
}

static int entry_make_patterns(struct pattern_entry *e, const struct pattern_ref *ref,
			       enum pattern_op op, unsigned flags, struct err *err)
{
	const struct pattern_use *use;

	for (use = ref->uses; use; use = use->next)
		if (entry_make_pattern(e, use, op, flags, err))
			return -1;
	return 0;
}

/* What the patterns of an entry are likely to take. */
static size_t entry_room(const struct pattern_ref *ref, size_t len)
{
	size_t room = len + 32;
	const struct pattern_use *use;

	for (use = ref->uses; use; use = use->next) {
		room += sizeof(struct pattern) + 16;
		if (use->flags & PATTERN_ICASE || use->set->match < MATCH_STR)
			room += len + 32; /* another form of the text */
	}
	return room;
}

struct pattern_entry *entry_new(const struct pattern_ref *ref, const char *text, const char *value,
				enum pattern_op op, unsigned flags, struct err *err)
{
	size_t len = strlen(text);
	struct pattern_slab *slab;
	struct pattern_entry *e = with_arena(sizeof(*e), offsetof(struct pattern_entry, arena),
					     entry_room(ref, len), &slab);

	if (!e) {
		err_set(err, "Out of memory.");
		return NULL;
	}
	e->slab = slab;
	e->text = arena_strndup(&e->arena, text, len);
	index_set_key(&e->node, e->text, len, len);
	if (entry_make_patterns(e, ref, op, flags, err)) {
		entry_free(ref, e);
		return NULL;
	}
	trim(&e->arena, slab);
	if (value && !(e->value = value_new(ref, text, value, flags, err))) {
		entry_free(ref, e);
		return NULL;
	}
	entry_take_value(e, e->value);
	return e;
}

int entry_add_use(const struct pattern_ref *ref, struct pattern_entry *e,
		  const struct pattern_use *use, struct err *err)
{
	struct pattern_value *value = NULL;

	if (entry_make_pattern(e, use, OP_EQUAL, 0, err))
		return -1;
	if (e->value && !(value = value_new(ref, e->text, e->value->text, 0, err)))
		return -1;
	value_free(e->value);
	entry_take_value(e, value);
	return 0;
}

int entry_set_value(const struct pattern_ref *ref, struct pattern_entry *e, const char *value,
		    struct err *err)
{
	struct pattern_value *made = value_new(ref, e->text, value, PATTERN_RUNNING, err), *old = e->value;

	if (!made)
		return -1;
	entry_take_value(e, made);
	if (old) {
		old->next = dead_values;
		dead_values = old;
		bury_later();
	}
	return 0;
}

/* -- versions --------------------------------------------------------------------------------- */

/* Never the same again, not even behind a reload: whoever kept one deletes nothing else. */
static uint64_t next_id(void)
{
	static uint64_t last;

	if (!last)
		last = (uint64_t)time(NULL) << 20;
	return ++last;
}

struct pattern_version *version_new(struct pattern_ref *ref, uint32_t number)
{
	struct pattern_version *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->tables = calloc(ref->use_count + 1, sizeof(*v->tables));
	if (!v->tables) {
		free(v);
		return NULL;
	}
	v->ref = ref;
	v->number = number;
	list_init(&v->readers);
	return v;
}

struct pattern_version *version_find(const struct pattern_ref *ref, uint32_t number)
{
	struct pattern_version *v = ref->others;

	if (ref->current->number == number)
		return ref->current;
	while (v && v->number != number)
		v = v->next;
	return v;
}

static struct pattern_table *version_table(const struct pattern_version *v,
					   const struct pattern_use *use, size_t i)
{
	return v->tables ? &v->tables[i] : &use->set->table;
}

/* Takes the patterns in front of this one out of the tables; NULL: all. */
static void version_leave(struct pattern_version *v, struct pattern_entry *e,
			  const struct pattern *end)
{
	const struct pattern_use *use = v->ref->uses;
	struct pattern *p;
	size_t i = 0;

	for (p = e->patterns; p != end; p = p->sibling, use = use->next, i++)
		pattern_leave(use->set, version_table(v, use, i), p);
}

static bool version_enter(struct pattern_version *v, struct pattern_entry *e)
{
	const struct pattern_use *use = v->ref->uses;
	struct pattern *p;
	size_t i = 0;

	for (p = e->patterns; p; p = p->sibling, use = use->next, i++) {
		if (pattern_enter(use->set, version_table(v, use, i), p))
			continue;
		version_leave(v, e, p);
		return false;
	}
	return true;
}

bool version_append(struct pattern_version *v, struct pattern_entry *e)
{
	if (!index_add(&v->texts, &e->node))
		return false;
	if (!version_enter(v, e)) {
		index_remove(&v->texts, &e->node);
		return false;
	}
	e->id = e->provisional ? 0 : next_id();
	e->next = NULL;
	e->prev = v->last;
	*(v->last ? &v->last->next : &v->first) = e;
	v->last = e;
	v->count++;
	return true;
}

static struct pattern_entry *entry_of(struct index_node *node)
{
	return node ? container_of(node, struct pattern_entry, node) : NULL;
}

struct pattern_entry *version_entry(const struct pattern_version *v, const char *text)
{
	size_t len = strlen(text);

	return v->texts.used ? entry_of(index_find(&v->texts, text, len, len)) : NULL;
}

struct pattern_entry *version_same(const struct pattern_version *v, const struct pattern_entry *e)
{
	struct pattern_entry *next = entry_of(e->node.same_next);

	return next == version_entry(v, e->text) ? NULL : next;
}

void version_remove(struct pattern_version *v, struct pattern_entry *e)
{
	struct pattern_reader *r;

	list_for_each(r, &v->readers, node)
		if (r->at == e)
			r->at = e->next;
	*(e->prev ? &e->prev->next : &v->first) = e->next;
	*(e->next ? &e->next->prev : &v->last) = e->prev;
	v->count--;
	index_remove(&v->texts, &e->node);
	version_leave(v, e, NULL);
	entry_forget(v->ref, e);
	e->next = dead_entries;
	dead_entries = e;
	bury_later();
}

struct pattern_version *version_switch(struct pattern_version *v)
{
	struct pattern_version *old = v->ref->current;
	const struct pattern_use *use;
	struct pattern_table table;
	size_t i = 0;

	for (use = v->ref->uses; use; use = use->next, i++) {
		table = use->set->table;
		use->set->table = v->tables[i];
		v->tables[i] = table;
	}
	old->tables = v->tables;
	v->tables = NULL;
	v->ref->current = v;
	return old;
}

void version_drop(struct pattern_version *v)
{
	v->next = dead_versions;
	dead_versions = v;
	bury_later();
}

/* -- readers ---------------------------------------------------------------------------------- */

void reader_begin(struct pattern_reader *r, struct pattern_version *v)
{
	r->version = v;
	r->at = v->first;
	list_append(&v->readers, &r->node);
}

void reader_end(struct pattern_reader *r)
{
	if (!r->version)
		return;
	list_remove(&r->node);
	r->version = NULL;
	if (dead_versions)
		bury_later();
}
