/* SPDX-License-Identifier: BSD-2-Clause */
/* A line about traffic on its way to the targets of a frontend, of which some may want it in
 * another form: composed once for all that want the same. */
#ifndef EXPR_LOGLINE_H
#define EXPR_LOGLINE_H

#include "log/profile.h"

struct logformat;
struct proxy;
struct view;

struct logline {
	enum log_step step;
	enum log_level level;
	const struct logformat *format; /* without a profile; NULL: msg */
	const struct logformat *sd;     /* NULL: none */
	struct span msg;                     /* what is said without a format */
	const struct log_profile *profile;   /* of do-log, for all targets; NULL: that of each */
	const struct view *view;             /* with its log */
};
/* Sends it to the targets of the proxy. False: there is none, or profiles drop it everywhere. */
bool logline_send(const struct logline *line, const struct proxy *px);
/* What the targets of the proxy would be sent: calls say for each form of it. */
typedef void logline_say(void *arg, struct span msg);
void logline_show(const struct logline *line, const struct proxy *px, logline_say *say, void *arg);

#endif
