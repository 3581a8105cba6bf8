/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as frames of one stream of HTTP/2: a head, a body, trailers. What is accepted is
 * written as HTTP/1, and must be exactly one request under our own strict codec: same method,
 * target, host, framing and body. Written as HTTP/2 again it reads as the same request. The same
 * for responses, which the first byte asks for.
 */
#include "http/h2_message.h"

#include "base/bug.h"
#include "http/chars.h"
#include "http/h1.h"
#include "http/h2_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { FIELDS = 40, ROOM = 2048, OUT = 3 * ROOM, LEN_MAX = 2000 };

/* What came of the stream. */
struct came {
	struct field_table table;
	char block[LEN_MAX];  /* the head's fields, or the trailers' */
	size_t block_len;
	bool in_block, ends;  /* CONTINUATION is due; the block ends the stream */
	bool has_head, over, bad;
	uint64_t left;
	struct message msg;
	size_t used;
	char out[OUT];        /* as HTTP/1 */
};

static struct came came;
static struct field fields[FIELDS], again[FIELDS], parsed[FIELDS + 1];
static char memory[ROOM], more[OUT], block[OUT];
static bool response;
static enum method method;

static void put(const char *bytes, size_t len)
{
	if (came.used + len > OUT) {
		came.bad = true;
		return;
	}
	if (len)
		memcpy(came.out + came.used, bytes, len);
	came.used += len;
}

static enum h2_head read_head(struct hpack_fields *list, bool ends, struct message *msg)
{
	struct message_error error = { 0 };
	enum h2_head r;

	if (response)
		r = h2_response(list, ends, method, msg, &error);
	else
		r = h2_request(list, ends, span_of("dGhlIHNhbXBsZSBub25jZQ=="), msg, &error);
	BUG_ON(r != H2_HEAD_GOOD && (!error.text || !error.status));
	return r;
}

static void same(struct span a, struct span b)
{
	BUG_ON(a.len != b.len || (a.len && memcmp(a.ptr, b.ptr, a.len) != 0));
}

/* As the end of HTTP/1 does. */
static void write_as_h1(struct message *msg)
{
	struct field coding = { .name = span_of("transfer-encoding"), .value = span_of("chunked") };

	msg->major = msg->minor = 1;
	if (msg->framing == BODY_CHUNKED)
		msg->fields[msg->count++] = coding;
	came.used = h1_write_head(msg, came.out, OUT);
	BUG_ON(!came.used);
	if (msg->framing == BODY_CHUNKED)
		msg->count--;
	msg->major = 2;
	msg->minor = 0;
}

static void write_as_h2(const struct message *msg, bool ends)
{
	struct hpack_writer w = { block, block + sizeof(block), false };
	struct hpack_fields list = { .fields = again, .max = FIELDS, .memory = more,
				     .room = sizeof(more), .limit = UINT64_MAX };
	struct field_table none;
	struct message two;

	field_table_init(&none, 0);
	if (response)
		h2_write_response(&w, msg);
	else
		h2_write_request(&w, msg, span_of("x")); /* no port is its own */
	BUG_ON(w.full);
	BUG_ON(hpack_read(&none, (struct span){ block, (size_t)(w.at - block) }, &list) !=
	       HPACK_OK);
	BUG_ON(read_head(&list, ends, &two) != H2_HEAD_GOOD);
	BUG_ON(two.framing != msg->framing || two.length != msg->length);
	BUG_ON(two.method != msg->method || two.status != msg->status);
	same(two.target, msg->target);
	same(two.host, msg->host);
}

/* ---- what comes ---------------------------------------------------------------------------- */

static void head_came(struct hpack_fields *list)
{
	came.used = 0;
	if (read_head(list, came.ends, &came.msg) != H2_HEAD_GOOD) {
		came.bad = true;
		return;
	}
	BUG_ON(came.msg.count > list->max || came.msg.fields != fields);
	write_as_h1(&came.msg);
	write_as_h2(&came.msg, came.ends);
	came.left = h2_body_expected(&came.msg);
	came.has_head = !(came.msg.flags & MSG_INTERIM);
	came.over = came.ends && came.has_head;
	came.bad = came.over && !h2_body_came(&came.left, 0, true);
	if (came.over && came.msg.framing == BODY_CHUNKED)
		put("0\r\n\r\n", 5);
}

static void trailers_came(const struct hpack_fields *list)
{
	struct message_error error;
	char lines[2 * ROOM];
	size_t len;

	came.bad = !came.ends || h2_trailers(list, &error) != H2_HEAD_GOOD ||
		   !h2_body_came(&came.left, 0, true);
	if (came.bad)
		return;
	came.over = true;
	len = h2_trailer_lines(list, lines, sizeof(lines));
	BUG_ON(!len);
	if (came.msg.framing == BODY_CHUNKED) {
		put("0\r\n", 3);
		put(lines, len);
	}
}

static void block_came(void)
{
	static struct field of_trailers[FIELDS];
	static char their_memory[ROOM];
	struct hpack_fields list = { .fields = fields, .max = FIELDS - 1, .memory = memory,
				     .room = ROOM, .limit = ROOM };

	came.in_block = false;
	if (came.has_head) {
		list.fields = of_trailers;
		list.memory = their_memory;
	}
	if (hpack_read(&came.table, (struct span){ came.block, came.block_len }, &list) != HPACK_OK)
		came.bad = true;
	else if (came.has_head)
		trailers_came(&list);
	else
		head_came(&list);
}

static void fragment_came(const struct h2_read *r)
{
	bool first = r->frame.type == H2_HEADERS;

	if (first == came.in_block) {
		came.bad = true;
		return;
	}
	if (first) {
		came.block_len = 0;
		came.ends = r->frame.flags & H2_END_STREAM;
		came.in_block = true;
	}
	if (r->payload.len)
		memcpy(came.block + came.block_len, r->payload.ptr, r->payload.len);
	came.block_len += r->payload.len;
	if (r->frame.flags & H2_END_HEADERS)
		block_came();
}

static void data_came(const struct h2_read *r)
{
	bool ends = r->last && r->frame.flags & H2_END_STREAM;
	char line[20];

	came.bad = !came.has_head || came.in_block ||
		   !h2_body_came(&came.left, r->payload.len, ends);
	if (came.bad)
		return;
	if (came.msg.framing == BODY_CHUNKED && r->payload.len) {
		put(line, h1_chunk_line(line, r->payload.len));
		put(r->payload.ptr, r->payload.len);
		put("\r\n", 2);
	} else if (came.msg.framing == BODY_LENGTH) {
		put(r->payload.ptr, r->payload.len);
	}
	came.over = ends;
	if (ends && came.msg.framing == BODY_CHUNKED)
		put("0\r\n\r\n", 5);
}

/* ---- what HTTP/1 makes of it ----------------------------------------------------------------- */

static void check_body(const struct message *msg, const char *bytes, size_t len)
{
	struct h1_chunks chunks = { 0 };
	struct message_error error;
	size_t used;

	if (msg->framing == BODY_LENGTH)
		BUG_ON(came.over ? len != msg->length : len > msg->length);
	else if (msg->framing == BODY_NONE)
		BUG_ON(len);
	else if (msg->framing == BODY_CHUNKED && came.over)
		BUG_ON(h1_chunks_scan(&chunks, bytes, len, &used, &error) != H1_DONE ||
		       used != len);
	else if (msg->framing == BODY_CHUNKED)
		BUG_ON(h1_chunks_scan(&chunks, bytes, len, &used, &error) != H1_INCOMPLETE);
}

static void check_h1(void)
{
	struct message one, *msg = &came.msg;
	struct h1_parser parser = { 0 };
	struct message_error error;
	enum h1_result r;

	message_init(&one, response, parsed, FIELDS + 1);
	if (response)
		r = h1_response_head(&parser, came.out, came.used, 0, method, &one, &error);
	else
		r = h1_request_head(&parser, came.out, came.used, 0, &one, &error);
	BUG_ON(r != H1_DONE);
	BUG_ON(one.status != msg->status || one.method != msg->method);
	BUG_ON((one.flags ^ msg->flags) & (MSG_UPGRADE | MSG_EXPECT_100 | MSG_INTERIM));
	if (!response) {
		same(one.target, msg->target);
		same(one.host, msg->host);
		same(one.method_text, msg->method_text);
	}
	if (!response || msg->framing != BODY_NONE)
		BUG_ON(one.framing != msg->framing || one.length != msg->length);
	if (!came.bad && one.framing == msg->framing)
		check_body(&one, came.out + one.head_len, came.used - one.head_len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const enum method methods[] = { METHOD_GET, METHOD_HEAD, METHOD_CONNECT };
	struct h2_reader reader = { .max = H2_FRAME_LEAST };
	struct span rest;
	struct h2_read r;
	enum h2_result result;

	if (!len || len > LEN_MAX)
		return 0;
	memset(&came, 0, offsetof(struct came, out));
	field_table_init(&came.table, HPACK_DEFAULT);
	response = data[0] & 1;
	method = response ? methods[data[0] / 2 % ARRAY_LEN(methods)] : METHOD_OTHER;
	rest = (struct span){ (const char *)data + 1, len - 1 };
	while (!came.bad && !came.over && (result = h2_read(&reader, &rest, &r)) != H2_MORE) {
		if (result == H2_BAD && r.fault.connection)
			break;
		if (result == H2_PIECE)
			data_came(&r);
		else if (result == H2_WHOLE &&
			 (r.frame.type == H2_HEADERS || r.frame.type == H2_CONTINUATION))
			fragment_came(&r);
	}
	if (came.used)
		check_h1();
	field_table_free(&came.table);
	return 0;
}
