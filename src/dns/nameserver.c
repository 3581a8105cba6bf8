/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sockets towards name servers. A port is a connected socket: what comes from elsewhere is the
 * kernel's to drop. Over UDP each question has a port of its own, which the kernel draws, so that
 * who forges an answer has to guess the port as well as the number (RFC 5452 9.2). The port closes
 * with the answer; one that nobody waits for any more may still come, for PORT_MS. Where PORTS are
 * open, and where no other can be had, a question leaves from one of these by chance, which carries
 * at most QUERIES.
 * The numbers of questions are random, and of one port different. Questions of one port and turn
 * leave together, at its end. Over TCP they stand behind one another on a connection, QUERIES of
 * them at once; it is closed when nothing is under way. One on which nothing has come for a while
 * takes no more of them, since what is at its other end may be gone.
 *
 * A port that is closed stays in memory until the end of the turn, since whoever hears may close
 * it.
 */
#include "dns/nameserver.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/kind.h"
#include "dns/datagram.h"
#include "dns/message.h"
#include "dns/resolvers.h"
#include "event/loop.h"
#include "event/timer.h"
#include "net/conn.h"
#include "net/dial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <unistd.h>

enum { QUERIES = DATAGRAMS, PORTS = 128, PORT_MS = 1000, READS = 64, /* of one event */
       OUT_SIZE = QUERIES * (DNS_QUESTION_MOST + 2), IN_SIZE = DNS_MESSAGE_MOST + 2 };

struct dns_port {
	struct list node;
	struct list unsent; /* over UDP: in unsent, while questions wait for the end of the turn */
	struct nameserver *ns;
	struct list queries;    /* struct dns_query */
	unsigned asked;         /* over UDP: all of them; over TCP: those under way */
	unsigned answered;      /* over UDP */
	uint64_t since_ms;      /* over UDP: it is there; over TCP: it is silent while asked */
	struct source src;      /* over UDP */
	struct conn *conn;      /* over TCP */
	char *out;              /* questions that are to leave */
	char *in;               /* over TCP */
	size_t out_len, in_len;
	bool stream, retired, closed;
	bool shakes;            /* over TCP: connected, but bytes may not pass yet */
	struct timer forgotten; /* over UDP: nobody waits for what was asked; it closes then */
	struct reap reap;
	KIND_MEMBER
};

static void send_unsent(struct task *task);
static struct list unsent = LIST_INIT(unsent); /* struct dns_port */
static struct task sender = { .node = LIST_INIT(sender.node), .run = send_unsent };

/* ---- ports ---------------------------------------------------------------------------------- */

static void port_free(struct reap *reap)
{
	struct dns_port *port = container_of(reap, struct dns_port, reap);

	free(port->out);
	free(port->in);
	free(port);
}

static void port_close(struct dns_port *port)
{
	BUG_ON(port->closed || !list_empty(&port->queries));
	port->closed = true;
	list_remove(&port->node);
	list_remove(&port->unsent);
	timer_cancel(&port->forgotten);
	if (port->conn)
		conn_close(&port->conn, false);
	if (port->src.registered)
		loop_remove(&port->src);
	if (port->src.fd >= 0)
		close(port->src.fd);
	port->src.fd = -1;
	loop_reap(&port->reap, port_free);
}

static void port_close_if_done(struct dns_port *port)
{
	bool last = port->stream || port->retired || port->answered >= port->asked;

	if (!port->closed && list_empty(&port->queries) && last)
		port_close(port);
}

/* An answer that comes later than this is no loss: the port goes, whether another question comes or
 * not. */
static void port_forgotten(struct timer *timer)
{
	struct dns_port *port = container_of(timer, struct dns_port, forgotten);

	port->retired = true;
	port_close_if_done(port);
}

static struct dns_query *query_find(const struct dns_port *port, uint16_t id)
{
	struct dns_query *query;

	list_for_each(query, &port->queries, node)
		if (query->id == id)
			return query;
	return NULL;
}

static void query_end(struct dns_query *query)
{
	if (query->port->stream)
		query->port->asked--;
	list_remove(&query->node);
	query->port = NULL;
}

/* The connection has gone, or cannot be had. */
static void port_breaks(struct dns_port *port)
{
	struct list left = LIST_INIT(left);
	struct dns_query *query;

	while (!list_empty(&port->queries)) {
		query = list_first(&port->queries, struct dns_query, node);
		query_end(query);
		list_append(&left, &query->node);
	}
	port_close(port);
	while (!list_empty(&left)) {
		query = list_first(&left, struct dns_query, node);
		list_remove(&query->node);
		query->heard(query, (struct span){ "", 0 });
	}
}

/* Whose answer it is. What nobody waits for came too late, or from somebody else. */
static void port_heard(struct dns_port *port, const char *bytes, size_t len)
{
	struct dns_query *query;

	if (len < DNS_HEAD) {
		nameserver_add(port->ns, COUNT_invalid);
		return;
	}
	query = query_find(port, dns_message_id((const unsigned char *)bytes));
	if (query)
		query->heard(query, (struct span){ bytes, len });
	else
		nameserver_add(port->ns, COUNT_outdated);
}

/* ---- UDP ------------------------------------------------------------------------------------ */

static void datagrams_heard(struct dns_port *port, const struct span *got, int n)
{
	int i;

	for (i = 0; i < n && !port->closed; i++) {
		port->answered++;
		port_heard(port, got[i].ptr, got[i].len);
	}
	port_close_if_done(port);
}

static void datagram_ready(struct source *src, uint32_t events)
{
	struct dns_port *port = container_of(src, struct dns_port, src);
	struct span got[DATAGRAMS];
	unsigned reads;
	int n;

	(void)events;
	for (reads = 0; reads < READS && !port->closed; reads++) {
		n = datagrams_take(src->fd, got);
		if (n >= 0)
			datagrams_heard(port, got, n);
		else if (errno == ECONNREFUSED || errno == EHOSTUNREACH || errno == ENETUNREACH)
			nameserver_add(port->ns, COUNT_snd_error); /* anybody may have said so: no answer */
		else if (errno != EINTR)
			break;
		if (n >= 0 && n < DATAGRAMS) /* what comes later is told of again */
			break;
	}
}

static int port_open_datagram(struct dns_port *port)
{
	struct sockaddr_storage to;
	socklen_t len = addr_to_sockaddr(&port->ns->addr, &to);
	int fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	port->src = (struct source){ .fd = fd, .ready = datagram_ready };
	port->out = malloc(OUT_SIZE);
	if (fd < 0 || !port->out || connect(fd, (struct sockaddr *)&to, len) < 0)
		return -1;
	return loop_add(&port->src, EPOLLIN);
}

static void port_send(struct dns_port *port)
{
	unsigned failed = datagrams_send(port->src.fd, port->out, port->out_len);

	port->out_len = 0;
	list_remove(&port->unsent);
	while (failed--)
		nameserver_add(port->ns, COUNT_snd_error);
}

static void send_unsent(struct task *task)
{
	(void)task;
	while (!list_empty(&unsent))
		port_send(list_first(&unsent, struct dns_port, unsent));
}

/* ---- TCP ------------------------------------------------------------------------------------ */

/* False: the port has gone. */
static bool stream_write(struct dns_port *port)
{
	size_t sent;
	enum io io;

	while (port->out_len) {
		io = conn_send(port->conn, port->out, port->out_len, false, &sent);
		if (io == IO_AGAIN)
			return true;
		if (io != IO_OK)
			return false;
		memmove(port->out, port->out + sent, port->out_len - sent);
		port->out_len -= sent;
	}
	return true;
}

static void stream_messages(struct dns_port *port)
{
	const unsigned char *in = (const unsigned char *)port->in;
	size_t at = 0, len;

	while (!port->closed && port->in_len - at >= 2) {
		len = (size_t)(in[at] << 8 | in[at + 1]);
		if (port->in_len - at - 2 < len)
			break;
		port_heard(port, port->in + at + 2, len);
		at += 2 + len;
	}
	memmove(port->in, port->in + at, port->in_len - at);
	port->in_len -= at;
}

static bool stream_read(struct dns_port *port)
{
	unsigned reads;
	size_t got;
	enum io io;

	for (reads = 0; reads < READS && !port->closed; reads++) {
		io = conn_recv(port->conn, port->in + port->in_len, IN_SIZE - port->in_len, &got);
		if (io == IO_AGAIN)
			return true;
		if (io != IO_OK)
			return false;
		port->in_len += got;
		port->since_ms = clock_now_ms;
		stream_messages(port);
	}
	return true;
}

/* Is it open? False: not yet, or the port has gone. */
static bool stream_opens(struct dns_port *port)
{
	struct conn *conn = port->conn;
	bool first = conn->flags & CONN_CONNECTING;
	enum io io = IO_OK;

	if (first && !(conn->flags & (CONN_WRITABLE | CONN_ERROR | CONN_HUP)))
		return false;
	conn->flags &= (uint16_t)~CONN_CONNECTING;
	if (port->ns->line && (first || port->shakes))
		io = conn->flags & CONN_ERROR ? IO_ERR
					      : nameserver_way->shake(port->ns, conn, first);
	port->shakes = io == IO_AGAIN;
	if (io != IO_OK && io != IO_AGAIN)
		port_breaks(port);
	return io == IO_OK;
}

static void stream_ready(struct conn *conn)
{
	struct dns_port *port = KIND_OF(struct dns_port, conn->owner);

	if (port->closed || !stream_opens(port))
		return;
	if ((!stream_write(port) || !stream_read(port)) && !port->closed)
		port_breaks(port);
}

static int port_open_stream(struct dns_port *port)
{
	struct sockaddr_storage to;
	socklen_t len = addr_to_sockaddr(&port->ns->addr, &to);

	port->src.fd = -1;
	port->out = malloc(OUT_SIZE);
	port->in = malloc(IN_SIZE);
	if (!port->out || !port->in)
		return -1;
	port->conn = port->ns->line ? nameserver_way->dial(port->ns, port, stream_ready) :
					net_dial(&to, len, port, stream_ready);
	return port->conn ? 0 : -1;
}

/* ---- questions ------------------------------------------------------------------------------ */

static struct dns_port *port_new(struct nameserver *ns, bool stream)
{
	struct dns_port *port = calloc(1, sizeof(*port));

	if (!port)
		return NULL;
	KIND_IS(struct dns_port, port);
	port->ns = ns;
	port->stream = stream;
	port->since_ms = clock_now_ms;
	list_init(&port->queries);
	list_init(&port->unsent);
	timer_init(&port->forgotten, port_forgotten);
	list_append(&ns->ports, &port->node);
	if (!(stream ? port_open_stream(port) : port_open_datagram(port)))
		return port;
	port_close(port);
	return NULL;
}

static bool port_is_worn(const struct dns_port *port)
{
	return port->asked >= QUERIES || clock_now_ms - port->since_ms >= PORT_MS;
}

/* Questions may wait for room on the way that have been given up. */
static bool stream_has_room(const struct dns_port *port)
{
	return port->asked < QUERIES && port->out_len + DNS_QUESTION_MOST + 2 <= OUT_SIZE;
}

/* Two questions' time without a byte. */
static bool stream_is_silent(const struct dns_port *port)
{
	return !list_empty(&port->queries) &&
	       clock_now_ms - port->since_ms >= 2 * (uint64_t)port->ns->resolvers->retry_ms;
}

static struct dns_port *stream_choose(struct nameserver *ns)
{
	struct dns_port *port;
	unsigned n = 0;

	list_for_each(port, &ns->ports, node) {
		if (!port->stream)
			continue;
		if (stream_has_room(port) && !stream_is_silent(port))
			return port;
		n++;
	}
	return ns->maxconn && n >= ns->maxconn ? NULL : port_new(ns, true);
}

/* Numbers are drawn a batch at a time. */
static uint16_t random_id(void)
{
	static uint16_t drawn[128];
	static unsigned left;

	if (!left) {
		if (getrandom(drawn, sizeof(drawn), 0) != (ssize_t)sizeof(drawn))
			BUG_ON(true);
		left = ARRAY_LEN(drawn);
	}
	return drawn[--left];
}

/* How many ports over UDP take questions. Those that take none any more close with their last. */
static unsigned datagram_ports(struct nameserver *ns, unsigned *open)
{
	struct dns_port *port, *next;
	unsigned taking = 0;

	*open = 0;
	list_for_each_safe(port, next, &ns->ports, node) {
		if (port->stream)
			continue;
		++*open;
		if (!port->retired)
			port->retired = port_is_worn(port);
		if (port->retired)
			port_close_if_done(port);
		else
			taking++;
	}
	return taking;
}

/* One of those that take questions. */
static struct dns_port *datagram_shared(const struct nameserver *ns, unsigned taking)
{
	unsigned number = random_id() % taking;
	struct dns_port *port;

	list_for_each(port, &ns->ports, node)
		if (!port->stream && !port->retired && !number--)
			return port;
	return NULL;
}

static struct dns_port *datagram_choose(struct nameserver *ns)
{
	unsigned open, taking = datagram_ports(ns, &open);
	struct dns_port *port = open < PORTS || !taking ? port_new(ns, false) : NULL;

	return port || !taking ? port : datagram_shared(ns, taking);
}

int nameserver_ask(struct nameserver *ns, struct dns_query *query, const unsigned char *bytes,
		   size_t len, bool stream)
{
	unsigned char *to;
	struct dns_port *port;

	BUG_ON(query->port || len < DNS_HEAD || len > DNS_QUESTION_MOST);
	port = stream ? stream_choose(ns) : datagram_choose(ns);
	nameserver_add(ns, port ? COUNT_sent : COUNT_snd_error);
	if (!port)
		return -1;
	do
		query->id = random_id();
	while (query_find(port, query->id));
	query->port = port;
	if (stream && list_empty(&port->queries))
		port->since_ms = clock_now_ms;
	list_append(&port->queries, &query->node);
	port->asked++;
	to = (unsigned char *)port->out + port->out_len;
	to[0] = (unsigned char)(len >> 8);
	to[1] = (unsigned char)len;
	memcpy(to + 2, bytes, len);
	to[2] = (unsigned char)(query->id >> 8);
	to[3] = (unsigned char)query->id;
	port->out_len += len + 2;
	if (!stream) {
		if (list_empty(&port->unsent))
			list_append(&unsent, &port->unsent);
		task_wake(&sender);
	} else if (!(port->conn->flags & CONN_CONNECTING) && !port->shakes) {
		stream_write(port); /* one that fails is told of by an event */
	}
	return 0;
}

void nameserver_forget(struct dns_query *query)
{
	struct dns_port *port = query->port;

	if (!port) {
		if (query->node.next) /* its connection has gone, and it was about to hear so */
			list_remove(&query->node);
		return;
	}
	query_end(query);
	port_close_if_done(port);
	if (!port->closed && list_empty(&port->queries))
		timer_set(&port->forgotten, clock_now_ms + PORT_MS);
}

void nameserver_close(struct nameserver *ns)
{
	struct dns_port *port;

	while (!list_empty(&ns->ports)) {
		port = list_first(&ns->ports, struct dns_port, node);
		while (!list_empty(&port->queries))
			query_end(list_first(&port->queries, struct dns_query, node));
		port_close(port);
	}
}
