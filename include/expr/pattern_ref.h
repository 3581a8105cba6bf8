/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of patterns, and the patterns of single lines, as things that can be changed while the
 * program runs: each ACL and map that was loaded from a file gets the change. Names are those of
 * the configuration, ids those of the stats socket. */
#ifndef EXPR_PATTERN_REF_H
#define EXPR_PATTERN_REF_H

#include "expr/pattern_version.h"

struct statement;

/* Loads the file into the set (flags: PATTERN_*), which follows its changes from then on. cfg NULL:
 * nobody can change it. acl: an ACL loads it. 0, or -1 and err. */
int pattern_ref_load(struct config *cfg, const struct location *loc, struct pattern_set *set,
		     const char *path, unsigned flags, bool acl, struct err *err);
/* For the patterns that a line has itself. criterion: how it is shown; id: -1, or one that is not
 * used by another. NULL and err. */
struct pattern_ref *pattern_ref_line(struct config *cfg, const struct location *loc,
				     struct pattern_set *set, const char *criterion, int64_t id,
				     unsigned flags, struct err *err);
/* One of them. 0, or -1 and err. */
int pattern_ref_put(struct pattern_ref *ref, const char *text, enum pattern_op op, struct err *err);
/* That of the file, made when there is none yet: a line wants to change it. While the configuration
 * is read. */
struct pattern_ref *pattern_ref_get(struct config *cfg, enum pattern_kind kind, const char *path,
				    const struct location *wanted);
/* That of the file, if something was loaded from it; NULL. While the configuration is read. */
struct pattern_ref *pattern_ref_loaded(struct config *cfg, enum pattern_kind kind,
				       const char *path);
/* The generation goes: frees what its entries hold. */
void pattern_refs_release(const struct pattern_ref *refs);
/* -c: a host name of the set that has no address is told of; the start will refuse it. */
void pattern_warn_unresolved(struct config *cfg, const struct location *loc,
			     const struct pattern_set *set);
/* The end of the configuration: gives ids, and warns about files that nothing was loaded from. */
void pattern_refs_finish(struct config *cfg);

/* Those of the generation that this process serves, in order of their ids. */
extern struct pattern_ref *pattern_refs_running;
/* By what the stats socket calls it: "#<id>" or a file. maps: those that have values, else those
 * that ACLs use. NULL: none. */
struct pattern_ref *pattern_ref_named(const char *name, bool maps);
/* By its key. */
struct pattern_ref *pattern_ref_by_key(const char *key);

#endif
