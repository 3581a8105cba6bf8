/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps and profiles of log lines (log/profile.h): names, and which line holds. Sections are read
 * by expr/log_profile.c, which knows formats. */
#include "log/profile.h"

#include "base/bug.h"

#include <string.h>

const struct log_step_row log_steps[LOG_STEPS] = {
	[LOG_STEP_NONE] = { NULL, "unspec", NULL },
	[LOG_STEP_ERROR] = { "error", "sess_error", NULL },
	[LOG_STEP_KILLED] = { NULL, "sess_killed", NULL },
	[LOG_STEP_ACCEPT] = { "accept", "txn_accept", NULL },
	[LOG_STEP_REQUEST] = { "request", "txn_request", NULL },
	[LOG_STEP_CONNECT] = { "connect", "txn_connect", NULL },
	[LOG_STEP_RESPONSE] = { "response", "txn_response", NULL },
	[LOG_STEP_CLOSE] = { "close", "txn_close", NULL },
	[LOG_STEP_TCP_REQ_CONN] = { "tcp-req-conn", "tcp-req-conn", "tcp-request connection" },
	[LOG_STEP_TCP_REQ_SESS] = { "tcp-req-sess", "tcp-req-sess", "tcp-request session" },
	[LOG_STEP_TCP_REQ_CONT] = { "tcp-req-cont", "tcp-req-cont", "tcp-request content" },
	[LOG_STEP_TCP_RES_CONT] = { "tcp-res-cont", "tcp-res-cont", "tcp-response content" },
	[LOG_STEP_HTTP_REQ] = { "http-req", "http-req", "http-request" },
	[LOG_STEP_HTTP_RES] = { "http-res", "http-res", "http-response" },
	[LOG_STEP_HTTP_AFTER_RES] = { "http-after-res", "http-after-res", "http-after-response" },
};

enum log_step log_step_find(const char *name)
{
	enum log_step step;

	for (step = 0; step < LOG_STEPS; step++)
		if (log_steps[step].name && !strcmp(log_steps[step].name, name))
			return step;
	return LOG_STEP_NONE;
}

const struct log_form *log_profile_form(const struct log_profile *profile, enum log_step step)
{
	if (!profile)
		return NULL;
	if (step == LOG_STEP_KILLED)
		step = LOG_STEP_ERROR;
	if (profile->form[step].set)
		return &profile->form[step];
	return profile->any.set ? &profile->any : NULL;
}
