/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What changes files of patterns while the program runs. A change of the stats socket is made when
 * it comes out of the ordered log; one of a rule at once in the process of the rule, provisionally,
 * and anew when it comes out of the log, so that entries and their ids end in one order everywhere.
 *
 * No step is long: what concerns many entries (equal ones, payloads) is submitted in pieces, and
 * versions change by a swap.
 */
#include "expr/pattern_change.h"

#include "base/err.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EQUAL_ONCE = 500,  /* equal entries that one change removes or gives a value */
       MERGE_ONCE = 300,  /* patterns of a payload that one change merges */
       LOADS_MOST = 1000, /* payloads under way */
};

void (*pattern_changed)(const struct pattern_ref *ref, enum pattern_event what);

static void tell(const struct pattern_version *v, enum pattern_event what)
{
	if (unlikely(pattern_changed != NULL) && v == v->ref->current)
		pattern_changed(v->ref, what);
}

/* -- entries -------------------------------------------------------------------------------- */

static int version_insert(struct pattern_version *v, const char *text, const char *value,
			  bool provisional, struct err *err)
{
	struct pattern_entry *e = entry_new(v->ref, text, value, OP_EQUAL,
					    PATTERN_NO_NAMES | PATTERN_RUNNING, err);

	if (!e)
		return -1;
	e->provisional = provisional;
	if (version_append(v, e))
		return 0;
	entry_free(v->ref, e);
	return err_set(err, "Out of memory.");
}

static void remove_equal(struct pattern_version *v, const char *text, bool only_provisional)
{
	struct pattern_entry *e, *next;

	for (e = version_entry(v, text); e; e = next) {
		next = version_same(v, e);
		if (!only_provisional || e->provisional)
			version_remove(v, e);
	}
}

static int assign_equal(struct pattern_version *v, const char *text, const char *value,
			struct err *err)
{
	struct pattern_entry *e;

	for (e = version_entry(v, text); e; e = version_same(v, e)) {
		if (e->value && !strcmp(e->value->text, value))
			continue;
		if (entry_set_value(v->ref, e, value, err))
			return -1;
	}
	return 0;
}

/* -- rules ---------------------------------------------------------------------------------- */

static int rule_apply(struct pattern_ref *ref, enum pattern_change change, const char *text,
		      const char *value, bool provisional, struct err *err)
{
	struct pattern_version *v = ref->current;

	if (!v)
		return 0; /* nothing is loaded from it */
	if (change == PATTERN_DELETE || (change_is_shared() && !provisional))
		remove_equal(v, text, change != PATTERN_DELETE);
	if (change == PATTERN_DELETE)
		return 0;
	if (!version_entry(v, text))
		return version_insert(v, text, value, provisional, err);
	return change == PATTERN_SET && value ? assign_equal(v, text, value, err) : 0;
}

/* Would it change anything? */
static bool rule_differs(const struct pattern_ref *ref, enum pattern_change change,
			 const char *text, const char *value)
{
	const struct pattern_version *v = ref->current;
	const struct pattern_entry *e = v ? version_entry(v, text) : NULL;

	if (change == PATTERN_DELETE || !e)
		return v && !e == (change != PATTERN_DELETE);
	for (; e && change == PATTERN_SET && value; e = version_same(v, e))
		if (!e->value || strcmp(e->value->text, value) != 0)
			return true;
	return false;
}

/* What the change will have done, where it changes anything. */
static enum pattern_event rule_event(const struct pattern_ref *ref, enum pattern_change change,
				     const char *text)
{
	const struct pattern_entry *e;

	if (!pattern_changed || !ref->current)
		return PATTERN_NOTHING;
	e = version_entry(ref->current, text);
	if (change == PATTERN_DELETE)
		return PATTERN_DELETED;
	while (e && e->provisional)
		e = version_same(ref->current, e);
	if (!e)
		return PATTERN_ADDED;
	return change == PATTERN_SET ? PATTERN_ASSIGNED : PATTERN_NOTHING;
}

int pattern_ref_change(struct pattern_ref *ref, enum pattern_change change, const char *text,
		       const char *value, struct err *err)
{
	const struct pattern_command command = { .change = change, .key = ref->key, .text = text,
						 .value = value };
	bool shared = change_is_shared();
	bool differs = (shared || pattern_changed) && rule_differs(ref, change, text, value);
	enum pattern_event what = rule_event(ref, change, text);
	int rc = rule_apply(ref, change, text, value, shared, err);

	if (rc || !differs)
		return rc;
	if (shared)
		pattern_submit(&command, NULL, NULL);
	else if (what)
		tell(ref->current, what);
	return 0;
}

/* -- versions ------------------------------------------------------------------------------- */

static bool in_future(const struct pattern_ref *ref, uint32_t number)
{
	return (int32_t)(number - ref->next_version) > 0;
}

/* The version that the command names, made if it is one that may be added to. NULL and err. */
static struct pattern_version *version_to_fill(struct pattern_ref *ref, const char *version,
					       struct err *err)
{
	uint32_t number = (uint32_t)strtoul(version, NULL, 10);
	struct pattern_version *v = *version ? version_find(ref, number) : ref->current;

	if (v)
		return v;
	if (in_future(ref, number)) {
		err_set(err, "Version number in the future, please use 'prepare %s' before.",
			ref->kind == PATTERN_ACL ? "acl" : "map");
		return NULL;
	}
	v = version_new(ref, number);
	if (!v) {
		err_set(err, "Out of memory.");
		return NULL;
	}
	v->next = ref->others;
	ref->others = v;
	return v;
}

static void take_out(struct pattern_ref *ref, const struct pattern_version *v)
{
	struct pattern_version **at = &ref->others;

	while (*at && *at != v)
		at = &(*at)->next;
	if (*at)
		*at = (*at)->next;
}

/* The first of the others that is older than the one in force. */
static struct pattern_version *past_version(const struct pattern_ref *ref)
{
	struct pattern_version *v = ref->others;

	while (v && (int32_t)(v->number - ref->current->number) >= 0)
		v = v->next;
	return v;
}

static int do_clear(struct pattern_ref *ref, const struct pattern_command *c, struct text *said,
		    struct err *err)
{
	uint32_t number = *c->version ? (uint32_t)strtoul(c->version, NULL, 10) : ref->current->number;
	struct pattern_version *v = version_find(ref, number);

	(void)said;
	if (!v)
		return 0;
	if (v != ref->current) {
		take_out(ref, v);
		version_drop(v);
		return 0;
	}
	v = version_new(ref, number);
	if (!v)
		return err_set(err, "Out of memory.");
	version_drop(version_switch(v));
	tell(v, PATTERN_CLEARED);
	return 0;
}

static int do_prepare(struct pattern_ref *ref, const struct pattern_command *c, struct text *said,
		      struct err *err)
{
	(void)c;
	(void)err;
	text_printf(said, "New version created: %u\n", ++ref->next_version);
	return 0;
}

static int do_commit(struct pattern_ref *ref, const struct pattern_command *c, struct text *said,
		     struct err *err)
{
	uint32_t number = (uint32_t)strtoul(c->version, NULL, 10), now = ref->current->number;
	struct pattern_version *v;

	(void)said;
	if (number - now - 1 >= ref->next_version - now)
		return err_set(err, "Version number out of range.");
	v = version_to_fill(ref, c->version, err);
	if (!v)
		return -1;
	take_out(ref, v);
	version_drop(version_switch(v));
	while ((v = past_version(ref))) {
		take_out(ref, v);
		version_drop(v);
	}
	tell(ref->current, PATTERN_COMMITTED);
	return 0;
}

/* -- single entries ------------------------------------------------------------------------- */

static int do_insert(struct pattern_ref *ref, const struct pattern_command *c, struct text *said,
		     struct err *err)
{
	struct pattern_version *v = version_to_fill(ref, c->version, err);

	(void)said;
	if (!v || version_insert(v, c->text, ref->kind == PATTERN_VALUES ? c->value : NULL, false, err))
		return -1;
	tell(v, PATTERN_ADDED);
	return 0;
}

/* The version that the command speaks of; NULL: nothing was added to it. */
static struct pattern_version *version_meant(const struct pattern_ref *ref,
					     const struct pattern_command *c)
{
	return *c->version ? version_find(ref, (uint32_t)strtoul(c->version, NULL, 10)) : ref->current;
}

/* Those that the command means, one after the other. */
static struct pattern_entry *meant(const struct pattern_version *v, const struct pattern_command *c,
				   const struct pattern_entry *last)
{
	uint64_t id = strtoull(c->id, NULL, 16);
	struct pattern_entry *e;

	if (!v)
		return NULL;
	e = last ? version_same(v, last) : version_entry(v, c->text);

	while (e && *c->id && e->id != id)
		e = version_same(v, e);
	return e;
}

/* A rule of this process may have removed it meanwhile; who speaks for the change has found it. */
static int not_found(const char *sentence, struct err *err)
{
	return change_first ? err_set(err, "%s", sentence) : 0;
}

static int do_remove(struct pattern_ref *ref, const struct pattern_command *c, struct text *said,
		     struct err *err)
{
	struct pattern_version *v = version_meant(ref, c);
	struct pattern_entry *e = meant(v, c, NULL);
	unsigned n;

	if (!e)
		return not_found("Key not found.", err);
	for (n = 0; e && n < EQUAL_ONCE; n++) {
		version_remove(v, e);
		e = meant(v, c, NULL);
	}
	if (e)
		text_str(said, PATTERN_MORE);
	else
		tell(v, PATTERN_DELETED);
	return 0;
}

/* From the front on: who has the value already was there before. */
static int do_assign(struct pattern_ref *ref, const struct pattern_command *c, struct text *said,
		     struct err *err)
{
	const struct pattern_version *v = version_meant(ref, c);
	struct pattern_entry *e = meant(v, c, NULL);
	unsigned n = 0;

	if (!e)
		return not_found(*c->id ? "key or pattern not found." : "entry not found.", err);
	for (; e && n < EQUAL_ONCE; e = meant(v, c, e)) {
		if (e->value && !strcmp(e->value->text, c->value))
			continue;
		if (entry_set_value(ref, e, c->value, err))
			return -1;
		n++;
	}
	if (e)
		text_str(said, PATTERN_MORE);
	else
		tell(v, PATTERN_ASSIGNED);
	return 0;
}

/* -- payloads ------------------------------------------------------------------------------- */

struct load {
	struct list node;
	struct pattern_version *lines; /* its entries are in no index */
	struct pattern_slab *slab;     /* where they lie */
	char version[16];
	char token[64]; /* row.pid.number of who loads */
};

static struct list loads = LIST_INIT(loads);
static unsigned load_count;

static struct load *load_find(const char *token)
{
	struct load *l;

	list_for_each(l, &loads, node)
		if (!strcmp(l->token, token))
			return l;
	return NULL;
}

static void load_end(struct load *l)
{
	list_remove(&l->node);
	load_count--;
	version_drop(l->lines);
	slab_close(&l->slab);
	free(l);
}

static int load_missing(struct err *err)
{
	return err_set(err, "The payload was interrupted: nothing more of it is taken.");
}

static int do_load_begin(struct pattern_ref *ref, const struct pattern_command *c,
			 struct text *said, struct err *err)
{
	struct load *l;

	(void)said;
	if (!version_to_fill(ref, c->version, err))
		return -1;
	if (load_count >= LOADS_MOST || load_find(c->id))
		return err_set(err, "Too many payloads at once.");
	l = calloc(1, sizeof(*l));
	if (l)
		l->lines = version_new(ref, 0);
	if (!l || !l->lines) {
		free(l);
		return err_set(err, "Out of memory.");
	}
	snprintf(l->token, sizeof(l->token), "%s", c->id);
	snprintf(l->version, sizeof(l->version), "%s", c->version);
	list_append(&loads, &l->node);
	load_count++;
	return 0;
}

static int load_line(struct pattern_version *lines, const char *text, const char *value,
		     struct err *err)
{
	const struct pattern_ref *ref = lines->ref;
	struct pattern_entry *e = entry_new(ref, text, ref->kind == PATTERN_VALUES ? value : NULL,
					    OP_EQUAL, PATTERN_NO_NAMES | PATTERN_RUNNING, err);

	if (!e)
		return err_prefix(err, "line %zu", lines->count + 1);
	*(lines->last ? &lines->last->next : &lines->first) = e;
	lines->last = e;
	lines->count++;
	return 0;
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

static int do_load_lines(struct pattern_ref *ref, const struct pattern_command *c,
			 struct text *said, struct err *err)
{
	const char *at = c->rest, *end = at + c->rest_len, *text, *value;
	struct load *l = load_find(c->id);
	int rc = 0;

	(void)ref;
	(void)said;
	if (!l)
		return load_missing(err);
	entries_together(&l->slab);
	while (rc == 0 && (text = next_string(&at, end)) && (value = next_string(&at, end)))
		rc = load_line(l->lines, text, value, err);
	entries_apart();
	return rc;
}

static int do_load_merge(struct pattern_ref *ref, const struct pattern_command *c,
			 struct text *said, struct err *err)
{
	struct load *l = load_find(c->id);
	struct pattern_version *v = l ? version_to_fill(ref, l->version, err) : NULL;
	struct pattern_entry *e;
	unsigned n;

	if (!l || l->lines->ref != ref)
		return load_missing(err);
	if (!v)
		return -1;
	for (n = 0; n < MERGE_ONCE && (e = l->lines->first); n += 1 + (unsigned)ref->use_count) {
		l->lines->first = e->next;
		if (version_append(v, e))
			continue;
		l->lines->first = e;
		return err_set(err, "Out of memory.");
	}
	if (l->lines->first)
		text_str(said, PATTERN_MORE);
	else if (n)
		tell(v, PATTERN_ADDED);
	return 0;
}

static int do_load_end(struct pattern_ref *ref, const struct pattern_command *c, struct text *said,
		       struct err *err)
{
	struct load *l = load_find(c->id);

	(void)ref;
	(void)said;
	(void)err;
	if (l)
		load_end(l);
	return 0;
}

/* The id is a row, with its dot. */
static int do_load_abandon(struct pattern_ref *ref, const struct pattern_command *c,
			   struct text *said, struct err *err)
{
	struct load *l, *next;

	(void)ref;
	(void)said;
	(void)err;
	list_for_each_safe(l, next, &loads, node)
		if (*c->id && !strncmp(l->token, c->id, strlen(c->id)))
			load_end(l);
	return 0;
}

/* -- the log -------------------------------------------------------------------------------- */

static int do_rule(struct pattern_ref *ref, const struct pattern_command *c, struct text *said,
		   struct err *err)
{
	enum pattern_event what = rule_event(ref, c->change, c->text);

	(void)said;
	if (rule_apply(ref, c->change, c->text, ref->kind == PATTERN_VALUES ? c->value : NULL, false, err))
		return -1;
	if (what)
		tell(ref->current, what);
	return 0;
}

static int (*const actions[PATTERN_CHANGES])(struct pattern_ref *ref,
					     const struct pattern_command *c, struct text *said,
					     struct err *err) = {
	[PATTERN_ADD] = do_rule,
	[PATTERN_DELETE] = do_rule,
	[PATTERN_SET] = do_rule,
	[PATTERN_INSERT] = do_insert,
	[PATTERN_REMOVE] = do_remove,
	[PATTERN_ASSIGN] = do_assign,
	[PATTERN_CLEAR] = do_clear,
	[PATTERN_PREPARE] = do_prepare,
	[PATTERN_COMMIT] = do_commit,
	[PATTERN_LOAD_BEGIN] = do_load_begin,
	[PATTERN_LOAD_LINES] = do_load_lines,
	[PATTERN_LOAD_MERGE] = do_load_merge,
	[PATTERN_LOAD_END] = do_load_end,
	[PATTERN_LOAD_ABANDON] = do_load_abandon,
};

static char *add_string(char *at, const char *text)
{
	size_t size = strlen(text ? text : "") + 1;

	memcpy(at, text ? text : "", size);
	return at + size;
}

/* What is sent: a letter, five strings, each with its NUL, and the rest. */
char *pattern_frame(const struct pattern_command *c, size_t *len)
{
	const char *const strings[] = { c->key, c->version, c->id, c->text, c->value };
	char *frame, *at;
	size_t i;

	*len = 1 + c->rest_len;
	for (i = 0; i < ARRAY_LEN(strings); i++)
		*len += strings[i] ? strlen(strings[i]) + 1 : 1;
	frame = malloc(*len);
	if (!frame)
		return NULL;
	*frame = (char)('A' + (int)c->change);
	at = frame + 1;
	for (i = 0; i < ARRAY_LEN(strings); i++)
		at = add_string(at, strings[i]);
	if (c->rest_len)
		memcpy(at, c->rest, c->rest_len);
	return frame;
}

unsigned pattern_submit(const struct pattern_command *c, change_done *done, void *arg)
{
	size_t len;
	char *frame = pattern_frame(c, &len);
	unsigned ticket;

	if (!frame) {
		if (done)
			done(arg, "Out of memory.", "", 0);
		return 0;
	}
	ticket = change_submit(&pattern_change, frame, len, done, arg);
	free(frame);
	return ticket;
}

static bool command_read(const void *bytes, size_t len, struct pattern_command *c)
{
	const char *at = bytes, *end = at + len;

	if (!len || *at < 'A' || *at >= 'A' + (int)PATTERN_CHANGES)
		return false;
	c->change = (enum pattern_change)(*at++ - 'A');
	c->key = next_string(&at, end);
	c->version = c->key ? next_string(&at, end) : NULL;
	c->id = c->version ? next_string(&at, end) : NULL;
	c->text = c->id ? next_string(&at, end) : NULL;
	c->value = c->text ? next_string(&at, end) : NULL;
	c->rest = at;
	c->rest_len = (size_t)(end - at);
	return c->value;
}

static int pattern_apply(const void *bytes, size_t len, struct text *said, struct err *err)
{
	struct pattern_command c;
	struct pattern_ref *ref;

	if (!command_read(bytes, len, &c))
		return err_set(err, "a broken change");
	ref = pattern_ref_by_key(c.key);
	if (!ref && c.change != PATTERN_LOAD_END && c.change != PATTERN_LOAD_ABANDON)
		return err_set(err, "nothing is loaded from '%s'", c.key);
	return actions[c.change](ref, &c, said, err);
}

const struct change_kind pattern_change = { .name = "pattern", .apply = pattern_apply };

void pattern_loads_abandon(unsigned row)
{
	struct pattern_command c = { .change = PATTERN_LOAD_ABANDON };
	char id[16];

	snprintf(id, sizeof(id), "%u.", row);
	c.id = id;
	if (load_count)
		pattern_submit(&c, NULL, NULL);
}
