/* SPDX-License-Identifier: BSD-2-Clause */
/* A health check or an agent check of a server. A check that asks for no more
 * than a connection opens it and reports; others walk through a list of steps (check/step.h).
 * Manual 4.2 "option tcp-check" and following, 5.2 "check", "agent-check", "inter", "observe". */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "event/timer.h"
#include "proxy/part.h"
#include "proxy/server.h"
#include "tls/conn.h"

struct check;
struct conn;
struct external;
struct ruleset;
struct text;
struct walk;

/* What an agent's line asks for besides up and down; it is carried out with the result. */
struct agent_words {
	bool has_admin, has_weight, has_maxconn;
	uint8_t admin_set, admin_clear; /* ADMIN_FORCED_* */
	uint32_t weight, maxconn;
};

struct check {
	struct server *server;
	bool is_agent;
	const struct ruleset *rules; /* NULL: a connection is all that is asked for */
	struct walk *walk;    /* while one with rules is running */
	struct external *external; /* while a command is running */
	struct conn *conn;    /* while one is running */
	struct timer timer;   /* the next one, or the end of the one that is running; not armed:
			       * in maintenance or paused */
	uint64_t started_us, started_ms;
	bool connected;
	unsigned how;         /* ASK_*: the present connection */
	bool socks_asked;     /* the request was sent, the reply is waited for */
	bool shaking;         /* hands: TLS is being agreed upon */
	struct tls_target target; /* what it asks for in TLS */
	struct addr to;       /* of the present connection */
	bool reporting;       /* its result is on its way: report.h */
	unsigned ticket;      /* of that */
	char *agent_send;     /* first bytes to the agent, heap; NULL: none */
	struct agent_words words; /* of the agent's last line, until they are reported */
};

extern struct server_part check_part;
extern struct server_part check_agent_part;

/* NULL: it is not checked; no agent is asked. */
static inline struct check *check_of(const struct server *s)
{
	return server_part(s, &check_part);
}
static inline struct check *check_agent_of(const struct server *s)
{
	return server_part(s, &check_agent_part);
}

/* server_state.check or .agent */
static inline struct check_state *check_state(const struct check *check)
{
	struct server_state *state = check->server->state;

	return check->is_agent ? &state->agent : &state->check;
}
/* "Layer4 check passed" and so on. */
const char *check_status_sentence(enum check_status status);
/* Has a result of this status a code (check_code)? */
bool check_status_has_code(enum check_status status);
/* What the last check found, such as "Connection refused"; nothing when there is nothing to say.
 * Columns last_chk and last_agt. */
void check_say_cause(const struct check_state *state, struct text *t);

#endif
