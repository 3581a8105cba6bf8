/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of files of patterns while the program runs, by rules and by the stats socket: through
 * the ordered log, so that all processes make them, or none. */
#ifndef EXPR_PATTERN_CHANGE_H
#define EXPR_PATTERN_CHANGE_H

#include "event/change.h"
#include "expr/pattern_ref.h"

enum pattern_change {
	/* Of rules: */
	PATTERN_ADD,    /* unless it is there */
	PATTERN_DELETE, /* all that are equal, if there are any */
	PATTERN_SET,    /* another value where it is there, else added */
	/* Of the stats socket: */
	PATTERN_INSERT, /* also when it is there */
	PATTERN_REMOVE, /* those that are equal, or the one with the id */
	PATTERN_ASSIGN, /* another value for them, in the same way */
	PATTERN_CLEAR,
	PATTERN_PREPARE,
	PATTERN_COMMIT,
	/* A payload, which is taken whole or not at all: begun, sent line by line, and then
	 * merged. */
	PATTERN_LOAD_BEGIN,
	PATTERN_LOAD_LINES,
	PATTERN_LOAD_MERGE,
	PATTERN_LOAD_END, /* whatever was not merged is dropped */
	PATTERN_LOAD_ABANDON,
	PATTERN_CHANGES
};

/* Changes a list for a rule: in this process at once, since the next rule may ask for it. Other
 * processes hear of a change that changes anything through the ordered log. value: of maps, else
 * NULL. Not to be called while a lookup's result is in use; between two rules none is. 0; or -1 and
 * err: the text is no pattern, or no value. */
int pattern_ref_change(struct pattern_ref *ref, enum pattern_change change, const char *text,
		       const char *value, struct err *err);

/* What is submitted for the stats socket. */
struct pattern_command {
	enum pattern_change change;
	const char *key;     /* of the file */
	const char *version; /* decimal; NULL: the one in force */
	const char *id;      /* hexadecimal: of an entry, beside its text; a payload: its token */
	const char *text, *value;
	const char *rest;    /* LOAD_LINES: pairs of text and value, each with its NUL */
	size_t rest_len;
};
/* The answer PATTERN_MORE says that something is left: submit it again. */
#define PATTERN_MORE "more"
/* The bytes of such a change; the caller frees them. NULL: out of memory. */
char *pattern_frame(const struct pattern_command *command, size_t *len);
/* As change_submit; out of memory is told to done. */
unsigned pattern_submit(const struct pattern_command *command, change_done *done, void *arg);
/* The process of this row has gone: what it has not finished to load is dropped everywhere. Called
 * in the parent. */
void pattern_loads_abandon(unsigned row);

/* On its way to all processes. */
extern const struct change_kind pattern_change;

/* What has happened to the version in force. */
enum pattern_event {
	PATTERN_NOTHING,
	PATTERN_ADDED,     /* an entry, or those of a payload */
	PATTERN_DELETED,   /* all that one change meant */
	PATTERN_ASSIGNED,  /* they have another value */
	PATTERN_CLEARED,
	PATTERN_COMMITTED, /* another version is in force */
};
/* Told of each change that this process has made, when all processes make it; not of what a rule has
 * made ahead. NULL: nobody asks. */
extern void (*pattern_changed)(const struct pattern_ref *ref, enum pattern_event what);

#endif
