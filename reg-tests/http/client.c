/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clients of httpsoak: they send the requests of their plan and judge what comes back. An early
 * end, an answer of the proxy itself or a cut is right only where the origin has broken off.
 */
#include "httpsoak.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static uint32_t rounds[MAX_SLOTS];
static char buffer[PIECE];

static void client_close(struct slot *s, bool rst)
{
	if (rst)
		sock_linger_zero(s->fd);
	close(s->fd);
	s->fd = -1;
	s->last = now_ns();
}

static void client_break(struct slot *s)
{
	s->broke = true;
	count.client_breaks++;
	client_close(s, s->plan.break_rst);
}

static void client_fail(struct slot *s, const char *what)
{
	soak_fail(s, s->reading, "client", what);
	client_close(s, true);
}

/* Ends the connection: nothing may be sent behind it. */
static bool ends_connection(const struct exchange *x)
{
	return x->client_close || x->origin_close || x->break_at != NEVER || x->excess ||
	       x->status == 101;
}

static bool may_begin(const struct slot *s)
{
	unsigned i = s->sending;

	if (s->writing || s->ending || s->shut || i == s->plan.exchanges ||
	    i - s->reading >= s->plan.depth)
		return false;
	if (i == s->reading)
		return true;
	if (s->x[i].status == 101 || s->x[i - 1].status == 101)
		return false;
	if (cfg.fault && s->x[i].break_at != NEVER)
		return false; /* a relay of bytes lets it cut the responses before, too */
	for (unsigned k = s->reading; k < i && !limits.pipe_always; k++)
		if (ends_connection(&s->x[k]))
			return false;
	return true;
}

static void client_begin(struct slot *s)
{
	const struct exchange *x = &s->x[s->sending];
	static const struct body none;
	const char *connection = x->status == 101 ? "Upgrade\r\nUpgrade: soak" :
				 x->client_close  ? "close" : "keep-alive";
	struct writer *w = &s->out;

	writer_begin(w, x->status == 101 ? &none : &x->request);
	writer_text(w, "%s /soak/%u/%u HTTP/1.%d\r\nHost: soak\r\n", x->method, s->number,
		    s->sending, !s->plan.http10);
	for (unsigned i = 0; i < x->fillers; i++)
		writer_text(w, "X-Filler-%u: %.*s\r\n", i, (int)(i * 7 % 80),
			    "the quick brown fox jumps over the lazy dog and over and over again "
			    "and what not");
	writer_text(w, "X-Number: %u.%u\r\n%s", s->number, s->sending,
		    x->expect ? "Expect: 100-continue\r\n" : "");
	if (s->plan.http10 || strcmp(connection, "keep-alive"))
		writer_text(w, "Connection: %s\r\n", connection);
	if (x->status != 101)
		writer_announce(w, &x->request);
	writer_text(w, "\r\n");
	w->hold = false;
	s->waiting = x->expect;
	s->writing = true;
	s->sending++;
}

/* The request that is being written is complete. */
static void client_written(struct slot *s)
{
	s->writing = false;
	if (s->plan.half_close && s->sending == s->plan.exchanges && !s->shut) {
		s->shut = true;
		shutdown(s->fd, SHUT_WR);
	}
}

/* Makes what is sent next; that nothing is left shows only then. */
static void client_make(struct slot *s)
{
	if (!s->writing || s->waiting)
		return;
	writer_make(&s->out, s->plan.client.piece);
	if (writer_finished(&s->out))
		client_written(s);
}

/* What can be sent now; 0: nothing. */
static size_t client_ready_bytes(struct slot *s)
{
	for (;;) {
		client_make(s);
		if (s->writing)
			return s->out.len - s->out.off;
		if (!may_begin(s))
			return 0;
		client_begin(s);
	}
}

static void client_write(struct slot *s)
{
	size_t n = client_ready_bytes(s);
	bool breaking = s->plan.break_sending && s->sending - 1 == s->plan.break_index;
	ssize_t sent;

	if (n > s->plan.client.piece)
		n = s->plan.client.piece;
	if (breaking && s->out.sent + n > s->plan.break_at)
		n = (size_t)(s->plan.break_at - s->out.sent);
	sent = n ? send(s->fd, s->out.buf + s->out.off, n, MSG_NOSIGNAL) : 0;
	if (sent < 0 && errno != EAGAIN) {
		/* What was answered before may still be read. The error is told once: a reset that
		 * a send has met looks like an end to recv. */
		s->send_error = errno;
		s->writing = false;
		s->shut = true;
		return;
	}
	if (sent > 0) {
		s->out.off += (size_t)sent;
		s->out.sent += (uint64_t)sent;
		count.bytes += (uint64_t)sent;
		s->last = now_ns();
		s->write_at = soak_pause(&s->plan.client, &s->plan.client.pause_left);
	}
	if (breaking && s->out.sent >= s->plan.break_at)
		client_break(s);
	else if (!s->waiting && writer_finished(&s->out))
		client_written(s);
}

/* An end or an error came: is that what it should be? */
static void client_ended(struct slot *s, int error)
{
	unsigned i = s->reading;
	bool broke = i < s->plan.exchanges && s->fact[i].origin_broke;
	bool began = s->in.at != IN_HEAD || s->in.len;

	if (s->in.at == IN_RAW && s->in.pos == s->in.size && !error && !broke) {
		count.exchanges++;
		client_close(s, false);
	} else if (s->own) {
		client_fail(s, "an answer of the proxy ends too early");
	} else if (broke) {
		error = error ? error : s->send_error;
		count.cut++;
		count.reset += error != 0;
		if (s->in.at == IN_RAW && !error && s->x[i].break_rst) {
			count.hidden++;
			if (cfg.want_rst)
				soak_fail(s, i, "client", "a broken off body to the close ends with FIN");
		}
		client_close(s, false);
	} else if (!began && (s->ending || (i == s->plan.exchanges && !s->writing))) {
		client_close(s, false);
	} else if (began) {
		client_fail(s, error ? strerror(error) : "a response ends too early");
	} else {
		client_fail(s, i < s->sending ? "closed without an answer" :
						"closed though nobody announced it");
	}
}

/* 1xx. false: it should not be there. */
static bool client_informational(struct slot *s, int status)
{
	struct exchange *x = &s->x[s->reading];

	if (status == 100 && x->expect && s->sending - 1 == s->reading) {
		s->waiting = false;
		count.continued++;
	} else if (status == 103) {
		s->fact[s->reading].hints++;
		count.hints++;
	} else {
		return false;
	}
	reader_begin(&s->in);
	return true;
}

/* Whether the response says that the connection ends with it. */
static bool client_last(const struct slot *s)
{
	const char *v = reader_header(&s->in, "Connection");

	if (v && strcasestr(v, "close"))
		return true;
	return s->plan.http10 && !(v && strcasestr(v, "keep-alive"));
}

static void client_tunnel(struct slot *s)
{
	writer_begin(&s->out, &s->x[s->reading].request);
	s->writing = true;
	count.tunnels++;
}

/* A head without our number: made by the proxy itself. What of the request is left is sent all the
 * same (RFC 9112 9.5), and the answer has to come completely. */
static void client_own_answer(struct slot *s, int status)
{
	static char text[64];
	struct body any = { .framing = BY_LENGTH };
	enum framing f = NO_BODY;

	if (s->fact[s->reading].origin_broke) {
		count.own++;
		if (!reader_announced(&s->in, &f, &any.size) || f != BY_LENGTH) {
			client_fail(s, "an answer of the proxy without a length");
			return;
		}
		s->own = s->ending = true;
		s->writing = s->writing && !s->waiting;
		reader_body(&s->in, &any, s->x[s->reading].head ? NO_BODY : BY_LENGTH, any.size);
		s->in.any = true;
		return;
	}
	snprintf(text, sizeof(text), "the proxy answers %d itself", status);
	client_fail(s, text);
}

/* The head of a final response. */
static void client_final(struct slot *s, int status)
{
	struct exchange *x = &s->x[s->reading];
	const char *number = reader_header(&s->in, "X-Number");
	uint64_t length = 0;
	enum framing f;
	char want[32];

	snprintf(want, sizeof(want), "%u.%u", s->number, s->reading);
	if (!number) {
		client_own_answer(s, status);
	} else if (strcmp(number, want)) {
		client_fail(s, "the response of another exchange");
	} else if (status != x->status) {
		client_fail(s, "another status than was sent");
	} else if (!reader_announced(&s->in, &f, &length)) {
		client_fail(s, "a head that contradicts itself");
	} else if (s->fact[s->reading].hints != x->hints) {
		client_fail(s, "103 was lost or doubled");
	} else {
		s->ending = s->ending || client_last(s);
		if (status == 101)
			client_tunnel(s);
		if (status == 101)
			f = TUNNEL;
		else if (x->head || status == 204 || status == 304)
			f = NO_BODY;
		else if (f == NO_BODY)
			f = TO_CLOSE;
		reader_body(&s->in, &x->response, f, length);
		if (f == CHUNKED && x->response.framing != CHUNKED)
			x->response.trailer = false; /* the proxy may have chosen it */
	}
}

static void client_head(struct slot *s)
{
	int status = 0;

	if (sscanf(s->in.head, "HTTP/1.%*1d %3d", &status) != 1)
		client_fail(s, "not a response");
	else if (status >= 100 && status < 200 && status != 101) {
		if (!client_informational(s, status))
			client_fail(s, "a 1xx that nobody sent");
	} else
		client_final(s, status);
}

/* A response is complete. */
static void client_done(struct slot *s)
{
	const struct exchange *x = &s->x[s->reading];
	bool chunked = x->response.framing == CHUNKED && s->in.pos && !x->head;

	if (s->own) {
		client_close(s, false);
		return;
	}
	if (s->fact[s->reading].origin_broke) {
		client_fail(s, "a response that was broken off looks complete");
		return;
	}
	if (chunked && x->response.trailer != s->in.trailers) {
		client_fail(s, "the trailer was lost or doubled");
		return;
	}
	count.trailers += s->in.trailers;
	client_make(s);
	if (s->writing && s->sending - 1 == s->reading) {
		client_fail(s, "answered before the request was complete");
		return;
	}
	count.exchanges++;
	s->reading++;
	s->got = 0;
	reader_begin(&s->in);
	if (s->reading == s->plan.exchanges && !s->ending)
		client_close(s, rnd(&dice) % 4 == 0);
}

/* FIN is how a body to the close ends: the proxy, which sends it in chunks, cannot know better. */
static bool client_short(struct slot *s)
{
	const struct exchange *x = &s->x[s->reading];

	if (x->response.framing != TO_CLOSE || !s->fact[s->reading].origin_broke || x->break_rst ||
	    !s->in.bad || strcmp(s->in.bad, READER_SHORT) || s->in.pos > s->in.size)
		return false;
	count.cut++;
	client_close(s, false);
	return true;
}

static void client_feed(struct slot *s, const char *p, size_t n)
{
	while (n && s->fd >= 0) {
		size_t used;

		if (s->reading >= s->sending || (s->ending && s->in.at == IN_HEAD)) {
			client_fail(s, "bytes that nobody asked for");
			return;
		}
		used = reader_feed(&s->in, p, n);
		p += used;
		n -= used;
		s->got += used;
		if (s->in.at == IN_HEAD_END)
			client_head(s);
		if (s->fd >= 0 && s->in.at == IN_BAD && !client_short(s))
			client_fail(s, s->in.bad);
		if (s->fd >= 0 && s->in.at == IN_DONE)
			client_done(s);
	}
}

static void client_read(struct slot *s)
{
	ssize_t n = recv(s->fd, buffer, s->plan.client.read_max, 0);

	if (n < 0 && errno == EAGAIN)
		return;
	s->last = now_ns();
	if (n <= 0) {
		client_ended(s, n < 0 ? errno : 0);
		return;
	}
	count.bytes += (uint64_t)n;
	s->read_at = soak_pause(&s->plan.client, &s->plan.client.pause_left);
	client_feed(s, buffer, (size_t)n);
	if (s->fd >= 0 && !s->plan.break_sending && s->reading == s->plan.break_index &&
	    s->got >= s->plan.break_at)
		client_break(s);
}

void slot_begin(struct slot *s)
{
	unsigned i = (unsigned)(s - slots);
	struct writer out = s->out;

	memset(s, 0, sizeof(*s));
	s->out = out;
	s->used = true;
	s->number = i + cfg.at_a_time * rounds[i]++;
	plan_draw(s->number, &s->plan, s->x);
	reader_begin(&s->in);
	s->last = now_ns();
	s->fd = socket(cfg.front.ss.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->fd < 0)
		die("socket");
	soak_buffers(&s->plan.client, s->fd, true);
	if (connect(s->fd, (struct sockaddr *)&cfg.front.ss, cfg.front.len) && errno != EINPROGRESS)
		die("connect");
	s->port = sock_port(s->fd);
	sock_nodelay(s->fd);
}

void slot_watch(struct slot *s)
{
	if (s->fd < 0) {
		count.connections++;
		s->used = false;
	} else if (now_ns() - s->last > cfg.patience) {
		client_fail(s, "nothing moves any more");
		s->used = false;
	}
}

short slot_events(struct slot *s, uint64_t now)
{
	if (!s->used || s->fd < 0)
		return 0;
	return (short)((s->read_at <= now ? POLLIN : 0) |
		       (s->write_at <= now && client_ready_bytes(s) ? POLLOUT : 0));
}

void slot_ready(struct slot *s, short events)
{
	/* An error is met by the next call, whichever is due. */
	if ((events & POLLOUT) && s->fd >= 0)
		client_write(s);
	if ((events & POLLIN) && s->fd >= 0)
		client_read(s);
}
