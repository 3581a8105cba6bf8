/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of patterns as things that can be changed while the program runs: each ACL and map that was
 * loaded from a file gets the change. Names are those of the configuration. */
#ifndef EXPR_PATTERN_REF_H
#define EXPR_PATTERN_REF_H

struct change_kind;
struct config;
struct err;
struct location;
struct pattern_ref;
struct pattern_set;

enum pattern_kind { PATTERN_ACL, PATTERN_VALUES }; /* keys alone; maps */
enum pattern_change {
	PATTERN_ADD,    /* unless it is there */
	PATTERN_DELETE, /* all that are equal, if there are any */
	PATTERN_SET,    /* another value where it is there, else added */
};

/* Loads the file into the set (flags: PATTERN_*), which follows its changes from then on. cfg NULL:
 * nobody can change it. 0, or -1 and err. */
int pattern_ref_load(struct config *cfg, struct pattern_set *set, const char *path, unsigned flags,
		     struct err *err);
/* That of the file, made when there is none yet: a line wants to change it. While the configuration
 * is read. */
struct pattern_ref *pattern_ref_get(struct config *cfg, enum pattern_kind kind, const char *path,
				    const struct location *wanted);
/* The generation goes: what was added while it ran. */
void pattern_refs_release(const struct pattern_ref *refs);
/* -c: a host name of the set that has no address is told of; the start will refuse it. */
void pattern_warn_unresolved(struct config *cfg, const struct location *loc,
			     const struct pattern_set *set);
/* The end of the configuration: warns about those that nothing was loaded from. */
void pattern_refs_finish(struct config *cfg);

/* Changes all sets of this process, or none. value: of maps, else NULL. Not while a lookup's result is
 * in use: between two rules it is none. 0, or -1 and err: the text is no pattern, or no value. */
int pattern_ref_apply(struct pattern_ref *ref, enum pattern_change change, const char *text,
		      const char *value, struct err *err);
/* What rules call: the above; where there are several processes the others hear of it through the
 * ordered log, if it changes anything. */
int pattern_ref_change(struct pattern_ref *ref, enum pattern_change change, const char *text,
		       const char *value, struct err *err);
/* On its way to all processes. */
extern const struct change_kind pattern_change;

#endif
