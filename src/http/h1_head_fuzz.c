/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a head: the first byte says which kind and which options, the second where the head
 * is cut in two. Whole and in pieces the result must be the same. What is accepted holds no control
 * character, has lines that end with CRLF, agrees with itself about its framing, and written out it
 * is read back as the same message. What an option lets pass leaves as something that is accepted
 * without.
 */
#include "http/h1.h"

#include "base/arena.h"
#include "base/bug.h"
#include "http/chars.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { FIELDS = 24, LEN_MAX = 2048 };

struct outcome {
	enum h1_result result;
	struct h1_parser parser;
	struct message msg;
	struct message_error error;
	struct field fields[FIELDS + 1];
};

static bool response;
static unsigned options;
static enum method method;

static void begin(struct outcome *out)
{
	memset(&out->parser, 0, sizeof(out->parser));
	memset(&out->error, 0, sizeof(out->error));
	message_init(&out->msg, response, out->fields, FIELDS);
}

static void feed(struct outcome *out, const char *bytes, size_t len)
{
	if (response)
		out->result = h1_response_head(&out->parser, bytes, len, options, method, &out->msg,
					       &out->error);
	else
		out->result = h1_request_head(&out->parser, bytes, len, options, &out->msg,
					      &out->error);
}

/* ---- the same in pieces ---- */

static void same_span(struct span a, struct span b, bool offsets, const char *a_base,
		      const char *b_base)
{
	BUG_ON(a.len != b.len);
	BUG_ON(offsets && a.ptr && a.ptr - a_base != b.ptr - b_base);
	BUG_ON(a.len && memcmp(a.ptr, b.ptr, a.len) != 0);
}

/* offsets: the parts lie in the same places of their bytes. */
static void same_message(const struct message *a, const char *a_base, const struct message *b,
			 const char *b_base, bool offsets)
{
	unsigned i;

	BUG_ON(a->framing != b->framing || a->length != b->length || a->method != b->method);
	BUG_ON(a->status != b->status || a->count != b->count);
	BUG_ON(a->major != b->major || a->minor != b->minor);
	same_span(a->method_text, b->method_text, offsets, a_base, b_base);
	same_span(a->target, b->target, offsets, a_base, b_base);
	same_span(a->reason, b->reason, offsets, a_base, b_base);
	same_span(a->host, b->host, false, a_base, b_base);
	for (i = 0; i < a->count; i++) {
		BUG_ON(a->fields[i].id != b->fields[i].id);
		same_span(a->fields[i].name, b->fields[i].name, offsets, a_base, b_base);
		same_span(a->fields[i].value, b->fields[i].value, offsets, a_base, b_base);
	}
}

static void same_outcome(const struct outcome *a, const char *a_base, const struct outcome *b,
			 const char *b_base)
{
	BUG_ON(a->result != b->result);
	if (a->result == H1_BAD) {
		BUG_ON(a->error.status != b->error.status);
		BUG_ON(a->error.position != b->error.position);
		BUG_ON(a->error.text != b->error.text);
	}
	if (a->result == H1_DONE) {
		BUG_ON(a->msg.flags != b->msg.flags || a->msg.head_len != b->msg.head_len);
		BUG_ON(a->parser.invalid != b->parser.invalid);
		same_message(&a->msg, a_base, &b->msg, b_base, true);
	}
}

/* whole was read from base; fresh: the bytes as they came. */
static void check_pieces(const struct outcome *whole, const char *base, const char *fresh, size_t len,
			 size_t cut)
{
	static struct outcome out;
	static char one[LEN_MAX], other[LEN_MAX];
	size_t n;

	begin(&out);
	memcpy(one, fresh, cut);
	feed(&out, one, cut);
	if (out.result == H1_INCOMPLETE) {
		memcpy(other, one, cut);
		memcpy(other + cut, fresh + cut, len - cut);
		memset(one, 0xaa, cut); /* the bytes have moved */
		feed(&out, other, len);
	}
	same_outcome(whole, base, &out, out.parser.base);
	if (len > 200)
		return;
	begin(&out);
	memcpy(one, fresh, len);
	for (n = 0, out.result = H1_INCOMPLETE; n <= len && out.result == H1_INCOMPLETE; n++)
		feed(&out, one, n);
	same_outcome(whole, base, &out, one);
}

/* ---- what an accepted head may hold ---- */

static void check_bytes(const char *bytes, size_t len)
{
	size_t i;

	BUG_ON(len < 4);
	for (i = 0; i < len; i++) {
		BUG_ON(bytes[i] == '\r' && (i + 1 == len || bytes[i + 1] != '\n'));
		BUG_ON(bytes[i] == '\n' && (!i || bytes[i - 1] != '\r'));
		BUG_ON(bytes[i] != '\r' && bytes[i] != '\n' && !char_is(bytes[i], CHAR_VALUE));
	}
}

static void check_fields(const struct message *msg)
{
	unsigned i, n[FIELD_IDS] = { 0 };

	for (i = 0; i < msg->count; i++) {
		const struct field *f = &msg->fields[i];

		if (!f->name.ptr)
			continue;
		n[f->id]++;
		BUG_ON(!f->name.len);
		for (size_t k = 0; k < f->name.len && !(msg->flags & MSG_INVALID); k++)
			BUG_ON(!char_is(f->name.ptr[k], CHAR_TOKEN));
		BUG_ON(f->value.len && char_is(f->value.ptr[0], CHAR_BLANK));
		BUG_ON(f->value.len && char_is(f->value.ptr[f->value.len - 1], CHAR_BLANK));
	}
	BUG_ON(n[FIELD_CONTENT_LENGTH] + n[FIELD_TRANSFER_ENCODING] > 1);
	if (response)
		return;
	BUG_ON(n[FIELD_HOST] > 1 || (msg->minor && !(msg->flags & MSG_HOSTLESS) && n[FIELD_HOST] != 1));
	BUG_ON(msg->framing == BODY_CHUNKED && !n[FIELD_TRANSFER_ENCODING]);
	BUG_ON(msg->framing == BODY_LENGTH && (!n[FIELD_CONTENT_LENGTH] || !msg->length));
	BUG_ON(msg->framing == BODY_CLOSE || msg->framing == BODY_TUNNEL);
	BUG_ON(msg->framing == BODY_NONE && (n[FIELD_TRANSFER_ENCODING] || msg->length));
}

/* Written and read again it is the same. What was deleted is not there any more. */
static void check_round_trip(struct outcome *out)
{
	static char written[LEN_MAX + 256];
	static struct outcome again;
	unsigned i, n = 0;
	size_t len;

	len = h1_write_head(&out->msg, written, sizeof(written));
	BUG_ON(!len);
	BUG_ON(out->msg.received &&
	       (len != out->msg.head_len || memcmp(written, out->msg.received, len) != 0));
	begin(&again);
	feed(&again, written, len);
	BUG_ON(again.result != H1_DONE || again.msg.head_len != len);
	for (i = 0; i < out->msg.count; i++)
		if (out->msg.fields[i].name.ptr)
			out->fields[n++] = out->fields[i];
	out->msg.count = (uint16_t)n;
	same_message(&out->msg, NULL, &again.msg, NULL, false);
}

/* Names that are odd but visible, and other protocols, go on as they are. */
static bool is_let_pass(const struct message *msg)
{
	unsigned i;

	if (msg->protocol.ptr)
		return true;
	for (i = 0; i < msg->count; i++) {
		const struct field *f = &msg->fields[i];

		for (size_t k = 0; f->name.ptr && k < f->name.len; k++) {
			BUG_ON((uint8_t)f->name.ptr[k] <= ' ' || (uint8_t)f->name.ptr[k] > 0x7e);
			if (!char_is(f->name.ptr[k], CHAR_TOKEN))
				return true;
		}
	}
	return false;
}

/* As it leaves, whoever is strict reads it, and as the same message. */
static void check_repaired(struct outcome *out)
{
	static char written[3 * LEN_MAX];
	static struct outcome again;
	struct arena arena;
	size_t len;

	arena_init(&arena, NULL, 0);
	BUG_ON(!response && !message_repair(&out->msg, &arena));
	if (response)
		out->msg.major = out->msg.minor = 1;
	len = h1_write_head(&out->msg, written, sizeof(written));
	BUG_ON(!len);
	check_bytes(written, len);
	if (!is_let_pass(&out->msg)) {
		options &= ~(unsigned)(H1_ACCEPT_INVALID | H1_MAYBE_HOST);
		begin(&again);
		again.msg.max = FIELDS + 1; /* a Host may have been added */
		feed(&again, written, len);
		BUG_ON(again.result != H1_DONE || again.msg.head_len != len);
		BUG_ON(again.msg.framing != out->msg.framing || again.msg.length != out->msg.length);
	}
	arena_reset(&arena);
}

/* The fields without the start line in front are the same ones: so CGI programs answer. */
static void check_fields_alone(const struct message *msg, const char *bytes)
{
	const char *line = memchr(bytes, '\n', msg->head_len);
	size_t before = (size_t)(line + 1 - bytes);
	static struct outcome alone;

	begin(&alone);
	alone.msg.major = msg->major;
	alone.msg.minor = msg->minor;
	alone.result = h1_fields_head(&alone.parser, bytes + before, msg->head_len - before, options,
				      &alone.msg, &alone.error);
	BUG_ON(alone.result != H1_DONE || alone.msg.head_len + before != msg->head_len);
	BUG_ON(alone.msg.count != msg->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static char bytes[LEN_MAX];
	static const enum method methods[] = { METHOD_GET, METHOD_HEAD, METHOD_CONNECT,
					       METHOD_POST };
	static struct outcome whole;
	size_t cut;

	if (len < 2 || len > LEN_MAX)
		return 0;
	response = data[0] & 1;
	options = (data[0] >> 1 & 3) | (data[0] >> 5 & 1) * H1_MAYBE_HOST;
	method = methods[data[0] >> 3 & 3];
	len -= 2;
	memcpy(bytes, data + 2, len);
	cut = len ? data[1] * len / 256 : 0;
	begin(&whole);
	feed(&whole, bytes, len);
	check_pieces(&whole, bytes, (const char *)data + 2, len, cut);
	if (whole.result == H1_BAD) {
		BUG_ON(!whole.error.text || whole.error.position >= len);
		BUG_ON(response && whole.error.status != 502);
		BUG_ON(!response && (whole.error.status < 400 || whole.error.status > 505));
	}
	if (whole.result != H1_DONE)
		return 0;
	BUG_ON(whole.msg.head_len > len);
	if (!response || !(whole.msg.flags & MSG_INVALID))
		check_bytes(bytes, whole.msg.head_len);
	check_fields(&whole.msg);
	if (response && !(whole.msg.flags & MSG_INVALID))
		check_fields_alone(&whole.msg, bytes);
	check_round_trip(&whole);
	if (whole.msg.flags & MSG_INVALID)
		check_repaired(&whole);
	return 0;
}
