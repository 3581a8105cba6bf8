/* SPDX-License-Identifier: BSD-2-Clause */
/* HTTP in health checks: writing the request, reading and judging the response. Called by
 * walk_run.c; the rules come from http_conf.c. */
#ifndef CHECK_HTTP_H
#define CHECK_HTTP_H

#include "check/walk.h"

struct check_conf;
struct request_conf;
struct view_http;

/* Which codes: first..last, the list ends with last 0. */
struct status_range {
	unsigned first, last;
};

enum header_match { HEADER_STR, HEADER_BEG, HEADER_END, HEADER_SUB, HEADER_REG };
struct header_pattern {
	enum header_match match;
	struct span text;
	struct regex *regex;
	struct logformat *format;
};
struct header_test {
	bool full;      /* fhdr: commas part nothing */
	bool has_value;
	struct header_pattern name, value;
};

/* The request of a send step (step_send.build). */
bool http_build(struct walk *walk, const struct step *step, struct text *out);
/* The same over HTTP/2, of the request that http_build has written, as walk->call. False: no
 * memory, or *wrong says what is wrong. */
bool http_call(struct walk *walk, struct span request, const char **wrong);
/* Judges the response so far. */
enum expect_result http_expect(struct walk *walk, const struct step_expect *e, bool last);
/* It was not what was expected, and nobody has said how to say that. */
void http_failed(struct walk *walk, const struct step_expect *e);
enum check_status http_error_status(const struct step_expect *e);
/* What expressions see of it; NULL: no response yet. */
struct view_http *http_view(struct walk *walk);
void http_forget(struct walk *walk);

#endif
