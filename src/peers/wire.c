/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of the protocol of peers, and what they are made of. Called by the conversation
 * (messages.c); definitions and updates are wire_table.c. Pure. */
#include "peers/wire.h"

/* ---- numbers ------------------------------------------------------------------------------- */

enum { FIRST_LAST = 240, /* below: the number is one byte */
       BYTE_MORE = 128, NUMBER_MOST = 10 /* bytes */ };

/* Bytes of the number that begins there; 0: more are needed; -1: it is none of 64 bits. The bits
 * that say "more" are part of the sum. */
static int read_number(const unsigned char *bytes, size_t len, uint64_t *n)
{
	unsigned shift = 4;
	uint64_t part;
	size_t i;

	if (!len)
		return 0;
	*n = bytes[0];
	if (bytes[0] < FIRST_LAST)
		return 1;
	for (i = 1; i < len && i < NUMBER_MOST; i++, shift += 7) {
		part = (uint64_t)bytes[i] << shift;
		if (part >> shift != bytes[i] || __builtin_add_overflow(*n, part, n))
			return -1;
		if (bytes[i] < BYTE_MORE)
			return (int)i + 1;
	}
	return i < NUMBER_MOST ? 0 : -1;
}

void wire_put_number(struct wire_out *out, uint64_t n)
{
	unsigned char bytes[NUMBER_MOST];
	size_t len = 0;

	if (n < FIRST_LAST) {
		bytes[len++] = (unsigned char)n;
	} else {
		bytes[len++] = (unsigned char)(n | 0xf0);
		n = (n - FIRST_LAST) >> 4;
		for (; n >= BYTE_MORE; n = (n - BYTE_MORE) >> 7)
			bytes[len++] = (unsigned char)(n | BYTE_MORE);
		bytes[len++] = (unsigned char)n;
	}
	wire_put_bytes(out, bytes, len);
}

/* ---- messages ------------------------------------------------------------------------------ */

int wire_message(struct span bytes, struct wire_message *m)
{
	const unsigned char *at = (const unsigned char *)bytes.ptr;
	uint64_t body;
	int len;

	if (bytes.len && at[0] == WIRE_RESERVED)
		return WIRE_IS_BAD;
	if (bytes.len < 2)
		return 0;
	*m = (struct wire_message){ .class = at[0], .type = at[1] };
	if (m->type < WIRE_WITH_BODY)
		return 2;
	len = read_number(at + 2, bytes.len - 2, &body);
	if (len <= 0)
		return len ? WIRE_IS_BAD : 0;
	if (body > WIRE_MESSAGE_MOST)
		return WIRE_IS_LONG;
	m->body = (struct span){ bytes.ptr + 2 + len, (size_t)body };
	return bytes.len - 2 - (size_t)len < body ? 0 : 2 + len + (int)body;
}

/* ---- reading ------------------------------------------------------------------------------- */

struct wire_in wire_in(struct span bytes)
{
	const unsigned char *at = (const unsigned char *)bytes.ptr;

	return (struct wire_in){ .at = at, .end = at + bytes.len };
}

static uint64_t is_bad(struct wire_in *in)
{
	in->bad = true;
	in->at = in->end;
	return 0;
}

uint64_t wire_get_number(struct wire_in *in)
{
	uint64_t n;
	int len = read_number(in->at, (size_t)(in->end - in->at), &n);

	if (len <= 0)
		return is_bad(in);
	in->at += len;
	return n;
}

struct span wire_get_bytes(struct wire_in *in, uint64_t len)
{
	struct span bytes = { (const char *)in->at, (size_t)len };

	if (len > (uint64_t)(in->end - in->at)) {
		is_bad(in);
		return (struct span){ (const char *)in->at, 0 };
	}
	in->at += len;
	return bytes;
}

uint32_t wire_get_32(struct wire_in *in)
{
	struct span bytes = wire_get_bytes(in, 4);
	const unsigned char *at = (const unsigned char *)bytes.ptr;

	if (!bytes.len)
		return 0;
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* ---- writing ------------------------------------------------------------------------------- */

struct wire_out wire_out(void *buf, size_t size)
{
	unsigned char *begin = buf;

	return (struct wire_out){ .begin = begin, .at = begin, .end = begin + size,
				  .message = begin };
}

void wire_put_bytes(struct wire_out *out, const void *bytes, size_t len)
{
	if (out->full || len > (size_t)(out->end - out->at)) {
		out->full = true;
		return;
	}
	if (len)
		memcpy(out->at, bytes, len);
	out->at += len;
}

void wire_put_32(struct wire_out *out, uint32_t n)
{
	unsigned char bytes[4] = { (unsigned char)(n >> 24), (unsigned char)(n >> 16),
				   (unsigned char)(n >> 8), (unsigned char)n };

	wire_put_bytes(out, bytes, sizeof(bytes));
}

static void undo(struct wire_out *out)
{
	out->at = out->message;
	out->full = false;
}

bool wire_put_short(struct wire_out *out, enum wire_class class, unsigned type)
{
	unsigned char bytes[2] = { (unsigned char)class, (unsigned char)type };

	out->message = out->at;
	wire_put_bytes(out, bytes, sizeof(bytes));
	if (!out->full)
		return true;
	undo(out);
	return false;
}

/* A byte is left for the length; the body moves when that needs more. */
void wire_begin(struct wire_out *out, enum wire_class class, unsigned type)
{
	unsigned char bytes[3] = { (unsigned char)class, (unsigned char)type, 0 };

	out->message = out->at;
	wire_put_bytes(out, bytes, sizeof(bytes));
}

bool wire_end(struct wire_out *out)
{
	unsigned char length[NUMBER_MOST];
	struct wire_out head = wire_out(length, sizeof(length));
	size_t body = (size_t)(out->at - out->message) - 3, more;

	if (out->full) {
		undo(out);
		return false;
	}
	wire_put_number(&head, body);
	more = (size_t)(head.at - length) - 1;
	if (more > (size_t)(out->end - out->at) || 3 + more + body > WIRE_MESSAGE_MOST) {
		undo(out);
		return false;
	}
	if (more)
		memmove(out->message + 3 + more, out->message + 3, body);
	memcpy(out->message + 2, length, 1 + more);
	out->at += more;
	return true;
}
