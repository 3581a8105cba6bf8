/* SPDX-License-Identifier: BSD-2-Clause */
/* What lies behind a file of patterns while the program runs: entries (a text, perhaps a value, and
 * what each set makes of it), in versions of which one is looked up. For pattern_ref.c and
 * pattern_change.c; the stats socket reads. */
#ifndef EXPR_PATTERN_VERSION_H
#define EXPR_PATTERN_VERSION_H

#include "base/arena.h"
#include "base/list.h"
#include "config/config.h"
#include "expr/pattern.h"
#include "expr/pattern_slab.h"

/* Replaced as a whole, since a lookup's result may point into it. */
struct pattern_value {
	struct pattern_value *next; /* of those that are to be freed */
	const char *text;
	void **data;                /* converted, for each use */
	struct pattern_slab *slab;  /* where it lies; NULL: malloc */
	struct arena arena;
};

struct pattern_entry {
	struct index_node node;      /* by its text, in its version */
	struct pattern_entry *next, *prev; /* of its version, in order */
	struct pattern *patterns;    /* one for each use, in order: sibling */
	struct pattern_value *value; /* NULL: none */
	const char *text;
	uint64_t id;                 /* the same in all processes */
	unsigned line;               /* of the file; 0: added later */
	bool provisional;            /* this process alone has it so far: pattern_change.c */
	struct pattern_slab *slab;   /* where it lies; NULL: malloc */
	struct arena arena;          /* of its patterns */
};

struct pattern_version {
	struct pattern_version *next;
	struct pattern_ref *ref;
	uint32_t number;
	struct pattern_entry *first, *last;
	size_t count;
	struct pattern_index texts;
	struct pattern_table *tables; /* for each use; NULL: the sets have them, it is the one in
				       * force */
	struct list readers;
};

/* A set that compares with what the file has. */
struct pattern_use {
	struct pattern_use *next;
	struct pattern_set *set;
	unsigned flags; /* PATTERN_* */
	bool of_acl;    /* else a map's */
	struct location loc;
};

enum pattern_kind { PATTERN_ACL, PATTERN_VALUES }; /* keys alone; maps */

struct pattern_ref {
	struct pattern_ref *next;
	const char *path;       /* NULL: patterns that a line of the configuration has itself */
	const char *criterion;  /* of that line */
	struct location loc;    /* that line, or the first that changes the file */
	enum pattern_kind kind;
	int64_t id;             /* what the stats socket calls it; -1: none yet */
	const char *key;        /* by which other processes know it */
	bool in_acl;            /* an ACL uses it */
	bool loaded;
	struct pattern_use *uses, **uses_tail;
	size_t use_count;
	struct pattern_version *current, *others;
	uint32_t next_version;  /* the last that was given away */
};

/* Entries that are made from now on lie in slabs, of which *slab (NULL at first) is the open one;
 * entries_apart: each by itself again. */
void entries_together(struct pattern_slab **slab);
void entries_apart(void);
/* An entry with what each use makes of it, in no version yet. op, flags: of the text, beside the
 * flags of each use. NULL and err, which is told in the words of the stats socket with
 * PATTERN_RUNNING. */
struct pattern_entry *entry_new(const struct pattern_ref *ref, const char *text, const char *value,
				enum pattern_op op, unsigned flags, struct err *err);
/* One that no lookup has seen. */
void entry_free(const struct pattern_ref *ref, struct pattern_entry *e);
/* For a use that has come behind it, the last of ref's, while the configuration is read. 0, or -1
 * and err. */
int entry_add_use(const struct pattern_ref *ref, struct pattern_entry *e,
		  const struct pattern_use *use, struct err *err);
/* Another value. 0, or -1 and err: as it was. */
int entry_set_value(const struct pattern_ref *ref, struct pattern_entry *e, const char *value,
		    struct err *err);

/* NULL: out of memory. */
struct pattern_version *version_new(struct pattern_ref *ref, uint32_t number);
/* The one of this number; NULL: nothing was added to it. */
struct pattern_version *version_find(const struct pattern_ref *ref, uint32_t number);
/* Takes the entry over, at its end, and gives it its id. False: out of memory, nothing has
 * happened. */
bool version_append(struct pattern_version *v, struct pattern_entry *e);
/* The first with this text, and the next of the same; NULL: none. */
struct pattern_entry *version_entry(const struct pattern_version *v, const char *text);
struct pattern_entry *version_same(const struct pattern_version *v, const struct pattern_entry *e);
/* Takes the entry out; it is freed when nobody looks at it any more. */
void version_remove(struct pattern_version *v, struct pattern_entry *e);
/* Lookups see this version (which is none of ref->others any more) from now on; returns the one
 * that they saw. */
struct pattern_version *version_switch(struct pattern_version *v);
/* Nobody adds to it or looks it up any more: freed bit by bit. */
void version_drop(struct pattern_version *v);

/* Reads a version entry by entry while it changes: what is not removed meanwhile is met once. A
 * version that was dropped stays until its readers have ended. */
struct pattern_reader {
	struct list node;
	struct pattern_version *version; /* NULL: not reading */
	struct pattern_entry *at;        /* NULL: at its end */
};
void reader_begin(struct pattern_reader *r, struct pattern_version *v);
void reader_end(struct pattern_reader *r);

/* Frees all at once that was to be freed bit by bit. */
void versions_bury(void);

#endif
