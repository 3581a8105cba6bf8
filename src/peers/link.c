/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection with a peer: called or accepted, TLS where the lines say so, the hello, then the
 * conversation (peers/talk.h) until it ends. Driven by the loop; what it means for members and
 * sections is decided by peers.c. It never waits, and one turn does a bounded piece of work.
 *
 * Invariant: `talk' exists in LINK_TALKS alone. A link that is closed stays in memory until the end
 * of the turn, out of all lists.
 */
#include "peers/life.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/kind.h"
#include "base/result.h"
#include "log/log.h"
#include "net/conn_link.h"
#include "net/listener.h"
#include "net/sock.h"
#include "peers/hello.h"
#include "peers/section.h"
#include "proxy/server.h"
#include "proxy/server_dial.h"
#include "tls/client.h"
#include "tls/conn.h"
#include "tls/link.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A turn takes what was read in pieces, until its time is over. The rest waits for the next turn.
 */
enum { LINK_PIECE = 512, LINK_TURN_US = 200 };

struct link_hooks link_hooks;

/* ---- beginning and end ------------------------------------------------------------------------
 */

static void link_free(struct reap *reap)
{
	struct peer_link *l = container_of(reap, struct peer_link, reap);

	talk_free(&l->talk);
	free(l->out);
	free(l);
}

void peer_link_close(struct peer_link **link, bool reset)
{
	struct peer_link *l = *link;

	*link = NULL;
	timer_cancel(&l->timer);
	task_cancel(&l->task);
	list_remove(&l->node);
	conn_close(&l->conn, reset);
	loop_reap(&l->reap, link_free);
}

/* It is over, for a reason. */
static void link_lost(struct peer_link *l, int status, const char *why)
{
	link_hooks.lost(l, status, why);
	peer_link_close(&l, false);
}

static void link_broken(struct peer_link *l, const char *doing)
{
	int error = l->conn->error ? l->conn->error : conn_check_error(l->conn);
	char why[PEERS_WHY];

	if (error)
		snprintf(why, sizeof(why), "%s: %s", doing, strerror(error));
	else
		snprintf(why, sizeof(why), "%s: it has closed the connection", doing);
	link_lost(l, 0, why);
}

static void link_fire(struct timer *timer);
static void link_run(struct task *task);
static void link_ready(struct conn *conn);

static struct peer_link *link_new(struct section_life *home)
{
	struct peer_link *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->conn = conn_new();
	if (!l->conn) {
		free(l);
		return NULL;
	}
	l->home = home;
	KIND_IS(struct peer_link, l);
	l->conn->owner = l;
	timer_init(&l->timer, link_fire);
	task_init(&l->task, link_run);
	list_append(&home->links, &l->node);
	return l;
}

/* ---- the conversation --------------------------------------------------------------------------
 */

static void link_happened(void *owner, enum talk_event event)
{
	static const uint8_t bits[] = { [TALK_WAS_ASKED] = SAID_ASKED, [TALK_FINISHED] = SAID_FINISHED,
					[TALK_PARTIAL] = SAID_PARTIAL, [TALK_CONFIRMED] = SAID_CONFIRMED };

	((struct peer_link *)owner)->events |= bits[event];
}

static bool link_home_is_up_to_date(void *owner)
{
	return link_hooks.up_to_date(((struct peer_link *)owner)->home);
}

static void link_arm(struct peer_link *l)
{
	uint64_t when = l->said_ms + PEERS_BEAT_MS;

	timer_set(&l->timer, when < l->look_ms ? when : l->look_ms);
}

/* Behind 200, in either direction. Something is said at once: a HAProxy of version 2.6 may close a
 * connection on which nothing has come for 50 ms. */
static void link_talks(struct peer_link *l)
{
	const struct peers_section *s = l->home->section;
	const struct peer *p = l->peer->peer;
	const struct talk_setup setup = {
		.tables = s->tables, .table_count = s->table_count, .who = p->who,
		.shard = p->shard, .shards = s->shards, .most_updates = peers_running->most_updates, .untimed = l->untimed,
		.owner = l, .happened = link_happened, .is_up_to_date = link_home_is_up_to_date,
	};

	l->talk = talk_new(&setup);
	l->out = malloc(LINK_OUT);
	if (!l->talk || !l->out) {
		link_lost(l, 0, "out of memory");
		return;
	}
	l->state = LINK_TALKS;
	l->since_ms = l->said_ms = l->took_ms = clock_now_ms;
	l->look_ms = clock_now_ms + PEERS_SILENCE_MS;
	link_arm(l);
	link_hooks.talks(l);
	talk_beat(l->talk);
	task_wake(&l->task);
}

/* An update or a heartbeat has been said: the next heartbeat is due later. */
static size_t link_out(struct peer_link *l)
{
	const struct talk_counts *counts = talk_counts(l->talk);
	uint64_t before = counts->updates_out + counts->beats_out;
	size_t len = talk_out(l->talk, l->out + l->out_len, LINK_OUT - l->out_len);

	if (counts->updates_out + counts->beats_out != before)
		l->said_ms = clock_now_ms;
	return len;
}

/* False: it is lost. */
static bool link_flush(struct peer_link *l)
{
	size_t sent;

	while (l->out_sent < l->out_len) {
		if (!(l->conn->flags & CONN_WRITABLE))
			return true;
		switch (conn_send(l->conn, l->out + l->out_sent, l->out_len - l->out_sent, false,
				  &sent)) {
		case IO_OK:
			l->out_sent += sent;
			l->took_ms = clock_now_ms;
			break;
		case IO_AGAIN:
			return true;
		case IO_EOF:
		case IO_ERR:
			link_broken(l, "sending");
			return false;
		}
	}
	l->out_len = l->out_sent = 0;
	l->took_ms = clock_now_ms;
	return true;
}

static bool link_has_room(const struct peer_link *l)
{
	return LINK_OUT - (l->out_len - l->out_sent) >= TALK_MESSAGE_MOST;
}

/* What there is to say, as far as it has room: one piece a turn. What the socket has taken has made
 * room again. False: it is lost. */
static bool link_say(struct peer_link *l)
{
	if (l->out_sent && LINK_OUT - l->out_len < TALK_MESSAGE_MOST) {
		memmove(l->out, l->out + l->out_sent, l->out_len - l->out_sent);
		l->out_len -= l->out_sent;
		l->out_sent = 0;
	}
	if (link_has_room(l))
		l->out_len += link_out(l);
	if (!link_flush(l))
		return false;
	if (link_has_room(l) && talk_has_more(l->talk))
		task_wake(&l->task);
	return true;
}

/* It has ended the conversation by a mistake: it is told which, as far as the socket takes that. */
static void link_wrong(struct peer_link *l)
{
	size_t sent;

	if (LINK_OUT - l->out_len >= TALK_MESSAGE_MOST)
		l->out_len += link_out(l);
	if (l->out_len > l->out_sent)
		DROPPED(conn_send(l->conn, l->out + l->out_sent, l->out_len - l->out_sent, false,
				  &sent), "the connection is closed whether it hears that or not");
	conn_discard(l->conn);
	link_lost(l, 0, "it does not keep to the protocol");
}

/* False: the link is lost, or closed. */
static bool link_take(struct peer_link *l, const char *bytes, size_t len)
{
	if (len && talk_in(l->talk, bytes, len) < 0) {
		link_wrong(l);
		return false;
	}
	if (!l->events)
		return true;
	link_hooks.said(l);
	if (!l->conn)
		return false;
	l->events = 0;
	return true;
}

/* When all that was read has been taken. False: it is lost. */
static bool link_read(struct peer_link *l)
{
	if (l->heard_at < l->heard_len || !(l->conn->flags & CONN_READABLE))
		return true;
	l->heard_at = l->heard_len = 0;
	switch (conn_recv(l->conn, l->heard_bytes, sizeof(l->heard_bytes), &l->heard_len)) {
	case IO_OK:
	case IO_AGAIN:
		return true;
	case IO_EOF:
	case IO_ERR:
		break;
	}
	link_broken(l, "receiving");
	return false;
}

/* A bounded piece of what has come. False: it is lost. */
static bool link_hear(struct peer_link *l)
{
	uint64_t end = clock_read_us() + LINK_TURN_US;
	size_t piece;

	if (!link_read(l))
		return false;
	while (l->heard_at < l->heard_len) {
		piece = l->heard_len - l->heard_at;
		if (piece > LINK_PIECE)
			piece = LINK_PIECE;
		l->heard_at += piece;
		if (!link_take(l, l->heard_bytes + l->heard_at - piece, piece))
			return false;
		if (clock_read_us() >= end)
			break;
	}
	if (l->heard_at < l->heard_len || l->conn->flags & CONN_READABLE)
		task_wake(&l->task);
	return true;
}

/* ---- the hello ---------------------------------------------------------------------------------
 */

/* Bytes behind those of the hello are messages. */
static void link_begin(struct peer_link *l, size_t taken)
{
	size_t rest = l->in_len - taken;

	link_talks(l);
	if (l->conn && link_take(l, l->in + taken, rest))
		task_wake(&l->task);
}

static void link_answer(struct peer_link *l, enum hello_status status, const struct hello *hello)
{
	char line[HELLO_STATUS_LEN];
	size_t sent;

	hello_write_status(line, status);
	if (conn_send(l->conn, line, sizeof(line), false, &sent) != IO_OK || sent != sizeof(line)) {
		link_broken(l, "answering");
		return;
	}
	if (status == HELLO_ACCEPTED) {
		link_hooks.takes(l, hello->caller);
		link_begin(l, hello->len);
		return;
	}
	conn_discard(l->conn);
	link_lost(l, status, hello_explain(status));
}

/* The lines of who has called. */
static void link_read_hello(struct peer_link *l)
{
	struct hello hello;
	enum hello_status status;

	status = hello_read((struct span){ l->in, l->in_len },
			    span_of(l->home->section->local->name), &hello);
	if (status == HELLO_MORE)
		return;
	if (status == HELLO_ACCEPTED)
		status = link_hooks.hello(l, hello.caller);
	l->untimed = !hello.minor;
	link_answer(l, status, &hello);
}

/* The answer to our own. */
static void link_read_status(struct peer_link *l)
{
	size_t len = 0;
	int status = hello_read_status((struct span){ l->in, l->in_len }, &len);

	if (!status)
		return;
	if (status == HELLO_ACCEPTED)
		link_begin(l, len);
	else
		link_lost(l, status, hello_explain(status));
}

static void link_hear_hello(struct peer_link *l)
{
	size_t got;

	while (l->conn && l->state != LINK_TALKS && l->conn->flags & CONN_READABLE) {
		if (l->in_len == sizeof(l->in)) {
			link_lost(l, 0, "a hello that is too long");
			return;
		}
		switch (conn_recv(l->conn, l->in + l->in_len, sizeof(l->in) - l->in_len, &got)) {
		case IO_OK:
			l->in_len += got;
			if (l->state == LINK_HEARS)
				link_read_hello(l);
			else
				link_read_status(l);
			break;
		case IO_AGAIN:
			return;
		case IO_EOF:
		case IO_ERR:
			link_broken(l, l->called ? "waiting for its answer" : "waiting for its hello");
			return;
		}
	}
}

/* Plain or by TLS, bytes may pass. */
static void link_open(struct peer_link *l)
{
	const struct peers_section *s = l->home->section;
	char hello[HELLO_MOST];
	size_t len, sent;

	timer_set(&l->timer, clock_now_ms + PEERS_WAIT_MS);
	l->state = l->called ? LINK_ASKS : LINK_HEARS;
	if (l->called) {
		len = hello_write(hello, sizeof(hello), span_of(l->peer->peer->name),
				  span_of(s->local->name), log_own_pid());
		if (!len || conn_send(l->conn, hello, len, false, &sent) != IO_OK || sent != len) {
			link_broken(l, "saying hello");
			return;
		}
	}
	link_hear_hello(l);
}

static void link_shake(struct peer_link *l)
{
	char why[PEERS_WHY];
	struct text t;

	switch (tls_conn_handshake(l->conn)) {
	case IO_OK:
		link_open(l);
		return;
	case IO_AGAIN:
		return;
	case IO_EOF:
	case IO_ERR:
		break;
	}
	text_init(&t, why, sizeof(why));
	text_str(&t, "TLS handshake failed");
	if (l->called) {
		text_str(&t, ": ");
		tls_client_say(l->conn, &t);
		tls_client_forget(l->conn);
	} else {
		tls_link_explain(conn_link(l->conn), &t);
	}
	link_lost(l, 0, why);
}

/* ---- events ------------------------------------------------------------------------------------
 */

static void link_connected(struct peer_link *l)
{
	const struct peer *p = l->peer->peer;
	struct tls_target target = { .sni = span_of(p->sni ? p->sni : "") };

	timer_set(&l->timer, clock_now_ms + PEERS_WAIT_MS);
	if (!p->server->tls) {
		link_open(l);
	} else if (tls_conn_connect(l->conn, p->server->tls, &target) < 0) {
		link_lost(l, 0, "no memory for TLS, or 'maxsslconn' is reached");
	} else {
		l->state = LINK_SHAKES;
		link_shake(l);
	}
}

static void link_run(struct task *task)
{
	struct peer_link *l = container_of(task, struct peer_link, task);

	if (l->state == LINK_TALKS && link_hear(l))
		DROPPED(link_say(l), "where it is lost it has been closed");
}

static void link_ready(struct conn *conn)
{
	struct peer_link *l = KIND_OF(struct peer_link, conn->owner);

	switch (l->state) {
	case LINK_CONNECTS:
		if (conn->flags & (CONN_ERROR | CONN_HUP))
			link_broken(l, "connecting");
		else if (conn->flags & CONN_WRITABLE)
			link_connected(l);
		break;
	case LINK_SHAKES:
		link_shake(l);
		break;
	case LINK_HEARS:
	case LINK_ASKS:
		link_hear_hello(l);
		break;
	case LINK_TALKS:
		link_run(&l->task);
		break;
	}
}

/* Heartbeats, and silence: a window in which no message has come. */
static void link_beat(struct peer_link *l)
{
	const struct talk_counts *counts = talk_counts(l->talk);

	if (clock_now_ms >= l->look_ms) {
		if (counts->messages_in == l->heard) {
			l->peer->silences++;
			link_lost(l, 0, "it has been silent for 5 seconds");
			return;
		}
		l->heard = counts->messages_in;
		l->look_ms = clock_now_ms + PEERS_SILENCE_MS;
	}
	if (l->out_len > l->out_sent && clock_now_ms >= l->took_ms + PEERS_STUCK_MS) {
		link_lost(l, 0, "it has taken nothing for 30 seconds");
		return;
	}
	if (clock_now_ms >= l->said_ms + PEERS_BEAT_MS) {
		l->said_ms = clock_now_ms;
		talk_beat(l->talk);
		task_wake(&l->task);
	}
	link_arm(l);
}

static void link_fire(struct timer *timer)
{
	struct peer_link *l = container_of(timer, struct peer_link, timer);

	switch (l->state) {
	case LINK_CONNECTS:
		link_lost(l, 0, "no connection within 5 seconds");
		break;
	case LINK_SHAKES:
		link_lost(l, 0, "no TLS handshake within 5 seconds");
		break;
	case LINK_HEARS:
		link_lost(l, 0, "no hello within 5 seconds");
		break;
	case LINK_ASKS:
		link_lost(l, 0, "no answer to our hello within 5 seconds");
		break;
	case LINK_TALKS:
		link_beat(l);
		break;
	}
}

/* ---- for peers.c -------------------------------------------------------------------------------
 */

void peer_link_wake(struct peer_link *link)
{
	task_wake(&link->task);
}

void peer_link_tables_changed(struct peer_link *link)
{
	talk_tables_changed(link->talk);
	task_wake(&link->task);
}

/* Who could not be called. */
static struct peer_link *link_not_made(struct peer_link *l, struct peer_life *peer, const char *what)
{
	snprintf(peer->why, sizeof(peer->why), "%s: %s", what, strerror(errno));
	if (l)
		peer_link_close(&l, false);
	return NULL;
}

struct peer_link *peer_link_call(struct section_life *home, struct peer_life *peer)
{
	struct server *server = peer->peer->server;
	const struct addr nobody = { .family = AF_UNSPEC };
	struct peer_link *l;
	int fd;

	switch (server_dial(server, &server->spec.addr, &nobody, NULL, false, NULL, &fd)) {
	case DIAL_STARTED:
		break;
	case DIAL_REFUSED:
		return link_not_made(NULL, peer, "connecting");
	case DIAL_SOURCE:
		return link_not_made(NULL, peer, "its source address");
	case DIAL_RESOURCE:
		return link_not_made(NULL, peer, "no connection can be made");
	}
	errno = ENOMEM;
	l = link_new(home);
	if (!l) {
		close(fd);
		errno = ENOMEM;
		return link_not_made(NULL, peer, "no connection can be made");
	}
	l->peer = peer;
	l->called = true;
	l->state = LINK_CONNECTS;
	if (conn_attach(l->conn, &fd, CONN_CONNECTING, link_ready) < 0)
		return link_not_made(l, peer, "no connection can be made");
	timer_set(&l->timer, clock_now_ms + PEERS_WAIT_MS);
	return l;
}

void peer_link_accept(struct section_life *home, struct listener *listener, int *fd)
{
	struct peer_link *l;

	sock_wish(*fd, IPPROTO_TCP, TCP_NODELAY, 1);
	l = link_new(home);
	if (!l) {
		close(*fd);
		*fd = -1;
		return;
	}
	home->fresh++;
	l->state = LINK_HEARS;
	if (conn_attach(l->conn, fd, CONN_READABLE | CONN_WRITABLE, link_ready) < 0) {
		link_lost(l, 0, strerror(errno));
		return;
	}
	timer_set(&l->timer, clock_now_ms + PEERS_WAIT_MS);
	if (!listener->bind->tls) {
		link_hear_hello(l);
	} else if (tls_conn_accept(l->conn, listener->bind->tls) < 0) {
		link_lost(l, 0, "no memory for TLS");
	} else {
		l->state = LINK_SHAKES;
		link_shake(l);
	}
}
