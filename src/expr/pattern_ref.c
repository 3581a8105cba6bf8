/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of patterns, and who was loaded from them. Called while the configuration is read by ACLs and
 * maps, while the program runs by rules that change them. A pattern of the configuration itself
 * (beside -f) is never changed. */
#include "expr/pattern_ref.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "config/config.h"
#include "event/change.h"
#include "expr/expr_conf.h"
#include "expr/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ref_use {
	struct ref_use *next;
	struct pattern_set *set;
	unsigned flags;
};

struct pattern_ref {
	struct pattern_ref *next;
	const char *path;
	enum pattern_kind kind;
	struct location wanted; /* the first line that changes it */
	struct ref_use *uses;
};

static const struct pattern_ref *refs_running; /* of the generation that this process serves */

/* -- the configuration ------------------------------------------------------------------ */

static struct pattern_ref *ref_find(struct config *cfg, enum pattern_kind kind, const char *path)
{
	struct pattern_ref **all = expr_conf_pattern_refs(cfg), *ref;

	for (ref = *all; ref; ref = ref->next) {
		if (ref->kind == kind && !strcmp(ref->path, path))
			return ref;
	}
	ref = arena_alloc(cfg->arena, sizeof(*ref));
	ref->path = arena_strdup(cfg->arena, path);
	ref->kind = kind;
	ref->next = *all;
	*all = ref;
	return ref;
}

struct pattern_ref *pattern_ref_get(struct config *cfg, enum pattern_kind kind, const char *path,
				    const struct location *wanted)
{
	struct pattern_ref *ref = ref_find(cfg, kind, path);

	if (!ref->wanted.file)
		ref->wanted = *wanted;
	return ref;
}

void pattern_refs_finish(struct config *cfg)
{
	const struct pattern_ref *ref;

	refs_running = *expr_conf_pattern_refs(cfg);
	for (ref = refs_running; ref; ref = ref->next) {
		if (!ref->uses)
			config_warning(cfg, &ref->wanted, "no %s is loaded from '%s', so that nothing "
				       "is changed", ref->kind == PATTERN_ACL ? "ACL" : "map",
				       ref->path);
	}
}

void pattern_warn_unresolved(struct config *cfg, const struct location *loc,
			     const struct pattern_set *set)
{
	const struct pattern *p, *first = NULL;
	unsigned more = 0;

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

void pattern_refs_release(const struct pattern_ref *refs)
{
	const struct ref_use *use;

	for (; refs; refs = refs->next) {
		for (use = refs->uses; use; use = use->next)
			pattern_set_release(use->set);
	}
}

int pattern_ref_load(struct config *cfg, struct pattern_set *set, const char *path, unsigned flags,
		     struct err *err)
{
	struct pattern_ref *ref = NULL;
	struct ref_use *use;
	int result;

	if (cfg) {
		ref = ref_find(cfg, flags & PATTERN_MAP ? PATTERN_VALUES : PATTERN_ACL, path);
		use = arena_alloc(cfg->arena, sizeof(*use));
		*use = (struct ref_use){ ref->uses, set, flags };
		ref->uses = use;
	}
	pattern_set_source(set, ref);
	result = pattern_load(set, path, flags, err);
	pattern_set_source(set, NULL);
	return result;
}

/* -- changes ---------------------------------------------------------------------------- */

static void ref_delete(struct pattern_ref *ref, const char *text)
{
	const struct ref_use *use;
	struct pattern *p;

	for (use = ref->uses; use; use = use->next) {
		while ((p = pattern_find(use->set, text, ref)))
			pattern_remove(use->set, p);
	}
}

static int use_put(struct pattern_ref *ref, const struct ref_use *use, enum pattern_change change,
		   const char *text, const char *value, struct err *err)
{
	struct pattern *p = pattern_find(use->set, text, ref);

	if (!p)
		return pattern_add_running(use->set, text, value, use->flags, ref, err);
	return change == PATTERN_SET ?
		       pattern_change_value(use->set, p, value, use->flags, err) : 0;
}

/* Would each of them take it? Methods and types of values differ. */
static int ref_check(const struct pattern_ref *ref, const char *text, const char *value,
		     struct err *err)
{
	const struct ref_use *use;

	for (use = ref->uses; use; use = use->next) {
		if (pattern_try(use->set, text, value, use->flags, err))
			return -1;
	}
	return 0;
}

int pattern_ref_apply(struct pattern_ref *ref, enum pattern_change change, const char *text,
		      const char *value, struct err *err)
{
	const struct ref_use *use;

	if (change == PATTERN_DELETE) {
		ref_delete(ref, text);
		return 0;
	}
	if (ref->uses && ref->uses->next && ref_check(ref, text, value, err))
		return -1;
	for (use = ref->uses; use; use = use->next) {
		if (use_put(ref, use, change, text, value, err))
			return -1;
	}
	return 0;
}

/* -- several processes ------------------------------------------------------------------- */

/* Would it change any set? */
static bool ref_differs(const struct pattern_ref *ref, enum pattern_change change, const char *text,
			const char *value)
{
	const struct ref_use *use;
	const struct pattern *p;

	for (use = ref->uses; use; use = use->next) {
		p = pattern_find(use->set, text, ref);
		if (change == PATTERN_DELETE ? p != NULL : !p)
			return true;
		if (change == PATTERN_SET && value && strcmp(p->value ? p->value : "", value) != 0)
			return true;
	}
	return false;
}

/* What is sent: two digits, then the path, the text and, of a map, the value, each with its NUL. */
static void ref_submit(const struct pattern_ref *ref, enum pattern_change change, const char *text,
		       const char *value)
{
	char *frame;
	int len = asprintf(&frame, "%d%d%s%c%s%c%s", ref->kind, change, ref->path, 0, text, 0,
			   value ? value : "");

	if (len < 0)
		return;
	change_submit(&pattern_change, frame, (size_t)len + 1, NULL, NULL);
	free(frame);
}

/* Here at once, since the next rule may ask for it, then in the order that counts. */
int pattern_ref_change(struct pattern_ref *ref, enum pattern_change change, const char *text,
		       const char *value, struct err *err)
{
	bool tell = change_is_shared() && ref_differs(ref, change, text, value);
	int rc = pattern_ref_apply(ref, change, text, value, err);

	if (rc == 0 && tell)
		ref_submit(ref, change, text, value);
	return rc;
}

/* The next of the strings; NULL: there is none. */
static const char *next_string(const char **at, const char *end)
{
	const char *text = *at, *stop = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;

	if (!stop)
		return NULL;
	*at = stop + 1;
	return text;
}

static int pattern_apply(const void *bytes, size_t len, struct text *said, struct err *err)
{
	const char *at = bytes, *end = at + len, *path, *text, *value;
	struct pattern_ref *ref;
	int kind, change;

	(void)said;
	if (len < 2)
		return err_set(err, "a broken change");
	kind = *at++ - '0';
	change = *at++ - '0';
	path = next_string(&at, end);
	text = path ? next_string(&at, end) : NULL;
	value = text ? next_string(&at, end) : NULL;
	if (!value || change < PATTERN_ADD || change > PATTERN_SET)
		return err_set(err, "a broken change");
	for (ref = (struct pattern_ref *)(uintptr_t)refs_running; ref; ref = ref->next)
		if ((int)ref->kind == kind && !strcmp(ref->path, path))
			return pattern_ref_apply(ref, (enum pattern_change)change, text,
						 kind == PATTERN_VALUES ? value : NULL, err);
	return err_set(err, "nothing is loaded from '%s'", path);
}

const struct change_kind pattern_change = { .name = "pattern", .apply = pattern_apply };
