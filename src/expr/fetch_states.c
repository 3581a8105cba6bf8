/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches of the state of frontends, backends and servers (manual 7.3.2), and the converters
 * that look one up by a name found at run time. They read state, never change it. */
#include "expr/tables.h"
#include "expr/view.h"
#include "proxy/sums.h"
#include "tally/tally.h"

/* -- proxies ---------------------------------------------------------------------------- */

/* Servers of the backend that would get a session: the active ones, or when there is none,
 * the backups: one of them, unless option allbackups. */
static bool state_counts(const struct proxy *px, const struct server *s)
{
	bool backup = s->set.options.on & SRV_BACKUP;

	return !px->set.disabled && server_usable(s) && backup == (px->usable == 0);
}

static int64_t state_nbsrv(const struct proxy *px)
{
	if (px->set.disabled)
		return 0; /* for those whom force-be-switch lets in alone */
	if (px->usable)
		return px->usable;
	if (px->usable_backup && !(px->set.options.on & OPT_ALLBACKUPS))
		return 1;
	return px->usable_backup;
}

static int64_t state_avg_queue(const struct proxy *px)
{
	int64_t n = state_nbsrv(px), queued = backend_queued(px);

	return n ? (queued + n - 1) / n : queued * 2;
}

static int64_t state_srv_free(const struct server *s)
{
	unsigned now;

	if (!s->state->maxconn)
		return -1;
	now = server_sessions(s);
	return now < s->state->maxconn ? s->state->maxconn - now : 0;
}

static int64_t state_conn_free(const struct proxy *px)
{
	const struct server *s;
	int64_t sum = 0;

	for (s = px->servers; s; s = s->next) {
		if (!state_counts(px, s))
			continue;
		if (!s->state->maxconn)
			return -1;
		sum += state_srv_free(s);
	}
	return sum;
}

static int64_t state_slots(const struct proxy *px)
{
	const struct server *s;
	int64_t sum = 0;

	for (s = px->servers; s; s = s->next) {
		if (s->state->op == SERVER_DOWN || s->state->admin & ADMIN_MAINT)
			continue;
		if (!s->state->maxconn || !s->set.maxqueue)
			return -1;
		sum += (int64_t)s->state->maxconn - server_sessions(s);
		sum += (int64_t)s->set.maxqueue - server_queued(s);
	}
	return sum > 0 ? sum : 0;
}

enum { BE_AVG_QUEUE, BE_CONN, BE_CONN_FREE, BE_RATE, BE_SLOTS, BE_NBSRV, BE_QUEUE };

/* In a defaults section what has no name is that of whoever uses it. */
static const struct proxy *own_or(const struct proxy *named, const struct proxy *own)
{
	return named ? named : own;
}

static enum expr_result fetch_backend(struct fetch_call *call, struct sample *smp)
{
	const struct proxy *px = own_or(call->args[0].proxy, call->view->backend);

	if (!px)
		return EXPR_NONE;
	switch (call->row->data) {
	case BE_AVG_QUEUE:
		smp->num = state_avg_queue(px);
		break;
	case BE_CONN:
		smp->num = backend_sessions(px);
		break;
	case BE_CONN_FREE:
		smp->num = state_conn_free(px);
		break;
	case BE_RATE:
		smp->num = (int64_t)rate_sum(&px->be->counters.session_rate);
		break;
	case BE_SLOTS:
		smp->num = state_slots(px);
		break;
	case BE_NBSRV:
		smp->num = state_nbsrv(px);
		break;
	case BE_QUEUE:
		smp->num = backend_queued(px);
		break;
	}
	return EXPR_FOUND;
}

static enum expr_result fetch_fe_conn(struct fetch_call *call, struct sample *smp)
{
	const struct proxy *px = own_or(call->args[0].proxy, call->view->frontend);

	if (!px)
		return EXPR_NONE;
	smp->num = frontend_sessions(px);
	return EXPR_FOUND;
}

static enum expr_result fetch_fe_rate(struct fetch_call *call, struct sample *smp)
{
	const struct proxy *px = own_or(call->args[0].proxy, call->view->frontend);
	const struct counters *c = px ? &px->fe->counters : NULL;

	if (!c)
		return EXPR_NONE;
	smp->num = (int64_t)rate_sum(call->row->data ? &c->request_rate : &c->session_rate);
	return EXPR_FOUND;
}

/* -- servers ---------------------------------------------------------------------------- */

enum { SRV_CONN, SRV_CONN_FREE, SRV_IS_UP, SRV_IWEIGHT, SRV_QUEUE, SRV_RATE, SRV_UWEIGHT,
       SRV_WEIGHT };

static enum expr_result fetch_server(struct fetch_call *call, struct sample *smp)
{
	const struct server *s = call->args[0].server;

	switch (call->row->data) {
	case SRV_CONN:
		smp->num = server_sessions(s);
		break;
	case SRV_CONN_FREE:
		smp->num = state_srv_free(s);
		break;
	case SRV_IS_UP:
		smp->num = s->state->op != SERVER_DOWN && !(s->state->admin & ADMIN_MAINT);
		break;
	case SRV_IWEIGHT:
		smp->num = s->set.weight;
		break;
	case SRV_QUEUE:
		smp->num = server_queued(s);
		break;
	case SRV_RATE:
		smp->num = (int64_t)rate_sum(&s->tally->counters.session_rate);
		break;
	case SRV_UWEIGHT:
		smp->num = s->state->user_weight;
		break;
	case SRV_WEIGHT:
		smp->num = s->state->effective_weight;
		break;
	}
	return EXPR_FOUND;
}

/* -- converters: by a name --------------------------------------------------------------- */

static const char *state_name(struct span text)
{
	char *name = expr_scratch();
	size_t len = text.len < expr_scratch_size ? text.len : expr_scratch_size - 1;

	memcpy(name, text.ptr, len);
	name[len] = 0;
	return name;
}

static bool convert_nbsrv(const struct expr_arg *args, struct sample *smp,
			  const struct view *view, const struct converter *row)
{
	const struct proxy *px;

	(void)args;
	(void)view;
	(void)row;
	px = proxies_running ? proxy_find(proxies_running, state_name(smp->str), PROXY_BACKEND)
			     : NULL;
	if (!px)
		return false;
	smp->type = SMP_INT;
	smp->num = state_nbsrv(px);
	return true;
}

/* "server" of the current backend, or "backend/server". */
static bool convert_srv_queue(const struct expr_arg *args, struct sample *smp,
			      const struct view *view, const struct converter *row)
{
	const char *name = state_name(smp->str), *slash = strchr(name, '/');
	const struct proxy *px = view->backend;
	const struct server *s;

	(void)args;
	(void)row;
	if (slash) {
		struct span backend = { name, (size_t)(slash - name) };

		px = proxies_running ? proxy_find(proxies_running, state_name(backend),
						  PROXY_BACKEND)
				     : NULL;
		name = slash + 1;
	}
	s = px ? server_find(px, name) : NULL;
	if (!s)
		return false;
	smp->type = SMP_INT;
	smp->num = server_queued(s);
	return true;
}

#define BACKEND_ROW(name, what, text)                                                         \
	{ name, ARGS(0, ARG_BACKEND), SMP_INT, FROM_STATE, fetch_backend, .data = what,      \
	  .help = text }
#define SERVER_ROW(name, kind, what, text)                                                    \
	{ name, ARGS(1, ARG_SERVER), kind, FROM_STATE, fetch_server, .data = what,           \
	  .help = text }

const struct fetch fetch_states[] = {
	BACKEND_ROW("avg_queue", BE_AVG_QUEUE, "queued sessions for each usable server"),
	BACKEND_ROW("be_conn", BE_CONN, "sessions on a backend"),
	BACKEND_ROW("be_conn_free", BE_CONN_FREE, "free connections of a backend's servers"),
	BACKEND_ROW("be_sess_rate", BE_RATE, "new sessions a second of a backend"),
	BACKEND_ROW("connslots", BE_SLOTS, "free connections and places in the servers' queues"),
	{ "fe_conn", ARGS(0, ARG_FRONTEND), SMP_INT, FROM_STATE, fetch_fe_conn,
	  .help = "sessions on a frontend" },
	{ "fe_req_rate", ARGS(0, ARG_FRONTEND), SMP_INT, FROM_STATE, fetch_fe_rate, .data = 1,
	  .help = "HTTP requests a second of a frontend" },
	{ "fe_sess_rate", ARGS(0, ARG_FRONTEND), SMP_INT, FROM_STATE, fetch_fe_rate,
	  .help = "new sessions a second of a frontend" },
	BACKEND_ROW("nbsrv", BE_NBSRV, "usable servers of a backend"),
	BACKEND_ROW("queue", BE_QUEUE, "sessions in the queues of a backend and its servers"),
	SERVER_ROW("srv_conn", SMP_INT, SRV_CONN, "sessions on a server"),
	SERVER_ROW("srv_conn_free", SMP_INT, SRV_CONN_FREE, "free connections of a server"),
	SERVER_ROW("srv_is_up", SMP_BOOL, SRV_IS_UP, "is the server up?"),
	SERVER_ROW("srv_iweight", SMP_INT, SRV_IWEIGHT, "configured weight of a server"),
	SERVER_ROW("srv_queue", SMP_INT, SRV_QUEUE, "sessions in a server's queue"),
	SERVER_ROW("srv_sess_rate", SMP_INT, SRV_RATE, "new sessions a second of a server"),
	SERVER_ROW("srv_uweight", SMP_INT, SRV_UWEIGHT, "weight of a server as set last"),
	SERVER_ROW("srv_weight", SMP_INT, SRV_WEIGHT, "weight of a server now in effect"),
	{ 0 },
};

const struct converter converter_states[] = {
	{ "nbsrv", { 0 }, SMP_STR, SMP_INT, convert_nbsrv,
	  .help = "usable servers of the backend of this name" },
	{ "srv_queue", { 0 }, SMP_STR, SMP_INT, convert_srv_queue,
	  .help = "sessions in the queue of the server of this name" },
	{ 0 },
};
