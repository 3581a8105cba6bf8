/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables: values that rules keep under a name such as "sess.client" (manual 7.3.1
 * "set-var"). Those of the process live as long as it does; those of a session and of a
 * stream hang in lists of their owner, which frees them. Those of a request (req) are
 * there until its response begins, those of the response (res) from then on: view->responding. */
#ifndef EXPR_VARS_H
#define EXPR_VARS_H

#include "base/list.h"
#include "base/sample.h"
#include "expr/expr.h"

#include <stdbool.h>
#include <stddef.h>

struct err;
struct tracks;
struct view;

enum var_scope { VAR_PROC, VAR_SESS, VAR_TXN, VAR_REQ, VAR_RES, VAR_CHECK, VAR_SCOPES };

/* A name that occurs somewhere in the configuration. Equal names are one object. */
struct var_name {
	struct var_name *next;
	enum var_scope scope;
	/* Of expr/proc_vars.c: */
	struct list waits; /* to be told to the other processes */
	bool under_way;    /* a change of it has not come out of the log */
	uint64_t stamp;    /* of its value, or of when it was unset; 0: before there were workers */
	char text[]; /* with its scope: "txn.host" */
};

struct var;
/* What rules remember of its owner: embedded in a session (sess), stream (txn, req, res) or check
 * (check); all zero: nothing. */
struct vars {
	struct var *first;
	struct tracks *tracks; /* entries of stick tables: expr/track.h; NULL: none */
};

/* Conditions of set-var; all that are given must hold. */
enum { VAR_IF_EXISTS = 1 << 0, VAR_IF_NOT_EXISTS = 1 << 1, VAR_IF_EMPTY = 1 << 2,
       VAR_IF_NOT_EMPTY = 1 << 3, VAR_IF_SET = 1 << 4, VAR_IF_NOT_SET = 1 << 5,
       VAR_IF_GT = 1 << 6, VAR_IF_LT = 1 << 7 };
/* The bit of "ifexists" ...; 0: no such condition. */
unsigned var_condition(struct span word);

/* The name of "scope.name"; NULL and err when it is malformed. */
const struct var_name *var_name(struct span text, struct err *err);
/* So many names may still be made: they stay for the life of the process. Whoever lets scripts make
 * names sets a limit. */
extern unsigned var_names_left;
/* The same for a name that another process has been allowed to make: no limit counts. */
const struct var_name *var_name_heard(struct span text, struct err *err);
/* The same where it is mentioned somewhere already; NULL: nowhere. */
const struct var_name *var_name_known(struct span text);
/* Its value; a string points into the variable and is SMP_CONST. false: it is not set. */
bool var_get(const struct var_name *name, const struct view *view, struct sample *smp);
/* Keeps a copy, if the conditions hold; smp stays valid, also where it lies in the variable's value
 * of before, until the next one does so. false: nothing was changed by a condition, the scope does
 * not exist here (yet), or a limit or the memory is exhausted (counted). */
bool var_set(const struct var_name *name, const struct view *view, const struct sample *smp,
	     unsigned conditions);
/* Keeps a copy in a variable of the process, whatever the limits of memory say, and tells no other
 * process: it is as all have it. false: out of memory. */
bool var_put(const struct var_name *name, const struct sample *smp);
/* The same for one that is unset. */
void var_take_away(const struct var_name *name);
void var_unset(const struct var_name *name, const struct view *view);
/* Forgets all of the list, or those of one scope. */
void vars_free(struct vars *vars);
void vars_free_scope(struct vars *vars, enum var_scope scope);

/* tune.vars.*-max-size; 0: no limit. */
struct vars_limits {
	size_t global, proc, sess, txn, reqres, check;
};
extern struct vars_limits vars_limits;

struct vars_stats {
	size_t used;     /* bytes, of all scopes */
	uint64_t failed; /* values not kept for lack of memory or room */
};
extern struct vars_stats vars_stats;

#endif
