/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches of what log lines tell of a stream: dates, times of its phases, how it ended (words of
 * later manuals, 7.3.2). They are the numbers of the aliases of log formats (%Tr), asked for where
 * rules run, too: a phase that was not reached has -1 there as well. */
#include "base/err.h"
#include "expr/arg.h"
#include "expr/tables.h"
#include "expr/view.h"
#include "proxy/proxy.h"

/* -- dates ------------------------------------------------------------------------------ */

static int check_unit(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)ctx;
	return arg_unit(&args[0], err);
}

enum { DATE_ACCEPT, DATE_REQUEST };

static enum expr_result fetch_date(struct fetch_call *call, struct sample *smp)
{
	int64_t scale = call->args[0].num;
	const struct view_log *log;
	struct view_log memory;
	struct timeval at;

	log = view_numbers(call->view, &memory);
	if (!log)
		return EXPR_NONE;
	at = call->row->data == DATE_REQUEST ? view_request_date(log) : log->accepted;
	smp->num = at.tv_sec * scale + at.tv_usec / (1000000 / scale) % scale;
	return EXPR_FOUND;
}

/* -- times ------------------------------------------------------------------------------ */

enum { HANDSHAKE, CONNECTION_TOTAL, IDLE, HEAD, UNTIL_HEAD, QUEUE, CONNECT, RESPONSE, DATA,
       ACTIVE, USER };

static int64_t time_of(int which, const struct view *view, const struct view_log *log)
{
	switch (which) {
	case HANDSHAKE:
		return log->handshake_ms;
	case CONNECTION_TOTAL:
		return log->total_ms;
	case IDLE:
		return log->idle_ms;
	case HEAD:
		return log->request_ms;
	case UNTIL_HEAD:
		return view_until_head_ms(log);
	case QUEUE:
		return log->wait_ms;
	case CONNECT:
		return log->connect_ms;
	case RESPONSE:
		return log->response_ms;
	case DATA:
		return view_data_ms(view, log);
	case ACTIVE:
		return log->active_ms;
	default:
		return view_user_ms(log);
	}
}

static enum expr_result fetch_time(struct fetch_call *call, struct sample *smp)
{
	const struct view_log *log;
	struct view_log memory;

	log = view_numbers(call->view, &memory);
	if (!log)
		return EXPR_NONE;
	smp->num = time_of(call->row->data, call->view, log);
	return EXPR_FOUND;
}

/* -- how it went ------------------------------------------------------------------------ */

enum { OF_LOG, OF_SERVER };

static enum expr_result fetch_status(struct fetch_call *call, struct sample *smp)
{
	const struct view_http *http = call->view->http;

	if (!http)
		return EXPR_NONE;
	smp->num = call->row->data == OF_SERVER ? http->server_status : http->status;
	return smp->num ? EXPR_FOUND : EXPR_NONE;
}

static enum expr_result fetch_termination(struct fetch_call *call, struct sample *smp)
{
	const struct view_log *log;
	struct view_log memory;
	char *state;

	log = view_numbers(call->view, &memory);
	if (!log)
		return EXPR_NONE;
	state = expr_scratch();
	memcpy(state, log->termination, 2);
	smp->str = (struct span){ state, 2 };
	return EXPR_FOUND;
}

/* Numbers of different workers begin far from each other: those of worker 1 in the middle, those
 * of 2 and 3 in the middle of either half, and so on. */
static uint32_t worker_begins(unsigned worker)
{
	uint32_t begins = 0;
	unsigned bit;

	for (bit = 0; bit < 32; bit++)
		begins |= (worker >> bit & 1u) << (31 - bit);
	return begins;
}

static enum expr_result fetch_id32(struct fetch_call *call, struct sample *smp)
{
	const struct view_log *log;
	struct view_log memory;

	log = view_numbers(call->view, &memory);
	if (!log)
		return EXPR_NONE;
	smp->num = (uint32_t)(worker_begins(log->worker) + log->request_counter);
	return EXPR_FOUND;
}

#define TIME(name, where, what, text)                                                         \
	{ name, { 0 }, SMP_INT, where, fetch_time, .data = what, .help = text }
#define DATE(name, where, what, text)                                                         \
	{ name, ARGS(0, ARG_STR), SMP_INT, where, fetch_date, check_unit, .data = what,        \
	  .help = text }

const struct fetch fetch_timers[] = {
	DATE("accept_date", FROM_CONNECTION, DATE_ACCEPT,
	     "when the client's connection came: seconds since 1970, or ms, or us"),
	TIME("bc.timer.connect", AT_STREAM, CONNECT,
	     "%Tc: ms until the server's connection was there"),
	TIME("fc.timer.handshake", FROM_CONNECTION, HANDSHAKE, "%Th: ms of handshakes"),
	TIME("fc.timer.total", FROM_CONNECTION, CONNECTION_TOTAL,
	     "%Tt: ms since the connection came"),
	TIME("req.timer.hdr", AT_STREAM, HEAD, "%TR: ms to receive the request's head"),
	TIME("req.timer.idle", AT_STREAM, IDLE, "%Ti: ms before the request's first byte"),
	TIME("req.timer.queue", AT_STREAM, QUEUE, "%Tw: ms in queues"),
	TIME("req.timer.tq", AT_STREAM, UNTIL_HEAD, "%Tq: ms until the request's head was there"),
	DATE("request_date", AT_STREAM, DATE_REQUEST,
	     "when the request's first byte was there: seconds since 1970, or ms, or us"),
	TIME("res.timer.data", AT_STREAM, DATA, "%Td: ms of the response's transfer"),
	TIME("res.timer.hdr", AT_STREAM, RESPONSE, "%Tr: ms until the response's head"),
	{ "server_status",
	  { 0 },
	  SMP_INT,
	  AT_RESPONSE | AT_LOG,
	  fetch_status,
	  .data = OF_SERVER,
	  .help = "status that the server sent, whatever rules have made of it" },
	{ "txn.id32",
	  { 0 },
	  SMP_INT,
	  AT_STREAM,
	  fetch_id32,
	  .help = "number of the stream, modulo 2^32" },
	{ "txn.sess_term_state",
	  { 0 },
	  SMP_STR,
	  AT_STREAM,
	  fetch_termination,
	  .help = "the first two letters of %ts: how the stream ended" },
	{ "txn.status",
	  { 0 },
	  SMP_INT,
	  AT_RESPONSE | AT_LOG,
	  fetch_status,
	  .data = OF_LOG,
	  .help = "%ST: status that the client got" },
	TIME("txn.timer.total", AT_STREAM, ACTIVE, "%Ta: ms since the request's first byte"),
	TIME("txn.timer.user", AT_STREAM, USER, "%Tu: ms as the client saw them"),
	{ 0 },
};
