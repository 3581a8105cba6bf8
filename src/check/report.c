/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results that change something about a server go through the ordered log, with all that the lines
 * of the log say of them; every process then takes the same steps (health.c). Results that change
 * nothing stay in the process that checks, which publishes them. Called by ask.c, agent.c, check.c.
 */
#include "check/report.h"

#include "base/err.h"
#include "base/str.h"
#include "check/check.h"
#include "check/health.h"
#include "check/schedule.h"
#include "proxy/facts.h"
#include "share/segment.h"

#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 512 };

void (*report_make_checker)(bool active);
void (*report_check_soon)(struct server *s);

/* Which server it is: names are used again, serials are not. */
struct whose {
	char path[PATH_SIZE];
	uint32_t serial;
};

static void print_whose(const struct server *s, struct whose *whose)
{
	snprintf(whose->path, PATH_SIZE, "%s/%s", s->proxy->name, s->id);
	whose->serial = s->serial;
}

/* Takes a frame of this size, which begins with whose it is: that server. NULL and err: it has
 * gone, say. */
static struct server *take_frame(void *frame, size_t size, const void *bytes, size_t len,
				 struct err *err)
{
	const struct whose *whose = frame;
	struct server *s;

	if (len != size || !memchr(bytes, 0, PATH_SIZE)) {
		err_set(err, "a broken change");
		return NULL;
	}
	memcpy(frame, bytes, size);
	s = server_find_path(whose->path, err);
	if (!s || s->serial == whose->serial)
		return s;
	err_set(err, "it is about a server that has gone");
	return NULL;
}

/* -- results --------------------------------------------------------------------------------- */

struct result_frame {
	struct whose whose; /* first */
	bool is_agent;
	uint8_t status, cause;
	uint16_t error;
	int32_t code, health;
	uint32_t duration_ms;
	struct agent_words words;
	char said[CHECK_SAID_SIZE];
};

static bool op_differs(const struct server *s, enum server_op wanted)
{
	enum server_op op = s->state->op;

	if (s->state->admin & ADMIN_MAINT)
		return false;
	return wanted == SERVER_UP ? op != SERVER_UP && op != SERVER_STARTING : op != wanted;
}

/* Would it change anything but what was seen last? */
static bool check_matters(const struct server *s, enum check_status status)
{
	int health = s->state->health;

	if (s->state->check.status != status)
		return true;
	if (!health_passed(status))
		return health > 0 || op_differs(s, SERVER_DOWN);
	if (health < s->set.rise + s->set.fall - 1)
		return true;
	return !s->state->agent_down &&
	       op_differs(s, status == CHECK_L7OKC ? SERVER_STOPPING : SERVER_UP);
}

static bool agent_matters(const struct server *s, enum check_status status)
{
	if (s->state->agent.status != status)
		return true;
	if (status == CHECK_L7STS)
		return !s->state->agent_down || op_differs(s, SERVER_DOWN);
	return health_passed(status) && (s->state->agent_down || op_differs(s, SERVER_UP));
}

static bool admin_differs(const struct server *s, const struct agent_words *words)
{
	unsigned admin = s->state->admin;

	return words->has_admin && ((admin & ~words->admin_clear) | words->admin_set) != admin;
}

static bool words_matter(const struct server *s, const struct agent_words *words)
{
	return admin_differs(s, words) ||
	       (words->has_weight && words->weight != s->state->user_weight) ||
	       (words->has_maxconn && words->maxconn != s->state->maxconn);
}

static void act_on_words(struct server *s, const struct agent_words *words)
{
	static const unsigned forced = ADMIN_FORCED_MAINT | ADMIN_FORCED_DRAIN;

	if (words->has_admin)
		server_set_admin(s, words->admin_set & forced, words->admin_clear & forced);
	if (words->has_weight && words->weight != s->state->user_weight)
		server_take_weight(s, words->weight);
	if (words->has_maxconn && words->maxconn != s->state->maxconn)
		server_take_maxconn(s, words->maxconn);
}

static void act(struct server *s, bool is_agent, enum check_status status)
{
	if (is_agent)
		agent_result(s, status);
	else
		health_result(s, status);
}

static int result_apply(const void *bytes, size_t len, struct text *said, struct err *err)
{
	struct check_state *state;
	struct result_frame f;
	struct server *s;

	(void)said;
	s = take_frame(&f, sizeof(f), bytes, len, err);
	if (!s)
		return -1;
	if (f.status > CHECK_PROCOK || f.words.weight > WEIGHT_MOST || f.words.maxconn > INT32_MAX)
		return err_set(err, "a broken change");
	state = f.is_agent ? &s->state->agent : &s->state->check;
	state->cause = f.cause;
	state->error = f.error;
	state->code = f.code;
	state->duration_ms = f.duration_ms;
	memcpy(state->said, f.said, sizeof(state->said) - 1);
	act_on_words(s, &f.words);
	act(s, f.is_agent, f.status);
	facts_publish_checks(s);
	return 0;
}

const struct change_kind result_change = { .name = "check result", .apply = result_apply };

/* Whatever became of it: the next one. */
static void result_done(void *arg, const char *error, const char *said, size_t len)
{
	struct check *check = arg;

	(void)error;
	(void)said;
	(void)len;
	check->ticket = 0;
	check->reporting = false;
	schedule_next(check);
}

bool report_result(struct check *check, enum check_status status)
{
	const struct check_state *state = check_state(check);
	struct server *s = check->server;
	struct result_frame f = { .is_agent = check->is_agent, .status = (uint8_t)status,
				  .cause = state->cause, .error = state->error,
				  .code = state->code, .duration_ms = state->duration_ms,
				  .words = check->words };

	check->words = (struct agent_words){ .has_admin = false };
	if (!words_matter(s, &f.words) &&
	    !(check->is_agent ? agent_matters(s, status) : check_matters(s, status)))
		return true;
	print_whose(s, &f.whose);
	memcpy(f.said, state->said, sizeof(f.said));
	check->reporting = true;
	check->ticket = change_submit(&result_change, &f, sizeof(f), result_done, check);
	return false;
}

/* -- the traffic ----------------------------------------------------------------------------- */

struct observed_frame {
	struct whose whose; /* first */
	uint32_t what;
};

static void observed_act(struct server *s, enum observed what)
{
	health_observed(s, what);
	facts_publish_checks(s);
	if (report_check_soon)
		report_check_soon(s);
}

static int observed_apply(const void *bytes, size_t len, struct text *said, struct err *err)
{
	struct observed_frame f;
	struct server *s;

	(void)said;
	s = take_frame(&f, sizeof(f), bytes, len, err);
	if (!s)
		return -1;
	observed_act(s, f.what);
	return 0;
}

const struct change_kind observed_change = { .name = "observed errors", .apply = observed_apply };

void report_observed(struct server *s, enum observed what)
{
	struct observed_frame f = { .what = what };

	print_whose(s, &f.whose);
	change_submit(&observed_change, &f, sizeof(f), NULL, NULL);
}

/* -- who checks ------------------------------------------------------------------------------ */

static int checker_apply(const void *bytes, size_t len, struct text *said, struct err *err)
{
	uint32_t row;

	(void)said;
	if (len != sizeof(row))
		return err_set(err, "a broken change");
	memcpy(&row, bytes, len);
	facts_checker.row = row;
	if (report_make_checker)
		report_make_checker(row == segment_own_row);
	return 0;
}

const struct change_kind checker_change = { .name = "checker", .apply = checker_apply,
					    .by_parent = true };
