/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A message as bytes on the wire. Names are written as they were received or set. Field lines that
 * nobody has touched are copied in one piece, together with their neighbours.
 */
#include "http/h1.h"

/* Appends; once something did not fit nothing more is written. */
struct writer {
	char *p, *end;
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

static void put_version(struct writer *w, const struct message *msg)
{
	char text[] = "HTTP/1.1";

	if (msg->protocol.ptr) {
		put_span(w, msg->protocol);
		return;
	}
	if (msg->major != 1 || msg->minor != 1) {
		text[5] = (char)('0' + msg->major % 10);
		text[7] = (char)('0' + msg->minor % 10);
	}
	put(w, text, 8);
}

static void put_start_line(struct writer *w, const struct message *msg)
{
	unsigned code = msg->status;
	char status[3] = { (char)('0' + code / 100 % 10), (char)('0' + code / 10 % 10),
			   (char)('0' + code % 10) };

	if (msg->is_response) {
		put_version(w, msg);
		put(w, " ", 1);
		put(w, status, 3);
		put(w, " ", 1);
		put_span(w, msg->reason);
	} else {
		put_span(w, msg->method_text);
		put(w, " ", 1);
		put_span(w, msg->target);
		put(w, " ", 1);
		put_version(w, msg);
	}
	put(w, "\r\n", 2);
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
	struct writer w = { memory, memory + size, false };
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
		put_span(&w, f->name);
		put(&w, ": ", 2);
		put_span(&w, f->value);
		put(&w, "\r\n", 2);
	}
	put(&w, "\r\n", 2);
	return w.full ? 0 : (size_t)(w.p - memory);
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
