/* SPDX-License-Identifier: BSD-2-Clause */
/* A session that waits for its PROXY header, for TLS, or for one behind the other. Called by
 * session.c behind the connection rules; the header is looked at in the kernel's buffer until it is
 * complete, so that not one byte behind it is taken. The client has "timeout client" for each of the
 * two. Manual 5.1 "accept-proxy", "ssl". */
#include "stream/handshake.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/pool.h"
#include "event/timer.h"
#include "expr/logformat.h"
#include "expr/view.h"
#include "log/date.h"
#include "log/log.h"
#include "net/listener.h"
#include "net/proxyproto.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "stream/session.h"
#include "stream/stream.h"
#include "stream/view.h"
#include "tls/conn.h"

struct handshake {
	struct list node;
	struct session *session;
	struct conn *conn;
	void (*read)(struct handshake *h); /* what is awaited now */
	struct timer timer;
	struct reap reap;
};

static void handshake_tls(struct handshake *h);

static struct pool handshake_pool = POOL_INIT("handshake", sizeof(struct handshake));
static struct list handshakes = LIST_INIT(handshakes);

static void handshake_free(struct reap *reap)
{
	struct handshake *h = container_of(reap, struct handshake, reap);

	pool_give(&handshake_pool, &h);
}

static void handshake_leave(struct handshake *h)
{
	timer_cancel(&h->timer);
	list_remove(&h->node);
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
	const struct bind_conf *bind = se->listener->bind;

	addr_print_port(&se->src, t);
	text_str(t, " [");
	text_printf(t, "%s.%03ld] %s/", date_of(se->accepted.tv_sec)->local,
		    (long)se->accepted.tv_usec / 1000, se->frontend->name);
	if (bind->name)
		text_str(t, bind->name);
	else
		text_num(t, se->listener->id);
	text_printf(t, ": %s", why);
}

static void handshake_log(struct handshake *h, const char *why)
{
	const struct proxy *fe = h->session->frontend;
	enum log_level level = LOG_L_INFO;
	struct view view;
	char memory[1024];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	if (fe->set.options.on & OPT_DONTLOGNULL && tls_conn_fault(h->conn) == TLS_FAULT_EMPTY)
		return;
	if (fe->set.logformat_error) {
		view_of_session(h->session, h->conn, &view);
		logformat_write(fe->set.logformat_error, &view, &t);
	} else {
		usual_line(h->session, why, &t);
	}
	if (fe->set.options.on & OPT_LOG_SEPARATE_ERRORS)
		level = LOG_L_ERR;
	log_send(fe->set.log, level, t.ptr, t.len);
}

static void handshake_failed(struct handshake *h, const char *why)
{
	const struct session *se = h->session;

	handshake_log(h, why);
	se->frontend->fe->counters.failed_requests++;
	se->listener->tally->counters.failed_requests++;
	conn_discard(h->conn);
	handshake_close(h);
}

static void handshake_timer(struct timer *timer)
{
	struct handshake *h = container_of(timer, struct handshake, timer);

	handshake_failed(h, h->read == handshake_tls ?
				    "Timeout during SSL handshake" :
				    "Timeout while waiting for PROXY protocol header");
}

/* The rest of the session begins. */
static void handshake_done(struct handshake *h)
{
	struct session *se = h->session;
	struct conn *conn = h->conn;

	se->handshake_ms = (uint32_t)(clock_now_ms - se->accepted_ms);
	handshake_leave(h);
	session_begin(se, &conn);
}

static void handshake_wait(struct handshake *h)
{
	unsigned timeout = h->session->frontend->set.timeout.client;

	if (timeout)
		timer_set(&h->timer, clock_now_ms + timeout);
}

/* ---- TLS --------------------------------------------------------------------------------- */

static const char *handshake_tls_fault(const struct conn *conn)
{
	switch (tls_conn_fault(conn)) {
	case TLS_FAULT_EMPTY:
	case TLS_FAULT_CLOSED:
		return "Connection closed during SSL handshake";
	case TLS_FAULT_RESET:
		return "Connection error during SSL handshake";
	case TLS_FAULT_MEMORY:
		return "Out of memory when initializing an SSL connection";
	default:
		return "SSL handshake failure";
	}
}

static void handshake_tls(struct handshake *h)
{
	switch (tls_conn_handshake(h->conn)) {
	case IO_OK:
		handshake_done(h);
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
	struct bind_conf *bind = h->session->listener->bind;

	if (!bind->tls) {
		handshake_done(h);
		return;
	}
	if (tls_conn_accept(h->conn, bind->tls) < 0) {
		global_tally->no_memory++;
		handshake_close(h);
		return;
	}
	h->read = handshake_tls;
	handshake_wait(h);
	if (h->conn->flags & CONN_READABLE)
		handshake_tls(h);
}

/* ---- PROXY header ------------------------------------------------------------------------ */

/* What the header says holds from here on. */
static void handshake_header(struct handshake *h, const struct proxyproto *header)
{
	struct session *se = h->session;

	se->has_proxy_header = true;
	if (header->has_addrs)
		session_set_addrs(se, &header->src, &header->dst);
	handshake_next(h);
}

static const char *handshake_fault(enum proxyproto_result r)
{
	switch (r) {
	case PROXYPROTO_FOREIGN:
		return "Received something which does not look like a PROXY protocol header";
	case PROXYPROTO_UNHANDLED:
		return "Received an unhandled protocol in the PROXY protocol header";
	default:
		return "Received an invalid PROXY protocol header";
	}
}

static void handshake_proxy(struct handshake *h)
{
	struct buf *buf = buffer_scratch();
	enum proxyproto_result r;
	struct proxyproto header;
	size_t got = 0;
	enum io io;

	if (!buf) {
		global_tally->no_memory++;
		handshake_close(h);
		return;
	}
	io = conn_peek(h->conn, buf->data, buf->size, &got);
	if (io == IO_AGAIN)
		return;
	r = io == IO_OK ? proxyproto_parse(buf->data, got, &header) : PROXYPROTO_INCOMPLETE;
	if (io != IO_OK)
		handshake_failed(h, "Connection closed while waiting for PROXY protocol header");
	else if (r == PROXYPROTO_DONE && conn_recv(h->conn, buf->data, header.len, &got) == IO_OK)
		handshake_header(h, &header);
	else if (r != PROXYPROTO_INCOMPLETE || got == buf->size)
		handshake_failed(h, handshake_fault(r));
	else if (h->conn->flags & (CONN_RDHUP | CONN_HUP | CONN_ERROR))
		handshake_failed(h, "Truncated PROXY protocol header received");
}

static void handshake_ready(struct conn *conn)
{
	struct handshake *h = conn->owner;

	if (conn->flags & CONN_READABLE)
		h->read(h);
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
	h->conn = *conn;
	*conn = NULL;
	h->conn->owner = h;
	h->conn->ready = handshake_ready;
	timer_init(&h->timer, handshake_timer);
	list_append(&handshakes, &h->node);
	streams_hold();
	if (!session->expects_proxy) {
		handshake_next(h);
		return;
	}
	h->read = handshake_proxy;
	handshake_wait(h);
	if (h->conn->flags & CONN_READABLE)
		handshake_proxy(h);
}

void handshakes_end(const struct proxy *frontend)
{
	struct handshake *h, *next;

	list_for_each_safe(h, next, &handshakes, node)
		if (!frontend || h->session->frontend == frontend)
			handshake_close(h);
}
