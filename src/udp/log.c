/* SPDX-License-Identifier: BSD-2-Clause */
/* The line of a session, at its end: by "log-format", or
 *
 *     CLIENT:PORT [DATE] SECTION SECTION/SERVER TIME REQUESTS/RESPONSES IN/OUT TERMINATION SESSIONS
 *
 * with datagrams and bytes of the client and of the server. */
#include "udp/log.h"

#include "base/clock.h"
#include "expr/logline.h"
#include "expr/view.h"
#include "log/date.h"
#include "log/log.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "tally/tally.h"
#include "udp/lb.h"
#include "udp/session.h"

/* Sessions end by their time: only this went wrong. */
static bool notable(enum reason reason)
{
	return reason == END_SERVER_ABORT || reason == END_RESOURCE || reason == END_SERVER_DOWN ||
	       reason == END_KILLED;
}

static struct timeval accepted(const struct udp_session *s)
{
	uint64_t ago_us = (clock_now_ms - s->start_ms) * 1000;
	struct timeval now = clock_wall();
	uint64_t us = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_usec - ago_us;

	return (struct timeval){ (time_t)(us / 1000000), (suseconds_t)(us % 1000000) };
}

static void fill(const struct udp_session *s, enum reason reason, struct view_log *log)
{
	const struct proxy *px = s->port->lb->proxy;

	*log = (struct view_log){
		.accepted = accepted(s),
		.total_ms = (int64_t)(clock_now_ms - s->start_ms),
		.bytes_in = s->bytes_in,
		.bytes_out = s->bytes_out,
		.reason = reason_text(reason),
		.failed = notable(reason),
		.active_conns = gauge_sum_recent(&global_tally->current),
		.frontend_conns = gauge_sum_recent(&px->fe->current),
		.backend_conns = gauge_sum_recent(&px->be->current),
		.server_conns = gauge_sum_recent(&s->server->tally->current),
		.pid = log_own_pid(),
	};
	log->termination[0] = reason_letter(reason);
	log->termination[1] = reason == END_NORMAL || reason == END_SERVER_DOWN ||
				      reason == END_SERVER_UP || reason == END_KILLED ? '-' : 'D';
	log->termination[2] = 0;
}

static void by_default(const struct udp_session *s, const struct view_log *log,
		       const struct addr *client, struct text *line)
{
	const struct proxy *px = s->port->lb->proxy;

	addr_print_port(client, line);
	text_printf(line, " [%s.%03u] %s %s/%s %lld %u/%u %llu/%llu %s %u",
		    date_of(log->accepted.tv_sec)->local, (unsigned)(log->accepted.tv_usec / 1000),
		    px->name, px->name, s->server->id, (long long)log->total_ms, s->requests,
		    s->responses, (unsigned long long)s->bytes_in, (unsigned long long)s->bytes_out,
		    log->termination, log->frontend_conns);
}

void udp_log(struct udp_session *s, enum reason reason)
{
	char memory[4096];
	const struct proxy *px = s->port->lb->proxy;
	struct addr client, local;
	struct view_log log;
	struct text line;

	if (!log_enabled(px->set.log) ||
	    (px->set.options.on & OPT_DONTLOG_NORMAL && !notable(reason)))
		return;
	udp_session_addrs(s, &client, &local);
	fill(s, reason, &log);
	log.step = log_steps[LOG_STEP_CLOSE].origin;
	text_init(&line, memory, sizeof(memory));
	if (!px->set.logformat)
		by_default(s, &log, &client, &line);
	const struct view view = {
		.frontend = px,
		.backend = px,
		.listener = s->port->dgram.listener,
		.server = s->server,
		.src = &client,
		.session_src = &client,
		.session_dst = &local,
		.dst = &local,
		.id = s->id,
		.log = &log,
		.request_final = true,
		.response_final = true,
	};
	px->fe->log_lines += logline_send(
		&(struct logline){ .step = LOG_STEP_CLOSE,
				   .level = LOG_L_INFO,
				   .format = px->set.logformat,
				   .sd = px->set.logformat ? px->set.logformat_sd : NULL,
				   .msg = { line.ptr, line.len },
				   .view = &view },
		px);
}
