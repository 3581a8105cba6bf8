/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers of servers. Each session's socket is read into the next free places of one array, which
 * goes out by one sendmmsg a port, when it is full or at the end of the turn (dgram/out.h). What a
 * socket has no room for is dropped and counted, as a router would.
 */
#include "udp/answers.h"

#include "base/bug.h"
#include "dgram/errors.h"
#include "dgram/out.h"
#include "event/loop.h"
#include "net/listener.h"
#include "udp/lb.h"
#include "udp/session.h"

#include "proxy/proxy.h"

#include <errno.h>
#include <sys/epoll.h>

enum { ANSWERS = 16, ROUNDS = 4 };

/* Answers on their way to clients. */
static struct dgram_out out;

/* The session may have ended in this turn. */
static void drop_answers(struct dgram_way *way, unsigned datagrams)
{
	const struct udp_session *s = container_of(way, struct udp_session, way);

	udp_stats.dropped += datagrams;
	s->port->lb->proxy->be->counters.denied_responses += datagrams;
}

void udp_answers_flush(void)
{
	dgram_out_flush(&out);
}

/* Takes those that the server has sent to the places behind out.count. Those that are too large
 * leave theirs to the next. */
static void take_answers(struct udp_session *s, unsigned n)
{
	unsigned i, from = out.count, datagrams = 0, got;
	uint64_t bytes = 0;

	for (i = from; i < from + n; i++) {
		got = dgram_out_take(&out, i, s->port->lb->payload, &s->port->dgram, &s->key,
				     udp_session_client_fd(s), &s->way);
		if (!got)
			continue;
		bytes += out.iov[out.count - 1].iov_len;
		datagrams += got;
	}
	udp_session_touch(s, UDP_CLIENT);
	if (datagrams)
		udp_session_count_out(s, datagrams, bytes);
}

/* Of an earlier datagram. */
static void take_error(struct udp_session *s, int error)
{
	if (error == ECONNREFUSED || dgram_errors_take(s->src.fd) == DGRAM_ERROR_REFUSED)
		udp_session_refused(s);
}

/* How many came; 0: no more, and the session may have ended. Where the client has sent a single
 * datagram, a single answer is likely: this spares the look for a second one. Should there be more,
 * the poller tells again. */
static unsigned receive_answers(struct udp_session *s, unsigned most)
{
	bool one = !s->several && s->turn != UDP_CLIENT;
	bool rows = udp_gathers_answers(s->port->lb);
	int n = one ? dgram_out_receive_one(&out, s->src.fd, rows) :
		      dgram_out_receive(&out, s->src.fd, most, rows);

	if (!one)
		s->several = n > 1;
	if (n > 0) {
		take_answers(s, (unsigned)n);
		return (unsigned)n;
	}
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		take_error(s, errno);
	return 0;
}

void udp_server_ready(struct source *src, uint32_t events)
{
	struct udp_session *s = container_of(src, struct udp_session, src);
	unsigned rounds, most, n;

	for (rounds = 0; rounds < ROUNDS && s->src.fd >= 0; rounds++) {
		if (out.count == DGRAM_BATCH)
			udp_answers_flush();
		most = DGRAM_BATCH - out.count < ANSWERS ? DGRAM_BATCH - out.count : ANSWERS;
		n = receive_answers(s, most);
		if (n < most)
			break;
	}
	if (unlikely(events & EPOLLERR) && s->src.fd >= 0)
		take_error(s, 0); /* else the poller would tell again and again */
	dgram_out_soon(&out);
}

int udp_answers_start(void)
{
	return dgram_out_start(&out, drop_answers);
}
