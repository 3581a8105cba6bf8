/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What results of checks, and errors seen in the traffic, make of a server's health; and the
 * lines that say so, word for word as the reference's. Called by check.c. Never opens anything.
 *
 * Health counts from 0 to rise + fall - 1; from rise on the server is up. A success adds one
 * (a server that comes up gets all at once), a failure takes one away (a server that goes down
 * loses all). At the start it stands at rise: the first failure takes a server down.
 */
#include "check/health.h"

#include "base/str.h"
#include "check/check.h"
#include "log/log.h"
#include "proxy/proxy.h"

#include <errno.h>
#include <string.h>

struct line {
	char buf[512];
	struct text text;
};

/* -- words ----------------------------------------------------------------------------------- */

const char *check_status_sentence(enum check_status status)
{
	static const char *const sentences[] = {
		[CHECK_UNKNOWN] = "Unknown",
		[CHECK_INIT] = "Initializing",
		[CHECK_SOCKERR] = "Socket error",
		[CHECK_L4OK] = "Layer4 check passed",
		[CHECK_L4TOUT] = "Layer4 timeout",
		[CHECK_L4CON] = "Layer4 connection problem",
		[CHECK_L6OK] = "Layer6 check passed",
		[CHECK_L6TOUT] = "Layer6 timeout",
		[CHECK_L6RSP] = "Layer6 invalid response",
		[CHECK_L7OK] = "Layer7 check passed",
		[CHECK_L7OKC] = "Layer7 check conditionally passed",
		[CHECK_L7TOUT] = "Layer7 timeout",
		[CHECK_L7RSP] = "Layer7 invalid response",
		[CHECK_L7STS] = "Layer7 wrong status",
		[CHECK_HANA] = "Health analyze",
	};

	return sentences[status];
}

static const char *observed_sentence(unsigned what)
{
	static const char *const sentences[] = {
		[OBSERVED_CONNECTED] = "L4 successful connection",
		[OBSERVED_NOT_CONNECTED] = "L4 unsuccessful connection",
		[OBSERVED_GOOD_RESPONSE] = "Correct http response",
		[OBSERVED_WRONG_STATUS] = "Wrong http response",
		[OBSERVED_BAD_RESPONSE] = "Invalid http response (headers)",
		[OBSERVED_TIMEOUT] = "Read timeout (http)",
		[OBSERVED_CLOSED] = "Close from server (http)",
		[OBSERVED_BROKEN] = "Read error (http)",
	};

	return sentences[what];
}

void check_say_cause(const struct server *server, struct text *t)
{
	const struct server_state *state = server->state;
	const char *error = strerror(state->check.error);

	if (state->check.status == CHECK_HANA)
		text_printf(t, "Detected %u consecutive errors, last one was: %s", state->check.error,
			    observed_sentence(state->check.cause));
	else if (!state->check.error)
		return;
	else if (state->check.cause == CAUSE_SOURCE)
		text_printf(t, "Can't bind to source address (%s)", error);
	else if (state->check.cause == CAUSE_SOCKET)
		text_printf(t, "General socket error (%s)", error);
	else
		text_str(t, error);
}

/* reason: Layer4 timeout, info: "...", check duration: 2ms */
static void say_reason(struct text *t, const struct server *s)
{
	char buf[256];
	struct text cause;

	text_init(&cause, buf, sizeof(buf));
	check_say_cause(s, &cause);
	text_printf(t, "reason: %s", check_status_sentence(s->state->check.status));
	if (cause.len)
		text_printf(t, ", info: \"%s\"", buf);
	if (s->state->check.status != CHECK_HANA)
		text_printf(t, ", check duration: %ums", s->state->check.duration_ms);
}

/* "option log-health-checks": each change of status or health. */
static void log_result(const struct server *s, bool passed)
{
	int health = s->state->health;
	bool up = health >= s->set.rise;
	struct line line;

	if (!(s->proxy->set.options.on & OPT_LOG_HEALTH_CHECKS))
		return;
	text_init(&line.text, line.buf, sizeof(line.buf));
	text_printf(&line.text, "Health check for %sserver %s/%s %s, ",
		    s->set.options.on & SRV_BACKUP ? "backup " : "", s->proxy->name, s->id,
		    passed ? "succeeded" : "failed");
	say_reason(&line.text, s);
	text_printf(&line.text, ", status: %d/%d %s.", up ? health - s->set.rise + 1 : health,
		    up ? s->set.fall : s->set.rise, up ? "UP" : "DOWN");
	log_stderr(LOG_L_WARNING, "%s", line.buf);
	log_printf(s->proxy->set.log, LOG_L_NOTICE, "%s", line.buf);
}

/* -- counting -------------------------------------------------------------------------------- */

static bool passed(enum check_status status)
{
	return status == CHECK_L4OK || status == CHECK_L6OK || status == CHECK_L7OK ||
	       status == CHECK_L7OKC;
}

/* Each returns whether anything has changed. */
static bool success(struct server *s)
{
	int full = s->set.rise + s->set.fall - 1;

	if (s->state->health >= full)
		return false;
	if (++s->state->health >= s->set.rise)
		s->state->health = full;
	return true;
}

static bool failure(struct server *s)
{
	if (s->state->health <= 0)
		return false;
	if (s->state->health >= s->set.rise)
		s->state->counters.failed_checks++;
	if (--s->state->health < s->set.rise)
		s->state->health = 0;
	return true;
}

/* The transition tells the reason, unless the line of the result has told it. */
static void apply(struct server *s)
{
	bool up = s->state->health >= s->set.rise, told;
	struct line line;

	text_init(&line.text, line.buf, sizeof(line.buf));
	say_reason(&line.text, s);
	told = s->proxy->set.options.on & OPT_LOG_HEALTH_CHECKS;
	if (up)
		server_set_up(s, told ? NULL : line.buf);
	else
		server_set_down(s, told ? NULL : line.buf);
}

/* We ourselves are short of descriptors or memory: that says nothing about the server. */
static bool own_fault(const struct server *s, enum check_status status)
{
	int error = s->state->check.error;

	return status == CHECK_SOCKERR && (error == EMFILE || error == ENFILE || error == ENOMEM ||
					   error == ENOBUFS || error == EADDRNOTAVAIL);
}

void health_result(struct server *s, enum check_status status)
{
	bool ok = passed(status), changed = s->state->check.status != status;

	s->state->check.status = (uint8_t)status;
	if (own_fault(s, status)) {
		if (changed)
			log_result(s, false);
		return;
	}
	changed |= ok ? success(s) : failure(s);
	if (changed)
		log_result(s, ok);
	apply(s);
}

/* -- observed traffic ------------------------------------------------------------------------ */

/* Manual 5.2 "on-error". */
static void observe_act(struct server *s, enum observed what)
{
	int health = s->state->health;

	if (s->set.on_error == ON_ERROR_FASTINTER)
		return;
	s->state->check.error = (uint16_t)s->set.error_limit;
	s->state->check.cause = (uint8_t)what;
	if (s->set.on_error == ON_ERROR_SUDDEN_DEATH && health > s->set.rise + 1)
		s->state->health = s->set.rise + 1;
	else if (s->set.on_error == ON_ERROR_MARK_DOWN && health > s->set.rise)
		s->state->health = s->set.rise;
	health_result(s, CHECK_HANA);
}

bool health_observe(struct server *s, enum observed what)
{
	bool connection = what == OBSERVED_CONNECTED || what == OBSERVED_NOT_CONNECTED;

	if (s->set.observe != (connection ? OBSERVE_LAYER4 : OBSERVE_LAYER7))
		return false;
	if (what == OBSERVED_CONNECTED || what == OBSERVED_GOOD_RESPONSE) {
		s->state->consecutive_errors = 0;
		return false;
	}
	if (s->state->op == SERVER_DOWN ||
	    (int)++s->state->consecutive_errors < s->set.error_limit)
		return false;
	s->state->consecutive_errors = 0;
	s->state->counters.failed_hana++;
	observe_act(s, what);
	return true;
}
