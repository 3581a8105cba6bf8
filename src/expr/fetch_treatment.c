/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches of how a stream is treated: timeouts and retries, as configured and as rules have set
 * them for it; how its way to a server has been so far. They look at the view alone. */
#include "expr/tables.h"
#include "expr/view.h"
#include "proxy/proxy.h"

/* -- timeouts ----------------------------------------------------------------------------- */

/* Of which proxy; in force, not as configured. Beside enum timeout in the data of a row. */
enum { OF_FRONTEND = 1 << 8, OF_EITHER = 1 << 9, IN_FORCE = 1 << 10, WHICH = 0xff };

/* OF_EITHER: the backend, where there is one: it would have the stream wait. */
static const struct proxy *timeout_proxy(const struct view *view, int data)
{
	if (data & OF_FRONTEND || (data & OF_EITHER && !view->backend))
		return view->frontend;
	return view->backend;
}

static enum expr_result fetch_timeout(struct fetch_call *call, struct sample *smp)
{
	const struct proxy *px = timeout_proxy(call->view, call->row->data);
	enum timeout which = (enum timeout)(call->row->data & WHICH);

	if (!px)
		return EXPR_NONE;
	smp->num = timeout_in_force(call->row->data & IN_FORCE ? call->view->treatment : NULL,
				    &px->set.timeout, which);
	return EXPR_FOUND;
}

/* -- retries ------------------------------------------------------------------------------ */

static enum expr_result fetch_most_retries(struct fetch_call *call, struct sample *smp)
{
	const struct view_treatment *t = call->row->data ? call->view->treatment : NULL;
	const struct proxy *px = call->view->backend;

	if (!px)
		return EXPR_NONE;
	smp->num = t && t->retries ? t->retries - 1 : px->set.retries;
	return EXPR_FOUND;
}

/* -- what the log tells, too -------------------------------------------------------------- */

enum { RETRIES, REDISPATCHED, BACKEND_QUEUE, SERVER_QUEUE };

static int64_t log_number(const struct view_log *log, int which)
{
	switch (which) {
	case RETRIES:
		return log->retries;
	case REDISPATCHED:
		return log->redispatched;
	case BACKEND_QUEUE:
		return log->backend_queue;
	default:
		return log->server_queue;
	}
}

static enum expr_result fetch_log_number(struct fetch_call *call, struct sample *smp)
{
	const struct view_log *log;
	struct view_log memory;

	log = view_numbers(call->view, &memory);
	if (!log)
		return EXPR_NONE;
	smp->num = log_number(log, call->row->data);
	return EXPR_FOUND;
}

#define TIMEOUT_ROW(name, from, what, text)                                                   \
	{ name, { 0 }, SMP_INT, from, fetch_timeout, .data = what, .help = text }

const struct fetch fetch_treatment[] = {
	{ "bc_be_queue", { 0 }, SMP_INT, AT_STREAM, fetch_log_number, .data = BACKEND_QUEUE,
	  .help = "how many were before the stream in the backend's queue: %bq" },
	{ "bc_srv_queue", { 0 }, SMP_INT, AT_STREAM, fetch_log_number, .data = SERVER_QUEUE,
	  .help = "how many were before the stream in the server's queue: %sq" },
	TIMEOUT_ROW("be_connect_timeout", FROM_BACKEND, TIMEOUT_CONNECT,
		    "timeout connect of the backend, in ms"),
	{ "be_max_retries", { 0 }, SMP_INT, FROM_BACKEND, fetch_most_retries, .data = 0,
	  .help = "retries of the backend" },
	TIMEOUT_ROW("be_queue_timeout", FROM_BACKEND, TIMEOUT_QUEUE,
		    "timeout queue of the backend, in ms"),
	TIMEOUT_ROW("be_server_timeout", FROM_BACKEND, TIMEOUT_SERVER,
		    "timeout server of the backend, in ms"),
	TIMEOUT_ROW("be_tarpit_timeout", FROM_BACKEND, TIMEOUT_TARPIT,
		    "timeout tarpit of the backend, in ms"),
	TIMEOUT_ROW("be_tunnel_timeout", FROM_BACKEND, TIMEOUT_TUNNEL,
		    "timeout tunnel of the backend, in ms"),
	TIMEOUT_ROW("cur_client_timeout", FROM_FRONTEND, TIMEOUT_CLIENT | OF_FRONTEND | IN_FORCE,
		    "timeout client in force, in ms"),
	TIMEOUT_ROW("cur_connect_timeout", FROM_BACKEND, TIMEOUT_CONNECT | IN_FORCE,
		    "timeout connect in force, in ms"),
	{ "cur_max_retries", { 0 }, SMP_INT, FROM_BACKEND, fetch_most_retries, .data = 1,
	  .help = "retries in force" },
	TIMEOUT_ROW("cur_queue_timeout", FROM_BACKEND, TIMEOUT_QUEUE | IN_FORCE,
		    "timeout queue in force, in ms"),
	TIMEOUT_ROW("cur_server_timeout", FROM_BACKEND, TIMEOUT_SERVER | IN_FORCE,
		    "timeout server in force, in ms"),
	TIMEOUT_ROW("cur_tarpit_timeout", FROM_FRONTEND, TIMEOUT_TARPIT | OF_EITHER | IN_FORCE,
		    "timeout tarpit in force, in ms"),
	TIMEOUT_ROW("cur_tunnel_timeout", FROM_BACKEND, TIMEOUT_TUNNEL | IN_FORCE,
		    "timeout tunnel in force, in ms"),
	TIMEOUT_ROW("fe_client_timeout", FROM_FRONTEND, TIMEOUT_CLIENT | OF_FRONTEND,
		    "timeout client of the frontend, in ms"),
	TIMEOUT_ROW("fe_tarpit_timeout", FROM_FRONTEND, TIMEOUT_TARPIT | OF_FRONTEND,
		    "timeout tarpit of the frontend, in ms"),
	{ "txn.conn_retries", { 0 }, SMP_INT, AT_STREAM, fetch_log_number, .data = RETRIES,
	  .help = "how often connecting to a server was tried once more: %rc" },
	{ "txn.redispatched", { 0 }, SMP_BOOL, AT_STREAM, fetch_log_number, .data = REDISPATCHED,
	  .help = "was another server tried after one had failed?" },
	{ 0 },
};
