/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Datagrams of clients, in batches (dgram/batch.h). Each finds its session or begins one; what
 * several have for one session goes to its server in order (dgram/burst.h). No memory is taken for
 * a datagram. What a socket has no room for is dropped and counted, as a router would.
 */
#include "udp/port.h"

#include "base/bug.h"
#include "dgram/batch.h"
#include "dgram/burst.h"
#include "dgram/errors.h"
#include "dgram/rows.h"
#include "net/listener.h"
#include "net/proxyproto.h"
#include "udp/answers.h"
#include "udp/lb.h"
#include "udp/session.h"

#include "proxy/proxy.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* Datagrams of clients, and whose they are. */
static struct dgram_batch in;
static struct udp_session *session_at[DGRAM_BATCH];
static uint8_t next_at[DGRAM_BATCH]; /* of the same session */

/* ---- towards the server ------------------------------------------------------------------ */

/* What one session has in the batch. */
static struct dgram_burst up;

/* send-proxy-v2: each datagram begins with who has sent it. */
static void put_header(const struct udp_session *s)
{
	const struct server_settings *set = &s->server->set;
	struct proxyproto_out header;
	struct addr client, local;

	udp_session_addrs(s, &client, &local);
	proxyproto_begin(&header, up.header, sizeof(up.header), &client, &local,
			 set->proxy_v2 & PROXY_V2_CRC32C);
	proxyproto_of_datagram(&header);
	up.header_len = proxyproto_end(&header);
}

/* Of what the messages to the server consist. */
static void compose(const struct udp_session *s, unsigned n)
{
	up.header_len = 0;
	if (s->server->set.options.on & SRV_SEND_PROXY_V2)
		put_header(s);
	dgram_burst_compose(&up, n);
}

/* Those of one session in the batch, of which this is its first message. */
static unsigned gather(unsigned first, uint64_t *bytes)
{
	unsigned n = 0, i;

	*bytes = 0;
	for (i = first; i != UDP_NONE; i = next_at[i]) {
		n += dgram_batch_cut(&in, i, &up.iov[n]);
		*bytes += in.msgs[i].msg_len;
		session_at[i] = NULL;
	}
	return n;
}

static void drop(struct udp_session *s, unsigned n)
{
	udp_stats.dropped += n;
	s->port->lb->proxy->be->counters.denied_requests += n;
}

/* The call may have failed for an error that the kernel has kept, that of an earlier datagram: this
 * one has not left, and may. */
static bool was_passing(int fd, int error)
{
	return error != ECONNREFUSED && !dgram_is_full(error) &&
	       dgram_errors_take(fd) == DGRAM_ERROR_PASSING;
}

/* Another session takes its place, from that datagram on. Sessions that end for it may have had
 * theirs in `up`. */
static struct udp_session *begin_again(struct udp_session *s, unsigned first, unsigned done)
{
	struct span payload = { up.iov[done].iov_base, up.iov[done].iov_len };
	uint64_t bytes;

	s = udp_session_again(s, payload);
	if (s)
		compose(s, gather(first, &bytes));
	return s;
}

/* All of them, in order. Returns the session whose they are in the end, NULL: none. */
static struct udp_session *send_up(struct udp_session *s, unsigned first, unsigned n)
{
	bool again = false;
	unsigned done = 0, row;
	int sent, error;

	compose(s, n);
	while (done < n) {
		row = s->way.single ? 1 : dgram_burst_row(&up, done, n);
		sent = dgram_burst_send(&up, s->src.fd, done, n, row);
		error = errno;
		if (sent >= 0) {
			done += (unsigned)sent;
		} else if (was_passing(s->src.fd, error)) {
			continue;
		} else if (dgram_error_is_refusal(error) && !again) {
			again = true;
			s = begin_again(s, first, done);
			if (!s)
				return NULL;
		} else if (row > 1 && !dgram_error_is_refusal(error) && !dgram_is_full(error)) {
			s->way.single = true; /* its way does not take them */
		} else {
			sent = dgram_is_full(error) ? (int)(n - done) : 1;
			drop(s, (unsigned)sent);
			done += (unsigned)sent;
		}
	}
	return s;
}

static void udp_port_forward(struct udp_session *s)
{
	unsigned first = s->first, n;
	uint64_t bytes;

	n = gather(first, &bytes);
	s->first = s->last = UDP_NONE;
	s->waiting = 0;
	s->several |= n > 1;
	udp_session_touch(s, UDP_SERVER);
	s = send_up(s, first, n);
	if (s)
		udp_session_count_in(s, n, bytes);
}

/* ---- clients ----------------------------------------------------------------------------- */

/* Finds or makes the session of a datagram. NULL: there is none. */
static struct udp_session *session_of(struct udp_port *port, const struct dgram_key *key,
				      unsigned i)
{
	struct span first = { .ptr = in.iov[i].iov_base,
			      .len = in.size[i] ? in.size[i] : in.msgs[i].msg_len };
	struct udp_session *s = udp_session_find(port->lb, key);

	if (s && unlikely(!server_reachable(s->server))) {
		udp_session_end(s, END_SERVER_DOWN);
		s = NULL;
	}
	if (s && unlikely(udp_session_is_spent(s))) {
		udp_session_end(s, END_NORMAL);
		s = NULL;
	}
	if (s && unlikely(udp_session_is_astray(s)))
		return udp_session_follow(s, first);
	if (s)
		return s;
	/* One that ends with its datagrams leaves its socket to the next one. */
	if (!port->lb->responses && !port->lb->requests && i && session_at[i - 1])
		udp_port_forward(session_at[i - 1]);
	return udp_session_begin(port, key, first);
}

/* Puts the datagram, or row, behind those that its session has in this batch. */
static void sort_one(struct udp_port *port, const struct dgram_key *key, unsigned i)
{
	struct udp_session *s;
	unsigned n, dropped;

	session_at[i] = NULL;
	n = dgram_row_count(in.msgs[i].msg_len, in.size[i]);
	dropped = n > DGRAM_ROW_MOST || !key->port ?
		  n : dgram_row_trim(in.iov[i].iov_base, &in.msgs[i].msg_len, &in.size[i],
				   port->lb->payload);
	udp_stats.dropped += dropped;
	port->lb->proxy->fe->counters.denied_requests += dropped;
	if (dropped == n)
		return;
	s = session_of(port, key, i);
	if (!s) {
		udp_stats.dropped += n - dropped;
		return;
	}
	session_at[i] = s;
	next_at[i] = UDP_NONE;
	if (s->first == UDP_NONE)
		s->first = (uint8_t)i;
	else
		next_at[s->last] = (uint8_t)i;
	s->last = (uint8_t)i;
	s->waiting++;
	if (port->lb->requests && s->requests + s->waiting >= port->lb->requests)
		udp_port_forward(s); /* it is to have no more than these */
}

/* Such a section gathers none, but its socket did before a reload. Each datagram leaves at once, so
 * that the next one can take its place. */
static void sort_apart(struct udp_port *port, const struct dgram_key *key, unsigned i)
{
	unsigned left = in.msgs[i].msg_len, size = in.size[i], piece;
	char *memory = in.iov[i].iov_base;

	in.size[i] = 0;
	for (; left; left -= piece) {
		piece = left < size ? left : size;
		in.msgs[i].msg_len = piece;
		sort_one(port, key, i);
		if (session_at[i])
			udp_port_forward(session_at[i]);
		in.iov[i].iov_base = (char *)in.iov[i].iov_base + piece;
	}
	in.iov[i].iov_base = memory;
}

static void sort_in(struct udp_port *port, unsigned i)
{
	struct dgram_key key = dgram_batch_key(&in, &port->dgram, i);

	key.number = port->number;
	if (unlikely(in.size[i] && !udp_gathers(port->lb)))
		sort_apart(port, &key, i);
	else
		sort_one(port, &key, i);
}

void udp_port_receive(struct dgram_port *dgram, int fd, unsigned batches)
{
	struct udp_port *port = udp_port_of(dgram);
	int n, i;

	do {
		n = dgram_batch_receive(&in, fd);
		for (i = 0; i < n; i++)
			sort_in(port, (unsigned)i);
		for (i = 0; i < n; i++)
			if (session_at[i])
				udp_port_forward(session_at[i]);
	} while (n == DGRAM_BATCH && --batches);
}

/* ---- the start --------------------------------------------------------------------------- */

int udp_ports_start(void)
{
	if (in.memory)
		return 0;
	udp_forward = udp_port_forward;
	return dgram_batch_start(&in) < 0 || udp_answers_start() < 0 ? -1 : 0;
}
