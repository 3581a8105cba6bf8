/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * show sess, shutdown session, shutdown sessions server. One stream a piece: streams that end
 * between two pieces are stepped over. Which way each direction moves its bytes stands in
 * rq[] and rp[].
 */
#include "base/clock.h"
#include "cli/modes.h"
#include "cli/tables.h"
#include "cli/words.h"
#include "log/date.h"
#include "proxy/proxy.h"
#include "relay/bypass.h"
#include "relay/message_end.h"
#include "relay/pipe.h"
#include "share/segment.h"
#include "stats/value.h"
#include "stream/scan.h"
#include "stream/stream.h"
#include "tls/link.h"
#include "udp/scan.h"
#include "udp/session.h"

#include <stdlib.h>

struct sess_state {
	bool all;            /* with everything that is known of it */
	uint64_t id;         /* only this one; 0: all of them */
	struct stream_scan scan;
	struct udp_scan udp; /* behind the streams */
};

/* "0x1f" as show sess prints it, or decimal digits. */
static bool sess_parse_id(const char *text, uint64_t *id)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	*id = strtoull(text, &end, 0);
	return !*end && *id;
}

static int sess_start(struct cli_call *call, struct err *err)
{
	struct sess_state *state = CLI_STATE_OF(struct sess_state, call);
	const char *arg = cli_arg(call, 0);

	if (!strcmp(arg, "all")) {
		state->all = true;
	} else if (*arg) {
		if (!sess_parse_id(arg, &state->id))
			return err_set(err, "A session's id or 'all' is expected.");
		if (!stream_find(state->id) && !udp_session_by_id(state->id))
			return err_set(err, "Session not found.");
		state->all = true;
	}
	stream_scan_start(&state->scan);
	return 0;
}

static void sess_end(struct cli_call *call)
{
	struct sess_state *state = CLI_STATE_OF(struct sess_state, call);

	if (state)
		stream_scan_end(&state->scan);
}

static const char *sess_proto(const struct stream *s)
{
	if (!s->origin->listener)
		return "none";
	switch (s->origin->listener->addr.family) {
	case AF_INET:
		return "tcpv4";
	case AF_INET6:
		return "tcpv6";
	case AF_UNIX:
		return "unix_stream";
	}
	return "fd";
}

/* How the direction moves its bytes at present. */
static const char *sess_way(const struct pump *pump)
{
	if (!(pump->flags & PUMP_OPEN))
		return "none";
	if (pump->odd & ODD_KERNEL)
		return "kernel";
	return pump->flags & PUMP_SPLICING ? "splice" : "copy";
}

static void sess_say_pump(struct text *out, const char *name, const struct pump *pump)
{
	text_printf(out, " %s[way=%s,held=%zu,copied=%llu,spliced=%llu", name,
		    sess_way(pump), pump_held(pump), (unsigned long long)pump->copied,
		    (unsigned long long)pump->spliced);
	if (pump->odd & (ODD_KERNEL | ODD_RELAYED))
		text_printf(out, ",relayed=%llu", (unsigned long long)relay_bypass->relayed(pump));
	text_printf(out, ",calls=%u]", pump->calls);
}

static int sess_fd(const struct end *end)
{
	return link_show(end_link(end)).number;
}

static void sess_say_expiry(struct text *out, const struct stream *s)
{
	if (!s->expires)
		text_str(out, "<NEVER>");
	else
		stats_print_duration(out, s->expire_ms > clock_now_ms ? s->expire_ms - clock_now_ms : 0);
}

static const char *sess_backend(const struct stream *s)
{
	return s->backend ? s->backend->name : "<NONE>";
}

static const char *sess_server(const struct stream *s)
{
	return s->server ? s->server->id : "<none>";
}

static void sess_say_tls(struct text *out, const char *before, struct link link,
			 enum tls_bytes which)
{
	struct span value = tls_link_text(link, which);

	text_str(out, before);
	text_add(out, value.ptr, value.len);
}

/* "s0=[fd=31]", with TLS "s0=[fd=31,tls=TLSv1.3]"; of a connection that others share the protocol
 * and the id there, "s0=[fd=31,h2=5]". */
static void sess_say_side(struct text *out, const char *name, const struct end *end)
{
	struct link link = end_link(end);
	struct end_share share;

	text_printf(out, " %s=[fd=%d", name, sess_fd(end));
	if (end_shares(end, &share))
		text_printf(out, ",%s=%llu", end->ops->name, (unsigned long long)share.id);
	if (tls_link_is(link))
		sess_say_tls(out, ",tls=", link, TLS_BYTES_VERSION);
	text_char(out, ']');
}

/* Unix sockets have no port: the number of the bind line stands in its place, as in log lines. */
static void sess_say_addr(struct text *out, const struct stream *s, const struct addr *addr)
{
	addr_print_port(addr, out);
	if (addr->family == AF_UNIX && s->origin->listener)
		text_printf(out, ":%d", s->origin->listener->id);
}

static void sess_say_line(struct text *out, const struct stream *s)
{
	text_printf(out, "0x%llx: proto=%s src=", (unsigned long long)s->id, sess_proto(s));
	sess_say_addr(out, s, stream_src(s));
	text_printf(out, " fe=%s be=%s srv=%s ts=%02x age=", s->origin->frontend->name,
		    sess_backend(s), sess_server(s), s->request.step);
	stats_print_duration(out, clock_now_ms - s->origin->accepted_ms);
	text_printf(out, " calls=%u", s->relay.request.calls + s->relay.response.calls);
	sess_say_pump(out, "rq", &s->relay.request);
	sess_say_pump(out, "rp", &s->relay.response);
	sess_say_side(out, "s0", &s->relay.client);
	sess_say_side(out, "s1", &s->relay.server);
	text_str(out, " exp=");
	sess_say_expiry(out, s);
	text_printf(out, " rc=%u\n", s->failures);
}

/* -- everything about one -------------------------------------------------------------------- */

static const char *sess_mode(const struct proxy *px)
{
	return px->set.mode == MODE_HTTP ? "http" : "tcp";
}

static void sess_say_proxies(struct text *out, const struct stream *s)
{
	const struct origin *o = s->origin;

	text_printf(out, "  frontend=%s (id=%d mode=%s)", o->frontend->name, o->frontend->uuid,
		    sess_mode(o->frontend));
	if (o->listener) {
		text_printf(out, ", listener=%s (id=%d) addr=",
			    o->listener->bind->name ? o->listener->bind->name : "?",
			    o->listener->id);
		sess_say_addr(out, s, &o->listener->addr);
	}
	text_printf(out, "\n  backend=%s (id=%d mode=%s)\n  server=%s (id=%d)", sess_backend(s),
		    s->backend ? s->backend->uuid : -1, s->backend ? sess_mode(s->backend) : "-", sess_server(s),
		    s->server ? s->server->puid : -1);
	if (s->server) {
		text_str(out, " addr=");
		addr_print_port(&s->server->state->addr, out);
	}
	text_char(out, '\n');
}

static void sess_say_bits(struct text *out, unsigned bits, const char *const *names)
{
	const char *bar = "";

	for (int i = 0; names[i]; i++) {
		if (bits & 1u << i) {
			text_printf(out, "%s%s", bar, names[i]);
			bar = "|";
		}
	}
	if (!*bar)
		text_char(out, '-');
}

/* Of a connection that others share: which end it is, what may be sent and received there, and what
 * else is on it. */
static void sess_say_share(struct text *out, const struct end *end)
{
	struct end_share share;

	if (!end_shares(end, &share))
		return;
	text_printf(out, "      stream=%llu send_window=%lld recv_window=%lld\n",
		    (unsigned long long)share.id, (long long)share.send, (long long)share.recv);
	text_printf(out, "      connection: send_window=%lld recv_window=%lld streams=%u opened=%llu "
			 "refused=%llu reset=%llu glitches=%llu\n",
		    (long long)share.conn_send, (long long)share.conn_recv, share.now,
		    (unsigned long long)share.opened, (unsigned long long)share.refused,
		    (unsigned long long)share.reset, (unsigned long long)share.glitches);
}

static void sess_say_end(struct text *out, const char *name, const struct end *end)
{
	/* In the order of CONN_*. */
	static const char *const bits[] = { "readable", "writable", "rdhup", "hup", "error",
					    "urgent",   "connecting", "shut",  "eof", "broken",
					    "tcp",      NULL };
	struct link link = end_link(end);

	text_printf(out, "  %s=%s", name, end->ops ? end->ops->name : "<none>");
	if (end->ops) {
		text_printf(out, " fd=%d flags=", sess_fd(end));
		sess_say_bits(out, *end->flags, bits);
	}
	if (tls_link_is(link)) {
		sess_say_tls(out, " tls=", link, TLS_BYTES_VERSION);
		sess_say_tls(out, "/", link, TLS_BYTES_CIPHER);
	}
	text_char(out, '\n');
	sess_say_share(out, end);
}

static void sess_say_direction(struct text *out, const char *name, const struct pump *pump)
{
	/* In the order of PUMP_*. */
	static const char *const bits[] = { "open",     "look",        "eof",  "finished",
					    "readerr",  "writeerr",    "nomem", "data",
					    "done",     "splicing",    "pulled", "trusted",
					    "unsplice", "stopped",     NULL };
	static const char *const modes[] = { "adaptive", "splice", "copy" };

	text_printf(out, "  %s: way=%s mode=%s flags=", name, sess_way(pump), modes[pump->mode]);
	sess_say_bits(out, pump->flags, bits);
	text_printf(out, "\n      copied=%llu spliced=%llu calls=%u held=%zu buffer=%u pipe=%zu "
			 "forward=",
		    (unsigned long long)pump->copied, (unsigned long long)pump->spliced,
		    pump->calls, pump_held(pump), pump->buf ? pump->buf->size : 0,
		    pump->pipe ? pump->pipe->held : (size_t)0);
	if (pump->allowed == UINT64_MAX)
		text_str(out, "all\n");
	else
		text_printf(out, "%llu\n", (unsigned long long)pump->allowed);
}

static void sess_say_all(struct text *out, const struct stream *s)
{
	const struct origin *o = s->origin;

	text_printf(out, "0x%llx: [%s.%06ld] id=%llu proto=%s source=", (unsigned long long)s->id,
		    date_of(o->accepted.tv_sec)->local, (long)o->accepted.tv_usec,
		    (unsigned long long)s->id, sess_proto(s));
	sess_say_addr(out, s, stream_src(s));
	text_printf(out, "\n  step=%s conn_retries=%u age=", stream_phase_name(s), s->failures);
	stats_print_duration(out, clock_now_ms - o->accepted_ms);
	text_str(out, " exp=");
	sess_say_expiry(out, s);
	text_char(out, '\n');
	sess_say_proxies(out, s);
	sess_say_end(out, "client", &s->relay.client);
	sess_say_end(out, "server", &s->relay.server);
	sess_say_direction(out, "req", &s->relay.request);
	sess_say_direction(out, "res", &s->relay.response);
}

/* -- of datagrams ---------------------------------------------------------------------------- */

static void sess_say_udp(struct text *out, const struct udp_session *s)
{
	const struct proxy *px = s->port->lb->proxy;
	struct addr client, local;
	uint64_t end = udp_session_deadline(s);

	udp_session_addrs(s, &client, &local);
	text_printf(out, "0x%llx: proto=%s src=", (unsigned long long)s->id,
		    s->port->dgram.listener->addr.family == AF_INET ? "udpv4" : "udpv6");
	addr_print_port(&client, out);
	text_printf(out, " fe=%s be=%s srv=%s age=", px->name, px->name, s->server->id);
	stats_print_duration(out, clock_now_ms - s->start_ms);
	text_printf(out, " rq[datagrams=%u,bytes=%llu] rp[datagrams=%u,bytes=%llu] s0=[fd=%d] s1=[fd=%d] "
			 "exp=", s->requests, (unsigned long long)s->bytes_in, s->responses,
		    (unsigned long long)s->bytes_out, udp_session_client_fd(s), s->src.fd);
	stats_print_duration(out, end > clock_now_ms ? end - clock_now_ms : 0);
	text_char(out, '\n');
}

static enum cli_step sess_next_udp(struct cli_call *call)
{
	struct sess_state *state = CLI_STATE_OF(struct sess_state, call);
	const struct udp_session *s;

	if (state->id) {
		s = udp_session_by_id(state->id);
		if (s)
			sess_say_udp(call->out, s);
		return CLI_END;
	}
	s = udp_scan_next(&state->udp);
	for (; s; s = s->next)
		sess_say_udp(call->out, s);
	return udp_scan_over(&state->udp) ? CLI_END : CLI_MORE;
}

static enum cli_step sess_next(struct cli_call *call)
{
	struct sess_state *state = CLI_STATE_OF(struct sess_state, call);
	const struct stream *s = stream_scan_next(&state->scan);

	if (!s)
		return sess_next_udp(call);
	if (state->id && s->id != state->id)
		return CLI_MORE;
	if (state->all)
		sess_say_all(call->out, s);
	else
		sess_say_line(call->out, s);
	return CLI_MORE;
}

/* -- shutting down --------------------------------------------------------------------------- */

static int sess_shutdown(struct cli_call *call, struct err *err)
{
	struct udp_session *udp;
	struct stream *s;
	uint64_t id;

	if (!*cli_arg(call, 0))
		return err_set(err, "Session pointer expected (use 'show sess').");
	if (!sess_parse_id(cli_arg(call, 0), &id))
		return err_set(err, "Session pointer expected (use 'show sess').");
	s = stream_find(id);
	udp = s ? NULL : udp_session_by_id(id);
	if (!s && !udp)
		return err_set(err, "No such session (use 'show sess').");
	if (udp)
		udp_session_end(udp, END_KILLED);
	else
		stream_end_soon(s, END_KILLED);
	return 0;
}

/* Streams of stats sockets have no server: this one is not among them. */
static int sess_shutdown_server(struct cli_call *call, struct err *err)
{
	struct server *s = cli_server(call, 0, err);

	if (!s)
		return -1;
	streams_end_server(s, END_KILLED);
	return 0;
}

/* A session's id tells whose it is. */
static unsigned sess_owner(const struct cli_call *call)
{
	uint64_t id;
	unsigned row = sess_parse_id(cli_arg(call, 0), &id) ? stream_row(id) : 0;

	return row < segment_rows(segment) ? row : 0;
}

static bool sess_gathers(const struct cli_call *call)
{
	return !*cli_arg(call, 0) || !strcmp(cli_arg(call, 0), "all");
}

const struct cli_command cli_sess_commands[] = {
	{ .words = "show sess", .args = "[id]", .level = LEVEL_OPERATOR, .flags = CLI_GATHER,
	  .owner = sess_owner, .gathers = sess_gathers, .start = sess_start,
	  .next = sess_next, .end = sess_end, CLI_STATE(struct sess_state),
	  .help = "report the list of current sessions or dump this exact session" },
	{ .words = "shutdown session", .args = "[id]", .level = LEVEL_ADMIN,
	  .owner = sess_owner, .start = sess_shutdown, .help = "kill a specific session" },
	{ .words = "shutdown sessions server", .args = "<bk>/<srv>", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED,
	  .start = sess_shutdown_server, .help = "kill sessions on a server" },
	{ .words = NULL },
};
