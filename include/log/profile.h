/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps at which lines are written, and profiles: what a target of the log gets at each step
 * instead of what the frontend says. The formats are those of expr/, unknown here. */
#ifndef LOG_PROFILE_H
#define LOG_PROFILE_H

#include "base/kind.h"
#include "base/list.h"
#include "config/config.h"
#include "log/log.h"

struct err;
struct logformat;

enum log_step {
	LOG_STEP_NONE,
	LOG_STEP_ERROR,  /* a connection that brought no request */
	LOG_STEP_KILLED, /* one whose handshake has failed */
	LOG_STEP_ACCEPT, LOG_STEP_REQUEST, LOG_STEP_CONNECT, LOG_STEP_RESPONSE, LOG_STEP_CLOSE,
	/* do-log, by the list of the rule */
	LOG_STEP_TCP_REQ_CONN, LOG_STEP_TCP_REQ_SESS, LOG_STEP_TCP_REQ_CONT, LOG_STEP_TCP_RES_CONT,
	LOG_STEP_HTTP_REQ, LOG_STEP_HTTP_RES, LOG_STEP_HTTP_AFTER_RES,
	LOG_STEPS
};

struct log_step_row {
	const char *name;   /* of lines of "on"; NULL: it has none of its own */
	const char *origin; /* %OG */
	const char *list;   /* of rules, whose do-log is this step; NULL: none */
};
extern const struct log_step_row log_steps[LOG_STEPS];
/* The steps that "log-steps" knows. */
enum { LOG_STEPS_TRAFFIC = 1 << LOG_STEP_ACCEPT | 1 << LOG_STEP_REQUEST | 1 << LOG_STEP_CONNECT |
			   1 << LOG_STEP_RESPONSE | 1 << LOG_STEP_CLOSE };
/* By name; LOG_STEP_NONE: there is no such step. */
enum log_step log_step_find(const char *name);

/* What a profile says of a step. */
struct log_form {
	bool set, drop;
	struct logformat *format, *sd; /* NULL: as without a profile */
};

struct log_profile {
	struct list node;     /* all of the generation */
	const char *name;
	struct location loc;
	const char *tag;      /* NULL: none of its own */
	struct log_form any, form[LOG_STEPS];
};

/* The one that holds at a step; NULL: nothing is said of it. profile may be NULL. */
const struct log_form *log_profile_form(const struct log_profile *profile, enum log_step step);

/* Where a profile is named: it may stand below. */
struct log_profile_use {
	struct list node;
	struct location loc;
	const char *name;
	const struct log_profile *profile; /* once all files have been read */
	KIND_MEMBER
};
/* The word behind "profile", consumed; NULL after a report. log_conf.c */
struct log_profile_use *log_profile_parse(struct statement *st);

#endif
