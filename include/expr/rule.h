/* SPDX-License-Identifier: BSD-2-Clause */
/* Rule sets: lists of actions with conditions, run in order. tcp-request and tcp-response now,
 * HTTP later by adding rows. Implemented in src/expr/rules.c; actions are rows of tables that
 * the layer brings along in which they run. */
#ifndef EXPR_RULE_H
#define EXPR_RULE_H

#include "expr/view.h"

#include <stdbool.h>
#include <stdint.h>

struct rule;
struct rule_set;

enum rule_result {
	RULES_PASS,   /* end of the list, or accepted */
	RULES_WAIT,   /* the condition of a rule needs more data: run again with the same place */
	RULES_REJECT, /* refused: the stream is denied */
	RULES_CLOSE,  /* tcp-response content close: both sides end */
	RULES_DROP,   /* silent-drop: end without a word to the client */
	RULES_REPLY,  /* HTTP: the exchange has been given an answer */
	RULES_ERROR,  /* out of memory and the like */
};

/* The place within a list, kept over a wait; zeroed: at the start. */
struct rule_place {
	const struct rule *at;
	bool acting; /* its condition has held: its action has begun, and waits */
};

/* Runs the set (NULL: passes) from the place on. final: no more data will come (inspect-delay over,
 * end of input, buffer full). Conditions that wait then count as not met. RULES_WAIT can then come
 * only from an action that waits for something of its own. Actions may change what later rules see:
 * the view, and what it was made from. */
enum rule_result rules_run(const struct rule_set *set, struct view *view,
			   struct rule_place *place, bool final);

/* Does some rule look at bytes of the direction? Those that are there already should then be
 * read before the set is run for the first time. */
bool rules_look(const struct rule_set *set);

/* use_backend: the first rule whose condition holds; NULL: none, or its name is none of a
 * backend. Falls back on nothing: the caller takes default_backend. forced: unpublished ones are
 * not passed over. */
struct proxy *switch_backend(const struct proxy *frontend, const struct view *view, bool forced);
/* force-be-switch: may a stream of it have a backend that is disabled or unpublished? */
bool switch_forced(const struct proxy *frontend, const struct view *view);
/* use-server: the server that the first matching rule names, if it is usable; else NULL. */
struct server *use_server(const struct proxy *backend, const struct view *view);
/* Will it name one? Asked ahead, so nobody who watches is told. */
bool use_server_decides(const struct proxy *backend, const struct view *view);

#endif
