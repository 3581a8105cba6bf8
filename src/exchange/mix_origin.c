/* SPDX-License-Identifier: BSD-2-Clause */
/* The servers of the random mix (exchange/mix.h): real sockets, a parser of their own. A request that
 * nobody has sent, that is malformed, or of which a byte is wrong is a finding; so are bytes behind
 * a request before its answer has left. */
#include "exchange/mix.h"

#include "exchange/test_world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ASKED_MOST = 300, HEAD_MOST = 8192, READ_MOST = 8192, ANSWER_MORE = 4096, CHUNK = 7000 };

/* Where a chunked body is. */
enum chunk_at { CHUNK_SIZE, CHUNK_DATA, CHUNK_END, CHUNK_TRAILER };

/* A connection. */
struct asked {
	int fd;               /* -1: none */
	char head[HEAD_MOST + READ_MOST + 1];
	size_t head_len;
	bool reads_body, answers;
	struct mix_plan plan; /* of the request at hand */
	enum mix_frame frame;
	size_t body, left;    /* bytes that came; of BODY_LENGTH, or of the chunk, to come */
	enum chunk_at chunk;
	char line[40];        /* of the coding */
	size_t line_len;
	enum mix_fault fault; /* at this attempt */
	char *answer;
	size_t answer_len, stop, sent;
};

unsigned origin_requests;

static int listening = -1;
static struct asked *asked;
static unsigned open_count; /* in the first so many places */
static uint8_t attempts[MIX_EXCHANGES];

/* ---- connections ------------------------------------------------------------------------------ */

static void asked_close(struct asked *a, bool reset)
{
	struct linger linger = { .l_onoff = 1 };

	if (reset)
		setsockopt(a->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(a->fd);
	free(a->answer);
	a->answer = NULL;
	a->fd = -1;
}

static void asked_accept(void)
{
	struct asked *a = NULL;
	unsigned i;

	for (i = 0; i < ASKED_MOST && !a; i++)
		if (asked[i].fd < 0)
			a = &asked[i];
	if (!a)
		return; /* it waits in the queue of the listener */
	a->fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK);
	if (a->fd < 0)
		return;
	a->head_len = 0;
	a->reads_body = a->answers = false;
	if (i > open_count)
		open_count = i;
}

/* ---- the answer ------------------------------------------------------------------------------- */

static size_t put_head(struct asked *a, unsigned status)
{
	const struct mix_plan *p = &a->plan;
	char *at = a->answer;
	unsigned i;

	if (p->expects && !p->early)
		at += sprintf(at, "HTTP/1.1 100 Continue\r\n\r\n");
	for (i = 0; i < p->interims; i++)
		at += sprintf(at, "HTTP/1.1 103 Early Hints\r\nX-Id: %u\r\n\r\n", p->id);
	at += sprintf(at, "HTTP/1.1 %u Said\r\nX-Id: %u\r\nContent-Type: text/plain\r\n", status, p->id);
	if (p->says_close || p->answers == MIX_CLOSE)
		at += sprintf(at, "Connection: close\r\n");
	if (status == 204 || status == 304)
		;
	else if (p->answers == MIX_LENGTH)
		at += sprintf(at, "Content-Length: %zu\r\n", p->answered);
	else if (p->answers == MIX_CHUNKED)
		at += sprintf(at, "Transfer-Encoding: chunked\r\n");
	at += sprintf(at, "\r\n");
	return (size_t)(at - a->answer);
}

static size_t put_body(struct asked *a, char *at)
{
	const struct mix_plan *p = &a->plan;
	char *start = at;
	size_t i, n;

	for (i = 0; i < p->answered; i++) {
		n = p->answered - i < CHUNK ? p->answered - i : CHUNK;
		if (p->answers == MIX_CHUNKED && i % CHUNK == 0)
			at += sprintf(at, "%s%zx%s\r\n", i ? "\r\n" : "", n, i % 2 ? ";a=b" : "");
		*at++ = mix_byte(p->id, true, i);
	}
	if (p->answers == MIX_CHUNKED)
		at += sprintf(at, "%s0\r\n%s\r\n", p->answered ? "\r\n" : "",
			      p->id % 3 ? "" : "X-Trailer: t\r\n");
	return (size_t)(at - start);
}

static void answer_make(struct asked *a)
{
	struct mix_plan *p = &a->plan;
	unsigned status = a->fault == MIX_BUSY ? 503 : p->status;
	size_t head;

	a->answer = malloc(p->answered + p->answered / CHUNK * 20 + ANSWER_MORE);
	if (a->fault == MIX_JUNK) {
		a->answer_len = (size_t)sprintf(a->answer, "JUNK %u\r\n\r\n", p->id);
	} else {
		head = put_head(a, status);
		a->answer_len = head;
		if (p->method != METHOD_HEAD && status != 204 && status != 304)
			a->answer_len += put_body(a, a->answer + head);
	}
	a->stop = a->answer_len;
	if (a->fault == MIX_RESET || a->fault == MIX_CUT)
		a->stop = p->fault_at % a->answer_len;
	a->sent = 0;
	a->answers = true;
}

/* It has left, up to where it ends. */
static void answer_left(struct asked *a)
{
	const struct mix_plan *p = &a->plan;

	a->answers = false;
	free(a->answer);
	a->answer = NULL;
	if (a->fault == MIX_RESET)
		asked_close(a, true);
	else if (a->fault == MIX_CUT || a->fault == MIX_JUNK || p->says_close || p->sly ||
		 p->answers == MIX_CLOSE)
		shutdown(a->fd, SHUT_WR); /* closed when the proxy closes */
}

static void answer_send(struct asked *a)
{
	size_t most = a->sent < 400 ? a->plan.pace : 50000, len = a->stop - a->sent;
	ssize_t sent;

	if (len > most)
		len = most;
	sent = len ? send(a->fd, a->answer + a->sent, len, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;
	if (sent < 0 && errno != EAGAIN) {
		asked_close(a, false);
		return;
	}
	if (sent > 0) {
		a->sent += (size_t)sent;
		mix_moved += (size_t)sent;
	}
	if (a->sent == a->stop)
		answer_left(a);
}

/* ---- the request ------------------------------------------------------------------------------ */

static void request_whole(struct asked *a)
{
	a->reads_body = false;
	if (a->body != a->plan.asked)
		mix_found("request %u: %zu bytes of %zu", a->plan.id, a->body, a->plan.asked);
	if (a->fault == MIX_EMPTY)
		asked_close(a, false);
	else if (!a->answers && !a->plan.early)
		answer_make(a);
}

static void body_byte(struct asked *a, char c)
{
	if (a->body >= a->plan.asked || c != mix_byte(a->plan.id, false, a->body))
		mix_found("request %u: byte %zu of %zu is wrong", a->plan.id, a->body, a->plan.asked);
	a->body++;
	a->left--;
}

/* A line of the coding. */
static void chunk_line(struct asked *a)
{
	bool empty = !a->line_len;
	char *end;

	a->line[a->line_len] = 0;
	a->line_len = 0;
	switch (a->chunk) {
	case CHUNK_SIZE:
		a->left = strtoul(a->line, &end, 16);
		if (end == a->line || *end)
			mix_found("request %u: the chunk begins with '%s'", a->plan.id, a->line);
		a->chunk = a->left ? CHUNK_DATA : CHUNK_TRAILER;
		break;
	case CHUNK_END:
		if (!empty)
			mix_found("request %u: a chunk ends with '%s'", a->plan.id, a->line);
		a->chunk = CHUNK_SIZE;
		break;
	case CHUNK_TRAILER:
		if (!empty)
			mix_found("request %u: trailer '%s'", a->plan.id, a->line);
		request_whole(a);
		break;
	case CHUNK_DATA:
		break;
	}
}

static void chunk_byte(struct asked *a, char c)
{
	if (a->chunk == CHUNK_DATA) {
		body_byte(a, c);
		if (!a->left)
			a->chunk = CHUNK_END;
		return;
	}
	if (c == '\n') {
		if (!a->line_len || a->line[a->line_len - 1] != '\r')
			mix_found("request %u: a line of the coding ends badly", a->plan.id);
		a->line_len--;
		chunk_line(a);
		return;
	}
	if (a->line_len == sizeof(a->line) - 1)
		mix_found("request %u: a long line of the coding", a->plan.id);
	a->line[a->line_len++] = c;
}

/* Returns how many of the bytes belong to the body. */
static size_t body_bytes(struct asked *a, const char *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len && a->reads_body && a->fd >= 0; i++) {
		if (a->frame == MIX_CHUNKED)
			chunk_byte(a, bytes[i]);
		else
			body_byte(a, bytes[i]);
		if (a->frame == MIX_LENGTH && !a->left)
			request_whole(a);
	}
	return i;
}

static const char *head_value(struct asked *a, const char *name)
{
	char *found = strcasestr(a->head, name);

	if (!found)
		return NULL;
	if (strcasestr(found + 1, name))
		mix_found("request has two of '%s': %s", name + 2, a->head);
	return found + strlen(name);
}

/* What it must be, as it was sent. */
static void head_judge(struct asked *a)
{
	struct span method = method_span(a->plan.method);
	const char *length = head_value(a, "\r\ncontent-length: ");
	const char *coding = head_value(a, "\r\ntransfer-encoding: chunked\r\n");

	if (strncmp(a->head, method.ptr, method.len) || !strstr(a->head, " HTTP/1.1\r\n"))
		mix_found("request %u: %s", a->plan.id, a->head);
	a->frame = length ? MIX_LENGTH : coding ? MIX_CHUNKED : MIX_BARE;
	if ((length && coding) || a->frame != a->plan.asks)
		mix_found("request %u: its body is framed otherwise: %s", a->plan.id, a->head);
	a->left = length ? strtoul(length, NULL, 10) : 0;
	if (length && a->left != a->plan.asked)
		mix_found("request %u: %zu bytes announced", a->plan.id, a->left);
}

static void head_whole(struct asked *a)
{
	const char *id = head_value(a, "\r\nx-id: ");
	unsigned number = id ? (unsigned)strtoul(id, NULL, 10) : MIX_EXCHANGES;

	if (number >= MIX_EXCHANGES)
		mix_found("a request that nobody has sent: %s", a->head);
	origin_requests++;
	a->plan = mix_plan(number);
	head_judge(a);
	a->fault = attempts[number]++ < a->plan.faults ? a->plan.fault : MIX_GOOD;
	a->body = a->line_len = 0;
	a->chunk = CHUNK_SIZE;
	a->reads_body = true;
	if (a->plan.early && a->fault != MIX_EMPTY)
		answer_make(a);
	if (a->frame == MIX_BARE || (a->frame == MIX_LENGTH && !a->left))
		request_whole(a);
}

static void head_bytes(struct asked *a, const char *bytes, size_t len)
{
	char *end;
	size_t had = a->head_len, used;

	if (had > HEAD_MOST)
		mix_found("a long head: %s", a->head);
	memcpy(a->head + a->head_len, bytes, len);
	a->head_len += len;
	a->head[a->head_len] = 0;
	end = strstr(a->head, "\r\n\r\n");
	if (!end)
		return;
	used = (size_t)(end + 4 - a->head) - had;
	end[2] = 0;
	a->head_len = 0;
	head_whole(a);
	used += a->fd >= 0 ? body_bytes(a, bytes + used, len - used) : len - used;
	if (used < len)
		mix_found("bytes behind request %u", a->plan.id);
}

static void asked_read(struct asked *a)
{
	char bytes[READ_MOST];
	size_t most = 1 + mix_rnd(mix_rnd(4) ? sizeof(bytes) - 1 : 40);
	ssize_t got = recv(a->fd, bytes, most, MSG_DONTWAIT);
	size_t used;

	if (got < 0 && errno == EAGAIN)
		return;
	if (got <= 0) {
		asked_close(a, false);
		return;
	}
	mix_moved += (size_t)got;
	used = a->reads_body ? body_bytes(a, bytes, (size_t)got) : 0;
	if (used == (size_t)got)
		return;
	if (a->answers || a->fd < 0)
		mix_found("bytes behind request %u, which has no answer", a->plan.id);
	head_bytes(a, bytes + used, (size_t)got - used);
}

/* ---- for the round ---------------------------------------------------------------------------- */

unsigned origin_open(void)
{
	unsigned port, i;

	listening = world_listen(&port);
	asked = calloc(ASKED_MOST, sizeof(*asked));
	for (i = 0; i < ASKED_MOST; i++)
		asked[i].fd = -1;
	return port;
}

void origin_turn(void)
{
	unsigned i;

	asked_accept();
	for (i = 0; i < open_count; i++) {
		if (asked[i].fd >= 0 && mix_rnd(3))
			asked_read(&asked[i]);
		if (asked[i].fd >= 0 && asked[i].answers && mix_rnd(3))
			answer_send(&asked[i]);
	}
}

void origin_close(void)
{
	unsigned i;

	for (i = 0; i < ASKED_MOST; i++)
		if (asked[i].fd >= 0)
			asked_close(&asked[i], false);
	free(asked);
	close(listening);
}
