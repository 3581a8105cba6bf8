/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The origins of httpsoak: each request says which exchange it belongs to, so its plan is known; it
 * is judged (complete, once, unmixed) and answered as planned.
 */
#include "httpsoak.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void server_close(struct server *v)
{
	close(v->fd);
	v->fd = -1;
	v->used = false;
}

/* The client of this exchange is still there and wants it. */
static bool server_wanted(const struct server *v)
{
	return v->slot->used && v->slot->number == v->number && v->slot->fd >= 0;
}

/* The proxy has closed or reset. In the middle of an exchange only a client may be the reason. */
static void server_ended(struct server *v, int error)
{
	if (v->busy && server_wanted(v) && !v->slot->fact[v->index].origin_broke && !v->poisoned)
		soak_fail(v->slot, v->index, "origin", error ? strerror(error) : "closed in the middle");
	server_close(v);
}

static void server_break(struct server *v)
{
	v->slot->fact[v->index].origin_broke = true;
	v->slot->fact[v->index].unsaid = !v->out.sent;
	count.origin_breaks++;
	if (v->slot->x[v->index].break_rst)
		sock_linger_zero(v->fd);
	server_close(v);
}

static void server_answer(struct server *v)
{
	const struct exchange *x = &v->slot->x[v->index];
	bool silent = x->head || x->status == 204 || x->status == 304;
	struct writer *w = &v->out;

	v->answering = true;
	for (unsigned i = 0; i < x->hints; i++)
		writer_text(w, "HTTP/1.1 103 Early Hints\r\nLink: </%u>; rel=preload\r\n\r\n", i);
	writer_text(w, "HTTP/1.1 %d Said\r\nX-Number: %u.%u\r\n", x->status, v->number, v->index);
	for (unsigned i = 0; i < x->fillers; i++)
		writer_text(w, "X-Filler: %u\r\n", i);
	if (x->status == 101)
		writer_text(w, "Connection: Upgrade\r\nUpgrade: soak\r\n");
	else if (x->origin_close)
		writer_text(w, "Connection: close\r\n");
	if (x->status != 101 && x->status != 204)
		writer_announce(w, &x->response);
	writer_text(w, "\r\n");
	w->body = x->response;
	if (silent)
		w->body.framing = NO_BODY;
	w->hold = !v->requested;
}

/* "GET /soak/12/3 HTTP/1.1": which exchange; NULL: none of those that are going on. */
static struct slot *server_find(struct server *v, char *method, const char **bad)
{
	struct slot *s;
	int end = 0;

	*bad = NULL;
	if (sscanf(v->in.head, "%15s /soak/%u/%u HTTP/1.%*1[01]%n", method, &v->number, &v->index,
		   &end) != 3 || v->in.head[end] != '\r' || v->index >= MAX_EXCHANGES) {
		*bad = "not a request";
		return NULL;
	}
	s = &slots[v->number % cfg.at_a_time];
	return s->used && s->number == v->number ? s : NULL;
}

/* What is wrong with a request's head; NULL: nothing. */
static const char *server_judge(struct server *v, const char *method, enum framing f)
{
	struct slot *s = v->slot;
	const struct exchange *x = &s->x[v->index];
	const char *number = reader_header(&v->in, "X-Number");
	char want[32];

	snprintf(want, sizeof(want), "%u.%u", v->number, v->index);
	if (v->index >= s->sending)
		return "a request that was not sent yet";
	if (s->fact[v->index].served)
		return "a request that came twice";
	if (strcmp(method, x->method) || !number || strcmp(number, want))
		return "a head that was mixed up";
	if ((f == NO_BODY) != (x->request.framing == NO_BODY || x->status == 101))
		return "the framing of the request was lost";
	return NULL;
}

/* A request that comes once more, since nothing was said to it, is answered. */
static void server_asked_again(const struct server *v)
{
	struct fact *fact = &v->slot->fact[v->index];

	if (!fact->unsaid)
		return;
	fact->unsaid = fact->origin_broke = fact->served = false;
	v->slot->x[v->index].break_at = NEVER;
	count.retries++;
}

static void server_head(struct server *v)
{
	char method[16];
	const char *bad;
	uint64_t length = 0;
	enum framing f = NO_BODY;

	v->slot = server_find(v, method, &bad);
	if (bad) {
		count.failures++;
		printf("FAILED  origin: %s: %.80s\n", bad, v->in.head);
	}
	if (!v->slot) { /* its client has gone */
		server_close(v);
		return;
	}
	if (v->poisoned) { /* this connection should have been closed */
		v->slot->fact[v->index].origin_broke = true;
		server_close(v);
		return;
	}
	if (limits.retries)
		server_asked_again(v);
	if (!reader_announced(&v->in, &f, &length))
		bad = "a head that contradicts itself";
	if (!bad)
		bad = server_judge(v, method, f);
	if (bad) {
		soak_fail(v->slot, v->index, "origin", bad);
		server_close(v);
		return;
	}
	v->slot->fact[v->index].served = true;
	v->slot->last = now_ns();
	v->busy = true;
	v->expects = reader_header(&v->in, "Expect");
	v->requested = v->answering = false;
	v->pause_left = v->slot->x[v->index].origin.pause_left;
	writer_begin(&v->out, &v->slot->x[v->index].response);
	reader_body(&v->in, &v->slot->x[v->index].request, f, length);
}

/* Behind the head: what is said before the request is complete. */
static void server_at_once(struct server *v)
{
	const struct exchange *x = &v->slot->x[v->index];

	soak_buffers(&x->origin, v->fd, false);
	if (v->expects)
		writer_text(&v->out, "HTTP/1.1 100 Continue\r\n\r\n");
	if (x->early && x->response.size && !x->head && x->status != 204 && x->status != 304)
		server_answer(v);
}

static void server_requested(struct server *v)
{
	const struct exchange *x = &v->slot->x[v->index];
	bool chunked = x->request.framing == CHUNKED;

	if (chunked && v->in.pos && x->request.trailer != v->in.trailers)
		soak_fail(v->slot, v->index, "origin", "the trailer was lost or doubled");
	v->requested = true;
	v->out.hold = false;
	if (!v->answering)
		server_answer(v);
	if (x->status == 101)
		reader_body(&v->in, &x->request, TUNNEL, 0);
}

static void server_feed(struct server *v)
{
	while (v->used && v->off < v->len && (!v->requested || v->in.at == IN_RAW)) {
		v->off += reader_feed(&v->in, v->buf + v->off, v->len - v->off);
		if (v->in.at == IN_HEAD_END) {
			server_head(v);
			if (v->used)
				server_at_once(v);
		}
		if (v->used && v->in.at == IN_BAD) {
			if (!v->busy || server_wanted(v)) {
				count.failures++;
				printf("FAILED  origin, %u.%u: %s\n", v->number, v->index, v->in.bad);
				if (v->busy)
					soak_fail(v->slot, v->index, "origin", v->in.bad);
			}
			server_close(v);
		}
		if (v->used && v->in.at == IN_DONE && !v->requested)
			server_requested(v);
	}
}

static void server_read(struct server *v)
{
	const struct manner *m = v->busy ? &v->slot->x[v->index].origin : NULL;
	ssize_t n = recv(v->fd, v->buf, m ? m->read_max : PIECE, 0);

	if (n < 0 && errno == EAGAIN)
		return;
	if (v->draining && n > 0)
		return;
	if (n <= 0) {
		server_ended(v, n < 0 ? errno : 0);
		return;
	}
	v->off = 0;
	v->len = (size_t)n;
	if (m && server_wanted(v)) {
		v->slot->last = now_ns();
		v->read_at = soak_pause(m, &v->pause_left);
	}
	server_feed(v);
}

/* An answer is complete. */
static void server_answered(struct server *v)
{
	const struct exchange *x = &v->slot->x[v->index];

	if (x->status == 101 && v->in.pos < x->request.size)
		return;
	v->busy = v->requested = v->answering = false;
	reader_begin(&v->in);
	if (x->origin_close || x->response.framing == TO_CLOSE || x->status == 101) {
		v->draining = true;
		shutdown(v->fd, SHUT_WR);
	}
}

static void server_excess(struct server *v)
{
	writer_text(&v->out, "HTTP/1.1 200 Wrong\r\nX-Number: 999999.9\r\n"
		    "Content-Length: 5\r\n\r\nWRONG");
	v->poisoned = true;
}

static size_t server_ready_bytes(struct server *v)
{
	const struct exchange *x = &v->slot->x[v->index];
	bool was_done = v->out.done;

	if (v->answering)
		writer_make(&v->out, x->excess ? PIECE : x->origin.piece);
	if (x->excess && v->out.done && !was_done)
		server_excess(v);
	return v->out.len - v->out.off;
}

static void server_write(struct server *v)
{
	const struct exchange *x = &v->slot->x[v->index];
	size_t n = server_ready_bytes(v);
	ssize_t sent;

	if (n > x->origin.piece && !x->excess)
		n = x->origin.piece;
	if (v->out.sent + n > x->break_at)
		n = (size_t)(x->break_at - v->out.sent);
	sent = n ? send(v->fd, v->out.buf + v->out.off, n, MSG_NOSIGNAL) : 0;
	if (sent < 0 && errno == EAGAIN)
		return;
	if (sent < 0) {
		server_ended(v, errno);
		return;
	}
	v->out.off += (size_t)sent;
	v->out.sent += (uint64_t)sent;
	if (sent)
		v->slot->last = now_ns();
	v->write_at = soak_pause(&x->origin, &v->pause_left);
	if (v->answering && writer_finished(&v->out))
		server_answered(v);
	else if (v->out.sent >= x->break_at)
		server_break(v);
}

void server_accept(void)
{
	for (unsigned i = 0; i < MAX_SERVERS; i++) {
		struct server *v = servers[i];
		struct writer out;
		int fd;

		if (v && v->used)
			continue;
		fd = accept4(cfg.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0)
			return;
		if (!v)
			v = servers[i] = calloc(1, sizeof(*v));
		if (!v)
			die("memory");
		out = v->out;
		memset(v, 0, sizeof(*v));
		v->out = out;
		v->used = true;
		v->fd = fd;
		reader_begin(&v->in);
		sock_nodelay(fd);
	}
}

short server_events(struct server *v, uint64_t now)
{
	bool reads = v && v->used && v->read_at <= now && v->off == v->len &&
		     (!v->requested || v->in.at == IN_RAW);

	if (!v || !v->used)
		return 0;
	if (v->draining)
		return POLLIN;
	if (v->busy && !server_wanted(v)) { /* nobody waits for the rest */
		server_close(v);
		return 0;
	}
	return (short)((reads ? POLLIN : 0) |
		       (v->busy && v->write_at <= now &&
			(server_ready_bytes(v) || v->answering) ? POLLOUT : 0));
}

void server_ready(struct server *v, short events)
{
	if (v->used && (events & POLLIN))
		server_read(v);
	if (v->used && v->off < v->len && !v->draining)
		server_feed(v);
	if (v->used && v->busy && (events & POLLOUT))
		server_write(v);
}
