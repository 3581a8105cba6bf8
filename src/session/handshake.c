/* SPDX-License-Identifier: BSD-2-Clause */
/* A session that waits for what comes before its first byte: the header that a proxy before us puts
 * in front (NetScaler Client IP, PROXY protocol), TLS, or one behind the other. Called by session.c
 * behind the connection rules; a header is looked at in the kernel's buffer until it is complete,
 * so that not one byte behind it is taken. The client has "timeout client" for the headers, and
 * again for TLS. Manual 5.1 "accept-proxy", "accept-netscaler-cip", "ssl". As in the reference,
 * where both headers are expected NetScaler's comes first.
 *
 * Invariant: nothing of a session changes before its header is complete and good. */
#include "session/handshake.h"

#include "base/clock.h"
#include "base/kind.h"
#include "base/pool.h"
#include "config/keyword.h"
#include "config/module.h"
#include "event/timer.h"
#include "expr/logline.h"
#include "expr/view.h"
#include "log/date.h"
#include "log/log.h"
#include "net/bind_part.h"
#include "net/faults.h"
#include "net/listener.h"
#include "net/netns.h"
#include "net/netscaler.h"
#include "net/proxyproto.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "session/session.h"
#include "stream/early.h"
#include "stream/stream.h"
#include "stream/vectors.h"
#include "stream/view.h"
#include "tally/tallies.h"
#include "tls/conn.h"
#include "tls/link.h"

#include <errno.h>
#include <stdlib.h>

struct handshake_stats handshake_stats;

/* What a bind line says of the header of NetScaler: "accept-netscaler-cip". */
struct cip_words {
	uint32_t magic; /* that each header begins with */
};

struct bind_part cip_part = { BIND_PART("netscaler", struct cip_words) };

struct header_kind;
struct handshake {
	const struct header_kind *kind; /* that is waited for; NULL: TLS is */
	struct session *session;
	struct conn *conn;
	struct timer timer;
	struct reap reap;
	KIND_MEMBER
};

/* In decimal as the reference takes it, or hexadecimal as NetScaler shows it. */
static int parse_cip(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "the magic number");
	struct bind_conf *bind = object;
	struct cip_words *words;
	unsigned long long n;
	char *end;

	(void)kw;
	if (!word)
		return -1;
	errno = 0;
	n = strtoull(word, &end, 0);
	if (errno || *word < '0' || *word > '9' || *end || !n || n > UINT32_MAX)
		return stmt_error(st, st->at - 1, "'%s' is not a magic number: 1 to %u expected, in "
				  "decimal or as 0x...", word, UINT32_MAX);
	words = bind_part_make(bind, &cip_part, st->cfg->arena);
	words->magic = (uint32_t)n;
	bind->options.on |= BIND_ACCEPT_CIP;
	bind->options.given |= BIND_ACCEPT_CIP;
	return 0;
}

static const struct keyword handshake_keywords[] = {
	{ "accept-netscaler-cip", SCOPE_BIND, 0, "<magic number>", parse_cip,
	  .help = "each connection begins with a NetScaler Client IP header, which tells its "
		  "addresses" },
	{ 0 }
};

const struct module handshake_module = { .name = "handshake", .keywords = handshake_keywords };

static struct pool handshake_pool = POOL_INIT("handshake", sizeof(struct handshake));

static void handshake_free(struct reap *reap)
{
	struct handshake *h = container_of(reap, struct handshake, reap);

	pool_give(&handshake_pool, &h);
}

static void handshake_leave(struct handshake *h)
{
	timer_cancel(&h->timer);
	streams_release();
	loop_reap(&h->reap, handshake_free);
}

static void handshake_close(struct handshake *h)
{
	handshake_leave(h);
	conn_close(&h->conn, false);
	session_free(&h->session);
}

/* The line of the reference, manual 8.2.5. */
static void usual_line(const struct session *se, const char *why, struct text *t)
{
	const struct bind_conf *bind = se->origin.listener->bind;

	addr_print_port(&se->origin.src, t);
	text_str(t, " [");
	text_printf(t, "%s.%03ld] %s/", date_of(se->origin.accepted.tv_sec)->local,
		    (long)se->origin.accepted.tv_usec / 1000, se->origin.frontend->name);
	if (bind->name)
		text_str(t, bind->name);
	else
		text_num(t, se->origin.listener->id);
	text_printf(t, ": %s", why);
}

static void handshake_log(struct session *se, struct conn *conn, enum conn_fault fault)
{
	const struct proxy *fe = se->origin.frontend;
	enum log_level level = LOG_L_INFO;
	struct view view;
	struct view_log log;
	char memory[1024];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	if (fe->set.options.on & OPT_DONTLOGNULL && tls_link_fault(conn_link(conn)) == TLS_FAULT_EMPTY)
		return;
	if (!fe->set.logformat_error) {
		usual_line(se, fault_text(fault), &t);
		tls_link_explain(conn_link(conn), &t);
	}
	if (fe->set.options.on & OPT_LOG_SEPARATE_ERRORS)
		level = LOG_L_ERR;
	view_of_origin(&se->origin, conn_link(conn), &view);
	view.find_log(&view, &log);
	log.step = log_steps[LOG_STEP_KILLED].origin;
	view.log = &log;
	logline_send(&(struct logline){ .step = LOG_STEP_KILLED,
					.level = level,
					.format = fe->set.logformat_error,
					.msg = { t.ptr, t.len },
					.view = &view },
		     fe);
}

static void handshake_failed(struct handshake *h, enum conn_fault fault)
{
	struct session *se = h->session;

	se->origin.fault = (uint8_t)fault;
	handshake_log(se, h->conn, fault);
	handshake_stats.refused += h->kind != NULL;
	se->origin.frontend->fe->counters.failed_requests++;
	se->origin.listener->tally->counters.failed_requests++;
	if (tls_link_is(conn_link(h->conn))) {
		se->origin.frontend->fe->counters.tls_failed++;
		se->origin.listener->tally->counters.tls_failed++;
	}
	conn_discard(h->conn);
	handshake_close(h);
}

/* ---- headers ----------------------------------------------------------------------------- */

/* The last one that is named and listed. False: out of memory. */
static bool read_netns(struct session *se, struct span vectors)
{
	const char *listed, *last = NULL;
	struct span name;

	while (proxyproto_find(&vectors, PROXYPROTO_NETNS, &name))
		if ((listed = netns_listed(name)))
			last = listed;
	if (!last)
		return true;
	if (!origin_told(&se->origin))
		return false;
	se->origin.told->netns = last;
	return true;
}

/* What the bytes at hand are: FAULT_NONE and *len: a header; *len 0: the beginning of one, so
 * far. */
static enum conn_fault read_proxy(struct session *se, const char *bytes, size_t got, size_t *len)
{
	struct proxyproto header;

	*len = 0;
	switch (proxyproto_parse(bytes, got, &header)) {
	case PROXYPROTO_INCOMPLETE:
		return FAULT_NONE;
	case PROXYPROTO_FOREIGN:
		return FAULT_PROXY_FOREIGN;
	case PROXYPROTO_BAD:
		return FAULT_PROXY_INVALID;
	case PROXYPROTO_UNHANDLED:
		return FAULT_PROXY_UNHANDLED;
	case PROXYPROTO_DONE:
		break;
	}
	if (!read_netns(se, header.vectors) ||
	    (header.has_addrs && !session_set_addrs(se, &header.src, &header.dst)))
		return FAULT_PROXY_ERROR;
	vectors_keep(&se->origin, header.vectors);
	se->origin.has_proxy_header = true;
	*len = header.len;
	return FAULT_NONE;
}

static enum conn_fault read_cip(struct session *se, const char *bytes, size_t got, size_t *len)
{
	const struct cip_words *words = bind_part(se->origin.listener->bind, &cip_part);
	struct netscaler header;

	*len = 0;
	switch (netscaler_parse(bytes, got, words ? words->magic : 0, &header)) {
	case NETSCALER_INCOMPLETE:
		return FAULT_NONE;
	case NETSCALER_MAGIC:
		return FAULT_CIP_MAGIC;
	case NETSCALER_UNHANDLED:
		return FAULT_CIP_UNHANDLED;
	case NETSCALER_DONE:
		break;
	}
	if (!session_set_addrs(se, &header.src, &header.dst))
		return FAULT_CIP_ERROR;
	*len = header.len;
	return FAULT_NONE;
}

static bool wants_proxy(const struct session *se)
{
	return se->origin.expects_proxy || se->origin.listener->bind->options.on & BIND_ACCEPT_PROXY;
}

static bool wants_cip(const struct session *se)
{
	return se->origin.expects_cip || se->origin.listener->bind->options.on & BIND_ACCEPT_CIP;
}

/* In the order in which they come. */
static const struct header_kind {
	bool (*wanted)(const struct session *se);
	enum conn_fault (*read)(struct session *se, const char *bytes, size_t got, size_t *len);
	enum conn_fault closed, error, timeout, truncated;
} header_kinds[] = {
	{ wants_cip, read_cip, FAULT_CIP_CLOSED, FAULT_CIP_ERROR, FAULT_CIP_TIMEOUT,
	  FAULT_CIP_TRUNCATED },
	{ wants_proxy, read_proxy, FAULT_PROXY_CLOSED, FAULT_PROXY_ERROR, FAULT_PROXY_TIMEOUT,
	  FAULT_PROXY_TRUNCATED },
	{ .wanted = NULL },
};

/* The header that is waited for, or one behind it. */
static const struct header_kind *kind_wanted(const struct header_kind *kind,
					     const struct session *se)
{
	while (kind->wanted && !kind->wanted(se))
		kind++;
	return kind->wanted ? kind : NULL;
}

bool handshake_wanted(const struct session *se)
{
	return kind_wanted(header_kinds, se) || se->origin.listener->bind->tls;
}

/* ---- waiting ----------------------------------------------------------------------------- */

static void handshake_timer(struct timer *timer)
{
	struct handshake *h = container_of(timer, struct handshake, timer);

	handshake_failed(h, h->kind ? h->kind->timeout : FAULT_TLS_TIMEOUT);
}

/* The rest of the session begins: what the headers say holds from here on. */
static void handshake_done(struct handshake *h)
{
	struct session *se = h->session;
	struct conn *conn = h->conn;

	se->origin.handshake_ms = (uint32_t)(clock_now_ms - se->origin.accepted_ms);
	handshake_leave(h);
	session_begin(se, &conn);
}

static void handshake_wait(struct handshake *h)
{
	unsigned timeout = h->session->origin.frontend->set.timeout.client;

	if (timeout)
		timer_set(&h->timer, clock_now_ms + timeout);
}

/* ---- TLS --------------------------------------------------------------------------------- */

static enum conn_fault handshake_tls_fault(const struct conn *conn)
{
	switch (tls_link_fault(conn_link(conn))) {
	case TLS_FAULT_EMPTY:
	case TLS_FAULT_CLOSED:
		return FAULT_TLS_CLOSED;
	case TLS_FAULT_VERIFY:
		return FAULT_TLS_NOT_TRUSTED;
	case TLS_FAULT_CA:
		return FAULT_TLS_CA_FAILED;
	case TLS_FAULT_MEMORY:
		return FAULT_TLS_NO_MEMORY;
	default:
		return FAULT_TLS_HANDSHAKE;
	}
}

static void count_done(struct counters *c, bool resumed)
{
	c->tls_sessions += !resumed;
	c->tls_resumed += resumed;
}

static void handshake_count(struct session *se, const struct conn *conn)
{
	bool resumed = tls_link_has(conn_link(conn), TLS_NUMBER_RESUMED);

	count_done(&se->origin.frontend->fe->counters, resumed);
	count_done(&se->origin.listener->tally->counters, resumed);
}

/* With early data the session begins, though nobody knows yet how the handshake ends:
 * handshake_proved is told. */
static void handshake_tls_done(struct handshake *h)
{
	if (tls_link_agreed(conn_link(h->conn), "acme-tls/1")) {
		handshake_close(h); /* RFC 8737 3: nothing is sent behind the handshake */
		return;
	}
	if (h->conn->flags & CONN_UNPROVEN)
		tls_conn_belongs(h->conn, h->session);
	else
		handshake_count(h->session, h->conn);
	handshake_done(h);
}

static void handshake_ended(struct session *se, struct conn *conn, bool ok)
{
	if (ok) {
		handshake_count(se, conn);
		return;
	}
	se->origin.fault = (uint8_t)handshake_tls_fault(conn);
	handshake_log(se, conn, se->origin.fault);
	se->origin.frontend->fe->counters.tls_failed++;
	se->origin.listener->tally->counters.tls_failed++;
}

/* Between two requests the event itself is enough. */
void handshake_proved(struct conn *conn, void *whose, bool ok)
{
	struct session *se = KIND_OF(struct session, whose);

	handshake_ended(se, conn, ok);
	if (!se->deadline_ms)
		early_proved(KIND_OF(struct end, conn->owner));
}

static void handshake_tls(struct handshake *h)
{
	switch (tls_conn_handshake(h->conn)) {
	case IO_OK:
		handshake_tls_done(h);
		break;
	case IO_AGAIN:
		break;
	default:
		handshake_failed(h, handshake_tls_fault(h->conn));
	}
}

/* Nothing stands in front of the session's bytes any more but TLS, perhaps. */
static void handshake_next(struct handshake *h)
{
	struct bind_conf *bind = h->session->origin.listener->bind;

	if (!bind->tls) {
		handshake_done(h);
		return;
	}
	if (tls_conn_accept(h->conn, bind->tls) < 0) {
		global_tally->no_memory++;
		handshake_close(h);
		return;
	}
	handshake_wait(h);
	if (h->conn->flags & CONN_READABLE)
		handshake_tls(h);
}

/* ---- headers one behind the other -------------------------------------------------------- */

/* Looks at what there is. True: a whole header was there, and has been taken out of the kernel's
 * buffer; false: it waits, or has failed and is gone. */
static bool handshake_read(struct handshake *h)
{
	struct buf *buf = buffer_scratch();
	enum conn_fault fault;
	size_t got = 0, len;
	enum io io;

	if (!buf) {
		global_tally->no_memory++;
		handshake_close(h);
		return false;
	}
	io = conn_peek(h->conn, buf->data, buf->size, &got);
	if (io == IO_AGAIN)
		return false;
	if (io != IO_OK) {
		handshake_failed(h, io == IO_EOF ? h->kind->closed : h->kind->error);
		return false;
	}
	fault = h->kind->read(h->session, buf->data, got, &len);
	if (len && conn_recv(h->conn, buf->data, len, &got) == IO_OK && got == len) {
		handshake_stats.taken++;
		return true;
	}
	if (fault == FAULT_NONE && h->conn->flags & (CONN_RDHUP | CONN_HUP | CONN_ERROR))
		fault = h->kind->truncated;
	if (fault != FAULT_NONE || len)
		handshake_failed(h, len ? h->kind->error : fault);
	return false;
}

static void handshake_headers(struct handshake *h)
{
	while (h->conn->flags & CONN_READABLE && handshake_read(h)) {
		h->kind = kind_wanted(h->kind + 1, h->session);
		if (!h->kind) {
			handshake_next(h);
			return;
		}
	}
}

static void handshake_ready(struct conn *conn)
{
	struct handshake *h = KIND_OF(struct handshake, conn->owner);

	if (h->kind)
		handshake_headers(h);
	else if (conn->flags & CONN_READABLE)
		handshake_tls(h);
}

void handshake_start(struct session *session, struct conn **conn)
{
	struct handshake *h = pool_take(&handshake_pool);

	if (!h) {
		global_tally->no_memory++;
		conn_close(conn, false);
		session_free(&session);
		return;
	}
	h->session = session;
	h->kind = kind_wanted(header_kinds, session);
	h->conn = *conn;
	*conn = NULL;
	KIND_IS(struct handshake, h);
	h->conn->owner = h;
	h->conn->ready = handshake_ready;
	timer_init(&h->timer, handshake_timer);
	streams_hold();
	if (!h->kind) {
		handshake_next(h);
		return;
	}
	handshake_wait(h);
	handshake_headers(h);
}
