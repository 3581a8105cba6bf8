/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What results of checks and agents, and errors seen in the traffic, make of a server's health;
 * and the lines that say so, word for word as the reference's. Called by ask.c and check.c. Never
 * opens anything.
 *
 * Health counts from 0 to rise + fall - 1; from rise on the server is up. A success adds one
 * (a server that comes up gets all at once), a failure takes one away (a server that goes down
 * loses all). At the start it stands at rise: the first failure takes a server down. A failure that
 * leaves a server above rise changes no more than the health: one that is stopping goes on
 * stopping.
 */
#include "check/health.h"

#include "base/str.h"
#include "check/check.h"
#include "event/change.h"
#include "log/log.h"
#include "proxy/facts.h"
#include "proxy/observe_conf.h"
#include "proxy/proxy.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

struct line {
	char buf[512];
	struct text text;
};

/* -- words ----------------------------------------------------------------------------------- */

bool health_passed(enum check_status status)
{
	return status == CHECK_L4OK || status == CHECK_L6OK || status == CHECK_L7OK ||
	       status == CHECK_L7OKC || status == CHECK_PROCOK;
}

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
		[CHECK_CHECKED] = "No status change",
		[CHECK_PROCERR] = "External check error",
		[CHECK_PROCTOUT] = "External check timeout",
		[CHECK_PROCOK] = "External check passed",
	};

	return (size_t)status < ARRAY_LEN(sentences) ? sentences[status] : sentences[CHECK_UNKNOWN];
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

	return what < ARRAY_LEN(sentences) ? sentences[what] : "unknown"; /* who says so may lie */
}

bool check_status_has_code(enum check_status status)
{
	return status == CHECK_L7OK || status == CHECK_L7OKC || status == CHECK_L7STS ||
	       status == CHECK_PROCERR || status == CHECK_PROCTOUT || status == CHECK_PROCOK;
}

void check_say_cause(const struct check_state *state, struct text *t)
{
	const char *error = strerror(state->error);

	if (state->status == CHECK_HANA)
		text_printf(t, "Detected %u consecutive errors, last one was: %s", state->error,
			    observed_sentence(state->cause));
	else if (state->said[0])
		text_str(t, state->said);
	else if (!state->error)
		return;
	else if (state->cause == CAUSE_SOURCE)
		text_printf(t, "Can't bind to source address (%s)", error);
	else if (state->cause == CAUSE_SOCKET)
		text_printf(t, "General socket error (%s)", error);
	else
		text_str(t, error);
}

/* What a server has sent may not break the line, nor the quotes around it. */
static void say_quoted(struct text *t, const struct text *said)
{
	size_t i;

	for (i = 0; i < said->len; i++) {
		unsigned char c = (unsigned char)said->ptr[i];

		if (c < ' ' || c == '"' || c >= 0x7f)
			text_printf(t, "<%02X>", c);
		else
			text_char(t, (char)c);
	}
}

/* reason: Layer4 timeout, info: "...", check duration: 2ms */
static void say_reason(struct text *t, const struct check_state *state)
{
	char buf[256];
	struct text cause;

	text_init(&cause, buf, sizeof(buf));
	check_say_cause(state, &cause);
	text_printf(t, "reason: %s", check_status_sentence(state->status));
	if (check_status_has_code(state->status))
		text_printf(t, ", code: %d", state->code);
	if (cause.len) {
		text_str(t, ", info: \"");
		say_quoted(t, &cause);
		text_char(t, '"');
	}
	if (state->status != CHECK_HANA)
		text_printf(t, ", check duration: %ums", state->duration_ms);
}

/* Weighted to nothing, or on its way out: logs say so where they say up. */
static const char *state_word(const struct server *s)
{
	return s->state->user_weight ? "UP" : "DRAIN";
}

static const char *outcome(enum check_status status)
{
	return status == CHECK_L7OKC ? "conditionally succeeded" :
	       health_passed(status) ? "succeeded" : "failed";
}

/* "option log-health-checks": each change of status or health. */
static void log_result(const struct server *s, const struct check_state *state, const char *kind,
		       int health, int rise, int fall)
{
	bool up = health >= rise;
	struct line line;

	if (!(s->proxy->set.options.on & OPT_LOG_HEALTH_CHECKS))
		return;
	text_init(&line.text, line.buf, sizeof(line.buf));
	text_printf(&line.text, "%s check for %sserver %s/%s %s, ", kind,
		    s->set.options.on & SRV_BACKUP ? "backup " : "", s->proxy->name, s->id,
		    outcome(state->status));
	say_reason(&line.text, state);
	text_printf(&line.text, ", status: %d/%d %s.", up ? health - rise + 1 : health,
		    up ? fall : rise, up ? state_word(s) : "DOWN");
	if (!log_printf(s->proxy->set.log, LOG_L_NOTICE, "%s", line.buf))
		log_stderr(LOG_L_WARNING, "%s", line.buf);
}

static void log_health(const struct server *s)
{
	log_result(s, &s->state->check, "Health", s->state->health, s->set.rise, s->set.fall);
}

/* -- counting -------------------------------------------------------------------------------- */

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
	if (s->state->health >= s->set.rise && change_first)
		s->tally->counters.failed_checks++;
	if (--s->state->health < s->set.rise)
		s->state->health = 0;
	return true;
}

/* The transition tells the reason, unless the line of the result has told it. */
static void apply(struct server *s, const struct check_state *state, enum server_op op)
{
	const char *reason;
	struct line line;

	text_init(&line.text, line.buf, sizeof(line.buf));
	say_reason(&line.text, state);
	reason = s->proxy->set.options.on & OPT_LOG_HEALTH_CHECKS ? NULL : line.buf;
	server_set_found(s, op, reason, state);
}

static void tell(struct server *s, const struct check_state *state)
{
	if (server_hooks.checked)
		server_hooks.checked(s, state);
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
	struct check_state *state = &s->state->check;
	bool changed = state->status != status;

	state->status = (uint8_t)status;
	if (!own_fault(s, status))
		changed |= health_passed(status) ? success(s) : failure(s);
	if (changed) {
		log_health(s);
		tell(s, state);
	}
	if (own_fault(s, status))
		return;
	if (s->state->health < s->set.rise)
		apply(s, state, SERVER_DOWN);
	else if (health_passed(status) && !s->state->agent_down)
		apply(s, state, status == CHECK_L7OKC ? SERVER_STOPPING : SERVER_UP);
}

/* -- agents ---------------------------------------------------------------------------------- */

/* The checks of it do not say otherwise. */
static bool checks_allow(const struct server *s)
{
	return !check_of(s) || s->state->check.paused || s->state->health >= s->set.rise;
}

static void agent_apply(struct server *s)
{
	if (s->state->agent_down)
		apply(s, &s->state->agent, SERVER_DOWN);
	else if (s->state->op == SERVER_DOWN && checks_allow(s))
		apply(s, &s->state->agent, SERVER_UP);
}

/* Failing to reach an agent, and answers that do not speak of the state, change nothing. */
void agent_result(struct server *s, enum check_status status)
{
	struct check_state *state = &s->state->agent;
	bool changed = state->status != status, was_down = s->state->agent_down;

	state->status = (uint8_t)status;
	if (status == CHECK_CHECKED)
		return;
	if (status == CHECK_L7STS)
		s->state->agent_down = true;
	else if (health_passed(status))
		s->state->agent_down = false;
	if (changed || s->state->agent_down != was_down) {
		log_result(s, state, "Agent", !s->state->agent_down, 1, 1);
		tell(s, state);
	}
	agent_apply(s);
}

bool health_force_agent(struct server *s, bool down)
{
	static const char reason[] = "changed from CLI"; /* as the reference's, whoever asked */

	if (!check_agent_of(s) || s->state->agent.paused)
		return false;
	s->state->agent_down = down;
	if (down)
		server_set_down(s, reason);
	else if (s->state->op == SERVER_DOWN && checks_allow(s))
		server_set_up(s, reason);
	return true;
}

/* -- observed traffic ------------------------------------------------------------------------ */

void health_observed(struct server *s, enum observed what)
{
	const struct observe_conf *conf = observe_conf_of(s);
	int health = s->state->health;

	/* It may have gone down since: of another error, or by an administrator. */
	if (conf->on_error == ON_ERROR_FASTINTER || s->state->op == SERVER_DOWN)
		return;
	s->state->check.error = (uint16_t)conf->limit;
	s->state->check.cause = (uint8_t)what;
	if (conf->on_error == ON_ERROR_SUDDEN_DEATH && health > s->set.rise + 1)
		s->state->health = s->set.rise + 1;
	else if (conf->on_error == ON_ERROR_MARK_DOWN && health > s->set.rise)
		s->state->health = s->set.rise;
	health_result(s, CHECK_HANA);
}

static void no_errors(struct server *s)
{
	_Atomic uint32_t *all = facts_errors(s);

	s->state->consecutive_errors = 0;
	if (all && atomic_load_explicit(all, memory_order_relaxed))
		atomic_store(all, 0);
}

/* One error more in a row. True: it is the last one of so many, which the next one begins anew. Of
 * several processes that see that at once one is told so; one that is killed over it leaves it to the
 * next error. */
static bool errors_reach(struct server *s, uint32_t limit)
{
	_Atomic uint32_t *all = facts_errors(s);

	if (all)
		return atomic_fetch_add(all, 1) + 1 >= limit && atomic_exchange(all, 0) >= limit;
	if (++s->state->consecutive_errors < limit)
		return false;
	s->state->consecutive_errors = 0;
	return true;
}

bool health_observe(struct server *s, enum observed what)
{
	bool connection = what == OBSERVED_CONNECTED || what == OBSERVED_NOT_CONNECTED;
	const struct observe_conf *conf = observe_conf_of(s);

	if (conf->layer != (connection ? OBSERVE_LAYER4 : OBSERVE_LAYER7))
		return false;
	if (what == OBSERVED_CONNECTED || what == OBSERVED_GOOD_RESPONSE) {
		no_errors(s);
		return false;
	}
	if (s->state->op == SERVER_DOWN || !errors_reach(s, (uint32_t)conf->limit))
		return false;
	s->tally->counters.failed_hana++;
	return true;
}
