/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages in every framing, written and read, for httpsoak. The reader is strict and knows nothing
 * of the program under test; bodies are the endless text of a seed (contrib/bench/common.h), so a
 * byte of another message is seen as a wrong one.
 */
#include "httpsoak.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BUFFER (160 * 1024)

/* ---- out ---- */

void writer_begin(struct writer *w, const struct body *b)
{
	char *buf = w->buf ? w->buf : malloc(BUFFER);

	if (!buf)
		die("memory");
	memset(w, 0, sizeof(*w));
	w->buf = buf;
	w->body = *b;
}

void writer_free(struct writer *w)
{
	free(w->buf);
	memset(w, 0, sizeof(*w));
}

void writer_text(struct writer *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	w->len += (size_t)vsnprintf(w->buf + w->len, BUFFER - w->len, fmt, ap);
	va_end(ap);
}

void writer_announce(struct writer *w, const struct body *b)
{
	if (b->framing == BY_LENGTH)
		writer_text(w, "Content-Length: %llu\r\n", (unsigned long long)b->size);
	if (b->framing == CHUNKED)
		writer_text(w, "Transfer-Encoding: chunked\r\n%s",
			    b->trailer ? "Trailer: X-Sum\r\n" : "");
}

static void writer_bytes(struct writer *w, size_t n)
{
	pattern_fill(w->buf + w->len, n, w->body.seed, w->made);
	w->len += n;
	w->made += n;
}

static void writer_chunk_line(struct writer *w)
{
	static const char *const ext[] = { "", ";a", ";a=b", " ; name=\"a \\\" ; quoted\"", ";x=0;y=1" };
	uint64_t left = w->body.size - w->made;
	uint64_t n = rnd_range(&w->body.dice, 1, w->body.chunk_max);
	const char *e = w->body.extensions ? ext[rnd(&w->body.dice) % 5] : "";

	w->chunk_left = n < left ? n : left;
	writer_text(w, rnd(&w->body.dice) & 1 ? "%llx%s\r\n" : "%llX%s\r\n",
		    (unsigned long long)w->chunk_left, e);
}

static void writer_end(struct writer *w)
{
	if (w->body.framing == CHUNKED) {
		writer_text(w, "0\r\n");
		if (w->body.trailer)
			writer_text(w, "X-Sum: %llu\r\n", (unsigned long long)w->body.seed);
		writer_text(w, "\r\n");
	}
	w->done = true;
}

/* One part: a line of a chunk, payload, an end. false: nothing more can be made now. */
static bool writer_part(struct writer *w, size_t room)
{
	uint64_t left = w->body.size - w->made;

	if (w->hold && left)
		left--; /* the last byte stays behind */
	if (w->body.framing == NO_BODY) {
		w->done = true;
		return false;
	}
	if (!left) {
		if (!w->hold)
			writer_end(w);
		return false;
	}
	if (w->body.framing != CHUNKED) {
		writer_bytes(w, left < room ? (size_t)left : room);
		return true;
	}
	if (!w->chunk_left)
		writer_chunk_line(w);
	if (left > w->chunk_left)
		left = w->chunk_left;
	w->chunk_left -= left < room ? left : room;
	writer_bytes(w, left < room ? (size_t)left : room);
	if (!w->chunk_left)
		writer_text(w, "\r\n");
	return true;
}

void writer_make(struct writer *w, size_t want)
{
	if (w->off) {
		memmove(w->buf, w->buf + w->off, w->len - w->off);
		w->len -= w->off;
		w->off = 0;
	}
	while (!w->done && w->len < want && writer_part(w, want - w->len))
		;
}

/* ---- in ---- */

void reader_begin(struct reader *r)
{
	r->at = IN_HEAD;
	r->len = 0;
	r->left = r->pos = r->size = r->seed = 0;
	r->any = false;
	r->trailers = 0;
	r->bad = NULL;
}

static void reader_fail(struct reader *r, const char *why)
{
	r->at = IN_BAD;
	r->bad = why;
}

/* Adds bytes up to and including a line feed. true: a line is complete. */
static bool reader_line(struct reader *r, const char **p, const char *end)
{
	while (*p < end) {
		if (r->len == HEAD_MAX) {
			reader_fail(r, "a head or line without end");
			return false;
		}
		r->head[r->len++] = *(*p)++;
		if (r->head[r->len - 1] == '\n') {
			r->head[r->len] = '\0';
			if (r->len >= 2 && r->head[r->len - 2] == '\r')
				return true;
			reader_fail(r, "a line that ends without CR");
			return false;
		}
	}
	return false;
}

static void reader_done_if_whole(struct reader *r)
{
	if (r->pos != r->size)
		reader_fail(r, READER_SHORT);
	else
		r->at = IN_DONE;
}

/* "1f;ext CRLF" */
static void reader_chunk(struct reader *r)
{
	char *end;
	uint64_t n = strtoull(r->head, &end, 16);

	r->len = 0;
	if (!isxdigit((unsigned char)r->head[0]) || !strchr("; \t\r", *end)) {
		reader_fail(r, "a line that does not begin a chunk");
		return;
	}
	r->left = n;
	r->at = n ? IN_CHUNK_DATA : IN_TRAILER;
}

static void reader_trailer(struct reader *r)
{
	if (!strcmp(r->head, "\r\n")) {
		reader_done_if_whole(r);
	} else if (!strncasecmp(r->head, "X-Sum:", 6)) {
		r->trailers++;
		if (strtoull(r->head + 6, NULL, 10) != r->seed)
			reader_fail(r, "the trailer of another message");
	} else {
		reader_fail(r, "a trailer that nobody sent");
	}
	r->len = 0;
}

static void reader_data(struct reader *r, const char **p, const char *end)
{
	size_t n = (size_t)(end - *p);

	if (r->at != IN_RAW && n > r->left)
		n = (size_t)r->left;
	if (r->pos + n > r->size)
		reader_fail(r, "more bytes than the body has");
	else if (!r->any && pattern_check(*p, n, r->seed, r->pos) < n)
		reader_fail(r, "a wrong byte");
	r->pos += n;
	*p += n;
	if (r->at == IN_BAD || r->at == IN_RAW)
		return;
	r->left -= n;
	if (r->left)
		return;
	if (r->at == IN_LENGTH)
		reader_done_if_whole(r);
	else
		r->at = IN_CHUNK_END;
}

static void reader_step(struct reader *r, const char **p, const char *end)
{
	size_t line = r->len;

	switch (r->at) {
	case IN_HEAD:
		while (line && r->head[line - 1] != '\n')
			line--;
		if (reader_line(r, p, end) && r->len - line == 2)
			r->at = IN_HEAD_END;
		break;
	case IN_CHUNK_LINE:
		if (reader_line(r, p, end))
			reader_chunk(r);
		break;
	case IN_CHUNK_END:
		if (reader_line(r, p, end)) {
			if (r->len != 2)
				reader_fail(r, "no line behind a chunk");
			else
				r->at = IN_CHUNK_LINE;
			r->len = 0;
		}
		break;
	case IN_TRAILER:
		if (reader_line(r, p, end))
			reader_trailer(r);
		break;
	default:
		reader_data(r, p, end);
	}
}

size_t reader_feed(struct reader *r, const char *p, size_t n)
{
	const char *at = p, *end = p + n;

	while (at < end && r->at != IN_HEAD_END && r->at != IN_DONE && r->at != IN_BAD)
		reader_step(r, &at, end);
	return (size_t)(at - p);
}

void reader_body(struct reader *r, const struct body *b, enum framing f, uint64_t length)
{
	r->len = 0;
	r->pos = 0;
	r->size = f == NO_BODY ? 0 : b->size;
	r->seed = b->seed;
	r->left = length;
	switch (f) {
	case NO_BODY: r->at = IN_DONE; break;
	case BY_LENGTH:
		r->at = IN_LENGTH;
		if (length != b->size)
			reader_fail(r, "a Content-Length that was not sent");
		else if (!length)
			r->at = IN_DONE;
		break;
	case CHUNKED: r->at = IN_CHUNK_LINE; break;
	default: r->at = IN_RAW;
	}
}

const char *reader_header(const struct reader *r, const char *name)
{
	static char value[HEAD_MAX];
	size_t len = strlen(name);
	const char *line = r->head, *end;

	for (; (end = strstr(line, "\r\n")) && end != line; line = end + 2) {
		const char *from = line + len + 1;

		if (*name && (line == r->head || strncasecmp(line, name, len) || line[len] != ':'))
			continue;
		if (!*name)
			from = line;
		from += strspn(from, " \t");
		snprintf(value, sizeof(value), "%.*s", (int)(end - from), from);
		return value;
	}
	return NULL;
}

bool reader_announced(const struct reader *r, enum framing *f, uint64_t *length)
{
	const char *v = reader_header(r, "Transfer-Encoding");
	bool chunked = v && !strcasecmp(v, "chunked");

	if (v && !chunked)
		return false;
	v = reader_header(r, "Content-Length");
	if (v && chunked)
		return false;
	*length = v ? strtoull(v, NULL, 10) : 0;
	*f = chunked ? CHUNKED : v ? BY_LENGTH : NO_BODY;
	return true;
}
