/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A message as bytes on the wire. Names are written as they were received or set. Field lines that
 * nobody has touched are copied in one piece, together with their neighbours. Whatever rules,
 * options and files have made is looked at here, behind the last of them: it cannot end its line.
 */
#include "http/h1.h"

#include "base/bug.h"
#include "http/scan.h"

/* Appends; once something did not fit nothing more is written. */
struct writer {
	char *start, *p, *end;
	bool full;
};

static void put(struct writer *w, const char *s, size_t len)
{
	if ((size_t)(w->end - w->p) < len)
		w->full = true;
	if (w->full || !len)
		return;
	memcpy(w->p, s, len);
	w->p += len;
}

static void put_span(struct writer *w, struct span s)
{
	put(w, s.ptr, s.len);
}

/* RFC 9110 5.5: what would end the line, or must not be there, becomes a blank. From p on; what
 * was written before may be read with it. */
static void blank_controls(struct writer *w, char *p)
{
	while ((p = (char *)scan_value(w->start, p, w->p)) < w->p)
		*p++ = ' ';
}

static void put_clean(struct writer *w, struct span s)
{
	char *p = w->p;

	put_span(w, s);
	blank_controls(w, p);
}

static char *copy(char *p, struct span s)
{
	if (s.len)
		memcpy(p, s.ptr, s.len);
	return p + s.len;
}

static char *copy_version(char *p, const struct message *msg)
{
	if (unlikely(msg->protocol.ptr != NULL))
		return copy(p, msg->protocol);
	memcpy(p, "HTTP/1.1", 8);
	if (unlikely(msg->minor != 1) && msg->major == 1) /* what came as HTTP/2 leaves as 1.1 */
		p[7] = (char)('0' + msg->minor % 10);
	return p + 8;
}

/* There is room for it. */
static char *copy_request_line(char *p, const struct message *msg)
{
	p = copy(p, msg->method_text);
	*p++ = ' ';
	p = copy(p, msg->target);
	*p++ = ' ';
	return copy_version(p, msg);
}

static char *copy_status_line(char *p, const struct message *msg)
{
	unsigned code = msg->status;

	p = copy_version(p, msg);
	*p++ = ' ';
	*p++ = (char)('0' + code / 100 % 10);
	*p++ = (char)('0' + code / 10 % 10);
	*p++ = (char)('0' + code % 10);
	*p++ = ' ';
	return copy(p, msg->reason);
}

static size_t start_line_size(const struct message *msg)
{
	size_t len = msg->protocol.ptr ? msg->protocol.len : 8;

	return len + (msg->is_response ? msg->reason.len + 7 :
					 msg->method_text.len + msg->target.len + 4);
}

/* A phrase is as a value. */
static void put_status_line(struct writer *w, const struct message *msg)
{
	char *p = w->p;

	w->p = copy_status_line(p, msg);
	blank_controls(w, p);
}

static bool is_word(struct span s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (!char_is(s.ptr[i], CHAR_VALUE) || char_is(s.ptr[i], CHAR_BLANK))
			return false;
	return s.len > 0;
}

/* What would not be one request line of three words does not leave. */
static void put_request_line(struct writer *w, const struct message *msg)
{
	if (unlikely(!is_word(msg->method_text) || !is_word(msg->target)))
		w->full = true;
	else
		w->p = copy_request_line(w->p, msg);
}

static void put_start_line(struct writer *w, const struct message *msg)
{
	size_t len = start_line_size(msg);

	if ((size_t)(w->end - w->p) < len) {
		w->full = true;
		return;
	}
	if (msg->is_response)
		put_status_line(w, msg);
	else
		put_request_line(w, msg);
	if (w->full)
		return;
	memcpy(w->p, "\r\n", 2);
	w->p += 2;
}

/* Lines as received that follow each other in memory, from field i on: one piece. The index behind
 * the last of them. */
static unsigned put_lines(struct writer *w, const struct message *msg, unsigned i)
{
	const struct field *f = &msg->fields[i];
	const char *start = f->name.ptr, *end;

	do {
		end = f->value.ptr + f->value.len + 2;
		f++;
		i++;
	} while (i < msg->count && f->line && f->name.ptr == end);
	put(w, start, (size_t)(end - start));
	return i;
}

size_t h1_write_head(const struct message *msg, char *memory, size_t size)
{
	struct writer w = { memory, memory, memory + size, false };
	unsigned i = 0;

	put_start_line(&w, msg);
	while (i < msg->count) {
		const struct field *f = &msg->fields[i];

		if (f->line && f->name.ptr) {
			i = put_lines(&w, msg, i);
			continue;
		}
		i++;
		if (!f->name.ptr)
			continue;
		put_clean(&w, f->name);
		put(&w, ": ", 2);
		put_clean(&w, f->value);
		put(&w, "\r\n", 2);
	}
	put(&w, "\r\n", 2);
	return w.full ? 0 : (size_t)(w.p - memory);
}

size_t message_size(const struct message *msg)
{
	size_t size = start_line_size(msg) + 2;
	unsigned i;

	for (i = 0; i < msg->count; i++)
		if (msg->fields[i].name.ptr)
			size += msg->fields[i].name.len + msg->fields[i].value.len + 4;
	return size;
}

void message_adjust_names(struct message *msg, const struct h1_names *names)
{
	unsigned i, k;

	for (i = 0; i < msg->count; i++) {
		struct field *f = &msg->fields[i];

		for (k = 0; k < names->count; k++)
			if (field_name_is(f, names->to[k])) {
				f->name = names->to[k];
				f->line = false;
				msg->received = NULL;
				break;
			}
	}
}

size_t h1_chunk_line(char line[20], uint64_t n)
{
	static const char digits[] = "0123456789abcdef";
	unsigned shift = 60;
	size_t len = 0;

	while (shift && !(n >> shift))
		shift -= 4;
	for (;; shift -= 4) {
		line[len++] = digits[n >> shift & 15];
		if (!shift)
			break;
	}
	line[len++] = '\r';
	line[len++] = '\n';
	return len;
}
